// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib close: remove the mapped device. What is on the disk stays.
 */
#include "dm.h"
#include "inuse.h"
#include "tabfile.h"

#include <limits.h>
#include <unistd.h>

/* udev's look at a device is short */
#define TRIES		20
#define TRY_US		100000

static int in_use(const struct mapped *m)
{
	char swap[PATH_MAX];

	if (inuse_swap(m->rdev, swap, sizeof(swap))) {
		msg_err("%s is in use: swap is active on it", m->path);
		msg_more("\"swapoff %s\" first, or close --deferred", swap);
		return E_BUSY;
	}
	msg_err("%s is in use", m->path);
	if (!inuse_say(m->rdev))
		msg_more("the kernel counts %u users", m->open_count);
	return E_BUSY;
}

/* @missing: the exit code if there is none */
static int close_one(const char *name, int missing)
{
	struct mapped m;
	int rc, tries;

	rc = dm_find_table(name, &m);
	if (rc)
		return rc;
	if (!m.exists) {
		if (missing)
			msg_err("%s does not exist", m.path);
		return missing;
	}
	/* Without a table it is what a failed open has left */
	if (strcmp(m.target, DM_TARGET) && (*m.target || strncmp(m.uuid, "HIBSWAP-", 8))) {
		msg_err("%s is not a hibswap device", m.path);
		return E_PARAM;
	}
	for (tries = 0; m.open_count && !opts.deferred; tries++) {
		if (tries == TRIES || inuse_swap(m.rdev, NULL, 0))
			return in_use(&m);
		usleep(TRY_US);
		rc = dm_find(name, &m);
		if (rc)
			return rc;
		if (!m.exists)
			return E_OK;
	}
	rc = dm_remove(name, opts.deferred);
	if (!rc && m.open_count)
		msg_verbose("%s goes when it is no longer in use", m.path);
	else if (!rc)
		msg_verbose("%s is closed", m.path);
	return rc;
}

static int close_entry(const struct tab_entry *e)
{
	return close_one(e->name, E_OK);
}

/** verb_close - remove /dev/mapper/NAME, or all of hibswaptab(5) */
int verb_close(int argc, char **argv)
{
	const char *name = argc ? argv[0] : NULL;
	int rc = all_or_names(argc, 1, "close");

	if (!rc && name)
		rc = dm_name_check(&name);
	if (!rc)
		rc = dm_start();
	if (rc)
		return rc;
	return opts.all ? tabfile_each(close_entry) : close_one(name, E_DEVICE);
}
