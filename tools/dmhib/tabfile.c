// SPDX-License-Identifier: GPL-2.0-only
/*
 * /etc/hibswaptab, read from the disk, and its errors told.
 */
#include "tabfile.h"
#include "slurp.h"
#include "sysroot.h"

/** tabfile_path - the file that is meant */
const char *tabfile_path(void)
{
	return opts.tab ? opts.tab : TAB_PATH;
}

/**
 * tabfile_read - read it, and name the lines that cannot be used
 * @tab: filled in; tab_free() it, also after an error
 *
 * Without the file there are no lines, unless --tab has named it.
 *
 * Return: an exit code; E_OK also if there are lines that cannot be used.
 */
int tabfile_read(struct tab *tab)
{
	const char *path = tabfile_path();
	char full[PATH_MAX], *text;
	size_t len;
	int err;

	memset(tab, 0, sizeof(*tab));
	/* What the user names is not below a made-up machine's root */
	if (opts.tab)
		snprintf(full, sizeof(full), "%s", path);
	else
		sysroot_path(full, sizeof(full), "%s", path);
	err = slurp(full, TAB_FILE_MAX, &text, &len);
	if (err == -ENOENT && !opts.tab)
		return E_OK;
	if (err) {
		msg_err("cannot read %s: %s", path, strerror(-err));
		return exit_from_errno(err);
	}
	err = tab_parse(tab, text, len);
	free(text);
	if (err) {
		msg_err("out of memory");
		return E_MEM;
	}
	for (unsigned int i = 0; i < tab->nr_errors; i++)
		msg_err("%s:%u: %s", path, tab->errors[i].line, tab->errors[i].text);
	return E_OK;
}

/**
 * tabfile_line - read it, and find a line
 * @tab: filled in; tab_free() it, also after an error
 * @name: may be given as /dev/mapper/NAME
 * @entry: set to the line
 *
 * Return: an exit code.
 */
int tabfile_line(struct tab *tab, const char *name, const struct tab_entry **entry)
{
	int rc = tabfile_read(tab);

	if (rc)
		return rc;
	*entry = tab_find(tab, name);
	if (*entry)
		return E_OK;
	msg_err("%s has no line for \"%s\"", tabfile_path(), name);
	return E_PARAM;
}

/**
 * tabfile_each - do something with every line that can be used
 * @fn: does it; returns an exit code
 *
 * Goes on after failures.
 *
 * Return: the exit code of the first failure, which a line that cannot be used
 * is, too.
 */
int tabfile_each(int (*fn)(const struct tab_entry *e))
{
	struct tab tab;
	int first = tabfile_read(&tab);

	if (!first && tab.nr_errors)
		first = E_PARAM;
	for (unsigned int i = 0; i < tab.nr; i++) {
		int rc = fn(tab.entries[i]);

		if (!first)
			first = rc;
	}
	tab_free(&tab);
	return first;
}

/**
 * all_or_names - words or --all, but not both
 * @argc: words that are there
 * @most: words that there may be
 * @verb: which verb
 *
 * Return: an exit code.
 */
int all_or_names(int argc, int most, const char *verb)
{
	if (opts.all && argc) {
		msg_err("%s --all takes no name", verb);
		return E_PARAM;
	}
	if (!opts.all && (!argc || argc > most)) {
		msg_err("%s needs a name, or --all", verb);
		return E_PARAM;
	}
	if (opts.tab && argc > 1) {
		msg_err("--tab is for names that are in it");
		return E_PARAM;
	}
	return E_OK;
}
