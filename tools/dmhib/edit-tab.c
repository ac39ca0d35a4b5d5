// SPDX-License-Identifier: GPL-2.0-only
/*
 * /etc/hibswaptab: the line that opens the device at boot.
 */
#include "setup.h"
#include "tab.h"

/* udev's links to a partition stay when what is on it changes */
static void spec_of(const struct setup *s, char *buf, size_t len)
{
	if (*s->partuuid)
		snprintf(buf, len, "PARTUUID=%s", s->partuuid);
	else
		snprintf(buf, len, "UUID=%s", s->region_uuid);
}

static bool means_us(const struct setup *s, const struct tab_entry *e)
{
	char spec[128];

	spec_of(s, spec, sizeof(spec));
	return !strcasecmp(e->spec, spec) || setup_means_device(s, e->spec) ||
	       (e->kind == TAB_BY_UUID && !strcasecmp(e->value, s->region_uuid));
}

static char *wanted(const struct setup *s, const struct tab_entry *old)
{
	const bool keep = old && means_us(s, old);
	char spec[128], options[300] = "";
	size_t n = 0;

	spec_of(s, spec, sizeof(spec));
	if (s->window_bytes)
		n += snprintf(options + n, sizeof(options) - n, ",window");
	if (keep && old->discard)
		n += snprintf(options + n, sizeof(options) - n, ",discard");
	if (keep && old->wipe)
		n += snprintf(options + n, sizeof(options) - n, ",wipe");
	if (keep && old->timeout != TAB_TIMEOUT)
		n += snprintf(options + n, sizeof(options) - n, ",timeout=%llu",
			      (unsigned long long)old->timeout);
	if (keep && old->nofail)
		n += snprintf(options + n, sizeof(options) - n, ",nofail");
	snprintf(options + n, sizeof(options) - n, ",x-initrd.attach");
	return text_printf("%s\t%s\t%s\n", s->name, spec, options + 1);
}

/* A line that does what is wanted stays, however it is written */
static bool good(const struct setup *s, const struct tab_entry *e)
{
	return e && means_us(s, e) && e->window == !!s->window_bytes && !e->noauto &&
	       !e->region_start;
}

static int other_name(const struct setup *s, const struct tab *tab)
{
	for (unsigned int i = 0; i < tab->nr; i++) {
		const struct tab_entry *e = tab->entries[i];

		if (!strcmp(e->name, s->name) || !means_us(s, e))
			continue;
		msg_err("%s:%u: %s is called %s there already: use that name, or take the line out",
			TAB_PATH, e->line, s->device, e->name);
		return E_BUSY;
	}
	return E_OK;
}

/* The old text with line @nr replaced, or with one more line at its end */
static char *put_line(const char *old, unsigned int nr, const char *line)
{
	char *new = NULL;
	size_t size, len = 0;
	unsigned int at = 1;
	FILE *to = need_memory(open_memstream(&new, &size));

	if (!old)
		fputs("# Hibernation regions that are opened at boot: hibswaptab(5)\n"
		      "# NAME\tDEVICE\tOPTIONS\n", to);
	for (const char *p = old ? old : ""; *p; p += len, at++) {
		len = strcspn(p, "\n");
		len += p[len] == '\n';
		if (at == nr)
			fputs(line, to);
		else
			fwrite(p, 1, len, to);
		if (p[len - 1] != '\n' && !p[len] && at != nr)
			fputc('\n', to);
	}
	if (!nr)
		fputs(line, to);
	fclose(to);
	return new;
}

/**
 * edit_tab - plan the change of /etc/hibswaptab
 * @s: the setup
 *
 * Return: an exit code.
 */
int edit_tab(struct setup *s)
{
	const struct tab_entry *mine;
	struct tab tab = {};
	char *old, *line, *new = NULL;
	int rc = root_read(TAB_PATH, &old);

	if (rc)
		return rc;
	if (old && tab_parse(&tab, old, strlen(old)))
		need_memory(NULL);
	/* Of a line that cannot be used nobody knows which name it has */
	for (unsigned int i = 0; i < tab.nr_errors; i++) {
		msg_err("%s:%u: %s", TAB_PATH, tab.errors[i].line, tab.errors[i].text);
		rc = E_PARAM;
	}
	if (!rc)
		rc = other_name(s, &tab);
	mine = tab_find(&tab, s->name);
	if (!rc && !good(s, mine)) {
		line = wanted(s, mine);
		new = put_line(old, mine ? mine->line : 0, line);
		free(line);
		rc = change_add(&s->files, TAB_PATH, new);
	}
	tab_free(&tab);
	free(old);
	return rc;
}
