// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions: their birth and death, and the transitions that need metadata I/O.
 *
 *	           activation finds an image
 *	IDLE ------------------------------------> RESUMABLE
 *	 |  ^ <------------------------------------  |
 *	 |  |        first write, discard, PREPARE
 *	 |  |
 *	 |  +--- .freeze, PM_POST_HIBERNATION, image given up ---+
 *	 v                                                       |
 *	ARMED --first image write--> IMAGE --header page--> COMMITTED
 *	(.thaw)                              signed
 *
 * Two rules keep a generation on disk meaningful. Whoever writes a superblock
 * reads both copies first and goes one above the highest: memory may be a
 * snapshot's and old. And memory's own number is raised before a write is
 * issued, so that a higher one on disk proves that another kernel wrote it and
 * then resumed this one.
 */
#include "dm-hibswap.h"

#include <linux/dm-io.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uuid.h>
#include <linux/vmalloc.h>

/* The list of regions and the PM phases: see dm-hibswap.h */
DEFINE_MUTEX(hibswap_lock);
LIST_HEAD(hibswap_regions);

/* A map is loaded while the device is suspended: never wait for swap */
#define HIBSWAP_GFP_LOAD	(GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY)

/* Where an area lies on the whole disk, so that partitions can be compared */
static bool areas_overlap(u64 a, u64 a_len, u64 b, u64 b_len)
{
	return a < b + b_len && b < a + a_len;
}

static bool geoms_collide(const struct hibswap_region *r, struct block_device *bdev,
			  const struct hibswap_geom *areas)
{
	const struct hibswap_geom *g = &r->geom;
	u64 base = get_start_sect(r->bdev), other = get_start_sect(bdev);
	u64 r_start = base + g->region_start, d_start = base + g->data_start;
	u64 a_region = other + areas->region_start, a_data = other + areas->data_start;

	if (r->bdev->bd_disk != bdev->bd_disk)
		return false;
	return areas_overlap(r_start, g->region_sectors, a_region, areas->region_sectors) ||
	       areas_overlap(r_start, g->region_sectors, a_data, areas->data_sectors) ||
	       areas_overlap(d_start, g->data_sectors, a_region, areas->region_sectors) ||
	       areas_overlap(d_start, g->data_sectors, a_data, areas->data_sectors);
}

/* On a freezable workqueue: there is nobody to tell before tasks are thawed */
static void event_work(struct work_struct *work)
{
	struct hibswap_region *r = container_of(work, struct hibswap_region, event_work);
	static const char * const names[] = {
		[HIBSWAP_EVENT_FAILED] = "HIBSWAP_MODE=fail",
		[HIBSWAP_EVENT_COMMITTED] = "HIBSWAP_IMAGE=committed",
		[HIBSWAP_EVENT_RESUMED] = "HIBSWAP_IMAGE=resumed",
		[HIBSWAP_EVENT_STALE] = "HIBSWAP_IMAGE=stale",
		[HIBSWAP_EVENT_DROPPED] = "HIBSWAP_IMAGE=dropped",
		[HIBSWAP_EVENT_ERASED] = "HIBSWAP_LOG=erased",
	};
	unsigned long events;
	unsigned int i;

	spin_lock(&r->lock);
	events = r->events;
	r->events = 0;
	spin_unlock(&r->lock);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char text[40];
		char *env[2] = { text };

		if (!(events & BIT(i)))
			continue;
		strscpy(text, names[i], sizeof(text));
		kobject_uevent_env(&disk_to_dev(dm_disk(r->md))->kobj, KOBJ_CHANGE, env);
	}
	mutex_lock(&hibswap_lock);
	if (events && r->ti)
		dm_table_event(r->ti->table);
	mutex_unlock(&hibswap_lock);
}

/**
 * hibswap_event - tell user space that an image has come or gone
 * @r: region
 * @event: which; several that wait are sent in the order of the enumeration
 *
 * Does not wait, and allocates nothing here.
 *
 * Context: process, any lock but region->lock.
 */
void hibswap_event(struct hibswap_region *r, enum hibswap_event event)
{
	spin_lock(&r->lock);
	r->events |= BIT(event);
	spin_unlock(&r->lock);
	queue_work(system_freezable_wq, &r->event_work);
}

/**
 * hibswap_fail - metadata cannot be written: no more images
 * @r: region, mutex held
 * @sector: where on the device below
 * @err: the error
 *
 * Until a table is loaded anew. Swap goes on, and an image that is there can be
 * read and can be taken back.
 */
void hibswap_fail(struct hibswap_region *r, u64 sector, int err)
{
	DMERR("%s: metadata cannot be written at sector %llu: error %d%s",
	      dm_device_name(r->md), sector, err,
	      r->failed ? "" : ": no more images until the table is reloaded");
	if (r->failed)
		return;
	WRITE_ONCE(r->failed, true);
	hibswap_event(r, HIBSWAP_EVENT_FAILED);
}

