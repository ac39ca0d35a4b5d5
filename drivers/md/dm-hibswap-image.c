// SPDX-License-Identifier: GPL-2.0-only
/*
 * The path of a bio: what passes, what is remapped, what has to wait.
 *
 * .map must not wait: bios that it submits stay on current->bio_list until it
 * returns. And it must remap image writes in the submitter's context, because
 * the submitter's plug is what merges them. So everything that needs metadata
 * I/O first goes to a worker, and only that:
 *
 *	- writes of the header page, or of the piece that covers its end: this
 *	  is where an image is signed and un-signed;
 *	- image writes while a commit runs or after it: they need another one;
 *	- the first write to a region with an image that could be resumed.
 *
 * An image write is told from others by what it is, not by who submits it
 * (blk-throttle and the flusher do): a plain write, without REQ_SWAP, while
 * kernel threads are frozen. freezing(&init_task) says the latter, since
 * init_task is a freezable kernel thread in the root cgroup.
 */
#include "dm-hibswap.h"

#include <linux/part_stat.h>

static bool state_takes_image(const struct hibswap_region *r)
{
	enum hibswap_state state = READ_ONCE(r->state);

	return state == HIBSWAP_ARMED || state == HIBSWAP_IMAGE ||
	       state == HIBSWAP_COMMITTED_STATE;
}

static bool is_image_write(const struct hibswap_region *r, const struct bio *bio)
{
	return state_takes_image(r) && hibswap_image_phase(r) && bio_op(bio) == REQ_OP_WRITE &&
	       !(bio->bi_opf & REQ_SWAP);
}

static bool reads_are_mapped(const struct hibswap_region *r)
{
	return r->state == HIBSWAP_RESUMABLE ||
	       ((r->state == HIBSWAP_IMAGE || r->state == HIBSWAP_COMMITTED_STATE) &&
		hibswap_image_phase(r));
}

/*
 * A restore is reading what a signature named: an address that the map lacks
 * was never saved, whatever lies there.
 */
static bool reads_are_guarded(const struct hibswap_region *r)
{
	if (!r->was_unsigned)
		return false;
	if (!hibswap_image_phase(r))
		return false;
	return READ_ONCE(hibswap_restore_open) || r->state == HIBSWAP_COMMITTED_STATE;
}

/**
 * hibswap_device_requests - write requests that the device below has completed
 * @r: region
 *
 * Return: its I/O statistics' count; 0 where those are switched off.
 */
u64 hibswap_device_requests(struct hibswap_region *r)
{
	return part_stat_read(r->bdev, ios[STAT_WRITE]);
}

