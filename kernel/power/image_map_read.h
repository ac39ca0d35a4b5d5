/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the swap map of the hibernation image, and pages by it.
 */
#ifndef _KERNEL_POWER_IMAGE_MAP_READ_H
#define _KERNEL_POWER_IMAGE_MAP_READ_H

#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/types.h>

struct block_device;
struct hib_bio_batch;
struct swap_map_handle;
struct swap_map_page;

struct swap_map_page_list {
	struct swap_map_page *map;
	struct swap_map_page_list *next;
};

int image_map_read(struct block_device *bdev, sector_t first,
		   unsigned int contiguous, struct swap_map_page_list **maps);
void image_map_list_free(struct swap_map_page_list *list);

/* Metadata pages read ahead: more would be memory the image may need. */
#define IMAGE_AHEAD_PAGES	(SZ_1M >> PAGE_SHIFT)

/**
 * struct image_ahead - image pages that are read in advance
 * @left:	pages that may still be read ahead
 * @nr:		pages in @page
 * @pos:	the next one of them
 * @page:	what was read; each is freed as soon as it was taken
 */
struct image_ahead {
	unsigned int left;
	unsigned int nr;
	unsigned int pos;
	void *page[IMAGE_AHEAD_PAGES];
};

struct image_ahead *image_ahead_alloc(unsigned int pages);
int image_ahead_read(struct image_ahead *ahead, struct swap_map_handle *handle,
		     void *buf, struct hib_bio_batch *hb);
void image_ahead_free(struct image_ahead *ahead);

/* In swap.c */
int swap_read_page(struct swap_map_handle *handle, void *buf,
		   struct hib_bio_batch *hb);

#endif /* _KERNEL_POWER_IMAGE_MAP_READ_H */
