// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib open: make the mapped device.
 */
#include "describe.h"
#include "dm.h"
#include "inuse.h"

#include <inttypes.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int check(const struct dev *dev, const struct meta *meta, u64 region_start)
{
	const struct hibswap_super *sb = meta_super(meta);
	struct hibswap_fault fault = {};
	char text[FAULT_TEXT];

	if (!sb)
		return meta_complain(dev, meta);
	for (int i = 0; i < 2; i++)
		if (meta->copy[i].err)
			msg_warn("superblock copy %c of %s: %s; copy %c is used", 'A' + i, dev->path,
				 copy_fault_text(&meta->copy[i], text), 'A' + meta->which);
	if (meta_fits(dev, &sb->geom, region_start, &fault)) {
		msg_err("the superblock does not belong to %s: its %s is %" PRIu64
			", the device says %" PRIu64 " (sectors)",
			dev->path, fault.what, fault.value, fault.limit);
		return E_BADSUPER;
	}
	if (opts.window && !sb->geom.window_sectors) {
		msg_err("%s has no window: it was formatted without --window", dev->path);
		return E_PARAM;
	}
	if (sb->image.page_size != sysconf(_SC_PAGESIZE) && sb->state == HIBSWAP_COMMITTED)
		msg_warn("the image was written with pages of %u bytes, this kernel has %ld: it will be dropped",
			 sb->image.page_size, sysconf(_SC_PAGESIZE));
	return E_OK;
}

static int create(const struct dev *dev, const struct hibswap_super *sb, const char *name)
{
	const struct hibswap_geom *g = &sb->geom;
	char uuid[128], args[160], hex[33];
	u64 sectors = g->data_sectors;

	for (int i = 0; i < 16; i++)
		sprintf(hex + 2 * i, "%02x", sb->uuid[i]);
	snprintf(uuid, sizeof(uuid), "HIBSWAP-%s-%s", hex, name);
	snprintf(args, sizeof(args), "%u:%u %" PRIu64 " %" PRIu64 " %" PRIu64, major(dev->rdev),
		 minor(dev->rdev), g->data_start, g->region_start, g->region_sectors);
	if (opts.window)
		sectors += g->window_sectors;
	return dm_create(name, uuid, sectors, args, opts.readonly, dev->rdev);
}

/** verb_open - make /dev/mapper/NAME of a formatted device */
int verb_open(int argc, char **argv)
{
	const u64 region_start = opts.region_start >> HIBSWAP_SECTOR_SHIFT;
	const char *name = argv[1];
	struct mapped m;
	struct meta meta;
	struct dev dev;
	int rc;

	(void)argc;
	rc = dm_name_check(&name);
	if (rc)
		return rc;
	rc = dev_open(&dev, argv[0], DEV_BLOCK);
	if (rc)
		return rc;
	meta_read(&dev, region_start, &meta);
	rc = check(&dev, &meta, region_start);
	dev_close(&dev);
	if (!rc)
		rc = dm_start();
	if (!rc)
		rc = dm_find(name, &m);
	if (!rc && m.exists) {
		msg_err("%s exists already", m.path);
		rc = E_BUSY;
	}
	if (!rc)
		rc = dm_need_target();
	if (!rc)
		rc = create(&dev, meta_super(&meta), name);
	if (!rc)
		msg_verbose("%s is open", m.path);
	meta_free(&meta);
	return rc;
}