static void region_free(struct hibswap_region *r)
{
	if (!IS_ERR_OR_NULL(r->io))
		dm_io_client_destroy(r->io);
	hibswap_sums_put(r->sums);
	vfree(r->log.ext);
	vfree(r->map_buf);
	kfree(r->page);
	kfree(r->block);
	kfree(r);
}

static struct hibswap_region *region_alloc(void)
{
	struct hibswap_region *r = kzalloc_obj(*r, GFP_KERNEL);

	if (!r)
		return NULL;
	mutex_init(&r->mutex);
	spin_lock_init(&r->lock);
	bio_list_init(&r->deferred);
	init_waitqueue_head(&r->wait);
	INIT_WORK(&r->work, hibswap_work);
	INIT_WORK(&r->event_work, event_work);
	INIT_WORK(&r->erase_work, hibswap_erase_work);
	r->block = kmalloc(HIBSWAP_BLOCK_SIZE, GFP_KERNEL);
	r->page = kmalloc(PAGE_SIZE, GFP_KERNEL);
	r->map_buf = vmalloc(HIBSWAP_MAP_BUF_SIZE);
	r->io = dm_io_client_create();
	if (!r->block || !r->page || !r->map_buf || IS_ERR(r->io)) {
		region_free(r);
		return NULL;
	}
	return r;
}

/**
 * hibswap_region_get - find or make the region of a table line
 * @ti: target under construction
 * @bdev: the device below
 * @areas: from the table line, checked
 *
 * Context: hibswap_lock held, may sleep.
 * Return: the region; -EBUSY if another mapped device uses it, or any of the
 * same sectors; -ETXTBSY if an image is in the way of a new layout; -ENOMEM.
 */
struct hibswap_region *hibswap_region_get(struct dm_target *ti, struct block_device *bdev,
					  const struct hibswap_geom *areas)
{
	struct mapped_device *md = dm_table_get_md(ti->table);
	struct hibswap_region *r, *found = NULL;

	list_for_each_entry(r, &hibswap_regions, node) {
		if (!geoms_collide(r, bdev, areas))
			continue;
		if (r->md != md) {
			DMERR("%s: region or data overlap those of %s", dm_device_name(md),
			      dm_device_name(r->md));
			return ERR_PTR(-EBUSY);
		}
		if (r->bdev == bdev && r->geom.region_start == areas->region_start &&
		    r->geom.region_sectors == areas->region_sectors &&
		    r->geom.data_start == areas->data_start)
			found = r;
		else if (r->state != HIBSWAP_IDLE)
			return ERR_PTR(-ETXTBSY);
	}
	if (!found) {
		found = region_alloc();
		if (!found)
			return ERR_PTR(-ENOMEM);
		found->md = md;
		found->bdev = bdev;
		found->geom = *areas;
		list_add_tail(&found->node, &hibswap_regions);
	}
	found->users++;
	return found;
}

/**
 * hibswap_region_data_sectors - length of the data behind a table's length
 * @ti: target under construction
 * @bdev: the device below
 * @areas: from the table line; data_sectors is ti->len
 *
 * Return: the superblock's data_sectors, if ti->len is that and the window;
 * ti->len otherwise, whatever is wrong with it.
 */
u64 hibswap_region_data_sectors(struct dm_target *ti, struct block_device *bdev,
				const struct hibswap_geom *areas)
{
	struct hibswap_region *r = region_alloc();
	struct hibswap_super sb;
	u64 sectors = ti->len;

	if (!r)
		return sectors;
	r->md = dm_table_get_md(ti->table);
	r->bdev = bdev;
	r->geom = *areas;
	if (areas->region_sectors >= HIBSWAP_SUPER_GAP + HIBSWAP_BLOCK_SECTORS &&
	    !hibswap_meta_read_super(r, &sb, NULL) &&
	    ti->len == sb.geom.data_sectors + sb.geom.window_sectors)
		sectors = sb.geom.data_sectors;
	region_free(r);
	return sectors;
}

/**
 * hibswap_region_put - a table line goes away
 * @r: its region
 * @ti: its target
 *
 * Writes nothing: a newer table may be live already.
 *
 * Context: hibswap_lock held.
 * Return: the region if this was its last user, to be destroyed without the
 * lock; NULL otherwise.
 */
struct hibswap_region *hibswap_region_put(struct hibswap_region *r, struct dm_target *ti)
{
	if (r->ti == ti) {
		r->ti = NULL;
		hibswap_window_withdraw(r);
	}
	if (--r->users)
		return NULL;
	list_del(&r->node);
	return r;
}

/**
 * hibswap_region_destroy - free a region that is in nobody's use
 * @r: what hibswap_region_put() returned, may be NULL
 *
 * Context: no lock held, may sleep.
 */
