// SPDX-License-Identifier: GPL-2.0-only
/*
 * hibswaptab(5): which devices are opened at boot. No I/O, no messages.
 *
 *	# NAME	DEVICE					OPTIONS
 *	hib	PARTUUID=e6d0e5b2-03			window,discard
 *
 * A line that cannot be used is an error of its own; the others stay usable,
 * because a machine that boots with one device less is better than one that
 * does not.
 */
#include "tab.h"
#include "sizes.h"

#include <stdarg.h>
#include <stdio.h>

#define FIELDS_MAX	3
#define TIMEOUT_MAX	(366 * 86400ULL)
#define LINES_MAX	4096	/* all others are errors, and of one of them is told */

struct field {
	const char *p;
	size_t len;
};

static void error(struct tab *tab, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void error(struct tab *tab, unsigned int line, const char *fmt, ...)
{
	struct tab_error *e;
	va_list ap;

	if (tab->nr_errors > LINES_MAX)
		return;
	e = reallocarray(tab->errors, tab->nr_errors + 1, sizeof(*e));
	if (!e)
		return;
	tab->errors = e;
	e += tab->nr_errors++;
	e->line = line;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	for (char *c = e->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* What a word of hibswaptab may consist of: neither \ nor " nor control characters */
static bool word_ok(const struct field *f)
{
	for (size_t i = 0; i < f->len; i++)
		if ((unsigned char)f->p[i] <= ' ' || f->p[i] == 127 || f->p[i] == '\\' ||
		    f->p[i] == '"' || f->p[i] == '\'')
			return false;
	return true;
}

/* Return: how many there are, which may be more than are filled in */
static unsigned int split(const char *line, size_t len, struct field *fields)
{
	unsigned int nr = 0;
	size_t i = 0;

	for (;;) {
		size_t from;

		while (i < len && is_blank(line[i]))
			i++;
		if (i == len || line[i] == '#')
			return nr;
		from = i;
		while (i < len && !is_blank(line[i]))
			i++;
		if (nr < FIELDS_MAX)
			fields[nr] = (struct field){ line + from, i - from };
		nr++;
	}
}

static bool copy(const struct field *f, char *buf, size_t size)
{
	if (f->len >= size)
		return false;
	memcpy(buf, f->p, f->len);
	buf[f->len] = '\0';
	return true;
}

static bool is_uuid(const char *s)
{
	for (int i = 0; i < 36; i++) {
		const bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s[i] != '-' : !strchr("0123456789abcdefABCDEF", s[i]) || !s[i])
			return false;
	}
	return !s[36];
}

/**
 * tab_spec_parse - how does it name a device?
 * @spec: /dev/..., UUID=..., PARTUUID=..., PARTLABEL=...
 * @kind: set
 * @value: set to what is behind the =, in @spec
 *
 * Return: 0; -EINVAL for something else; -ENOTSUP for LABEL=; -EBADMSG for a
 * value that cannot be.
 */
int tab_spec_parse(const char *spec, enum tab_kind *kind, const char **value)
{
	static const char * const tags[] = { NULL, "UUID=", "PARTUUID=", "PARTLABEL=" };

	for (int i = TAB_BY_UUID; i <= TAB_BY_PARTLABEL; i++) {
		const size_t n = strlen(tags[i]);

		if (strncmp(spec, tags[i], n))
			continue;
		*kind = i;
		*value = spec + n;
		if (i == TAB_BY_UUID)
			return is_uuid(*value) ? 0 : -EBADMSG;
		/* It becomes the last part of a path */
		if (!**value || strchr(*value, '/') || !strcmp(*value, ".") ||
		    !strcmp(*value, ".."))
			return -EBADMSG;
		if (i == TAB_BY_PARTUUID && (*value)[strspn(*value, "0123456789abcdefABCDEF-")])
			return -EBADMSG;
		return 0;
	}
	if (!strncmp(spec, "LABEL=", 6))
		return -ENOTSUP;
	*kind = TAB_BY_PATH;
	*value = spec;
	return *spec == '/' ? 0 : -EINVAL;
}

static bool set_spec(struct tab *tab, struct tab_entry *e)
{
	switch (tab_spec_parse(e->spec, &e->kind, &e->value)) {
	case 0:
		return true;
	case -ENOTSUP:
		error(tab, e->line, "\"%s\": a region has no label; use UUID= or PARTLABEL=",
		      e->spec);
		break;
	case -EBADMSG:
		error(tab, e->line, "\"%s\": \"%s\" cannot be a %.*s", e->spec, e->value,
		      (int)(e->value - e->spec - 1), e->spec);
		break;
	default:
		error(tab, e->line, "\"%s\" is no device: a path, UUID=, PARTUUID= or PARTLABEL= is needed",
		      e->spec);
	}
	return false;
}

static bool set_timeout(struct tab_entry *e, const char *value)
{
	char number[32];
	size_t n = strlen(value);

	/* systemd's 90s is understood, its 1min 30s is not */
	if (n && value[n - 1] == 's')
		n--;
	if (n >= sizeof(number))
		return false;
	memcpy(number, value, n);
	number[n] = '\0';
	return !number_parse(number, &e->timeout) && e->timeout <= TIMEOUT_MAX;
}

static bool set_option(struct tab *tab, struct tab_entry *e, const char *word)
{
	const struct { const char *name; bool *flag; } flags[] = {
		{ "window", &e->window }, { "discard", &e->discard }, { "wipe", &e->wipe },
		{ "nofail", &e->nofail }, { "noauto", &e->noauto }, { "_netdev", &e->netdev },
		{ "x-initrd.attach", &e->initrd },
	};

	for (unsigned int i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!strcmp(word, flags[i].name)) {
			*flags[i].flag = true;
			return true;
		}
	}
	if (!strncmp(word, "region-start=", 13)) {
		if (!size_parse(word + 13, &e->region_start) && !(e->region_start % 4096))
			return true;
		error(tab, e->line, "\"%s\": not a multiple of 4096 bytes", word);
	} else if (!strncmp(word, "timeout=", 8)) {
		if (set_timeout(e, word + 8))
			return true;
		error(tab, e->line, "\"%s\": not a number of seconds", word);
	} else {
		error(tab, e->line, "unknown option \"%s\"", word);
	}
	return false;
}

static bool set_options(struct tab *tab, struct tab_entry *e, const struct field *f)
{
	size_t from = 0;

	if (f->len == 1 && *f->p == '-')
		return true;
	for (size_t i = 0; i <= f->len; i++) {
		struct field one = { f->p + from, i - from };
		char word[TAB_SPEC_MAX + 1];

		if (i < f->len && f->p[i] != ',')
			continue;
		from = i + 1;
		if (!one.len)
			continue;
		if (!copy(&one, word, sizeof(word))) {
			error(tab, e->line, "an option is too long: \"%.40s...\"", one.p);
			return false;
		}
		if (!set_option(tab, e, word))
			return false;
	}
	return true;
}

/* Hexadecimal digits may be written small or large */
static bool same_spec(const struct tab_entry *a, const struct tab_entry *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == TAB_BY_UUID || a->kind == TAB_BY_PARTUUID ?
	       !strcasecmp(a->value, b->value) : !strcmp(a->value, b->value);
}

static bool is_new(struct tab *tab, const struct tab_entry *e)
{
	for (unsigned int i = 0; i < tab->nr; i++) {
		const struct tab_entry *old = tab->entries[i];

		if (!strcmp(old->name, e->name)) {
			error(tab, e->line, "the name \"%s\" is in line %u already", e->name,
			      old->line);
			return false;
		}
		if (same_spec(old, e)) {
			error(tab, e->line, "the device \"%s\" is in line %u already", e->spec,
			      old->line);
			return false;
		}
	}
	return true;
}

static bool fill(struct tab *tab, struct tab_entry *e, const struct field *fields,
		 unsigned int nr)
{
	if (nr < 2 || nr > FIELDS_MAX) {
		error(tab, e->line, "%u field%s: NAME DEVICE [OPTIONS] are needed", nr,
		      nr == 1 ? "" : "s");
		return false;
	}
	for (unsigned int i = 0; i < nr; i++) {
		if (word_ok(&fields[i]))
			continue;
		error(tab, e->line, "\"%.*s\": quotes, \\ and control characters are not possible",
		      (int)min(fields[i].len, 60), fields[i].p);
		return false;
	}
	if (!copy(&fields[0], e->name, sizeof(e->name)) || !mapped_name_ok(e->name)) {
		error(tab, e->line, "\"%.*s\" cannot be the name of a mapped device",
		      (int)min(fields[0].len, 100), fields[0].p);
		return false;
	}
	if (!copy(&fields[1], e->spec, sizeof(e->spec))) {
		error(tab, e->line, "the device is too long: \"%.40s...\"", fields[1].p);
		return false;
	}
	return set_spec(tab, e) && (nr < 3 || set_options(tab, e, &fields[2])) && is_new(tab, e);
}

static int add_line(struct tab *tab, unsigned int line, const char *p, size_t len)
{
	struct field fields[FIELDS_MAX];
	unsigned int nr = split(p, len, fields);
	struct tab_entry *e, **entries;

	if (!nr)
		return 0;
	if (tab->nr == LINES_MAX) {
		error(tab, line, "more than %u lines", LINES_MAX);
		return 0;
	}
	e = calloc(1, sizeof(*e));
	entries = reallocarray(tab->entries, tab->nr + 1, sizeof(*entries));
	if (entries)
		tab->entries = entries;
	if (!e || !entries) {
		free(e);
		return -ENOMEM;
	}
	e->line = line;
	e->timeout = TAB_TIMEOUT;
	if (fill(tab, e, fields, nr))
		tab->entries[tab->nr++] = e;
	else
		free(e);
	return 0;
}

/**
 * tab_parse - understand a file
 * @tab: filled in; tab_free() it, also after an error
 * @buf: its contents
 * @len: of @buf
 *
 * Return: 0, whatever is in it, or -ENOMEM.
 */
int tab_parse(struct tab *tab, const char *buf, size_t len)
{
	unsigned int line = 1;
	int err = 0;

	memset(tab, 0, sizeof(*tab));
	for (size_t from = 0, i = 0; i <= len && !err; i++) {
		if (i < len && buf[i] != '\n')
			continue;
		err = add_line(tab, line++, buf + from, i - from);
		from = i + 1;
	}
	return err;
}

/** tab_free - free what tab_parse() has allocated */
void tab_free(struct tab *tab)
{
	for (unsigned int i = 0; i < tab->nr; i++)
		free(tab->entries[i]);
	free(tab->entries);
	free(tab->errors);
	memset(tab, 0, sizeof(*tab));
}

/** tab_find - the line of this name, or NULL */
const struct tab_entry *tab_find(const struct tab *tab, const char *name)
{
	for (unsigned int i = 0; i < tab->nr; i++)
		if (!strcmp(tab->entries[i]->name, name))
			return tab->entries[i];
	return NULL;
}

/**
 * tab_spec_link - the path under which udev would have the device
 * @e: the line
 * @buf: gets it
 * @len: of @buf
 *
 * Return: @buf.
 */
const char *tab_spec_link(const struct tab_entry *e, char *buf, size_t len)
{
	static const char * const dirs[] = { NULL, "by-uuid", "by-partuuid", "by-partlabel" };

	if (e->kind == TAB_BY_PATH) {
		snprintf(buf, len, "%s", e->value);
		return buf;
	}
	snprintf(buf, len, "/dev/disk/%s/%s", dirs[e->kind], e->value);
	if (e->kind != TAB_BY_PARTLABEL)
		for (char *p = buf; *p; p++)
			if (*p >= 'A' && *p <= 'Z')
				*p += 'a' - 'A';
	return buf;
}