static int finish_bio(struct bio *bio, blk_status_t status)
{
	bio->bi_status = status;
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

static int defer_locked(struct hibswap_region *r, struct bio *bio)
{
	bio_clear_polled(bio);
	bio_list_add(&r->deferred, bio);
	r->nr_deferred++;
	queue_work(hibswap_wq, &r->work);
	return DM_MAPIO_SUBMITTED;
}

static int defer(struct hibswap_region *r, struct bio *bio)
{
	spin_lock(&r->lock);
	defer_locked(r, bio);
	spin_unlock(&r->lock);
	return DM_MAPIO_SUBMITTED;
}

/* Shorten a bio, in .map only; dm sends the rest again */
static void accept(struct bio *bio, u64 sectors)
{
	if (sectors < bio_sectors(bio))
		dm_accept_partial_bio(bio, sectors);
}

/* Data at its own address; in the window there is nothing but an image */
static int map_in_place(struct hibswap_region *r, struct bio *bio, u64 sector)
{
	if (unlikely(sector >= r->geom.data_sectors)) {
		if (bio_op(bio) != REQ_OP_READ)
			return DM_MAPIO_KILL;
		zero_fill_bio(bio);
		return finish_bio(bio, BLK_STS_OK);
	}
	bio->bi_iter.bi_sector = r->geom.data_start + sector;
	return DM_MAPIO_REMAPPED;
}

/* Where an image write goes: sector on the device, position in the image */
struct place {
	u64 device;
	u64 pos;
	struct hibswap_sums *sums;	/* a reference, or NULL */
};

/*
 * Give an image write its place. Returns the number of sectors that fit there
 * in one piece, or an errno.
 */
static int place_locked(struct hibswap_region *r, u64 sector, u64 sectors, struct place *place)
{
	struct hibswap_log *log = &r->log;
	u64 lba = sector / HIBSWAP_BLOCK_SECTORS;
	u64 blocks = min_t(u64, sectors / HIBSWAP_BLOCK_SECTORS, HIBSWAP_EXTENT_MAX);
	int err;

	if ((sector | sectors) % HIBSWAP_BLOCK_SECTORS)
		return -EINVAL;
	if (log->used < log->room && !log->in_place) {
		blocks = min(blocks, log->room - log->used);
		err = hibswap_log_append(log, lba, blocks, &place->pos);
		if (err)
			return err;
		place->device = r->geom.log_start + place->pos * HIBSWAP_BLOCK_SECTORS;
		r->log_high = max(r->log_high, log->used);
	} else {
		if (sector >= r->geom.data_sectors)
			return -ENOSPC;
		blocks = min(blocks, (r->geom.data_sectors - sector) / HIBSWAP_BLOCK_SECTORS);
		if (!blocks)
			return -ENOSPC;
		place->pos = log->used + log->in_place;
		err = hibswap_log_append_in_place(log, lba, blocks);
		if (err)
			return err;
		place->device = r->geom.data_start + sector;
	}
	place->sums = r->sums;
	if (place->sums)
		refcount_inc(&place->sums->refs);
	return blocks * HIBSWAP_BLOCK_SECTORS;
}

/* Checksums of a write that has been given its place, with no lock held */
static void take_sums(const struct place *place, struct bio *bio, u64 sectors)
{
	if (!place->sums)
		return;
	hibswap_sums_write(place->sums, place->pos, bio, sectors);
	hibswap_sums_put(place->sums);
}

static void image_failed_locked(struct hibswap_region *r, int err, u64 sector)
{
	if (!r->image_error)
		DMERR_LIMIT("%s: image write at sector %llu failed: %s (error %d)",
			    dm_device_name(r->md), sector,
			    err == -ENOSPC ? "region and map are full" :
			    err == -EINVAL ? "not in whole blocks of 4 KiB" : "cannot write", err);
	r->image_error = errno_to_blk_status(err);
}

/* The first image write of an image */
static void start_image_locked(struct hibswap_region *r)
{
	r->state = HIBSWAP_IMAGE;
	r->image_error = BLK_STS_OK;
	r->bios_in = 0;
	r->requests_base = hibswap_device_requests(r);
	r->requests_out = 0;
	hibswap_log_reset(&r->log);
}

static int map_image_write(struct hibswap_region *r, struct bio *bio, u64 sector)
{
	struct hibswap_io *io = dm_per_bio_data(bio, sizeof(*io));
	struct place place;
	int ret;

	spin_lock(&r->lock);
	if (unlikely(r->state == HIBSWAP_RESUMABLE)) {
		/* "image end" has come in between */
		ret = defer_locked(r, bio);
		goto out;
	}
	if (unlikely(!state_takes_image(r))) {
		spin_unlock(&r->lock);
		return map_in_place(r, bio, sector);
	}
	if (unlikely(r->state == HIBSWAP_COMMITTED_STATE && r->was_unsigned)) {
		/* Nobody will read it; the map on disk must not change now */
		spin_unlock(&r->lock);
		return map_in_place(r, bio, sector);
	}
	if (unlikely(r->state == HIBSWAP_COMMITTED_STATE || r->barrier || r->nr_deferred ||
		     r->stale_below)) {
		ret = defer_locked(r, bio);
		goto out;
	}
	if (r->state == HIBSWAP_ARMED)
		start_image_locked(r);
	r->bios_in++;
	ret = place_locked(r, sector, bio_sectors(bio), &place);
	if (unlikely(ret < 0)) {
		image_failed_locked(r, ret, sector);
		spin_unlock(&r->lock);
		return finish_bio(bio, errno_to_blk_status(ret));
	}
	io->tracked = true;
	atomic_inc(&r->in_flight);
	spin_unlock(&r->lock);
	accept(bio, ret);
	/* Not before it has been completed does a commit look at them */
	take_sums(&place, bio, ret);
	bio->bi_iter.bi_sector = place.device;
	return DM_MAPIO_REMAPPED;
out:
	spin_unlock(&r->lock);
	return ret;
}

/* Swap's own, beside an image; on a resumable device the image goes first */
static int map_other_write(struct hibswap_region *r, struct bio *bio, u64 sector)
{
	spin_lock(&r->lock);
	if (r->state == HIBSWAP_RESUMABLE) {
		defer_locked(r, bio);
		spin_unlock(&r->lock);
		return DM_MAPIO_SUBMITTED;
	}
	spin_unlock(&r->lock);
	return map_in_place(r, bio, sector);
}

/*
 * Checksums that say whether the block at @where is what was written, or NULL;
 * while the image grows they are still being made. @where ends with them.
 */
static struct hibswap_sums *sums_at_locked(struct hibswap_region *r, struct hibswap_where *where)
{
	struct hibswap_sums *sums = r->sums;

	if (!where->mapped || !sums || r->state == HIBSWAP_IMAGE || where->pos >= sums->nr)
		return NULL;
	where->blocks = min(where->blocks, sums->nr - where->pos);
	refcount_inc(&sums->refs);
	return sums;
}

static int map_read(struct hibswap_region *r, struct bio *bio, u64 sector)
{
	struct hibswap_io *io = dm_per_bio_data(bio, sizeof(*io));
	struct hibswap_where where = { .blocks = 1 };
	u64 skip = sector % HIBSWAP_BLOCK_SECTORS;
	struct hibswap_sums *sums;
	bool mapped, guarded;
	int ret;

	/* The header page is never in the map */
	if (sector < HIBSWAP_PAGE_SECTORS) {
		accept(bio, HIBSWAP_PAGE_SECTORS - sector);
		return map_in_place(r, bio, sector);
	}
	spin_lock(&r->lock);
	mapped = reads_are_mapped(r);
	guarded = reads_are_guarded(r);
	if (unlikely(mapped && r->barrier)) {
		/* The map is being sorted. One block: the worker cannot split */
		accept(bio, HIBSWAP_BLOCK_SECTORS - skip);
		ret = defer_locked(r, bio);
		spin_unlock(&r->lock);
		return ret;
	}
	if (mapped)
		hibswap_log_lookup(&r->log, sector / HIBSWAP_BLOCK_SECTORS,
				   DIV_ROUND_UP(skip + bio_sectors(bio), HIBSWAP_BLOCK_SECTORS),
				   &r->cursor, &where);
	sums = sums_at_locked(r, &where);
	if (sums && (skip || bio_sectors(bio) < HIBSWAP_BLOCK_SECTORS)) {
		/* A checksum is that of a whole block: the worker reads that */
		accept(bio, HIBSWAP_BLOCK_SECTORS - skip);
		ret = defer_locked(r, bio);
		spin_unlock(&r->lock);
		hibswap_sums_put(sums);
		return ret;
	}
	spin_unlock(&r->lock);

	if (sums)
		where.blocks = min_t(u64, where.blocks, bio_sectors(bio) / HIBSWAP_BLOCK_SECTORS);
	if (mapped)
		accept(bio, where.blocks * HIBSWAP_BLOCK_SECTORS - skip);
	if (where.mapped) {
		bio->bi_iter.bi_sector = where.in_place ? r->geom.data_start + sector :
			r->geom.log_start + where.pos * HIBSWAP_BLOCK_SECTORS + skip;
		io->sums = sums;
		io->pos = where.pos;
		io->sector = sector;
		io->iter = bio->bi_iter;
		return DM_MAPIO_REMAPPED;
	}
	if (guarded) {
		DMERR_LIMIT("%s: restore reads sector %llu, which no image has",
			    dm_device_name(r->md), sector);
		return DM_MAPIO_KILL;
	}
	return map_in_place(r, bio, sector);
}

static int map_header_write(struct hibswap_region *r, struct bio *bio, u64 sector)
{
	struct hibswap_io *io = dm_per_bio_data(bio, sizeof(*io));

	accept(bio, HIBSWAP_PAGE_SECTORS - sector);
	/* Behind a signature, any piece changes the page that the superblock names */
	if (sector + bio_sectors(bio) == HIBSWAP_PAGE_SECTORS ||
	    READ_ONCE(r->state) == HIBSWAP_COMMITTED_STATE)
		return defer(r, bio);
	/* An earlier piece: the commit reads it back, so it has to have arrived */
	if (state_takes_image(r)) {
		io->tracked = true;
		atomic_inc(&r->in_flight);
	}
	return map_in_place(r, bio, sector);
}

/**
 * hibswap_map - .map of the target
 * @ti: target
 * @bio: clone
 *
 * Return: DM_MAPIO_*.
 */
int hibswap_map(struct dm_target *ti, struct bio *bio)
{
	struct hibswap_target *ht = ti->private;
	struct hibswap_region *r = ht->region;
	struct hibswap_io *io = dm_per_bio_data(bio, sizeof(*io));
	u64 sector = dm_target_offset(ti, bio->bi_iter.bi_sector);
	enum req_op op = bio_op(bio);

	io->tracked = false;
	io->sums = NULL;
	bio_set_dev(bio, r->bdev);
	if (!bio_sectors(bio))		/* an empty flush */
		return DM_MAPIO_REMAPPED;
	if (sector < r->geom.data_sectors)
		accept(bio, r->geom.data_sectors - sector);

	if (op == REQ_OP_READ) {
		if (likely(READ_ONCE(r->state) == HIBSWAP_IDLE && !READ_ONCE(r->was_unsigned)))
			return map_in_place(r, bio, sector);
		return map_read(r, bio, sector);
	}
	if (op == REQ_OP_WRITE && unlikely(sector < HIBSWAP_PAGE_SECTORS))
		return map_header_write(r, bio, sector);
	if (likely(READ_ONCE(r->state) == HIBSWAP_IDLE))
		return map_in_place(r, bio, sector);
	if (is_image_write(r, bio))
		return map_image_write(r, bio, sector);
	return map_other_write(r, bio, sector);
}

/**
 * hibswap_end_io - .end_io of the target
 * @ti: target
 * @bio: clone
 * @error: its status
 *
 * Context: any, interrupts included.
 * Return: DM_ENDIO_DONE.
 */
int hibswap_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error)
{
	struct hibswap_target *ht = ti->private;
	struct hibswap_region *r = ht->region;
	struct hibswap_io *io = dm_per_bio_data(bio, sizeof(*io));

	if (io->sums)
		return hibswap_sums_end_read(r, bio, error);
	if (!io->tracked)
		return DM_ENDIO_DONE;
	io->tracked = false;
	if (unlikely(*error)) {
		if (!READ_ONCE(r->image_error))
			DMERR_LIMIT("%s: image write failed at the device: error %d",
				    dm_device_name(r->md), blk_status_to_errno(*error));
		WRITE_ONCE(r->image_error, *error);
	}
	if (atomic_dec_and_test(&r->in_flight))
		wake_up(&r->wait);
	return DM_ENDIO_DONE;
}