void hibswap_region_destroy(struct hibswap_region *r)
{
	if (!r)
		return;
	/* dm has waited for all bios; the worker may still be on its way out */
	flush_work(&r->work);
	cancel_work_sync(&r->erase_work);
	cancel_work_sync(&r->event_work);
	region_free(r);
}

/**
 * hibswap_drop_map - to IDLE, and forget the map
 * @r: region, mutex held
 *
 * The log's memory is kept while a hibernation may still want it, that is,
 * unless a loaded map is being dropped.
 */
void hibswap_drop_map(struct hibswap_region *r)
{
	struct hibswap_extent *ext = NULL;
	struct hibswap_sums *sums = NULL;

	spin_lock(&r->lock);
	if (r->state == HIBSWAP_RESUMABLE) {
		ext = r->log.ext;
		hibswap_log_init(&r->log, NULL, 0, r->log.room);
		swap(r->sums, sums);
	}
	hibswap_log_reset(&r->log);
	r->dropped = false;
	/*
	 * While a restore reads, its guard must stand whatever becomes of the
	 * map; and an image is un-signed before PM_RESTORE_PREPARE says so.
	 */
	if (r->state != HIBSWAP_RESUMABLE && !READ_ONCE(hibswap_restore_open))
		r->was_unsigned = false;
	r->state = HIBSWAP_IDLE;
	spin_unlock(&r->lock);
	hibswap_sums_put(sums);
	vfree(ext);
	hibswap_erase_kick(r);
}

/**
 * hibswap_index_map - sort the map of an image that this kernel wrote
 * @r: region, mutex held
 *
 * Reads through the map wait meanwhile. With overlaps it stays as it is.
 */
void hibswap_index_map(struct hibswap_region *r)
{
	spin_lock(&r->lock);
	r->barrier = true;
	spin_unlock(&r->lock);
	hibswap_log_index(&r->log);
	spin_lock(&r->lock);
	r->barrier = false;
	r->cursor = 0;
	spin_unlock(&r->lock);
}

/* Drop the map, and its memory whatever it was for */
static void region_release_log(struct hibswap_region *r)
{
	struct hibswap_extent *ext;
	struct hibswap_sums *sums = NULL;

	hibswap_drop_map(r);
	spin_lock(&r->lock);
	ext = r->log.ext;
	hibswap_log_init(&r->log, NULL, 0, r->log.room);
	swap(r->sums, sums);
	r->barrier = false;
	spin_unlock(&r->lock);
	hibswap_sums_put(sums);
	vfree(ext);
	hibswap_erase_kick(r);
}

/*
 * The second line of defence: give the header page its swap signature back, so
 * that no boot tries to resume. The kernel keeps the old signature in front of
 * the one that it puts on; what does not is left alone.
 */
static int unsign_header(struct hibswap_region *r)
{
	char *sig = r->page + PAGE_SIZE - 10;
	int err;

	err = hibswap_meta_read_header(r, r->page);
	if (err || hibswap_header_is_swap(r->page, PAGE_SIZE))
		return err;
	memcpy(sig, sig - 10, 10);
	/* Whatever this page is, it is no swap header that was signed */
	if (!hibswap_header_is_swap(r->page, PAGE_SIZE))
		return -EIO;
	return hibswap_meta_io(r, REQ_OP_WRITE | REQ_SYNC | REQ_FUA, r->geom.data_start,
			       HIBSWAP_PAGE_SECTORS, r->page);
}

/**
 * hibswap_invalidate - take back what vouches for an image
 * @r: region, activated, mutex held
 *
 * Writes both copies, so that a committed one cannot come back when the other
 * rots. One that can be written suffices; it is the newest then. If none can,
 * the header page is un-signed instead: either keeps a boot from resuming.
 *
 * Return: 0 or the I/O error.
 */
int hibswap_invalidate(struct hibswap_region *r)
{
	struct hibswap_super sb;
	int err, tries, written = 0;
	bool foreign;
	u64 on_disk;

	if (r->read_only)
		return -EROFS;
	err = hibswap_meta_read_super(r, &sb, NULL);
	/* Somebody else has been here: theirs is not to be written over */
	foreign = err == -EPROTONOSUPPORT || err == -EMEDIUMTYPE || err == -ENODATA;
	if (err) {
		sb = r->sb;	/* the geometry is the same, and the rest follows */
		hibswap_forget_log_dirty(&sb);
	} else if (sb.state != HIBSWAP_COMMITTED && !r->unsure) {
		goto done;
	}
	if (err || r->unsure)
		sb.generation = max(sb.generation, r->sb.generation);
	sb.state = HIBSWAP_EMPTY;
	sb.image = (struct hibswap_image){ .page_size = PAGE_SIZE };
	on_disk = sb.generation;
	for (tries = 0; tries < 2 && !foreign; tries++) {
		sb.generation++;
		err = hibswap_meta_write_super(r, &sb);
		if (!err) {
			written++;
			on_disk = sb.generation;
		}
	}
	/* The next commit counts from the disk; what failed and is there is EMPTY */
	sb.generation = on_disk;
	if (!written) {
		DMERR("%s: no superblock can be written: error %d", dm_device_name(r->md), err);
		err = unsign_header(r);
		if (err) {
			DMERR("%s: the image on disk could not be invalidated: error %d",
			      dm_device_name(r->md), err);
			return err;
		}
	}
done:
	r->sb = sb;
	r->ours = false;
	r->event_committed = false;
	spin_lock(&r->lock);
	r->stale_below = false;
	spin_unlock(&r->lock);
	return 0;
}

