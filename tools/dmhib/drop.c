// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib drop: an image that this boot has not resumed is dropped.
 *
 * Once file systems are mounted, they are not what the image's kernel remembers:
 * a later resume would write its old view of them over the new one. So whatever
 * the reason was that nobody resumed it, it has to go.
 */
#include "describe.h"
#include "find.h"
#include "image.h"
#include "mapping.h"
#include "region-peek.h"
#include "sysroot.h"
#include "tabfile.h"

#include <inttypes.h>
#include <unistd.h>

static void say_dropped(const char *path, u64 bytes, u64 generation)
{
	char size[SIZE_TEXT];

	msg_warn("%s held a hibernation image of %s, generation %" PRIu64
		 ", which was not resumed: the system has booted afresh, so it never can be, and was dropped",
		 path, size_text(bytes, size), generation);
}

static int drop_mapped(const char *name, const struct mapping *map)
{
	int err = dm_message(name, "discard");

	if (err) {
		msg_err("cannot drop the image on %s: %s", map->m.path, strerror(-err));
		msg_more("DO NOT RESUME IT: file systems have changed since; \"dmhib wipe %s image\" drops it while %s is closed",
			 map->below, name);
		return exit_from_errno(err);
	}
	say_dropped(map->m.path, map->st.image_bytes, map->st.generation);
	return E_OK;
}

/* Held exclusively: nobody resumes it or writes to it meanwhile */
static int drop_below(const char *path, u64 region_start)
{
	struct hibswap_super sb;
	struct meta meta;
	struct dev dev;
	u64 blocks;
	int rc = region_open(&dev, &meta, path, DEV_WRITE);

	if (rc)
		return rc;
	sb = *meta_super(&meta);
	blocks = sb.image.log_blocks + sb.image.in_place_blocks;
	rc = meta_belongs(&dev, &sb.geom, region_start);
	if (!rc && meta_committed(&meta)) {
		const u64 generation = sb.generation;

		rc = image_drop(&dev, &sb);
		if (!rc)
			say_dropped(path, blocks << HIBSWAP_BLOCK_SHIFT, generation);
	}
	region_close(&dev, &meta);
	return rc;
}

/*
 * There is no mapped device: no module for this kernel, hibswap=no, or the disk
 * was late. Another boot may have it again.
 */
static int drop_line(const struct tab_entry *e)
{
	char path[PATH_MAX], full[PATH_MAX], why[FIND_WHY];
	const u64 region_start = e->region_start >> HIBSWAP_SECTOR_SHIFT;
	struct hibswap_super sb;
	int rc, err;

	err = find_device(e, path, sizeof(path), why);
	if (err) {
		msg_err("%s: %s: an image on it could not be dropped", e->name, why);
		msg_more("DO NOT RESUME IT when the device is back: file systems have changed since; boot with noresume, \"dmhib wipe DEVICE image\" drops it");
		return E_DEVICE;
	}
	sysroot_path(full, sizeof(full), "%s", path);
	err = region_peek(full, region_start, &sb);
	/* No region, or one without an image */
	if (err == -ENODATA || (!err && sb.state != HIBSWAP_COMMITTED))
		return E_OK;
	opts.region_start = e->region_start;
	rc = drop_below(full, region_start);
	if (rc)
		msg_more("DO NOT RESUME an image on it: file systems have changed since; boot with noresume, \"dmhib wipe %s image\" drops it",
			 path);
	return rc;
}

static int drop_unmapped(const char *name)
{
	const struct tab_entry *e;
	struct tab tab;
	int rc = tabfile_read(&tab);

	e = rc ? NULL : tab_find(&tab, name);
	if (e)
		rc = drop_line(e);
	tab_free(&tab);
	return rc;
}

/* Return: whether there is device-mapper; a made-up machine has none */
static bool may_be_mapped(void)
{
	return !sysroot_faked() && (geteuid() || dm_answers());
}

/** verb_drop - drop an image that was not resumed */
int verb_drop(int argc, char **argv)
{
	const char *name = argv[0];
	struct mapping map;
	int rc;

	(void)argc;
	rc = dm_name_check(&name);
	if (rc)
		return rc;
	/* In an initramfs the resume is still to come */
	if (opts.if_booted && sysroot_exists("/etc/initrd-release"))
		return E_OK;
	if (!may_be_mapped())
		return drop_unmapped(name);
	rc = dm_start();
	if (!rc)
		rc = mapping_find(name, &map);
	if (rc)
		return rc;
	/* Without a table it is what a failed open has left */
	if (!map.m.exists || !*map.m.target)
		return drop_unmapped(name);
	if (strcmp(map.m.target, DM_TARGET)) {
		msg_err("%s is not a hibswap device", map.m.path);
		return E_PARAM;
	}
	if (!map.known) {
		msg_err("cannot make sense of what the target says of %s: %s", map.m.path,
			map.m.status);
		return E_NOTARGET;
	}
	return map.st.state == STATUS_RESUMABLE ? drop_mapped(name, &map) : E_OK;
}