/* Write an image bio from the worker, in as many pieces as it takes */
static int write_image_bio(struct hibswap_region *r, struct bio *bio, u64 sector)
{
	struct place place;
	int ret, err;

	spin_lock(&r->lock);
	if (r->state == HIBSWAP_ARMED)
		start_image_locked(r);
	r->bios_in++;
	spin_unlock(&r->lock);

	while (bio_sectors(bio)) {
		spin_lock(&r->lock);
		ret = place_locked(r, sector, bio_sectors(bio), &place);
		if (ret < 0)
			image_failed_locked(r, ret, sector);
		spin_unlock(&r->lock);
		if (ret < 0)
			return ret;
		take_sums(&place, bio, ret);
		err = hibswap_meta_bio(r, REQ_OP_WRITE | REQ_SYNC | (bio->bi_opf & REQ_FUA),
				       place.device, ret, bio);
		if (err) {
			spin_lock(&r->lock);
			image_failed_locked(r, err, sector);
			spin_unlock(&r->lock);
			return err;
		}
		bio_advance(bio, ret << SECTOR_SHIFT);
		sector += ret;
	}
	return 0;
}

static u64 deferred_sector(struct hibswap_region *r, struct bio *bio)
{
	/* .map has set nothing yet: the sector is still the mapped device's */
	return dm_target_offset(r->ti, bio->bi_iter.bi_sector);
}