/* Is this the header page that the superblock's image was signed with? */
static int header_names_image(struct hibswap_region *r, const struct hibswap_super *sb)
{
	int err;

	if (sb->image.page_size != PAGE_SIZE)
		return 0;
	err = hibswap_meta_read_header(r, r->page);
	if (err)
		return err;
	return hibswap_crc(0, r->page, PAGE_SIZE) == sb->image.header_crc;
}

static int region_load_sums(struct hibswap_region *r, const struct hibswap_super *sb,
			    struct hibswap_sums **sums, struct hibswap_fault *fault)
{
	/* As for extents: not more than this machine's image can have blocks */
	if (sb->image.sum_blocks <= (u64)totalram_pages() * HIBSWAP_PAGE_BLOCKS)
		*sums = hibswap_sums_alloc(sb->image.sum_blocks, HIBSWAP_GFP_LOAD);
	if (!*sums) {
		fault->what = "no memory for the checksums, blocks";
		fault->value = sb->image.sum_blocks;
		return -ENOMEM;
	}
	return hibswap_meta_read_sums(r, sb, (*sums)->crc, fault);
}

/* Load the map of a committed superblock: RESUMABLE, or an errno and why */
static int region_load(struct hibswap_region *r, const struct hibswap_super *sb,
		       struct hibswap_fault *fault)
{
	const u64 room = sb->geom.log_sectors / HIBSWAP_BLOCK_SECTORS;
	const u64 nr = sb->image.extents;
	struct hibswap_extent *ext, *out, *spare = NULL;
	struct hibswap_sums *sums = NULL;
	struct hibswap_log log;
	void *scratch;
	int err;

	fault->what = "no memory for the map, extents";
	fault->value = nr;
	/* More than an image of this machine can have; also keeps sizes in size_t */
	if (nr > (u64)totalram_pages() * HIBSWAP_PAGE_BLOCKS)
		return -ENOMEM;
	ext = __vmalloc(nr * sizeof(*ext), HIBSWAP_GFP_LOAD);
	if (!ext)
		return -ENOMEM;
	hibswap_log_init(&log, ext, nr, room);
	err = hibswap_meta_read_map(r, sb, &log, fault);
	if (!err && sb->image.sum_blocks)
		err = region_load_sums(r, sb, &sums, fault);
	if (err)
		goto out_free;

	if (hibswap_log_index(&log) == -EEXIST) {
		out = __vmalloc(2 * nr * sizeof(*out), HIBSWAP_GFP_LOAD);
		scratch = __vmalloc(hibswap_log_resolve_scratch(nr), HIBSWAP_GFP_LOAD);
		err = out && scratch ? hibswap_log_resolve(&log, scratch, out, 2 * nr) : -ENOMEM;
		vfree(scratch);
		if (err) {
			vfree(out);
			fault->what = "no memory to sort the map, extents";
			fault->value = nr;
			goto out_free;
		}
		spare = ext;
	}
	spin_lock(&r->lock);
	swap(r->log, log);
	swap(r->sums, sums);
	r->cursor = 0;
	r->state = HIBSWAP_RESUMABLE;
	r->dropped = false;
	spin_unlock(&r->lock);
	hibswap_sums_put(sums);
	vfree(spare);
	vfree(log.ext);
	return 0;

out_free:
	hibswap_sums_put(sums);
	vfree(ext);
	return err;
}

static void fault_report(struct hibswap_region *r, int err, const struct hibswap_fault *fault)
{
	DMERR("%s: superblock: %s: found %llu, expected or limit %llu (error %d)",
	      dm_device_name(r->md), fault->what ? fault->what : "no valid copy",
	      fault->value, fault->limit, err);
}

static char *super_error(int err, const struct hibswap_fault *fault)
{
	switch (err) {
	case -EPROTONOSUPPORT:
		if (fault->what && !strcmp(fault->what, "version"))
			return "Superblock has an unknown version";
		return "Superblock has an unknown incompatible feature";
	case -EMEDIUMTYPE:
		return "Region holds foreign data, not a hibswap superblock";
	case -EBADMSG:
		return "No undamaged superblock";
	case -EINVAL:
		return "Superblock has a field out of range";
	case -ENODATA:
		return "Region is not formatted and not blank";
	default:
		return "Cannot read the superblocks";
	}
}

