// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hibernation's phases: PREPARE, refused elsewhere, POST.
 */
#include "dm-hibswap.h"

#include <linux/mm.h>
#include <linux/vmalloc.h>

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

/**
 * hibswap_region_settle - bring memory and disk together
 * @r: region, activated, not read-only, mutex held
 *
 * Re-reads, and drops what nobody can resume. Leaves IDLE, or RESUMABLE for
 * another system's image. If this kernel was resumed from what is there, that is
 * kept for hibswap_tell_resumed().
 *
 * Return: 0 or the I/O error; then the state is as it was.
 */
int hibswap_region_settle(struct hibswap_region *r)
{
	const u64 known = r->sb.generation;
	struct hibswap_fault fault = {};
	struct hibswap_super sb;
	bool named = false;
	int err;

	err = hibswap_meta_read_super(r, &sb, &fault);
	if (err) {
		hibswap_super_complain(r, err, &fault);
		/* Ours is taken back also without reading them, unless somebody has been here */
		if (!r->ours || hibswap_is_foreign(err) || hibswap_invalidate(r))
			return err;
		hibswap_drop_map(r);
		return 0;
	}
	/* The copy that cannot be read may be the one that vouches for the image */
	if (r->unsure && r->state == HIBSWAP_RESUMABLE && !(r->ours && r->takeback_s))
		return -EIO;
	if (sb.state == HIBSWAP_COMMITTED && sb.generation > r->ours) {
		err = hibswap_header_names_image(r, &sb);
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
		err = hibswap_load(r, &sb, &fault);
		if (err)
			hibswap_enter_blind(r, fault.what, err);
		return 0;
	}
	/* The proof of a resume: another kernel has committed what this one did not */
	if (sb.state == HIBSWAP_COMMITTED && sb.generation > known)
		r->resumed = (struct hibswap_resumed){
			.generation = sb.generation,
			.log_blocks = sb.image.log_blocks,
			.in_place_blocks = sb.image.in_place_blocks,
		};
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
	err = hibswap_region_settle(r);
	/* What nobody was told of by now is not what the next POST is about */
	r->resumed = (struct hibswap_resumed){};
	if (!err && r->state == HIBSWAP_IDLE)
		err = region_check_readable(r) ?: hibswap_erase_mark(r);
	if (had_image && r->state == HIBSWAP_IDLE) {
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
		hibswap_release_log(r);
	mutex_unlock(&r->mutex);
}

/**
 * hibswap_tell_resumed - tell of an image that this kernel was resumed from
 * @r: region
 *
 * Once, and only when it is taken back.
 *
 * Context: process, may sleep, region->mutex not held.
 * Return: whether there was one.
 */
bool hibswap_tell_resumed(struct hibswap_region *r)
{
	struct hibswap_resumed resumed;

	mutex_lock(&r->mutex);
	resumed = r->resumed;
	r->resumed = (struct hibswap_resumed){};
	mutex_unlock(&r->mutex);
	if (!resumed.generation)
		return false;
	DMINFO("%s: resumed from image, generation %llu: %llu MiB", dm_device_name(r->md),
	       resumed.generation, (resumed.log_blocks + resumed.in_place_blocks) >> 8);
	if (resumed.in_place_blocks)
		DMWARN("%s: region full: %llu KiB of the image lay outside it",
		       dm_device_name(r->md), resumed.in_place_blocks << 2);
	hibswap_event(r, HIBSWAP_EVENT_RESUMED);
	return true;
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
	bool committed;
	int err;

	if (!r->activated)
		return;
	mutex_lock(&r->mutex);
	committed = r->event_committed;
	r->event_committed = false;
	if (r->state != HIBSWAP_RESUMABLE)
		hibswap_release_log(r);
	err = r->read_only ? 0 : hibswap_region_settle(r);
	/* Not taken back: then before the first write, as after a boot */
	if (err && r->state == HIBSWAP_IDLE)
		hibswap_takeback_later(r, err);
	mutex_unlock(&r->mutex);

	if (err) {
		DMERR("%s: after hibernation: superblock or header page: error %d",
		      dm_device_name(r->md), err);
	} else if (!hibswap_tell_resumed(r) && committed) {
		DMINFO("%s: image is over, invalidated", dm_device_name(r->md));
		hibswap_event(r, HIBSWAP_EVENT_COMMITTED);
		hibswap_event(r, HIBSWAP_EVENT_DROPPED);
	}
}
