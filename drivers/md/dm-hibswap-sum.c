// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checksums of the image's blocks: made from the bios that write them, in the
 * submitter's context, and compared when they are read back.
 *
 * An image write is in whole blocks, or it is refused, and its blocks are
 * numbered in the order in which they come. So a block's checksum is found by
 * its position, whether it went to the log or stays in place, and is stored
 * once and never changed: an address that is written again is another block.
 *
 * The data of a write is looked at once, when it is submitted. Who changes it
 * until it has been completed writes an image that cannot be read.
 */
#include "dm-hibswap.h"

#include <linux/highmem.h>
#include <linux/vmalloc.h>

/**
 * hibswap_sums_alloc - memory for checksums
 * @nr: of so many blocks
 * @gfp: how to allocate
 *
 * Return: them, with a reference for the caller, or NULL.
 */
struct hibswap_sums *hibswap_sums_alloc(u64 nr, gfp_t gfp)
{
	struct hibswap_sums *sums;

	if (nr > (SIZE_MAX - sizeof(*sums)) / sizeof(sums->crc[0]))
		return NULL;
	sums = __vmalloc(sizeof(*sums) + nr * sizeof(sums->crc[0]), gfp);
	if (sums) {
		refcount_set(&sums->refs, 1);
		sums->nr = nr;
	}
	return sums;
}

/**
 * hibswap_sums_put - drop a reference
 * @sums: checksums, may be NULL
 *
 * Context: any, also under a spinlock of who polls for a read's completion.
 */
void hibswap_sums_put(struct hibswap_sums *sums)
{
	if (sums && refcount_dec_and_test(&sums->refs))
		kvfree_rcu(sums, rcu);
}

/* Checksum of the next block of a bio; @iter goes on behind it */
static u32 next_crc(struct bio *bio, struct bvec_iter *iter)
{
	unsigned int left = HIBSWAP_BLOCK_SIZE;
	u32 crc = 0;

	while (left) {
		struct bio_vec bv = bio_iter_iovec(bio, *iter);
		unsigned int len = min(bv.bv_len, left);
		void *p = bvec_kmap_local(&bv);

		crc = hibswap_crc(crc, p, len);
		kunmap_local(p);
		bio_advance_iter_single(bio, iter, len);
		left -= len;
	}
	return crc;
}

/**
 * hibswap_sums_write - take the checksums of what is about to be written
 * @sums: where to; blocks that it has no memory for get none
 * @pos: position of the first block
 * @bio: the write, which is not changed
 * @sectors: how much of it, from where it stands; whole blocks
 */
void hibswap_sums_write(struct hibswap_sums *sums, u64 pos, struct bio *bio, u64 sectors)
{
	u64 end = min(pos + sectors / HIBSWAP_BLOCK_SECTORS, sums->nr);
	struct bvec_iter iter = bio->bi_iter;

	for (; pos < end; pos++)
		sums->crc[pos] = next_crc(bio, &iter);
}

/**
 * hibswap_sums_match - is this the block that was written?
 * @sums: checksums
 * @pos: position, below sums->nr
 * @block: its bytes
 *
 * Return: whether it is.
 */
bool hibswap_sums_match(const struct hibswap_sums *sums, u64 pos, const void *block)
{
	return hibswap_crc(0, block, HIBSWAP_BLOCK_SIZE) == sums->crc[pos];
}

/**
 * hibswap_sums_complain - say which block is not what was written
 * @r: region
 * @sector: its sector on the mapped device
 * @device: ... and on the device below
 */
void hibswap_sums_complain(struct hibswap_region *r, u64 sector, u64 device)
{
	u64 at = device - r->geom.log_start;

	if (at < r->geom.log_sectors)
		DMERR_LIMIT("%s: image damaged: sector %llu, block %llu of the log: wrong checksum",
			    dm_device_name(r->md), sector, at / HIBSWAP_BLOCK_SECTORS);
	else
		DMERR_LIMIT("%s: image damaged: sector %llu, in place: wrong checksum",
			    dm_device_name(r->md), sector);
}

/**
 * hibswap_sums_copy - give a read its data
 * @bio: the read
 * @from: bytes, as many as it wants
 */
void hibswap_sums_copy(struct bio *bio, const void *from)
{
	struct bvec_iter iter;
	struct bio_vec bv;

	bio_for_each_segment(bv, bio, iter) {
		memcpy_to_bvec(&bv, from);
		from += bv.bv_len;
	}
}

static blk_status_t check_read(struct hibswap_region *r, struct bio *bio, struct hibswap_io *io)
{
	struct bvec_iter iter = io->iter;
	u64 i, nr = iter.bi_size >> HIBSWAP_BLOCK_SHIFT;

	for (i = 0; i < nr; i++) {
		u64 skip = i * HIBSWAP_BLOCK_SECTORS;

		if (next_crc(bio, &iter) == io->sums->crc[io->pos + i])
			continue;
		/*
		 * The image was dropped meanwhile: that is no damage. In place, old
		 * and new are both right. Not while a restore reads: it has no
		 * image dropped under it, and must not miss any damage.
		 */
		if (READ_ONCE(r->sums) != io->sums && !READ_ONCE(hibswap_restore_open))
			return io->iter.bi_sector - r->geom.log_start < r->geom.log_sectors ?
			       BLK_STS_IOERR : BLK_STS_OK;
		hibswap_sums_complain(r, io->sector + skip, io->iter.bi_sector + skip);
		return BLK_STS_PROTECTION;
	}
	return BLK_STS_OK;
}

static void done_with_read(struct hibswap_io *io)
{
	hibswap_sums_put(io->sums);
	io->sums = NULL;
}

static void check_work(struct work_struct *work)
{
	struct hibswap_io *io = container_of(work, struct hibswap_io, work);
	struct bio *bio = dm_bio_from_per_bio_data(io, sizeof(*io));

	bio->bi_status = check_read(io->region, bio, io);
	done_with_read(io);
	/* Comes to .end_io once more, which has nothing to do by then */
	bio_endio(bio);
}

/**
 * hibswap_sums_end_read - a read that is to be checked has been completed
 * @r: region
 * @bio: clone, with a struct hibswap_io that says what it read
 * @error: its status; set if the data is not what was written
 *
 * A page is checked here. More would hold up whatever has been interrupted, and
 * there are other CPUs.
 *
 * Context: any, interrupts included.
 * Return: DM_ENDIO_DONE, or DM_ENDIO_INCOMPLETE if a worker goes on.
 */
int hibswap_sums_end_read(struct hibswap_region *r, struct bio *bio, blk_status_t *error)
{
	struct hibswap_io *io = dm_per_bio_data(bio, sizeof(*io));

	if (!*error && io->iter.bi_size > PAGE_SIZE) {
		io->region = r;
		INIT_WORK(&io->work, check_work);
		queue_work(hibswap_wq, &io->work);
		return DM_ENDIO_INCOMPLETE;
	}
	if (!*error)
		*error = check_read(r, bio, io);
	done_with_read(io);
	return DM_ENDIO_DONE;
}