/* What a first activation would write, or why it would not */
static int region_layout(struct hibswap_region *r, const struct hibswap_geom *areas,
			 struct hibswap_geom *geom, struct hibswap_fault *fault)
{
	u64 ram_blocks = (u64)totalram_pages() * HIBSWAP_PAGE_BLOCKS;

	*geom = *areas;
	return hibswap_geom_init(geom, hibswap_default_extents(ram_blocks), fault);
}

/* Both the constructor's look and the activation's */
static int region_examine(struct hibswap_region *r, const struct hibswap_geom *areas,
			  bool read_only, struct hibswap_super *sb, char **error)
{
	struct hibswap_fault fault = {};
	struct hibswap_geom geom;
	int err;

	err = hibswap_meta_read_super(r, sb, &fault);
	if (err == -ENODATA) {
		err = region_layout(r, areas, &geom, &fault);
		if (err) {
			*error = "region_sectors: region is too small";
			DMERR("%s: region of %llu sectors is too small, least is %llu",
			      dm_device_name(r->md), fault.value, fault.limit);
			return err;
		}
		err = hibswap_meta_is_blank(r, &geom);
		if (err < 0) {
			*error = "Cannot read the region";
			return err;
		}
		if (!err) {
			*error = super_error(-ENODATA, &fault);
			return -EINVAL;
		}
		if (read_only) {
			*error = "Region is not formatted, and the table is read-only";
			return -EROFS;
		}
		return -ENODATA;
	}
	if (err) {
		*error = super_error(err, &fault);
		fault_report(r, err, &fault);
		return err;
	}
	err = hibswap_geom_match(&sb->geom, areas, &fault);
	if (err) {
		*error = "Superblock disagrees with the table line";
		DMERR("%s: %s: superblock says %llu, table line %llu", dm_device_name(r->md),
		      fault.what, fault.value, fault.limit);
	}
	return err;
}

/**
 * hibswap_region_check - would activation work? Reads only.
 * @r: region
 * @areas: from the table line
 * @read_only: of the table
 * @error: why not
 *
 * Context: hibswap_lock held, may sleep.
 * Return: 0 or a negative errno.
 */
int hibswap_region_check(struct hibswap_region *r, const struct hibswap_geom *areas,
			 bool read_only, char **error)
{
	struct hibswap_super sb;
	int err = 0;

	mutex_lock(&r->mutex);
	/* With an image under way the disk is the image's; sb is current */
	if (r->activated && r->state != HIBSWAP_IDLE) {
		err = hibswap_geom_match(&r->sb.geom, areas, NULL);
		if (err)
			*error = "Superblock disagrees with the table line";
	} else {
		err = region_examine(r, areas, read_only, &sb, error);
		if (err == -ENODATA)
			err = 0;
	}
	mutex_unlock(&r->mutex);
	return err;
}

static int region_format(struct hibswap_region *r, const struct hibswap_geom *areas,
			 struct hibswap_super *sb)
{
	struct hibswap_fault fault = {};
	int err, i;

	memset(sb, 0, sizeof(*sb));
	err = region_layout(r, areas, &sb->geom, &fault);
	if (err)
		return err;
	sb->version = HIBSWAP_VERSION;
	sb->state = HIBSWAP_EMPTY;
	sb->image.page_size = PAGE_SIZE;
	hibswap_set_log_dirty(sb, 0);
	generate_random_uuid(sb->uuid);
	/* Copy B, then copy A */
	for (i = 1; i <= 2; i++) {
		sb->generation = i;
		err = hibswap_meta_write_super(r, sb);
		if (err)
			return err;
	}
	DMINFO("%s: region formatted: %llu MiB of log, maps of %llu extents",
	       dm_device_name(r->md), sb->geom.log_sectors >> 11,
	       hibswap_map_extents_max(&sb->geom));
	return 0;
}

/*
 * There may be an image, but its map cannot be had: nothing is written, the
 * first write still invalidates, and a restore finds every address missing.
 */
static void region_enter_blind(struct hibswap_region *r, const char *what, int err)
{
	DMWARN("%s: an image may be here, but %s: error %d: it cannot be resumed now",
	       dm_device_name(r->md), what, err);
	spin_lock(&r->lock);
	r->state = HIBSWAP_RESUMABLE;
	spin_unlock(&r->lock);
}

