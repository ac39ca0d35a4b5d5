// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which swap slots the hibernation image has.
 *
 * Swap hands out runs of slots. The latest one is passed on slot by slot; all of
 * them are recorded, since they have to be given back if the image is not wanted
 * any more: after an error, a sleep that has not come to powering off, or when
 * user space says so. A run that follows the one before extends its record. So
 * on an area with room there are a few records, and one for each slot at the
 * worst, which is why a record is one word, and they are kept in pages.
 *
 * All of this is called under system_transition_mutex.
 */

#define pr_fmt(fmt) "PM: " fmt

#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/swap.h>

#include "image_slots.h"

/* A run: its first slot above, one less than its length in the low bits. */
#define RUN_NR_BITS	20
#define RUN_MAX		BIT(RUN_NR_BITS)

struct run_page {
	struct run_page *older;
	unsigned long nr;
	u64 run[];
};

#define RUNS_PER_PAGE \
	((PAGE_SIZE - sizeof(struct run_page)) / sizeof(u64))

static struct {
	struct swap_info_struct *area;	/* NULL: there are no slots */
	struct run_page *pages;
	pgoff_t next;		/* of the latest run, to be handed out */
	pgoff_t end;
} slots;

static u64 run_make(pgoff_t start, unsigned long nr)
{
	return (u64)start << RUN_NR_BITS | (nr - 1);
}

static pgoff_t run_start(u64 run)
{
	return run >> RUN_NR_BITS;
}

static unsigned long run_nr(u64 run)
{
	return (run & (RUN_MAX - 1)) + 1;
}

static bool slots_extend(struct run_page *p, pgoff_t start, unsigned long nr)
{
	u64 last = p->run[p->nr - 1];

	if (run_start(last) + run_nr(last) != start || run_nr(last) + nr > RUN_MAX)
		return false;

	p->run[p->nr - 1] = last + nr;
	return true;
}

static bool slots_record(pgoff_t start, unsigned long nr)
{
	struct run_page *p = slots.pages;

	if (p && slots_extend(p, start, nr))
		return true;

	if (!p || p->nr == RUNS_PER_PAGE) {
		p = (void *)__get_free_page(GFP_NOIO | __GFP_HIGH | __GFP_NOWARN);
		if (!p) {
			pr_err("No memory to record the image's swap\n");
			return false;
		}
		p->older = slots.pages;
		p->nr = 0;
		slots.pages = p;
	}
	p->run[p->nr++] = run_make(start, nr);
	return true;
}

static bool next_run(struct swap_info_struct *area)
{
	unsigned int nr;
	pgoff_t start;

	nr = swap_alloc_hibernation_run(area, &start);
	if (!nr)
		return false;
	if (!slots_record(start, nr)) {
		swap_free_hibernation_run(area, start, nr);
		return false;
	}

	slots.area = area;
	slots.next = start;
	slots.end = start + nr;
	return true;
}

/**
 * image_slots_alloc - A page of swap space for the image.
 * @type: of the swap area
 *
 * Return: the page's offset on the block device, in pages, or 0 if there is
 * no space.
 */
sector_t image_slots_alloc(int type)
{
	struct swap_info_struct *area = swap_hibernation_area(type);

	/* One image at a time, and it lies in one area */
	if (!area || (slots.area && slots.area != area))
		return 0;
	if (slots.next == slots.end && !next_run(area))
		return 0;
	return swapdev_block(type, slots.next++);
}

/* Give all of them back. */
void image_slots_free(void)
{
	struct run_page *p;

	while ((p = slots.pages)) {
		for (unsigned long i = 0; i < p->nr; i++) {
			swap_free_hibernation_run(slots.area, run_start(p->run[i]),
						  run_nr(p->run[i]));
			cond_resched();
		}
		slots.pages = p->older;
		free_page((unsigned long)p);
	}
	slots.area = NULL;
	slots.next = 0;
	slots.end = 0;
}

/**
 * image_slots_avail - How many pages image_slots_alloc() can still return.
 * @type: of the swap area
 */
unsigned long image_slots_avail(int type)
{
	/* To swap, what is left of the latest run is in use */
	return count_swap_pages(type, 1) + (slots.end - slots.next);
}

bool image_slots_in_use(void)
{
	return slots.area;
}
