// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the swap map of the hibernation image, and with it the pages that are
 * needed one by one. What the map is like on disk, see image_map.c.
 *
 * All of the map is read before the first page of the image: in large requests as
 * far as the header says that its pages follow each other, and from there along
 * the chain.
 */

#define pr_fmt(fmt) "PM: " fmt

#include <linux/blkdev.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "image_io.h"
#include "image_map.h"
#include "image_map_read.h"

static struct swap_map_page_list *map_list_add(struct swap_map_page_list ***tail)
{
	struct swap_map_page_list *new;

	new = kzalloc_obj(*new);
	if (!new)
		return NULL;

	new->map = (void *)__get_free_page(GFP_NOIO | __GFP_HIGH);
	if (!new->map) {
		kfree(new);
		return NULL;
	}
	**tail = new;
	*tail = &new->next;

	return new;
}

/**
 * image_map_list_free() - free the pages of a map that was read
 * @list: the first of them, or NULL
 */
void image_map_list_free(struct swap_map_page_list *list)
{
	struct swap_map_page_list *next;

	for (; list; list = next) {
		next = list->next;
		free_page((unsigned long)list->map);
		kfree(list);
	}
}

/*
 * Read the pages that the header says follow each other. Nothing of it is
 * believed: the list ends with the first page that names another successor, and
 * is empty after an error, since it may be that of a page that nobody needs.
 */
static void image_map_read_ahead(struct block_device *bdev, sector_t first,
				 unsigned int nr, struct swap_map_page_list **maps)
{
	struct swap_map_page_list **tail = maps, *list;
	struct hib_bio_batch hb;
	unsigned int i;
	int error;

	hib_init_batch(&hb, bdev);
	for (i = 0; i < nr; i++) {
		list = map_list_add(&tail);
		if (!list)
			break;
		error = hib_add_page(&hb, REQ_OP_READ, first + i, list->map,
				     HIB_PAGE_STABLE);
		if (error)
			break;
	}
	error = hib_finish_batch(&hb);
	if (error) {
		image_map_list_free(*maps);
		*maps = NULL;
		return;
	}

	for (list = *maps, i = 1; list; list = list->next, i++) {
		if (list->map->next_swap == first + i)
			continue;
		image_map_list_free(list->next);
		list->next = NULL;
	}
}

/**
 * image_map_read() - read the map of an image
 * @bdev: the device
 * @first: where the map begins, in pages
 * @contiguous: so many of its pages follow each other, or so they say; 0 or 1 if
 *		that is not known
 * @maps: the pages are put here, in order, also on error
 *
 * Return: 0, -ENOMEM, -EINVAL if the map cannot be one, or an I/O error.
 * Context: Sleeps.
 */
int image_map_read(struct block_device *bdev, sector_t first,
		   unsigned int contiguous, struct swap_map_page_list **maps)
{
	/* No image is larger than memory, compressed or not (the worst: 35/32). */
	unsigned long limit = DIV_ROUND_UP(2 * get_num_physpages(),
					   MAP_PAGE_ENTRIES) + 1;
	struct swap_map_page_list **tail = maps, *list;
	sector_t block = first;
	unsigned long nr = 0;
	int error;

	*maps = NULL;
	if (contiguous > 1)
		image_map_read_ahead(bdev, first, min(contiguous, limit), maps);

	for (list = *maps; list; list = list->next) {
		block = list->map->next_swap;
		tail = &list->next;
		nr++;
	}

	while (block) {
		if (nr++ >= limit) {
			pr_err("The swap map has no end\n");
			return -EINVAL;
		}
		list = map_list_add(&tail);
		if (!list)
			return -ENOMEM;
		error = bdev_rw_virt(bdev, block << PAGE_SECTORS_SHIFT, list->map,
				     PAGE_SIZE, REQ_OP_READ);
		if (error)
			return error;
		block = list->map->next_swap;
	}

	return 0;
}

/**
 * image_ahead_alloc() - prepare to read the image's metadata ahead
 * @pages: how many pages of metadata there are
 *
 * They all go through one buffer, so they would be waited for one by one.
 *
 * Return: what image_ahead_read() and image_ahead_free() take, NULL (which they
 *	   take, too) if there is no memory.
 * Context: May sleep.
 */
struct image_ahead *image_ahead_alloc(unsigned int pages)
{
	struct image_ahead *ahead;

	ahead = kmalloc_obj(*ahead, GFP_KERNEL | __GFP_NOWARN);
	if (!ahead)
		return NULL;

	ahead->left = pages;
	ahead->nr = 0;
	ahead->pos = 0;

	return ahead;
}

static int image_ahead_fill(struct image_ahead *ahead,
			    struct swap_map_handle *handle,
			    struct hib_bio_batch *hb)
{
	void *page;
	int error;

	ahead->nr = 0;
	ahead->pos = 0;
	while (ahead->left && ahead->nr < IMAGE_AHEAD_PAGES) {
		page = (void *)__get_free_page(GFP_NOIO | __GFP_NOWARN |
					       __GFP_NORETRY);
		if (!page)
			break;
		/* From here on, image_ahead_free() finds it. */
		ahead->page[ahead->nr++] = page;
		error = swap_read_page(handle, page, hb);
		if (error)
			return error;
		ahead->left--;
	}

	return hib_wait_io(hb);
}

/**
 * image_ahead_read() - get the next page of the image, at once
 * @ahead: from image_ahead_alloc(), may be NULL
 * @handle: where the image is read
 * @buf: the page is copied there
 * @hb: batch for reading
 *
 * Return: 0 or an error of reading.
 * Context: Sleeps.
 */
int image_ahead_read(struct image_ahead *ahead, struct swap_map_handle *handle,
		     void *buf, struct hib_bio_batch *hb)
{
	int error;

	if (ahead && ahead->pos == ahead->nr && ahead->left) {
		error = image_ahead_fill(ahead, handle, hb);
		if (error)
			return error;
	}

	if (ahead && ahead->pos < ahead->nr) {
		void *page = ahead->page[ahead->pos++];

		copy_page(buf, page);
		free_page((unsigned long)page);
		return 0;
	}

	/* Not read ahead: if that was for want of memory, there is one less left. */
	if (ahead && ahead->left)
		ahead->left--;
	error = swap_read_page(handle, buf, hb);

	return error ?: hib_wait_io(hb);
}

/**
 * image_ahead_free() - free what was read ahead and not taken
 * @ahead: from image_ahead_alloc(), may be NULL
 *
 * No read may be in flight any more.
 */
void image_ahead_free(struct image_ahead *ahead)
{
	if (!ahead)
		return;

	while (ahead->pos < ahead->nr)
		free_page((unsigned long)ahead->page[ahead->pos++]);
	kfree(ahead);
}
