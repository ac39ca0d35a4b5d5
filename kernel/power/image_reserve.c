// SPDX-License-Identifier: GPL-2.0-only
/*
 * hibernate=reserve: an image window on a plain swap partition.
 *
 *	swap header's claim	| 0 ...                           last_page |
 *	with the option		| 0 ... swap        | window               |
 *	                                            start
 *
 * When the area is swapped on, its end is left out. Swap then knows a smaller
 * area and nothing of the window; the header on the disk is not changed, and
 * without the option, or with another kernel, all of it is swap again.
 */

#define pr_fmt(fmt) "PM: hibernation: " fmt

#include <linux/blkdev.h>
#include <linux/hibernate_window.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/swap.h>

#include "power.h"
#include "image_window.h"

static bool wanted;
static unsigned long long wanted_bytes;	/* 0: the default */

/*
 * For each type of swap area; written before swapon makes the area known, read
 * only when it is.
 */
static struct {
	sector_t start;		/* in pages */
	sector_t end;
} reserve[MAX_SWAPFILES];

void __init image_reserve_setup(const char *str)
{
	unsigned long long bytes = 0;
	char *end = (char *)str;

	if (*str == ':') {
		bytes = memparse(str + 1, &end);
		if (!bytes)
			end = (char *)str;
	}
	if (*end) {
		pr_warn("hibernate=reserve%s: no size\n", str);
		return;
	}
	wanted = true;
	wanted_bytes = bytes;
}

bool image_reserve_get(const struct swap_info_struct *si, sector_t *start,
		       sector_t *end)
{
	*start = reserve[si->type].start;
	*end = reserve[si->type].end;
	return *start < *end;
}

/*
 * A snapshot holds half of memory at most. What compression makes of a block of
 * 32 pages can take 35, if it does not compress, and there are two lists of page
 * numbers.
 */
static unsigned long pages_wanted(unsigned long maxpages)
{
	unsigned long ram = totalram_pages();

	if (wanted_bytes)
		return min((wanted_bytes >> PAGE_SHIFT) + !!(wanted_bytes & ~PAGE_MASK),
			   ULONG_MAX);
	return min(maxpages / 2, ram / 2 + ram / 2 / 32 * 3 + ram / 100);
}

static bool bad_page_behind(const union swap_header *header, unsigned long start)
{
	for (unsigned int i = 0; i < header->info.nr_badpages; i++)
		if (header->info.badpages[i] >= start)
			return true;
	return false;
}

/* Returns why nothing is kept, or NULL with the first page that is in @start. */
static const char *keep(struct swap_info_struct *si, const union swap_header *header,
			unsigned long maxpages, unsigned long align,
			unsigned long *start)
{
	unsigned long pages = pages_wanted(maxpages);

	if (si->bdev->bd_dev != swsusp_resume_device)
		return "it is not the resume device";
	if (swsusp_resume_block)
		return "resume_offset is not 0";
	if (pages > maxpages / 2)
		return "that is more than half of the area";
	*start = round_down(maxpages - pages, align);
	if (!*start || !pages)
		return "the area is too small";
	if (bad_page_behind(header, *start))
		return "there is a bad page";
	return NULL;
}

/* What the device's own driver says. Returns false if it says nothing. */
static bool clamp_pages(struct swap_info_struct *si, unsigned long *maxpages)
{
	struct hibernate_window w;
	int err = -ENODEV;
	sector_t data;

	if (si->flags & SWP_BLKDEV)
		err = image_window_query(si->bdev->bd_dev, &w);
	if (err == -ENODEV)
		return false;
	if (err) {
		pr_err("%pg does not say where its image window is: %d\n",
		       si->bdev, err);
		*maxpages = 0;
		return true;
	}

	data = w.data_sectors >> PAGE_SECTORS_SHIFT;
	if (*maxpages > data) {
		pr_warn("the swap area on %pg reaches into the image window, using %llu KiB of it\n",
			si->bdev, (u64)data << (PAGE_SHIFT - 10));
		*maxpages = data;
	}
	return true;
}

/**
 * hibernate_window_swapon - Leave the image window out of a swap area.
 * @si: the area, which is being swapped on
 * @header: its header
 * @maxpages: how many pages the header claims; 0 if it is no good
 * @align: swap's part should be a multiple of this
 *
 * Return: how many of the pages swap may use.
 */
unsigned long hibernate_window_swapon(struct swap_info_struct *si,
				      const union swap_header *header,
				      unsigned long maxpages, unsigned long align)
{
	unsigned long start;
	const char *why;

	reserve[si->type].start = 0;
	reserve[si->type].end = 0;
	if (!maxpages)
		return 0;

	if (clamp_pages(si, &maxpages)) {
		if (wanted)
			pr_info("hibernate=reserve: ignored on %pg, which has an image window of its own\n",
				si->bdev);
		return maxpages;
	}

	if (!wanted)
		return maxpages;
	if (!(si->flags & SWP_BLKDEV)) {
		pr_info("hibernate=reserve: nothing kept in a swap file\n");
		return maxpages;
	}
	if (!swsusp_resume_device) {
		pr_info_once("hibernate=reserve: ignored until the resume device is known\n");
		return maxpages;
	}

	why = keep(si, header, maxpages, align, &start);
	if (why) {
		pr_info("hibernate=reserve: nothing kept on %pg: %s\n", si->bdev, why);
		return maxpages;
	}

	reserve[si->type].start = start;
	reserve[si->type].end = maxpages;
	pr_info("hibernate=reserve: %lu KiB kept at the end of %pg\n",
		(maxpages - start) << (PAGE_SHIFT - 10), si->bdev);
	return start;
}