static struct bio *next_deferred(struct hibswap_region *r)
{
	struct bio *bio;

	spin_lock(&r->lock);
	bio = bio_list_pop(&r->deferred);
	spin_unlock(&r->lock);
	return bio;
}

static void deferred_done(struct hibswap_region *r, struct bio *bio, int err)
{
	/* First the count: who is woken by the bio may look at it */
	spin_lock(&r->lock);
	r->nr_deferred--;
	spin_unlock(&r->lock);
	finish_bio(bio, errno_to_blk_status(err));
}

/* A write that passes after all, or a read that had to wait */
static void deferred_pass(struct hibswap_region *r, struct bio *bio, u64 sector)
{
	int ret;

	if (bio_op(bio) == REQ_OP_READ)
		ret = map_read(r, bio, sector);
	else
		ret = map_in_place(r, bio, sector);
	switch (ret) {
	case DM_MAPIO_REMAPPED:
		submit_bio_noacct(bio);
		break;
	case DM_MAPIO_KILL:
		finish_bio(bio, BLK_STS_IOERR);
		break;
	}
	/* Only now: until it is submitted it is ours, and no snapshot may have it */
	spin_lock(&r->lock);
	r->nr_deferred--;
	spin_unlock(&r->lock);
}

/* A part of a block that has a checksum: read all of it. Returns if it was one. */
static bool read_part(struct hibswap_region *r, struct bio *bio, u64 sector)
{
	u64 skip = sector % HIBSWAP_BLOCK_SECTORS, device;
	struct hibswap_where where = {};
	struct hibswap_sums *sums;
	int err;

	if (!skip && bio_sectors(bio) == HIBSWAP_BLOCK_SECTORS)
		return false;
	spin_lock(&r->lock);
	if (reads_are_mapped(r))
		hibswap_log_lookup(&r->log, sector / HIBSWAP_BLOCK_SECTORS, 1, &r->cursor,
				   &where);
	sums = sums_at_locked(r, &where);
	spin_unlock(&r->lock);
	if (!sums)
		return false;
	device = where.in_place ? r->geom.data_start + sector - skip :
				  r->geom.log_start + where.pos * HIBSWAP_BLOCK_SECTORS;
	err = hibswap_meta_io(r, REQ_OP_READ | REQ_SYNC, device, HIBSWAP_BLOCK_SECTORS, r->block);
	if (!err && !hibswap_sums_match(sums, where.pos, r->block)) {
		hibswap_sums_complain(r, sector - skip, device);
		err = -EILSEQ;
	}
	hibswap_sums_put(sums);
	if (!err)
		hibswap_sums_copy(bio, r->block + (skip << SECTOR_SHIFT));
	deferred_done(r, bio, err);
	return true;
}

