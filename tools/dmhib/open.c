// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib open: make mapped devices, of a device or of lines of hibswaptab(5).
 */
#include "open.h"
#include "dm.h"
#include "find.h"
#include "tabfile.h"

static u64 patience(const struct tab_entry *e)
{
	if (opts.have_wait)
		return opts.wait;
	return e->timeout ? e->timeout : WAIT_FOREVER;
}

static int open_entry(const struct tab_entry *e)
{
	const struct open_how how = {
		.region_start = e->region_start >> HIBSWAP_SECTOR_SHIFT,
		.window = e->window || opts.window,
		.discard = e->discard || opts.discard,
		.wipe = e->wipe || opts.wipe,
		.again = true,
	};
	char path[PATH_MAX];
	int rc = find_wait(e, patience(e), path, sizeof(path));

	return rc ? rc : open_region(path, e->name, &how);
}

static int open_unless_noauto(const struct tab_entry *e)
{
	return e->noauto ? E_OK : open_entry(e);
}

static int open_line(const char *name)
{
	const struct tab_entry *e;
	struct tab tab;
	int rc = dm_name_check(&name);

	if (rc)
		return rc;
	rc = tabfile_line(&tab, name, &e);
	if (!rc)
		rc = open_entry(e);
	tab_free(&tab);
	return rc;
}

static int open_device(const char *spec, const char *name)
{
	struct tab_entry e = { .region_start = opts.region_start };
	const struct open_how how = {
		.region_start = opts.region_start >> HIBSWAP_SECTOR_SHIFT,
		.window = opts.window, .discard = opts.discard, .wipe = opts.wipe,
	};
	char path[PATH_MAX];
	int rc = dm_name_check(&name);

	if (rc)
		return rc;
	snprintf(e.name, sizeof(e.name), "%s", name);
	snprintf(e.spec, sizeof(e.spec), "%s", spec);
	/* A file of the working directory is no spec, and an error soon enough */
	if (strlen(spec) > TAB_SPEC_MAX || tab_spec_parse(e.spec, &e.kind, &e.value) ||
	    (e.kind == TAB_BY_PATH && !opts.have_wait))
		return open_region(spec, name, &how);
	rc = find_wait(&e, opts.wait, path, sizeof(path));
	return rc ? rc : open_region(path, name, &how);
}

/** verb_open - make /dev/mapper/NAME of a formatted device */
int verb_open(int argc, char **argv)
{
	int rc = all_or_names(argc, 2, "open");

	if (rc)
		return rc;
	if (opts.all)
		return tabfile_each(open_unless_noauto);
	return argc == 1 ? open_line(argv[0]) : open_device(argv[0], argv[1]);
}
