// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making the mapped device of a formatted one.
 */
#include "describe.h"
#include "dm.h"
#include "inuse.h"
#include "open.h"

#include <inttypes.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct table {
	char args[160];
	u64 sectors;
};

static int check(const struct dev *dev, const struct meta *meta, const struct open_how *how)
{
	const struct hibswap_super *sb = meta_super(meta);
	char text[FAULT_TEXT];
	int rc;

	if (!sb)
		return meta_complain(dev, meta);
	for (int i = 0; i < 2; i++)
		if (meta->copy[i].err)
			msg_warn("superblock copy %c of %s: %s; copy %c is used", 'A' + i, dev->path,
				 copy_fault_text(&meta->copy[i], text), 'A' + meta->which);
	rc = meta_belongs(dev, &sb->geom, how->region_start);
	if (rc)
		return rc;
	if (how->window && !sb->geom.window_sectors) {
		msg_err("%s has no window: it was formatted without --window", dev->path);
		return E_PARAM;
	}
	if (sb->image.page_size != sysconf(_SC_PAGESIZE) && sb->state == HIBSWAP_COMMITTED)
		msg_warn("the image was written with pages of %u bytes, this kernel has %ld: it will be dropped",
			 sb->image.page_size, sysconf(_SC_PAGESIZE));
	return E_OK;
}

static void make_table(const struct dev *dev, const struct hibswap_geom *g,
		       const struct open_how *how, struct table *t)
{
	int n = snprintf(t->args, sizeof(t->args), "%u:%u %" PRIu64 " %" PRIu64 " %" PRIu64,
			 major(dev->rdev), minor(dev->rdev), g->data_start, g->region_start,
			 g->region_sectors);

	if (how->discard || how->wipe)
		snprintf(t->args + n, sizeof(t->args) - n, " %d%s%s", how->discard + how->wipe,
			 how->discard ? " discard" : "", how->wipe ? " wipe" : "");
	t->sectors = g->data_sectors + (how->window ? g->window_sectors : 0);
}

static int create(const struct dev *dev, const struct hibswap_super *sb, const char *name,
		  const struct table *t)
{
	char uuid[128], hex[33];

	for (int i = 0; i < 16; i++)
		sprintf(hex + 2 * i, "%02x", sb->uuid[i]);
	snprintf(uuid, sizeof(uuid), "HIBSWAP-%s-%s", hex, name);
	return dm_create(name, uuid, t->sectors, t->args, opts.readonly, dev->rdev);
}

/* A unit that runs once more, after the initramfs has opened it, is no error */
static int exists(const struct mapped *m, const struct table *t, const struct open_how *how)
{
	if (how->again && !strcmp(m->target, DM_TARGET) && m->sectors == t->sectors &&
	    !strcmp(m->table, t->args) && m->readonly == opts.readonly) {
		msg_verbose("%s is open already", m->path);
		return E_OK;
	}
	msg_err("%s exists already%s", m->path, how->again ? ", with another table" : "");
	if (how->again) {
		msg_more("it has:    0 %" PRIu64 " %s %s", m->sectors, m->target, m->table);
		msg_more("it should: 0 %" PRIu64 " %s %s", t->sectors, DM_TARGET, t->args);
	}
	return E_BUSY;
}

/**
 * open_region - make /dev/mapper/NAME
 * @device: formatted
 * @name: checked already
 * @how: in which way
 *
 * Return: an exit code.
 */
int open_region(const char *device, const char *name, const struct open_how *how)
{
	struct table t;
	struct mapped m;
	struct meta meta;
	struct dev dev;
	int rc;

	rc = dev_open(&dev, device, DEV_BLOCK);
	if (rc)
		return rc;
	meta_read(&dev, how->region_start, &meta);
	rc = check(&dev, &meta, how);
	dev_close(&dev);
	if (!rc) {
		make_table(&dev, &meta_super(&meta)->geom, how, &t);
		rc = dm_start();
	}
	if (!rc)
		rc = dm_find_table(name, &m);
	if (!rc && m.exists) {
		rc = exists(&m, &t, how);
		goto out;
	}
	if (!rc)
		rc = dm_need_target();
	if (!rc)
		rc = create(&dev, meta_super(&meta), name, &t);
	if (!rc)
		msg_verbose("%s is open", m.path);
out:
	meta_free(&meta);
	return rc;
}
