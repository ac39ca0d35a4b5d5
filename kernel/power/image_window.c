// SPDX-License-Identifier: GPL-2.0-only
/*
 * The image window: where it is, and how far the image has come in it.
 *
 * An image names its pages by their offset on the block device, so pages that
 * are no swap slots need no bookkeeping but a cursor:
 *
 *	| swap ...          | window: image pages | next ->      | end
 *	                    first
 *
 * Where the window is, is asked when the image takes its first page and kept
 * only as long as it has pages: the device may get another table or another
 * size between two images. The mutex protects the cursor and the providers; a
 * provider that goes away in the middle gives no more pages.
 */

#define pr_fmt(fmt) "PM: hibernation: " fmt

#include <linux/blkdev.h>
#include <linux/export.h>
#include <linux/hibernate_window.h>
#include <linux/mutex.h>
#include <linux/swap.h>

#include "image_window.h"

static DEFINE_MUTEX(window_mutex);
static LIST_HEAD(providers);

/* In pages of the block device */
static struct {
	const struct swap_info_struct *area;
	dev_t dev;
	sector_t first;
	sector_t next;
	sector_t end;
} window;

/**
 * hibernate_window_register - A block device has an image window.
 * @p: says so; its memory stays the caller's
 */
int hibernate_window_register(struct hibernate_window_provider *p)
{
	if (!p->dev || !p->query)
		return -EINVAL;

	mutex_lock(&window_mutex);
	list_add(&p->list, &providers);
	mutex_unlock(&window_mutex);
	return 0;
}
EXPORT_SYMBOL_GPL(hibernate_window_register);

/**
 * hibernate_window_unregister - Undo hibernate_window_register().
 * @p: is not asked any more after that
 */
void hibernate_window_unregister(struct hibernate_window_provider *p)
{
	mutex_lock(&window_mutex);
	list_del(&p->list);
	if (window.area && window.dev == p->dev)
		window.end = window.next;
	mutex_unlock(&window_mutex);
}
EXPORT_SYMBOL_GPL(hibernate_window_unregister);

static int query(dev_t dev, struct hibernate_window *w)
{
	struct hibernate_window_provider *p;
	int err = -ENODEV;

	lockdep_assert_held(&window_mutex);

	list_for_each_entry(p, &providers, list) {
		if (p->dev != dev)
			continue;
		err = p->query(p, w);
		/* -ENODEV: there can be a window, but there is none */
		if (err != -ENODEV)
			break;
	}
	return err;
}

/**
 * image_window_query - Does a block device's driver say where the window is?
 * @dev: the block device
 * @w: set to what it says
 *
 * Return: 0, -ENODEV if it is a device without, another error if it does not
 * know.
 */
int image_window_query(dev_t dev, struct hibernate_window *w)
{
	int err;

	mutex_lock(&window_mutex);
	err = query(dev, w);
	mutex_unlock(&window_mutex);
	return err;
}

static bool find_window(struct swap_info_struct *si, sector_t *first, sector_t *end)
{
	struct hibernate_window w;
	int err;

	/* Behind a swap file there is somebody's file system */
	if (!(si->flags & SWP_BLKDEV))
		return false;

	err = query(si->bdev->bd_dev, &w);
	if (!err) {
		*first = (w.start + PAGE_SECTORS - 1) >> PAGE_SECTORS_SHIFT;
		*end = (w.start + w.nr_sectors) >> PAGE_SECTORS_SHIFT;
	} else if (err != -ENODEV || !image_reserve_get(si, first, end)) {
		return false;
	}

	/* Whatever they say: nothing that swap uses, nothing that is not there */
	*first = max_t(sector_t, *first, si->max);
	*end = min_t(sector_t, *end, bdev_nr_sectors(si->bdev) >> PAGE_SECTORS_SHIFT);
	return *first < *end;
}

/**
 * image_window_open - The image is going to take its first page.
 * @type: of the swap area
 */
void image_window_open(int type)
{
	struct swap_info_struct *si = swap_hibernation_area(type);

	image_window_free();
	if (!si)
		return;

	mutex_lock(&window_mutex);
	if (find_window(si, &window.first, &window.end)) {
		WRITE_ONCE(window.area, si);
		window.dev = si->bdev->bd_dev;
		window.next = window.first;
		pr_info("image window of %llu KiB behind swap on %pg\n",
			(u64)(window.end - window.first) << (PAGE_SHIFT - 10), si->bdev);
	}
	mutex_unlock(&window_mutex);
}

/**
 * image_window_alloc - A page of the window for the image.
 * @type: of the swap area
 *
 * Return: the page's offset on the block device, in pages, or 0 if there is
 * none.
 */
sector_t image_window_alloc(int type)
{
	struct swap_info_struct *si;
	sector_t block = 0;

	/* The common case, once for each page: there is no window */
	if (!READ_ONCE(window.area))
		return 0;

	si = swap_hibernation_area(type);
	mutex_lock(&window_mutex);
	/*
	 * Of an image that could not be given up, the window is still open. The
	 * area may be another one by now, though its type is the same.
	 */
	if (si && window.area == si && window.next < window.end &&
	    window.dev == si->bdev->bd_dev && window.next >= si->max)
		block = window.next++;
	mutex_unlock(&window_mutex);
	return block;
}

/* The image is not wanted any more. */
void image_window_free(void)
{
	mutex_lock(&window_mutex);
	memset(&window, 0, sizeof(window));
	mutex_unlock(&window_mutex);
}

bool image_window_in_use(void)
{
	bool used;

	mutex_lock(&window_mutex);
	used = window.area && window.next > window.first;
	mutex_unlock(&window_mutex);
	return used;
}

/* How many pages image_window_alloc() can still return. */
unsigned long image_window_left(void)
{
	unsigned long left = 0;

	mutex_lock(&window_mutex);
	if (window.area)
		left = window.end - window.next;
	mutex_unlock(&window_mutex);
	return left;
}

/* How many pages an image could take that has none yet. */
unsigned long image_window_size(int type)
{
	struct swap_info_struct *si = swap_hibernation_area(type);
	sector_t first, end;
	unsigned long size = 0;

	mutex_lock(&window_mutex);
	if (si && find_window(si, &first, &end))
		size = end - first;
	mutex_unlock(&window_mutex);
	return size;
}