/*
 * Image writes behind the signature: one commit serves all that wait. Returns
 * the first bio in the queue that is something else, if there is one.
 */
static struct bio *late_writes(struct hibswap_region *r, struct bio *bio)
{
	struct bio_list done = BIO_EMPTY_LIST;
	struct bio *other = NULL;
	int err = 0;

	do {
		u64 sector = deferred_sector(r, bio);

		if (sector < HIBSWAP_PAGE_SECTORS || !is_image_write(r, bio)) {
			other = bio;
			break;
		}
		if (!err)
			err = write_image_bio(r, bio, sector);
		bio_list_add(&done, bio);
		bio = next_deferred(r);
	} while (bio);

	if (!err)
		err = hibswap_commit(r, r->sb.image.header_crc);
	if (err) {
		/* The signature stands and the image is incomplete: take it back */
		DMERR("%s: image given up: a write behind the signature failed: error %d",
		      dm_device_name(r->md), err);
		if (!hibswap_invalidate(r))
			hibswap_event(r, HIBSWAP_EVENT_DROPPED);
		hibswap_drop_map(r);
	}
	while ((bio = bio_list_pop(&done)))
		deferred_done(r, bio, err);
	return other;
}

/* Invalidate for a bio that cannot go on before; completes it on error */
static bool invalidate_for(struct hibswap_region *r, struct bio *bio)
{
	int err = hibswap_invalidate(r);

	if (err)
		deferred_done(r, bio, err);
	return !err;
}

