/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Batches of image pages: one bio for each contiguous run.
 */
#ifndef _KERNEL_POWER_IMAGE_IO_H
#define _KERNEL_POWER_IMAGE_IO_H

#include <linux/blkdev.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

struct bio;

/**
 * enum hib_page_owner - what becomes of a page when it has been written
 * @HIB_PAGE_STABLE:	nothing: it does not change and stays until
 *			hib_finish_batch()
 * @HIB_PAGE_OWNED:	it is freed when the write completes
 * @HIB_PAGE_COUNTED:	it is the caller's; its page_private() points to an
 *			atomic_t which counts those that are not written yet, see
 *			hib_wait_counted()
 */
enum hib_page_owner {
	HIB_PAGE_STABLE,
	HIB_PAGE_OWNED,
	HIB_PAGE_COUNTED,
};

/**
 * struct hib_bio_batch - I/O on image pages in flight, and a run being built
 * @bdev:	the device
 * @run:	bio that is being filled, not submitted yet; or NULL
 * @run_next:	page offset on @bdev that would continue @run
 * @run_opf:	what @run does
 * @run_owner:	what all pages of @run are
 * @run_vecs:	most segments @run may have
 * @long_runs:	the last run was worth a large bio
 * @max_bytes:	most a bio may take, from the limits of the queue
 * @max_vecs:	most segments a bio may have, likewise
 * @flush_icache: pages read may hold code
 * @plug:	merges what the runs have left apart
 * @lock:	protects what follows from the completions
 * @in_flight:	bios submitted and not completed
 * @pages:	pages in them
 * @error:	the first error
 * @wait:	woken by each completion
 *
 * Used by one task at a time; only the completions run concurrently. It may be
 * on the stack, since hib_finish_batch() waits for them.
 */
struct hib_bio_batch {
	struct block_device	*bdev;
	struct bio		*run;
	sector_t		run_next;
	blk_opf_t		run_opf;
	enum hib_page_owner	run_owner;
	unsigned short		run_vecs;
	bool			long_runs;
	unsigned int		max_bytes;
	unsigned short		max_vecs;
	bool			flush_icache;
	struct blk_plug		plug;

	spinlock_t		lock;	/* against the completions */
	unsigned int		in_flight;
	unsigned int		pages;
	blk_status_t		error;
	wait_queue_head_t	wait;
};

void hib_init_batch(struct hib_bio_batch *hb, struct block_device *bdev);
int hib_add_page(struct hib_bio_batch *hb, blk_opf_t opf, sector_t offset,
		 void *addr, enum hib_page_owner owner);
bool hib_batch_busy(struct hib_bio_batch *hb);
void hib_kick_batch(struct hib_bio_batch *hb);
int hib_wait_io(struct hib_bio_batch *hb);
int hib_wait_counted(struct hib_bio_batch *hb, const atomic_t *counter);
int hib_finish_batch(struct hib_bio_batch *hb);

#endif /* _KERNEL_POWER_IMAGE_IO_H */