static void region_activate_image(struct hibswap_region *r, const struct hibswap_super *sb)
{
	struct hibswap_fault fault = {};
	int named, err;

	named = header_names_image(r, sb);
	if (named < 0) {
		region_enter_blind(r, "the header page cannot be read", named);
		return;
	}
	if (named) {
		err = region_load(r, sb, &fault);
		if (!err) {
			DMINFO("%s: image of %llu MiB found, generation %llu",
			       dm_device_name(r->md),
			       (sb->image.log_blocks + sb->image.in_place_blocks) >> 8,
			       sb->generation);
			return;
		}
		if (err != -EBADMSG && err != -EINVAL) {
			region_enter_blind(r, fault.what, err);
			return;
		}
		DMWARN("%s: stale image, generation %llu: %s: found %llu, expected or limit %llu",
		       dm_device_name(r->md), sb->generation, fault.what, fault.value,
		       fault.limit);
	} else if (sb->image.page_size != PAGE_SIZE) {
		DMWARN("%s: stale image, generation %llu: written with pages of %u bytes",
		       dm_device_name(r->md), sb->generation, sb->image.page_size);
	} else {
		DMWARN("%s: stale image dropped, generation %llu: the header page does not name it",
		       dm_device_name(r->md), sb->generation);
	}
	/* If that fails the first write tries again */
	if (r->read_only || hibswap_invalidate(r)) {
		spin_lock(&r->lock);
		r->state = HIBSWAP_RESUMABLE;
		spin_unlock(&r->lock);
	}
	hibswap_event(r, HIBSWAP_EVENT_STALE);
}

/**
 * hibswap_region_activate - a table goes live
 * @r: region
 * @ti: the table's target
 * @ht: its table line
 * @read_only: nothing may be written
 *
 * Formats a blank region, loads the map of an image that the header page
 * names, drops one that it does not. A region on which something is going on
 * is left alone: the old table's destructor is still to come.
 *
 * Context: hibswap_lock held, device suspended, may sleep.
 * Return: 0 or a negative errno.
 */
int hibswap_region_activate(struct hibswap_region *r, struct dm_target *ti,
			    const struct hibswap_target *ht, bool read_only)
{
	const struct hibswap_geom *areas = &ht->areas;
	unsigned int noio = memalloc_noio_save();
	char *error = NULL;
	struct hibswap_super sb;
	int err = 0;

	mutex_lock(&r->mutex);
	if (r->ti != ti)
		WRITE_ONCE(r->failed, false);
	/* Even if this fails: then it is this table that is suspended */
	r->ti = ti;
	r->read_only = read_only;
	r->features = ht->features;
	if (r->state != HIBSWAP_IDLE || r->manual || r->log.cap)
		goto out;
	err = region_examine(r, areas, read_only, &sb, &error);
	if (err == -ENODATA)
		err = region_format(r, areas, &sb);
	if (err) {
		DMERR("%s: cannot activate: %s (error %d)", dm_device_name(r->md),
		      error ? error : "format failed", err);
		goto out;
	}
	r->sb = sb;
	spin_lock(&r->lock);
	r->geom = sb.geom;
	hibswap_log_init(&r->log, NULL, 0, sb.geom.log_sectors / HIBSWAP_BLOCK_SECTORS);
	spin_unlock(&r->lock);
	r->activated = true;
	if (sb.state == HIBSWAP_COMMITTED)
		region_activate_image(r, &sb);
	else if (r->unsure)
		region_enter_blind(r, "a superblock cannot be read", -EIO);
out:
	mutex_unlock(&r->mutex);
	if (!err && hibswap_prepare_open && !r->log.cap)
		err = hibswap_region_prepare(r);
	if (!err)
		hibswap_window_offer(r);
	memalloc_noio_restore(noio);
	return err;
}

/*
 * Memory for the map of an image: for the worst case of this machine, or what
 * a map place holds if that is less. Not under region->mutex: reclaim may swap
 * to this device. Zeroed, since it becomes part of the image.
 */
static struct hibswap_extent *extents_alloc(struct hibswap_region *r, u64 *cap)
{
	u64 ram_blocks = (u64)totalram_pages() * HIBSWAP_PAGE_BLOCKS;

	*cap = min(hibswap_default_extents(ram_blocks), hibswap_map_extents_max(&r->geom));
	if (*cap > SIZE_MAX / sizeof(struct hibswap_extent))
		return NULL;
	return __vmalloc(*cap * sizeof(struct hibswap_extent),
			 GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
}

/*
 * Memory for checksums: of as many blocks as an image of this machine has, if a
 * map place can hold them. An image can do without.
 */
static struct hibswap_sums *sums_alloc(struct hibswap_region *r)
{
	u64 ram_blocks = (u64)totalram_pages() * HIBSWAP_PAGE_BLOCKS;
	u64 nr = min(hibswap_default_extents(ram_blocks), hibswap_sum_room(&r->geom, 1));
	struct hibswap_sums *sums;

