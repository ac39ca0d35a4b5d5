// SPDX-License-Identifier: GPL-2.0-only
/*
 * Erasing the log when an image is over: discarded, overwritten, or both.
 *
 * The superblock says how much of the log, from its beginning on, may hold what
 * was in memory. Before an image is begun that is all of it, since a power cut
 * leaves anything; the commit knows better. It is erased from its end to its
 * beginning, so that one number tells how far that has come, whenever it stops;
 * the map places behind it first, and anew after each stop:
 *
 *	log  | dirty ............... | erased | map | map
 *	     0                  log_dirty
 *
 * Nothing that is wanted is erased: before each piece the superblocks are read,
 * and both copies must say that there is no image, which the first write of
 * this file makes sure of; and memory must know the generation that they have,
 * or it is a snapshot's and the disk another kernel's. That a hibernation has
 * begun is seen by its memory for the map. Pieces are short, and done under
 * region->mutex, which a hibernation takes to begin.
 *
 * On a freezable workqueue: no piece is under way in a snapshot.
 */
#include "dm-hibswap.h"

#include <linux/blkdev.h>

#define PIECE_BLOCKS	1024U		/* 4 MiB */
#define RECORD_BLOCKS	(64 * PIECE_BLOCKS)

static struct workqueue_struct *hibswap_erase_wq;

/* Is it asked for, and can the device do it? */
static bool can_erase(const struct hibswap_region *r)
{
	return r->features & HIBSWAP_WIPE ||
	       (r->features & HIBSWAP_DISCARD && bdev_max_discard_sectors(r->bdev));
}

static bool may_erase(const struct hibswap_region *r)
{
	return can_erase(r) && r->ti && r->activated && !r->read_only &&
	       !r->failed && !READ_ONCE(r->held) && r->state == HIBSWAP_IDLE &&
	       !r->manual && !r->log.cap;
}

/* Write the superblock with what is left to do; the other copy than last time */
static int record(struct hibswap_region *r, struct hibswap_super *sb, u64 blocks)
{
	int err;

	hibswap_set_log_dirty(sb, blocks);
	sb->generation++;
	err = hibswap_meta_write_super(r, sb);
	if (!err)
		r->erase_recorded = blocks;
	return err;
}

/* The superblock that counts, if it is the one that we know and has no image */
static int read_empty(struct hibswap_region *r, struct hibswap_super *sb)
{
	int err = hibswap_meta_read_super(r, sb, NULL);

	if (err)
		return err;
	if (r->unsure)
		return -EIO;
	return sb->state == HIBSWAP_EMPTY && sb->generation == r->sb.generation ? 0 : -ESTALE;
}

/**
 * hibswap_erase_mark - an image is about to be written to the log
 * @r: region, mutex held, IDLE
 *
 * Who does not erase keeps no count, but must not leave an old one that is too
 * low by then: a later table may ask for it.
 *
 * Return: 0 or the I/O error.
 */
int hibswap_erase_mark(struct hibswap_region *r)
{
	const u64 all = r->geom.log_sectors / HIBSWAP_BLOCK_SECTORS;
	struct hibswap_super sb;
	int err;

	r->erasing = false;
	err = hibswap_meta_read_super(r, &sb, NULL);
	if (err)
		return err;
	r->log_high = hibswap_log_dirty(&sb);
	if (sb.feature_compat & HIBSWAP_COMPAT_DIRTY ? sb.log_dirty == all : !can_erase(r))
		return 0;
	if (can_erase(r))
		return record(r, &sb, all);
	hibswap_forget_log_dirty(&sb);
	sb.generation++;
	return hibswap_meta_write_super(r, &sb);
}

/* Overwrite with zeros, in pieces of the map's buffer */
static int wipe(struct hibswap_region *r, u64 sector, u64 sectors)
{
	int err = 0;

	memset(r->map_buf, 0, HIBSWAP_MAP_BUF_SIZE);
	while (sectors && !err) {
		u64 nr = min_t(u64, sectors, HIBSWAP_MAP_BUF_SIZE >> SECTOR_SHIFT);

		err = hibswap_meta_io(r, REQ_OP_WRITE | REQ_BACKGROUND, sector, nr, r->map_buf);
		sector += nr;
		sectors -= nr;
	}
	return err;
}

static int erase(struct hibswap_region *r, u64 sector, u64 sectors)
{
	int err = 0;

	if (r->features & HIBSWAP_WIPE)
		err = wipe(r, sector, sectors);
	if (!err && r->features & HIBSWAP_DISCARD && bdev_max_discard_sectors(r->bdev)) {
		/* It is cut to whole granules: reach into what is erased above */
		const u64 end = r->geom.map_start[1] + r->geom.map_sectors;
		const u64 more = bdev_discard_granularity(r->bdev) >> SECTOR_SHIFT;

		err = blkdev_issue_discard(r->bdev, sector, min(sectors + more, end - sector),
					   GFP_NOIO);
	}
	return err;
}

