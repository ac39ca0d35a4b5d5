// SPDX-License-Identifier: GPL-2.0-only
/*
 * I/O of the hibernation image: one bio for each contiguous run.
 *
 * The image goes to whatever slots swap has given it, page after page, and most
 * of the time each slot is the one behind the last. So a bio is kept open and
 * filled as long as the pages continue it:
 *
 *	slot	 7   8   9  10 | 31  32 | 33 ...
 *		[      run     ][  run  ][ run, still open
 *		   submitted	          \_ max_bytes or max_vecs was reached
 *
 * It is submitted when a page does not continue it, when it is full, and by
 * everything that waits. A device that has nothing to do in the meantime costs
 * more than a bio that could have been longer: hib_kick_batch().
 *
 * A page that was written is the batch's and freed on completion, or is the
 * snapshot's and stays, or is one of the caller's that wants to know when it may
 * use it again; a bio never mixes them. Pages of the first and the last kind bound
 * themselves: there are no more when memory ends. For the others HIB_MAX_PAGES
 * does, as not all devices have tags to run out of.
 */

#define pr_fmt(fmt) "PM: " fmt

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/cacheflush.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "image_io.h"

/* Pages in flight at which the submitter waits, and until when. */
#define HIB_MAX_PAGES	(SZ_64M >> PAGE_SHIFT)
#define HIB_LOW_PAGES	(SZ_32M >> PAGE_SHIFT)

/*
 * A bio with room for many segments takes a page for them. Where runs are short,
 * as on a fragmented area, that would be as much memory as the image's pages.
 */
#define HIB_SHORT_VECS	4

/**
 * hib_init_batch() - start a batch
 * @hb: the batch
 * @bdev: the device all its pages are on
 *
 * Context: Process context. Starts a plug, which hib_finish_batch() ends.
 */
void hib_init_batch(struct hib_bio_batch *hb, struct block_device *bdev)
{
	struct queue_limits *lim = bdev_limits(bdev);

	*hb = (struct hib_bio_batch) {
		.bdev = bdev,
		.long_runs = true,
		.max_vecs = clamp_t(unsigned int, lim->max_segments, 1,
				    BIO_MAX_VECS),
		.max_bytes = max_t(unsigned int, PAGE_SIZE,
				   min(lim->max_sectors, SZ_4M >> SECTOR_SHIFT)
				   << SECTOR_SHIFT),
	};
	spin_lock_init(&hb->lock);
	init_waitqueue_head(&hb->wait);
	blk_start_plug(&hb->plug);
}

static void hib_end_io(struct bio *bio)
{
	struct hib_bio_batch *hb = bio->bi_private;
	bool write = op_is_write(bio_op(bio));
	struct bvec_iter_all iter;
	struct bio_vec *bv;
	unsigned long flags;
	unsigned int nr = 0;

	if (bio->bi_status)
		pr_alert("%s error on swap device (%u:%u:%llu)\n",
			 write ? "Write" : "Read",
			 MAJOR(bio_dev(bio)), MINOR(bio_dev(bio)),
			 (unsigned long long)bio->bi_iter.bi_sector);

	bio_for_each_segment_all(bv, bio, iter) {
		unsigned long addr = (unsigned long)page_address(bv->bv_page);

		if (!write && hb->flush_icache)
			flush_icache_range(addr, addr + PAGE_SIZE);
		nr++;
	}

	/* All under the lock: the waiter frees @hb when it has seen the last. */
	spin_lock_irqsave(&hb->lock, flags);
	if (bio->bi_status && !hb->error)
		WRITE_ONCE(hb->error, bio->bi_status);
	WRITE_ONCE(hb->pages, hb->pages - nr);
	WRITE_ONCE(hb->in_flight, hb->in_flight - 1);
	wake_up(&hb->wait);
	spin_unlock_irqrestore(&hb->lock, flags);

	bio_put(bio);
}

static void hib_end_owned(struct bio *bio)
{
	struct bvec_iter_all iter;
	struct bio_vec *bv;

	bio_for_each_segment_all(bv, bio, iter)
		put_page(bv->bv_page);

	hib_end_io(bio);
}

static atomic_t *hib_page_counter(struct page *page)
{
	return (atomic_t *)page_private(page);
}

static void hib_end_counted(struct bio *bio)
{
	struct bvec_iter_all iter;
	struct bio_vec *bv;

	bio_for_each_segment_all(bv, bio, iter)
		atomic_dec(hib_page_counter(bv->bv_page));

	hib_end_io(bio);
}

static bio_end_io_t *const hib_end[] = {
	[HIB_PAGE_STABLE]	= hib_end_io,
	[HIB_PAGE_OWNED]	= hib_end_owned,
	[HIB_PAGE_COUNTED]	= hib_end_counted,
};

static void hib_submit_run(struct hib_bio_batch *hb)
{
	struct bio *bio = hb->run;

	if (!bio)
		return;

	hb->run = NULL;
	hb->long_runs = bio->bi_iter.bi_size >= HIB_SHORT_VECS * PAGE_SIZE;
	spin_lock_irq(&hb->lock);
	WRITE_ONCE(hb->in_flight, hb->in_flight + 1);
	WRITE_ONCE(hb->pages, hb->pages + (bio->bi_iter.bi_size >> PAGE_SHIFT));
	spin_unlock_irq(&hb->lock);
	submit_bio(bio);
}

