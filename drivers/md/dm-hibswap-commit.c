// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signing and un-signing: what a write of the header page sets off.
 *
 * The order on stable storage is what makes an image trustworthy:
 *
 *	image writes -> map -> flush -> superblock (FUA) -> header page (FUA)
 *
 * The superblock carries the checksum of the header page that is to follow, so
 * that neither an older nor a foreign signature can be paired with this map.
 * Until that page is there, the next boot finds a header page that the
 * superblock does not name, and drops the image.
 *
 * All this runs in the region's worker, with region->mutex held.
 */
#include "dm-hibswap.h"

#include <linux/highmem.h>

/**
 * hibswap_commit - make the map of what is in the log durable
 * @r: region, mutex held
 * @header_crc: of the header page that will name, or names, the image
 *
 * Return: 0; on any error nothing new vouches for the image.
 */
int hibswap_commit(struct hibswap_region *r, u32 header_crc)
{
	struct hibswap_super sb;
	u64 blocks;
	int err;

	/* New image writes come to the worker, so the log stands still */
	spin_lock(&r->lock);
	r->barrier = true;
	spin_unlock(&r->lock);
	/* Pairs with the end of the writes: their checksums are to be seen */
	wait_event(r->wait, !atomic_read_acquire(&r->in_flight));
	err = blk_status_to_errno(READ_ONCE(r->image_error));
	if (err)
		goto out;

	err = hibswap_meta_read_super(r, &sb, NULL);
	/* A copy that cannot be read may be the one whose map is not to be touched */
	if (!err && r->unsure)
		err = -EIO;
	if (err)
		goto out;
	/* A committed superblock's map is not written over */
	sb.image.map_place = sb.state == HIBSWAP_COMMITTED ? !sb.image.map_place :
							     (sb.generation >> 1) & 1;
	err = hibswap_meta_write_map(r, sb.image.map_place, &sb.image.map_crc);
	if (err)
		goto out;

	blocks = r->log.used + r->log.in_place;
	sb.image.extents = r->log.nr;
	sb.image.sum_blocks = r->sums ? min3(blocks, r->sums->nr,
					     hibswap_sum_room(&r->geom, r->log.nr)) : 0;
	err = hibswap_meta_write_sums(r, &sb, r->sums ? r->sums->crc : NULL);
	if (err)
		goto out;
	if (r->state != HIBSWAP_COMMITTED_STATE)
		memmove(sb.past_images + 1, sb.past_images,
			sizeof(sb.past_images) - sizeof(sb.past_images[0]));
	sb.past_images[0] = blocks << HIBSWAP_BLOCK_SHIFT;
	sb.state = HIBSWAP_COMMITTED;
	sb.generation++;
	if (sb.feature_compat & HIBSWAP_COMPAT_DIRTY)
		hibswap_set_log_dirty(&sb, r->log_high);
	sb.image.log_blocks = r->log.used;
	sb.image.in_place_blocks = r->log.in_place;
	sb.image.header_crc = header_crc;
	sb.image.page_size = PAGE_SIZE;
	err = hibswap_meta_flush(r);
	if (err)
		goto out;
	r->ours = sb.generation;
	err = hibswap_meta_write_super(r, &sb);
	if (err)
		goto out;
	spin_lock(&r->lock);
	r->stale_below = true;
	r->requests_out = hibswap_device_requests(r) - r->requests_base;
	spin_unlock(&r->lock);
out:
	spin_lock(&r->lock);
	r->barrier = false;
	spin_unlock(&r->lock);
	return err;
}

/* The page as it will be: the disk's, with the bio's bytes over it */
static void overlay(struct bio *bio, void *page, u64 sector)
{
	void *at = page + (sector << SECTOR_SHIFT);
	struct bvec_iter iter;
	struct bio_vec bv;

	bio_for_each_segment(bv, bio, iter) {
		memcpy_from_bvec(at, &bv);
		at += bv.bv_len;
	}
}

/*
 * A window belongs to images: swap must not think that it is its own. But a
 * page that merely loses a hibernation signature passes, or swap would be
 * left signed for ever.
 */
static bool claims_window(struct hibswap_region *r, u64 old_pages, bool old_plain)
{
	u64 data_pages = r->geom.data_sectors / HIBSWAP_PAGE_SECTORS;
	u64 pages = hibswap_header_pages(r->page);

	if (!r->geom.window_sectors || !hibswap_header_is_swap(r->page, PAGE_SIZE))
		return false;
	if (pages <= data_pages || (!old_plain && pages == old_pages))
		return false;
	DMERR("%s: swap header of %llu pages refused, the data has %llu: mkswap DEVICE %llu",
	      dm_device_name(r->md), pages, data_pages, r->geom.data_sectors / 2);
	return true;
}

