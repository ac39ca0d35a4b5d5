// SPDX-License-Identifier: GPL-2.0-only
/*
 * An image is forgotten: its map in memory, and on disk what vouches for it.
 */
#include "dm-hibswap.h"

#include <linux/mm.h>
#include <linux/vmalloc.h>

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

	r->takeback_s = 0;
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

/**
 * hibswap_release_log - to IDLE, and free the map, whatever it was for
 * @r: region, mutex held
 */
void hibswap_release_log(struct hibswap_region *r)
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
	foreign = hibswap_is_foreign(err);
	if (err)
		sb = r->sb;	/* the geometry is the same, and the rest follows */
	else if (sb.state != HIBSWAP_COMMITTED && !r->unsure)
		goto done;
	if (err || r->unsure) {
		sb.generation = max(sb.generation, r->sb.generation);
		/* The copy that cannot be read may say more */
		hibswap_forget_log_dirty(&sb);
	}
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
		DMERR_LIMIT("%s: no superblock can be written: error %d",
			    dm_device_name(r->md), err);
		err = unsign_header(r);
		if (err) {
			DMERR_LIMIT("%s: the image on disk could not be invalidated: error %d",
				    dm_device_name(r->md), err);
			return err;
		}
	}
done:
	r->sb = sb;
	r->ours = 0;
	r->event_committed = false;
	spin_lock(&r->lock);
	r->stale_below = false;
	spin_unlock(&r->lock);
	return 0;
}