/* Wait until at most @pages are in flight. */
static int hib_wait_pages(struct hib_bio_batch *hb, unsigned int pages)
{
	int error;

	/* A task that sleeps submits what its plug holds. */
	spin_lock_irq(&hb->lock);
	wait_event_lock_irq(hb->wait, hb->pages <= pages, hb->lock);
	error = blk_status_to_errno(hb->error);
	spin_unlock_irq(&hb->lock);

	return error;
}

static bool hib_extend_run(struct hib_bio_batch *hb, blk_opf_t opf,
			   sector_t offset, void *addr, enum hib_page_owner owner)
{
	struct bio *bio = hb->run;

	if (!bio || hb->run_next != offset || hb->run_opf != opf ||
	    hb->run_owner != owner)
		return false;

	/* A bio may have more room than the queue's limits allow to be used. */
	if (bio->bi_iter.bi_size + PAGE_SIZE > hb->max_bytes ||
	    bio->bi_vcnt >= hb->run_vecs)
		return false;

	return bio_add_page(bio, virt_to_page(addr), PAGE_SIZE, 0) == PAGE_SIZE;
}

static void hib_start_run(struct hib_bio_batch *hb, blk_opf_t opf,
			  sector_t offset, void *addr, enum hib_page_owner owner)
{
	struct bio *bio;

	/* Whoever allocates from the bios' mempool must not sit on one of them. */
	hib_submit_run(hb);

	hb->run_vecs = hb->max_vecs;
	if (!hb->long_runs)
		hb->run_vecs = min(hb->max_vecs, HIB_SHORT_VECS);

	bio = bio_alloc(hb->bdev, hb->run_vecs, opf, GFP_NOIO | __GFP_HIGH);
	bio->bi_iter.bi_sector = offset << PAGE_SECTORS_SHIFT;
	bio->bi_end_io = hib_end[owner];
	bio->bi_private = hb;
	bio_add_virt_nofail(bio, addr, PAGE_SIZE);
	hb->run = bio;
	hb->run_opf = opf;
	hb->run_owner = owner;
}

/**
 * hib_add_page() - read or write one page of the image
 * @hb: the batch
 * @opf: operation and flags
 * @offset: where on the device, in pages
 * @addr: the page, in the direct mapping
 * @owner: what becomes of it
 *
 * It need not be submitted on return. Of a page that is HIB_PAGE_OWNED the
 * caller is rid in any case.
 *
 * Return: 0, or the error of a page added earlier.
 * Context: May sleep.
 */
int hib_add_page(struct hib_bio_batch *hb, blk_opf_t opf, sector_t offset,
		 void *addr, enum hib_page_owner owner)
{
	int error = blk_status_to_errno(READ_ONCE(hb->error));

	if (!error && READ_ONCE(hb->pages) >= HIB_MAX_PAGES)
		error = hib_wait_pages(hb, HIB_LOW_PAGES);
	if (error) {
		if (owner == HIB_PAGE_OWNED)
			free_page((unsigned long)addr);
		return error;
	}

	if (owner == HIB_PAGE_COUNTED)
		atomic_inc(hib_page_counter(virt_to_page(addr)));
	if (!hib_extend_run(hb, opf, offset, addr, owner))
		hib_start_run(hb, opf, offset, addr, owner);
	hb->run_next = offset + 1;

	return 0;
}

/**
 * hib_batch_busy() - would hib_add_page() wait?
 * @hb: the batch
 *
 * Return: whether as much is in flight as may be.
 */
bool hib_batch_busy(struct hib_bio_batch *hb)
{
	return READ_ONCE(hb->pages) >= HIB_MAX_PAGES;
}

/**
 * hib_kick_batch() - let an idle device begin with what there is
 * @hb: the batch
 *
 * Context: May sleep.
 */
void hib_kick_batch(struct hib_bio_batch *hb)
{
	if (!READ_ONCE(hb->in_flight))
		hib_submit_run(hb);
	/* It may have nothing but what is in the plug. */
	if (current->plug)
		blk_flush_plug(current->plug, false);
}

/**
 * hib_wait_io() - submit what is open and wait for all of the batch
 * @hb: the batch
 *
 * Return: 0, or the first error since hib_init_batch().
 * Context: Sleeps.
 */
int hib_wait_io(struct hib_bio_batch *hb)
{
	hib_submit_run(hb);
	return hib_wait_pages(hb, 0);
}

/**
 * hib_wait_counted() - submit what is open and wait for some pages of the batch
 * @hb: the batch
 * @counter: what their page_private() points to
 *
 * Return: 0, or the first error since hib_init_batch().
 * Context: Sleeps.
 */
int hib_wait_counted(struct hib_bio_batch *hb, const atomic_t *counter)
{
	int error;

	if (atomic_read(counter))
		hib_submit_run(hb);

	spin_lock_irq(&hb->lock);
	wait_event_lock_irq(hb->wait, !atomic_read(counter), hb->lock);
	error = blk_status_to_errno(hb->error);
	spin_unlock_irq(&hb->lock);

	return error;
}

/**
 * hib_finish_batch() - wait for all of the batch and end its plug
 * @hb: the batch
 *
 * The pages and the batch may be freed only after this, also when there was an
 * error.
 *
 * Return: 0, or the first error since hib_init_batch().
 * Context: Sleeps.
 */
int hib_finish_batch(struct hib_bio_batch *hb)
{
	hib_submit_run(hb);
	blk_finish_plug(&hb->plug);
	return hib_wait_pages(hb, 0);
}