static void report_commit(struct hibswap_region *r)
{
	DMINFO("%s: image committed: %llu MiB, %llu extents, generation %llu",
	       dm_device_name(r->md), (r->log.used + r->log.in_place) >> 8, r->log.nr,
	       r->sb.generation);
	if (r->sums && r->sb.image.sum_blocks < r->log.used + r->log.in_place)
		DMWARN("%s: no room behind the map for the checksums of %llu of %llu blocks",
		       dm_device_name(r->md),
		       r->log.used + r->log.in_place - r->sb.image.sum_blocks,
		       r->log.used + r->log.in_place);
	if (r->log.in_place)
		DMWARN("%s: region full: %llu KiB of the image lie outside it",
		       dm_device_name(r->md), r->log.in_place << 2);
}

/* What vouches for it is gone, or else (@stands) has to be taken back later, and told of */
static void give_up(struct hibswap_region *r, const char *why, int err, bool stands)
{
	DMERR("%s: image given up: %s: error %d", dm_device_name(r->md), why, err);
	hibswap_drop_map(r);
	if (stands)
		return;
	r->event_committed = false;
	hibswap_event(r, HIBSWAP_EVENT_DROPPED);
}

/**
 * hibswap_header_write - a write that covers the end of the header page
 * @r: region, mutex held
 * @bio: the write, confined to the page; completed here
 */
void hibswap_header_write(struct hibswap_region *r, struct bio *bio)
{
	u64 sector = dm_target_offset(r->ti, bio->bi_iter.bi_sector);
	u64 sectors = bio_sectors(bio), old_pages = 0;
	bool whole = sectors == HIBSWAP_PAGE_SECTORS;
	bool old_plain = true, plain = false, commit = false, phase;
	enum hibswap_state state = r->state;
	int err;

	/* Earlier pieces of the page may still be on their way to the disk */
	if (!whole)
		wait_event(r->wait, !atomic_read(&r->in_flight));
	err = hibswap_meta_read_header(r, r->page);
	if (!err) {
		/* No signature at all is none that could be taken away */
		old_plain = hibswap_header_is_swap(r->page, PAGE_SIZE) ||
			    hibswap_is_zero(r->page + PAGE_SIZE - 10, 10);
		old_pages = hibswap_header_pages(r->page);
	} else if (whole) {
		/* What was there is unknown: as if it had been signed */
		old_plain = false;
	} else {
		goto failed;
	}
	overlay(bio, r->page, sector);
	plain = hibswap_header_is_swap(r->page, PAGE_SIZE);
	if (claims_window(r, old_pages, old_plain)) {
		err = -EIO;
		goto out;
	}

	spin_lock(&r->lock);
	state = r->state;
	phase = hibswap_image_phase(r);
	commit = phase && !plain && (r->log.nr || r->image_error) &&
		 (state == HIBSWAP_IMAGE ||
		  (state == HIBSWAP_COMMITTED_STATE && !r->was_unsigned));
	spin_unlock(&r->lock);

	if (commit) {
		err = hibswap_commit(r, hibswap_crc(0, r->page, PAGE_SIZE));
		if (err) {
			give_up(r, "it could not be committed", err,
				r->ours && hibswap_invalidate(r));
			goto out;
		}
	}
	/* From our copy: the bio's pages may change, and the checksum be another's */
	err = hibswap_meta_io(r, REQ_OP_WRITE | REQ_SYNC | REQ_FUA, r->geom.data_start + sector,
			      sectors, r->page + (sector << SECTOR_SHIFT));
failed:
	if (err) {
		/* The page may be on the medium all the same */
		if (commit || r->state == HIBSWAP_COMMITTED_STATE ||
		    r->state == HIBSWAP_RESUMABLE) {
			bool stands = hibswap_invalidate(r);

			/* The first write tries again */
			if (stands && r->state == HIBSWAP_RESUMABLE)
				goto out;
			give_up(r, "the header page cannot be written", err, stands);
		}
		goto out;
	}

	if (commit) {
		spin_lock(&r->lock);
		r->state = HIBSWAP_COMMITTED_STATE;
		spin_unlock(&r->lock);
		if (state != HIBSWAP_COMMITTED_STATE)
			report_commit(r);
		r->event_committed = true;
	} else if (plain && state == HIBSWAP_COMMITTED_STATE) {
		/* test_resume reads next, or hybrid sleep has woken: the map stays */
		hibswap_index_map(r);
	} else if (plain && state == HIBSWAP_IMAGE) {
		DMINFO("%s: image given up: the header page was un-signed",
		       dm_device_name(r->md));
		hibswap_drop_map(r);
	}
	if (plain && (!old_plain || state == HIBSWAP_COMMITTED_STATE)) {
		spin_lock(&r->lock);
		r->was_unsigned = true;
		r->cursor = 0;
		spin_unlock(&r->lock);
	}
out:
	spin_lock(&r->lock);
	r->nr_deferred--;
	spin_unlock(&r->lock);
	bio->bi_status = errno_to_blk_status(err);
	bio_endio(bio);
}
