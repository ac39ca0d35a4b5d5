// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-hibswap: a place of its own for the hibernation image.
 *
 * The target sits over a swap partition. A contiguous region of it is the
 * image's; the rest is the data, which is all that swap sees:
 *
 *	device below  | super A .. super B .. | image log -> | map | map | data |
 *	              |<------------------- region --------------------->|
 *	logical       | data | window |
 *
 * Swap's own I/O passes to the data. The pages of a hibernation image,
 * wherever swap has found slots for them, are appended to the log in the
 * order in which they are written, so that the disk sees large sequential
 * requests; a map, written when the header page is signed, finds them again.
 *
 *	dm-hibswap-format.c	superblock and geometry (pure)
 *	dm-hibswap-log.c	the log and its map (pure)
 *	dm-hibswap-meta.c	metadata I/O
 *	dm-hibswap-region.c	regions: their list, birth and death
 *	dm-hibswap-activate.c	a table goes live
 *	dm-hibswap-load.c	an image on disk is taken in
 *	dm-hibswap-drop.c	an image is forgotten
 *	dm-hibswap-phase.c	a hibernation's phases
 *	dm-hibswap-manual.c	the messages
 *	dm-hibswap-event.c	what user space is told
 *	dm-hibswap-image.c	the path of a bio, the worker
 *	dm-hibswap-sum.c	checksums of the image's blocks
 *	dm-hibswap-commit.c	signing and un-signing
 *	dm-hibswap-erase.c	erasing the log when an image is over
 *	dm-hibswap-takeback.c	an image is over, and could not be taken back
 *	dm-hibswap-pm.c		hooks into the PM core
 *	dm-hibswap-window.c	the window, offered to hibernation
 *	dm-hibswap-ctr.c	table line
 *	dm-hibswap.c		the target: status, messages, suspend and resume
 */
#include "dm-hibswap.h"

#include <linux/module.h>

struct workqueue_struct *hibswap_wq;

static int hibswap_preresume(struct dm_target *ti)
{
	struct hibswap_target *ht = ti->private;
	int err;

	mutex_lock(&hibswap_lock);
	err = hibswap_region_activate(ht->region, ti, ht,
				      hibswap_table_is_read_only(ti, ht->dev->bdev));
	mutex_unlock(&hibswap_lock);
	return err;
}

static void hibswap_presuspend(struct dm_target *ti)
{
	struct hibswap_target *ht = ti->private;

	/* It may be the last time: nobody tries while the device is not there */
	hibswap_takeback_now(ht->region);
	WRITE_ONCE(ht->region->held, true);
	hibswap_erase_hold(ht->region);
	hibswap_takeback_hold(ht->region);
}

static void hibswap_resume(struct dm_target *ti)
{
	struct hibswap_target *ht = ti->private;

	WRITE_ONCE(ht->region->held, false);
	hibswap_erase_release(ht->region);
	hibswap_takeback_release(ht->region);
}

static const char * const state_names[] = {
	[HIBSWAP_IDLE] = "idle",
	[HIBSWAP_ARMED] = "armed",
	[HIBSWAP_IMAGE] = "image",
	[HIBSWAP_COMMITTED_STATE] = "committed",
	[HIBSWAP_RESUMABLE] = "resumable",
};

/*
 * Status, INFO: fields are only ever added at the end.
 *
 * <state> <generation> <log used>/<log total> <extents> <image bytes>
 * <in-place bytes> <requests in> <requests out> <#notes> <note>... <mode>
 * <checked bytes> <dirty log>
 */
static void status_info(struct hibswap_region *r, char *result, unsigned int maxlen)
{
	struct hibswap_log log;
	enum hibswap_state state;
	bool manual, dropped, was_unsigned, failed;
	u64 in, out, room, checked = 0, dirty;
	unsigned int sz = 0;

	spin_lock(&r->lock);
	log = r->log;
	state = r->state;
	room = r->geom.log_sectors;
	manual = r->manual;
	dropped = r->dropped;
	was_unsigned = r->was_unsigned;
	failed = r->image_error;
	if (r->sums)
		checked = min(log.used + log.in_place, r->sums->nr);
	in = r->bios_in;
	out = state == HIBSWAP_IMAGE ? hibswap_device_requests(r) - r->requests_base :
				       r->requests_out;
	spin_unlock(&r->lock);
	dirty = r->erasing ? r->erase_left : hibswap_log_dirty(&r->sb);

	DMEMIT("%s %llu %llu/%llu %llu %llu %llu %llu %llu %u", state_names[state],
	       r->sb.generation, log.used * HIBSWAP_BLOCK_SECTORS, room, log.nr,
	       (log.used + log.in_place) << HIBSWAP_BLOCK_SHIFT,
	       log.in_place << HIBSWAP_BLOCK_SHIFT, in, out,
	       manual + dropped + was_unsigned + failed + r->read_only + r->erasing);
	if (manual)
		DMEMIT(" manual");
	if (dropped)
		DMEMIT(" dropped");
	if (was_unsigned)
		DMEMIT(" unsigned");
	if (failed)
		DMEMIT(" failed");
	if (r->read_only)
		DMEMIT(" read_only");
	if (r->erasing)
		DMEMIT(" erasing");
	DMEMIT(" %s %llu %llu", r->failed ? "fail" : r->read_only ? "ro" : "rw",
	       checked << HIBSWAP_BLOCK_SHIFT, dirty * HIBSWAP_BLOCK_SECTORS);
}