/* The log may still hold what a superblock vouches for: not over that */
static int deferred_image_write(struct hibswap_region *r, struct bio *bio, u64 sector)
{
	int err = r->stale_below ? hibswap_invalidate(r) : 0;

	if (!err)
		return write_image_bio(r, bio, sector);
	spin_lock(&r->lock);
	if (r->state == HIBSWAP_ARMED)
		start_image_locked(r);
	image_failed_locked(r, err, sector);
	spin_unlock(&r->lock);
	return err;
}

/* Returns the next bio, if it has taken that off the queue already */
static struct bio *deferred_bio(struct hibswap_region *r, struct bio *bio)
{
	u64 sector = deferred_sector(r, bio);
	struct bio *next = NULL;

	if (bio_op(bio) == REQ_OP_WRITE && sector < HIBSWAP_PAGE_SECTORS) {
		hibswap_header_write(r, bio);
	} else if (bio_op(bio) == REQ_OP_READ) {
		if (!read_part(r, bio, sector))
			deferred_pass(r, bio, sector);
	} else if (r->state == HIBSWAP_RESUMABLE) {
		if (!invalidate_for(r, bio))
			return NULL;
		hibswap_drop_map(r);
		DMINFO("%s: image dropped: the device is being written to",
		       dm_device_name(r->md));
		hibswap_event(r, HIBSWAP_EVENT_DROPPED);
		deferred_pass(r, bio, sector);
	} else if (!is_image_write(r, bio) ||
		   (r->state == HIBSWAP_COMMITTED_STATE && r->was_unsigned)) {
		deferred_pass(r, bio, sector);
	} else if (r->state != HIBSWAP_COMMITTED_STATE) {
		deferred_done(r, bio, deferred_image_write(r, bio, sector));
	} else {
		next = late_writes(r, bio);
	}
	return next;
}

/**
 * hibswap_work - the region's worker
 * @work: its work item
 *
 * On a workqueue that is not freezable and has a rescuer: it runs while
 * everything else is frozen, and under memory pressure.
 */
void hibswap_work(struct work_struct *work)
{
	struct hibswap_region *r = container_of(work, struct hibswap_region, work);
	struct bio *bio;

	mutex_lock(&r->mutex);
	bio = next_deferred(r);
	while (bio) {
		bio = deferred_bio(r, bio);
		if (!bio)
			bio = next_deferred(r);
	}
	mutex_unlock(&r->mutex);
}