	if (r->features & HIBSWAP_NO_CHECKSUM)
		return NULL;
	sums = hibswap_sums_alloc(nr, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN |
				      __GFP_RETRY_MAYFAIL);
	if (!sums)
		DMWARN("%s: no memory for %llu checksums: the image gets none",
		       dm_device_name(r->md), nr);
	return sums;
}

/*
 * Bring memory and disk together: re-read, and drop what nobody can resume.
 * Leaves IDLE, or RESUMABLE for another system's image. *resumed is set to the
 * image that this kernel was resumed from, generation 0 if it was not.
 */
struct resumed {
	u64 generation;
	u64 log_blocks;
	u64 in_place_blocks;
};

static int region_settle(struct hibswap_region *r, struct resumed *resumed)
{
	const u64 known = r->sb.generation;
	struct hibswap_fault fault = {};
	struct hibswap_super sb;
	bool named = false;
	int err;

	*resumed = (struct resumed){};
	err = hibswap_meta_read_super(r, &sb, &fault);
	if (err) {
		fault_report(r, err, &fault);
		return err;
	}
	/* The copy that cannot be read may be the one that vouches for the image */
	if (r->unsure && r->state == HIBSWAP_RESUMABLE)
		return -EIO;
	if (sb.state == HIBSWAP_COMMITTED && !r->ours) {
		err = header_names_image(r, &sb);
		if (err < 0)
			return err;
		named = err;
	}
	if (named) {
		r->sb = sb;
		if (r->state == HIBSWAP_RESUMABLE && sb.generation == known)
			return 0;
		DMWARN("%s: the region holds an image of another system, generation %llu",
		       dm_device_name(r->md), sb.generation);
		hibswap_drop_map(r);
		err = region_load(r, &sb, &fault);
		if (err)
			region_enter_blind(r, fault.what, err);
		return 0;
	}
	/* The proof of a resume: another kernel has committed what this one did not */
	if (sb.state == HIBSWAP_COMMITTED && sb.generation > known)
		*resumed = (struct resumed){ sb.generation, sb.image.log_blocks,
					     sb.image.in_place_blocks };
	err = hibswap_invalidate(r);
	if (err)
		return err;
	hibswap_drop_map(r);
	return 0;
}

/* A commit would fail if a copy cannot be read: better before all the writing */
static int region_check_readable(struct hibswap_region *r)
{
	struct hibswap_super sb;
	int err = hibswap_meta_read_super(r, &sb, NULL);

	return !err && r->unsure ? -EIO : err;
}

/**
 * hibswap_region_prepare - a hibernation begins
 * @r: region, activated
 *
 * Context: hibswap_lock held, may sleep.
 * Return: 0 or a negative errno; then nothing needs undoing.
 */
int hibswap_region_prepare(struct hibswap_region *r)
{
	struct hibswap_extent *ext;
	struct hibswap_sums *sums;
	struct resumed resumed;
	bool had_image;
	u64 cap;
	int err;

	if (r->read_only || !r->activated)
		return 0;
	if (r->failed) {
		DMERR("%s: hibernation refused: metadata could not be written: reload the table",
		      dm_device_name(r->md));
		return -EIO;
	}
	ext = extents_alloc(r, &cap);
	if (!ext) {
		DMERR("%s: hibernation refused: no memory for a map of %llu extents",
		      dm_device_name(r->md), cap);
		return -ENOMEM;
	}
	sums = sums_alloc(r);
	mutex_lock(&r->mutex);
	had_image = r->state == HIBSWAP_RESUMABLE;
	err = region_settle(r, &resumed);
	if (!err && r->state == HIBSWAP_IDLE)
		err = region_check_readable(r) ?: hibswap_erase_mark(r);
	if (!err && had_image && r->state == HIBSWAP_IDLE) {
		DMINFO("%s: image dropped: the header page does not name it any more",
		       dm_device_name(r->md));
		hibswap_event(r, HIBSWAP_EVENT_DROPPED);
	}
	if (err) {
		DMERR("%s: hibernation refused: superblock or header page: error %d",
		      dm_device_name(r->md), err);
	} else if (r->state == HIBSWAP_IDLE) {
		spin_lock(&r->lock);
		hibswap_log_init(&r->log, ext, cap, r->geom.log_sectors / HIBSWAP_BLOCK_SECTORS);
		swap(r->sums, sums);
		r->image_error = BLK_STS_OK;
		r->was_unsigned = false;
		spin_unlock(&r->lock);
		ext = NULL;
	}
	mutex_unlock(&r->mutex);
	hibswap_sums_put(sums);
	vfree(ext);
	return err;
}

/**
 * hibswap_region_unprepare - the hibernation was refused elsewhere
 * @r: region
 *
 * Context: hibswap_lock held, may sleep.
 */
void hibswap_region_unprepare(struct hibswap_region *r)
{
	mutex_lock(&r->mutex);
	if (r->state == HIBSWAP_IDLE || r->state == HIBSWAP_ARMED)
		region_release_log(r);
	mutex_unlock(&r->mutex);
}

/**
 * hibswap_region_post - the hibernation is over, one way or the other
 * @r: region, activated
 *
 * Runs in the kernel that wrote the image, if it never left or came back, and
 * in the one that was resumed from it.
 *
 * Context: hibswap_lock held, may sleep.
 */
void hibswap_region_post(struct hibswap_region *r)
{
	struct resumed resumed = {};
	bool committed;
	int err;

	if (!r->activated)
		return;
	mutex_lock(&r->mutex);
	committed = r->event_committed;
	r->event_committed = false;
	if (r->state != HIBSWAP_RESUMABLE)
		region_release_log(r);
	err = r->read_only ? 0 : region_settle(r, &resumed);
	mutex_unlock(&r->mutex);

	if (err) {
		DMERR("%s: after hibernation: superblock or header page: error %d",
		      dm_device_name(r->md), err);
	} else if (resumed.generation) {
		DMINFO("%s: resumed from image, generation %llu: %llu MiB",
		       dm_device_name(r->md), resumed.generation,
		       (resumed.log_blocks + resumed.in_place_blocks) >> 8);
		if (resumed.in_place_blocks)
			DMWARN("%s: region full: %llu KiB of the image lay outside it",
			       dm_device_name(r->md), resumed.in_place_blocks << 2);
		hibswap_event(r, HIBSWAP_EVENT_RESUMED);
	} else if (committed) {
		DMINFO("%s: image is over, invalidated", dm_device_name(r->md));
		hibswap_event(r, HIBSWAP_EVENT_COMMITTED);
		hibswap_event(r, HIBSWAP_EVENT_DROPPED);
	}
}

/**
 * hibswap_region_begin - "image begin": write an image without hibernating
 * @r: region
 *
 * Context: hibswap_lock held, may sleep.
 * Return: 0; -EBUSY if an image is there or under way; other errnos.
 */
int hibswap_region_begin(struct hibswap_region *r)
{
	int err;

	if (hibswap_prepare_open || r->manual || r->state != HIBSWAP_IDLE || !r->activated)
		return -EBUSY;
	if (r->read_only)
		return -EROFS;
	err = hibswap_region_prepare(r);
	if (err)
		return err;
	if (r->state != HIBSWAP_IDLE)
		return -EBUSY;
	spin_lock(&r->lock);
	r->manual = true;
	r->state = HIBSWAP_ARMED;
	spin_unlock(&r->lock);
	return 0;
}

/**
 * hibswap_region_end - "image end": what a power-off would leave
 * @r: region
 *
 * A committed image whose signature stands stays, to be found like after a
 * boot; anything else is dropped.
 *
 * Context: hibswap_lock held, may sleep.
 * Return: 0; -EINVAL if there was no "image begin".
 */
int hibswap_region_end(struct hibswap_region *r)
{
	int err = 0;
	bool keep;

	if (!r->manual)
		return -EINVAL;
	/* Writes behind the signature that are waiting belong to the image */
	flush_work(&r->work);
	mutex_lock(&r->mutex);
	spin_lock(&r->lock);
	r->barrier = true;
	spin_unlock(&r->lock);
	wait_event(r->wait, !atomic_read(&r->in_flight));
	keep = r->state == HIBSWAP_COMMITTED_STATE && !r->was_unsigned;
	if (keep)
		hibswap_index_map(r);
	spin_lock(&r->lock);
	r->manual = false;
	r->barrier = false;
	if (keep)
		r->state = HIBSWAP_RESUMABLE;
	spin_unlock(&r->lock);
	if (!keep) {
		err = hibswap_invalidate(r);
		region_release_log(r);
	}
	r->event_committed = false;
	mutex_unlock(&r->mutex);
	hibswap_event(r, keep ? HIBSWAP_EVENT_COMMITTED : HIBSWAP_EVENT_DROPPED);
	return err;
}

/**
 * hibswap_region_discard - "discard": drop the image that is on disk
 * @r: region
 *
 * Context: hibswap_lock held, may sleep.
 * Return: 0; -EBUSY while an image is being written; the I/O error.
 */
int hibswap_region_discard(struct hibswap_region *r)
{
	bool had;
	int err;

	if (!r->activated)
		return -EINVAL;
	if (hibswap_prepare_open || r->manual)
		return -EBUSY;
	if (r->read_only)
		return -EROFS;
	mutex_lock(&r->mutex);
	had = r->state == HIBSWAP_RESUMABLE;
	err = hibswap_invalidate(r);
	if (!err)
		hibswap_drop_map(r);
	mutex_unlock(&r->mutex);
	if (!err && had) {
		DMINFO("%s: image dropped on request", dm_device_name(r->md));
		hibswap_event(r, HIBSWAP_EVENT_DROPPED);
	}
	return err;
}