static void status_table(const struct hibswap_target *ht, char *result, unsigned int maxlen)
{
	const struct hibswap_geom *a = &ht->areas;
	unsigned int sz = 0, i;
	const char *name;

	DMEMIT("%s %llu %llu %llu", ht->dev->name, a->data_start, a->region_start,
	       a->region_sectors);
	if (ht->features)
		DMEMIT(" %u", (unsigned int)hweight32(ht->features));
	for (i = 0; (name = hibswap_feature_name(ht->features, i)); i++)
		DMEMIT(" %s", name);
}

static void hibswap_status(struct dm_target *ti, status_type_t type, unsigned int status_flags,
			   char *result, unsigned int maxlen)
{
	struct hibswap_target *ht = ti->private;
	const struct hibswap_geom *a = &ht->areas;
	unsigned int sz = 0, i;
	const char *name;

	switch (type) {
	case STATUSTYPE_INFO:
		status_info(ht->region, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		status_table(ht, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",device_name=%s,data_start=%llu,region_start=%llu,region_sectors=%llu",
		       ht->dev->name, a->data_start, a->region_start, a->region_sectors);
		for (i = 0; (name = hibswap_feature_name(ht->features, i)); i++)
			DMEMIT(",%s=y", name);
		DMEMIT(";");
		break;
	}
}

static int hibswap_message(struct dm_target *ti, unsigned int argc, char **argv,
			   char *result, unsigned int maxlen)
{
	struct hibswap_target *ht = ti->private;
	struct hibswap_region *r = ht->region;
	const char *verb = argv[0];
	int err = -EINVAL;

	if (argc == 2 && !strcasecmp(argv[0], "image"))
		verb = argv[1];
	else if (argc != 1 || strcasecmp(argv[0], "discard"))
		verb = "";

	mutex_lock(&hibswap_lock);
	if (r->ti != ti)
		err = -EBUSY;
	else if (!strcasecmp(verb, "begin"))
		err = hibswap_region_begin(r);
	else if (!strcasecmp(verb, "end"))
		err = hibswap_region_end(r);
	else if (!strcasecmp(verb, "discard"))
		err = hibswap_region_discard(r);
	else
		DMERR("%s: unknown message: need \"image begin\", \"image end\" or \"discard\"",
		      dm_device_name(r->md));
	mutex_unlock(&hibswap_lock);
	return err;
}

static int hibswap_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn,
				   void *data)
{
	struct hibswap_target *ht = ti->private;
	const struct hibswap_geom *a = &ht->areas;

	return fn(ti, ht->dev, a->region_start, a->region_sectors, data) ?:
	       fn(ti, ht->dev, a->data_start, a->data_sectors, data);
}

static struct target_type hibswap_target_type = {
	.name = "hibswap",
	.version = {1, 1, 0},
	/* All of the swap area, or a part of an image would be in no map */
	.features = DM_TARGET_SINGLETON,
	.module = THIS_MODULE,
	.ctr = hibswap_ctr,
	.dtr = hibswap_dtr,
	.map = hibswap_map,
	.end_io = hibswap_end_io,
	.presuspend = hibswap_presuspend,
	.presuspend_undo = hibswap_resume,
	.preresume = hibswap_preresume,
	.resume = hibswap_resume,
	.status = hibswap_status,
	.message = hibswap_message,
	.iterate_devices = hibswap_iterate_devices,
};

static int __init hibswap_init(void)
{
	int err;

	/* Runs while everything is frozen, and to free memory by swapping */
	hibswap_wq = alloc_workqueue("hibswap", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!hibswap_wq)
		return -ENOMEM;
	err = hibswap_erase_init();
	if (err)
		goto out_wq;
	err = hibswap_pm_init();
	if (err)
		goto out_erase;
	err = dm_register_target(&hibswap_target_type);
	if (err)
		goto out_pm;
	return 0;

out_pm:
	hibswap_pm_exit();
out_erase:
	hibswap_erase_exit();
out_wq:
	destroy_workqueue(hibswap_wq);
	return err;
}

static void __exit hibswap_exit(void)
{
	dm_unregister_target(&hibswap_target_type);
	hibswap_pm_exit();
	hibswap_erase_exit();
	destroy_workqueue(hibswap_wq);
}

module_init(hibswap_init);
module_exit(hibswap_exit);

MODULE_ALIAS("dm-hibswap");
MODULE_AUTHOR("dm-hibswap maintainers");
MODULE_DESCRIPTION(DM_NAME " target with a contiguous region for the hibernation image");
MODULE_LICENSE("GPL");
