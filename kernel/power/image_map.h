/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The swap map of the hibernation image, written last and read first.
 */
#ifndef _KERNEL_POWER_IMAGE_MAP_H
#define _KERNEL_POWER_IMAGE_MAP_H

#include <linux/mm.h>
#include <linux/types.h>

struct block_device;
struct hib_bio_batch;

#define MAP_PAGE_ENTRIES	(PAGE_SIZE / sizeof(sector_t) - 1)

/* On disk: where the next pages of the image are, 0 behind the last one. */
struct swap_map_page {
	sector_t entries[MAP_PAGE_ENTRIES];
	sector_t next_swap;
};

struct image_runs;

/**
 * struct image_map - the swap map while the image is being written
 * @swap:	type of the swap area that slots come from
 * @head:	oldest page of runs
 * @tail:	the one that is being filled
 * @nr_run_pages: how many there are
 * @taken:	slots of the first run of @head that are in the map on disk already
 * @nr:		slots recorded that are not
 * @first:	first page of the map on disk, 0 before there is one
 * @next:	slot that the last page of the map names as the next one, or 0
 * @last:	slot of the last page of the map
 * @contiguous:	how many pages of the map follow each other from @first on
 * @broken:	and that no more do
 * @spare:	a page of the map for when there is no memory
 * @spare_runs:	a page of runs, likewise
 */
struct image_map {
	int swap;
	struct image_runs *head;
	struct image_runs *tail;
	unsigned int nr_run_pages;
	unsigned int taken;
	unsigned long nr;
	sector_t first;
	sector_t next;
	sector_t last;
	unsigned int contiguous;
	bool broken;
	struct swap_map_page *spare;
	struct image_runs *spare_runs;
};

int image_map_init(struct image_map *map, int swap);
int image_map_add(struct image_map *map, sector_t block,
		  struct hib_bio_batch *hb);
int image_map_finish(struct image_map *map, struct block_device *bdev);
void image_map_free(struct image_map *map);

#endif /* _KERNEL_POWER_IMAGE_MAP_H */