/* Returns 1 if there is more to do, 0 if all is done, or an errno */
static int erase_piece(struct hibswap_region *r)
{
	struct hibswap_super sb;
	u64 nr;
	int err;

	err = read_empty(r, &sb);
	if (err)
		return err;
	if (!r->erasing) {
		r->erase_left = hibswap_log_dirty(&sb);
		if (!r->erase_left)
			return 0;
		/* What an image that was given up still writes comes first */
		wait_event(r->wait, !atomic_read(&r->in_flight));
		/* Afterwards neither copy has an image, nor an older idea of this */
		err = record(r, &sb, r->erase_left);
		if (err)
			return err;
		r->erasing = true;
		r->erase_maps = 2 * r->geom.map_sectors;
		DMINFO("%s: erasing %llu MiB of the log", dm_device_name(r->md),
		       r->erase_left >> 8);
		return 1;
	}
	/* The maps and the checksums that came with them are the image's, too */
	if (r->erase_maps) {
		nr = min_t(u64, r->erase_maps, PIECE_BLOCKS * HIBSWAP_BLOCK_SECTORS);
		err = erase(r, r->geom.map_start[0] + r->erase_maps - nr, nr);
		if (err)
			return err;
		r->erase_maps -= nr;
		return 1;
	}
	nr = min_t(u64, r->erase_left, PIECE_BLOCKS);
	err = erase(r, r->geom.log_start + (r->erase_left - nr) * HIBSWAP_BLOCK_SECTORS,
		    nr * HIBSWAP_BLOCK_SECTORS);
	if (err)
		return err;
	r->erase_left -= nr;
	if (r->erase_left && r->erase_recorded - r->erase_left < RECORD_BLOCKS)
		return 1;
	/* What the superblock says is erased has to be on the disk before */
	err = hibswap_meta_flush(r) ?: record(r, &sb, r->erase_left);
	if (err || r->erase_left)
		return err ?: 1;
	DMINFO("%s: log erased", dm_device_name(r->md));
	hibswap_event(r, HIBSWAP_EVENT_ERASED);
	return 0;
}

/**
 * hibswap_erase_work - one piece, and the work is queued again
 * @work: the region's erase_work
 *
 * Returns between the pieces, so that it can be frozen and cancelled.
 */
void hibswap_erase_work(struct work_struct *work)
{
	struct hibswap_region *r = container_of(work, struct hibswap_region, erase_work);
	unsigned int noio = memalloc_noio_save();
	int ret = -EAGAIN;

	mutex_lock(&r->mutex);
	if (may_erase(r)) {
		ret = erase_piece(r);
		if (ret < 0 && ret != -ESTALE)
			DMERR("%s: the log could not be erased: error %d", dm_device_name(r->md),
			      ret);
	}
	if (ret <= 0)
		r->erasing = false;
	mutex_unlock(&r->mutex);
	memalloc_noio_restore(noio);
	if (ret > 0)
		queue_work(hibswap_erase_wq, work);
}

/**
 * hibswap_erase_kick - there may be something to erase, now or later
 * @r: region
 *
 * Context: any.
 */
void hibswap_erase_kick(struct hibswap_region *r)
{
	if (r->features & (HIBSWAP_DISCARD | HIBSWAP_WIPE))
		queue_work(hibswap_erase_wq, &r->erase_work);
}

/**
 * hibswap_erase_hold - the device is being suspended: leave the disk alone
 * @r: region, with @held set
 *
 * Context: may sleep, no lock held.
 */
void hibswap_erase_hold(struct hibswap_region *r)
{
	cancel_work_sync(&r->erase_work);
}

/**
 * hibswap_erase_release - the device has been resumed, perhaps with another table
 * @r: region, with @held clear
 *
 * Context: may sleep.
 */
void hibswap_erase_release(struct hibswap_region *r)
{
	if (r->features & HIBSWAP_DISCARD && !bdev_max_discard_sectors(r->bdev))
		DMWARN("%s: the device below cannot discard: the log is %s",
		       dm_device_name(r->md),
		       r->features & HIBSWAP_WIPE ? "wiped only" : "left as it is");
	hibswap_erase_kick(r);
}

/**
 * hibswap_erase_init - make the workqueue
 *
 * Return: 0 or -ENOMEM.
 */
int hibswap_erase_init(void)
{
	hibswap_erase_wq = alloc_workqueue("hibswap_erase", WQ_FREEZABLE | WQ_UNBOUND, 0);
	return hibswap_erase_wq ? 0 : -ENOMEM;
}

/** hibswap_erase_exit - and free it */
void hibswap_erase_exit(void)
{
	destroy_workqueue(hibswap_erase_wq);
}
