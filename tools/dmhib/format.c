// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib format: a region at the start of a device, data behind it.
 *
 * The order of writes matters where an image is committed already: at no
 * moment may a power cut leave a superblock that vouches for it next to data
 * that has changed. Of an old pair of superblocks the one that counts goes
 * last, because the other one may be older and committed.
 */
#include "describe.h"
#include "layout.h"
#include "sig.h"

#include <inttypes.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <uuid/uuid.h>

struct plan {
	struct hibswap_super sb;
	u64 ram;		/* bytes, what the maps are made for, 0: not known */
	u64 extents;
};

static int plan_geom(const struct dev *dev, struct plan *plan)
{
	struct hibswap_geom *geom = &plan->sb.geom;
	const u64 align = layout_page_sectors();
	int rc;

	geom->region_sectors = layout_round(opts.region_size, MIB_SECTORS);
	geom->data_start = geom->region_sectors;
	rc = layout_data(dev, geom, dev->sectors);
	if (rc)
		return rc;
	geom->data_sectors = (dev->sectors - geom->data_start) / align * align;
	geom->window_sectors = layout_round(opts.window_size, align);
	return layout_init(geom, plan->extents);
}

static int plan_make(const struct dev *dev, struct plan *plan)
{
	int rc;

	memset(plan, 0, sizeof(*plan));
	if (dev->lbs > HIBSWAP_BLOCK_SIZE) {
		msg_err("%s has logical blocks of %u bytes: more than %u are not supported",
			dev->path, dev->lbs, HIBSWAP_BLOCK_SIZE);
		return E_DEVICE;
	}
	if (!opts.uuid)
		uuid_generate(plan->sb.uuid);
	else if (uuid_parse(opts.uuid, plan->sb.uuid)) {
		msg_err("\"%s\" is not a UUID", opts.uuid);
		return E_PARAM;
	}
	rc = layout_extents(&plan->ram, &plan->extents);
	if (rc)
		return rc;
	plan->sb.version = HIBSWAP_VERSION;
	plan->sb.state = HIBSWAP_EMPTY;
	plan->sb.image.page_size = sysconf(_SC_PAGESIZE);
	return plan_geom(dev, plan);
}

/* What is on the device that somebody may miss? */
static int look(const struct dev *dev, const struct meta *old)
{
	const struct hibswap_super *sb = meta_super(old);
	char uuid[UUID_TEXT], text[FAULT_TEXT], size[SIZE_TEXT];
	bool refuse = false;
	int n;

	for (int i = 0; i < 2; i++) {
		if (old->copy[i].io_err) {
			msg_err("cannot read %s: copy %c at sector %" PRIu64 ": %s", dev->path,
				'A' + i, old->copy[i].sector, copy_fault_text(&old->copy[i], text));
			return E_DEVICE;
		}
	}
	if (meta_committed(old)) {
		msg_warn("%s HOLDS A HIBERNATION IMAGE of %s, generation %" PRIu64, dev->path,
			 size_text((sb->image.log_blocks + sb->image.in_place_blocks) <<
				   HIBSWAP_BLOCK_SHIFT, size), sb->generation);
		msg_more("whoever hibernated into it loses all unsaved work, and file systems");
		msg_more("that the image has mounted may need repair: boot it once to be safe");
		refuse = true;
	} else if (sb) {
		msg_warn("%s has a hibswap superblock already: UUID %s, generation %" PRIu64,
			 dev->path, uuid_text(sb->uuid, uuid), sb->generation);
		refuse = true;
	} else if (meta_ours(old)) {
		msg_warn("%s has a hibswap superblock that cannot be used", dev->path);
		for (int i = 0; i < 2; i++)
			msg_more("copy %c: %s", 'A' + i, copy_fault_text(&old->copy[i], text));
		refuse = true;
	}
	n = sig_say(dev, 0, 0);
	if (n < 0)
		return E_DEVICE;
	if (n || refuse) {
		if (!opts.force) {
			msg_err("%s is not formatted: use --force if nothing there is needed",
				dev->path);
			return E_REFUSED;
		}
	}
	return E_OK;
}

static int write_failed(const struct dev *dev, const char *what, int err)
{
	msg_err("cannot write %s of %s: %s", what, dev->path, strerror(-err));
	return E_DEVICE;
}

/* The old superblock that does not count goes first */
static int invalidate_old(const struct dev *dev, const struct meta *old)
{
	int last = old->which >= 0 ? old->which :
		   old->copy[1].sb.generation > old->copy[0].sb.generation;
	int err;

	for (int i = 0; i < 2; i++) {
		const struct meta_copy *c = &old->copy[i ? last : !last];

		if (c->err == -ENODATA)
			continue;
		msg_debug("zeroing the old superblock at sector %" PRIu64, c->sector);
		err = dev_zero(dev, c->sector, HIBSWAP_BLOCK_SECTORS);
		if (!err)
			err = dev_sync(dev);
		if (err)
			return write_failed(dev, "the old superblock", err);
	}
	return E_OK;
}

