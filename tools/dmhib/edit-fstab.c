// SPDX-License-Identifier: GPL-2.0-only
/*
 * /etc/fstab: the line that names the raw partition gets the mapped device's
 * name, and stays as it is otherwise.
 */
#include "setup.h"

#include <ctype.h>

#define FSTAB	"/etc/fstab"

struct line {
	const char *start;
	size_t len;		/* without the newline */
	bool newline;
	const char *spec;	/* the first field, NULL if there is none */
	size_t spec_len;
	char *name;		/* the same, without quotes and escapes */
	char dir[64];
	char type[32];
	char options[256];
};

/* "UUID=..." may be quoted, and blanks are \040 */
static char *unquote(const char *p, size_t len)
{
	char *text = need_memory(malloc(len + 1)), *to = text;

	for (size_t i = 0; i < len; i++) {
		if (p[i] == '"') {
			continue;
		} else if (p[i] == '\\' && i + 3 < len && p[i + 1] >= '0' && p[i + 1] <= '3' &&
			   p[i + 2] >= '0' && p[i + 2] <= '7' && p[i + 3] >= '0' &&
			   p[i + 3] <= '7') {
			*to++ = (p[i + 1] - '0') << 6 | (p[i + 2] - '0') << 3 | (p[i + 3] - '0');
			i += 3;
		} else {
			*to++ = p[i];
		}
	}
	*to = '\0';
	return text;
}

static void split(struct line *l)
{
	char copy[1024], *save = NULL;
	size_t i = 0, n;
	bool quoted = false;

	l->spec = NULL;
	l->name = NULL;
	l->dir[0] = l->type[0] = l->options[0] = '\0';
	while (i < l->len && isspace((unsigned char)l->start[i]))
		i++;
	if (i == l->len || l->start[i] == '#')
		return;
	l->spec = l->start + i;
	while (i < l->len && (quoted || !isspace((unsigned char)l->start[i])))
		quoted ^= l->start[i++] == '"';
	l->spec_len = l->start + i - l->spec;
	l->name = unquote(l->spec, l->spec_len);
	n = min(l->len - i, sizeof(copy) - 1);
	memcpy(copy, l->start + i, n);
	copy[n] = '\0';
	snprintf(l->dir, sizeof(l->dir), "%s", strtok_r(copy, " \t\r", &save) ?: "");
	snprintf(l->type, sizeof(l->type), "%s", strtok_r(NULL, " \t\r", &save) ?: "");
	snprintf(l->options, sizeof(l->options), "%s", strtok_r(NULL, " \t\r", &save) ?: "");
}

/* sw and defaults mean nothing; what else there is, swapon -o has to be told */
static void keep_options(struct setup *s, const struct line *l)
{
	char *save = NULL, copy[256];
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", l->options);
	s->swap_options[0] = '\0';
	for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save))
		if (!strncmp(w, "pri=", 4) || !strncmp(w, "discard", 7))
			n += snprintf(s->swap_options + n, sizeof(s->swap_options) - n, "%s%s",
				      n ? "," : "", w);
}

static bool safe_comment(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			return false;
	return true;
}

static const char comment_moved[] = "# swap lies behind the hibernation region now: dmhib(8)";
static const char comment_new[] = "# swap, behind the hibernation region: dmhib(8)";

/* Of an earlier setup; the line below it may have been changed back */
static bool is_comment(const struct line *l)
{
	const size_t n = sizeof(comment_moved) - 1;

	return (l->len >= n && !strncmp(l->start, comment_moved, n)) ||
	       (l->len == sizeof(comment_new) - 1 && !strncmp(l->start, comment_new, l->len));
}

static void put_comment(const struct line *l, FILE *to)
{
	const bool safe = safe_comment(l->name);

	fprintf(to, "%s%s%s\n", comment_moved, safe ? "; it was on " : "", safe ? l->name : "");
}

/* One line of the old file. Return: an exit code */
static int edit_line(struct setup *s, const struct line *l, FILE *to, bool *have, bool told)
{
	const bool swap = !strcmp(l->type, "swap");

	if (!l->spec || (strcmp(l->name, s->mapped) && !setup_means_device(s, l->name))) {
		fwrite(l->start, 1, l->len + l->newline, to);
		return E_OK;
	}
	if (!swap) {
		msg_err("%s mounts %s on %s: is %s the right partition?", FSTAB, l->name, l->dir,
			s->device);
		return E_REFUSED;
	}
	if (!strcmp(l->name, s->mapped) && !*have) {
		fwrite(l->start, 1, l->len + l->newline, to);
	} else if (!*have) {
		if (!told)
			put_comment(l, to);
		fwrite(l->start, 1, l->spec - l->start, to);
		fputs(s->mapped, to);
		fwrite(l->spec + l->spec_len, 1, l->start + l->len + l->newline - l->spec - l->spec_len,
		       to);
	} else {
		/* A second name of the same partition */
		fputs("#", to);
		fwrite(l->start, 1, l->len + l->newline, to);
	}
	if (!*have)
		keep_options(s, l);
	*have = true;
	return E_OK;
}

/**
 * edit_fstab - plan the change of /etc/fstab
 * @s: the setup
 *
 * Return: an exit code.
 */
int edit_fstab(struct setup *s)
{
	char *old, *new = NULL;
	bool have = false, newline = true, told = false;
	size_t size;
	FILE *to;
	int rc = root_read(FSTAB, &old);

	if (rc)
		return rc;
	to = need_memory(open_memstream(&new, &size));
	for (const char *p = old ? old : ""; *p && !rc;) {
		struct line l = { .start = p, .len = strcspn(p, "\n") };

		newline = l.newline = p[l.len] == '\n';
		p += l.len + l.newline;
		split(&l);
		rc = edit_line(s, &l, to, &have, told);
		told = is_comment(&l);
		free(l.name);
	}
	if (!have)
		fprintf(to, "%s%s%s%s none swap sw 0 0\n", newline ? "" : "\n",
			told ? "" : comment_new, told ? "" : "\n", s->mapped);
	fclose(to);
	free(old);
	if (!rc)
		return change_add(&s->files, FSTAB, new);
	free(new);
	return rc;
}