static int wipe_foreign(const struct dev *dev, const struct hibswap_geom *geom)
{
	bool had_table = false;
	int n;

	n = sig_wipe(dev, 0, 0, &had_table);
	if (n < 0)
		return E_DEVICE;
	n = layout_wipe_signatures(dev, geom);
	if (n)
		return n;
	/* Partitions without a table would stay until the next boot */
	if (had_table && dev->rdev && ioctl(dev->fd, BLKRRPART))
		msg_debug("partition table not read again: %s", strerror(errno));
	return E_OK;
}

static int write_region(const struct dev *dev, struct hibswap_super *sb)
{
	const struct hibswap_geom *g = &sb->geom;
	int err;

	msg_verbose("zeroing what lies in front of the log, and the data's first 64 KiB");
	err = dev_zero(dev, g->region_start, g->log_start - g->region_start);
	if (!err)
		err = dev_zero(dev, g->data_start, min(DATA_ZERO_SECTORS, g->data_sectors));
	if (!err)
		err = dev_sync(dev);
	if (err)
		return write_failed(dev, "zeros", err);
	/* Copy B, then copy A: what is there counts at any moment */
	for (sb->generation = 1; ; sb->generation++) {
		msg_verbose("writing superblock copy %c, generation %" PRIu64,
			    'A' + hibswap_super_copy(sb->generation), sb->generation);
		err = meta_write_super(dev, sb);
		if (err)
			return write_failed(dev, "a superblock", err);
		if (sb->generation == 2)
			return E_OK;
	}
}

/* Is it there? */
static int verify(const struct dev *dev, const struct hibswap_super *sb)
{
	void *want = dev_buf(HIBSWAP_BLOCK_SIZE);
	struct meta now;
	bool ok;

	hibswap_super_encode(sb, want);
	meta_read(dev, sb->geom.region_start, &now);
	ok = now.which == 0 && !now.copy[1].err && now.copy[1].sb.generation == 1 &&
	     !memcmp(now.copy[0].block, want, HIBSWAP_BLOCK_SIZE);
	meta_free(&now);
	free(want);
	if (!ok) {
		msg_err("%s does not read back what was written to it", dev->path);
		return E_DEVICE;
	}
	return E_OK;
}

static void report(const struct dev *dev, const struct plan *plan)
{
	const struct hibswap_geom *g = &plan->sb.geom;
	char table[512], uuid[UUID_TEXT];

	layout_table(dev, g, table, sizeof(table));
	if (opts.json) {
		json_print(layout_json(dev, &plan->sb, table));
		return;
	}
	printf("%s: formatted, UUID %s\n", dev->path, uuid_text(plan->sb.uuid, uuid));
	layout_print(g, plan->ram);
	printf("Open it with \"dmhib open %s NAME\", or with\n", dev->path);
	printf("  dmsetup create NAME --table \"%s\"\n", table);
	if (dev->regular)
		printf("It is a regular file, which needs a loop device to be opened.\n");
}

static int format(const struct dev *dev, const struct meta *old)
{
	struct plan plan;
	int rc;

	rc = plan_make(dev, &plan);
	if (rc)
		return rc;
	rc = look(dev, old);
	if (rc)
		return rc;
	if (!msg_confirm("This will overwrite data on %s irrevocably%s.", dev->path,
			 meta_committed(old) ? ", AND THE HIBERNATION IMAGE THERE" : ""))
		return E_REFUSED;
	rc = invalidate_old(dev, old);
	if (!rc)
		rc = wipe_foreign(dev, &plan.sb.geom);
	if (!rc)
		rc = write_region(dev, &plan.sb);
	if (!rc)
		rc = verify(dev, &plan.sb);
	if (!rc)
		report(dev, &plan);
	return rc;
}

/** verb_format - lay out a region and data on a device */
int verb_format(int argc, char **argv)
{
	struct meta old;
	struct dev dev;
	int rc;

	(void)argc;
	if (!opts.region_size) {
		msg_err("format needs --region-size, for example --region-size 8G");
		return E_PARAM;
	}
	rc = layout_options();
	if (rc)
		return rc;
	rc = dev_open(&dev, argv[0], DEV_WRITE);
	if (rc)
		return rc;
	if (dev.regular)
		msg_verbose("%s is a regular file", dev.path);
	meta_read(&dev, 0, &old);
	rc = format(&dev, &old);
	meta_free(&old);
	dev_close(&dev);
	return rc;
}
