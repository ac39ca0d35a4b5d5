// SPDX-License-Identifier: GPL-2.0-only
/*
 * The swap map of the hibernation image.
 *
 * On disk, the map is a chain of pages that list where the image's pages are:
 *
 *	header.image -> | 511 entries, next | -> | 511 entries, next | -> ... 0
 *
 * A reader needs all of it before the first page of the image. Written between
 * the data, one page for 511, it costs a seek and a wait for each of them when it
 * is read, and takes the writes apart. So what is recorded while the image is
 * written are runs of slots, which take next to no memory unless swap is badly
 * fragmented, and the map is made of them at the end:
 *
 *	| image .................................................... | map ...... |
 *
 * Its pages then follow each other, the header says how many do, and they come
 * and go in large requests. Kernels that do not know of that follow the chain.
 *
 * When the runs take more than HIB_MAX_RUN_PAGES pages, or there is no memory
 * for more, the map of what is recorded so far is written in between.
 */

#include <linux/blk_types.h>
#include <linux/gfp.h>
#include <linux/sizes.h>
#include <linux/swap.h>

#include "power.h"
#include "image_io.h"
#include "image_map.h"

#define HIB_MAX_RUN_PAGES	(SZ_1M >> PAGE_SHIFT)

/* A run: its first block above, one less than its length in the low bits. */
#define RUN_NR_BITS		20
#define RUN_MAX			BIT(RUN_NR_BITS)
#define RUNS_PER_PAGE		(PAGE_SIZE / sizeof(u64) - 2)

struct image_runs {
	struct image_runs *next;
	unsigned int pos;	/* runs before this one are in the map on disk */
	unsigned int nr;
	u64 run[];
};

static u64 run_make(sector_t start)
{
	return (u64)start << RUN_NR_BITS;
}

static sector_t run_start(u64 run)
{
	return run >> RUN_NR_BITS;
}

static unsigned int run_nr(u64 run)
{
	return (run & (RUN_MAX - 1)) + 1;
}

/**
 * image_map_free() - free what a map has in memory
 * @map: the map; one that is all zeroes has nothing
 */
void image_map_free(struct image_map *map)
{
	struct image_runs *runs;

	while ((runs = map->head)) {
		map->head = runs->next;
		free_page((unsigned long)runs);
	}
	map->tail = NULL;
	free_page((unsigned long)map->spare);
	map->spare = NULL;
	free_page((unsigned long)map->spare_runs);
	map->spare_runs = NULL;
}

static struct image_runs *image_map_new_runs(struct image_map *map)
{
	struct image_runs *runs;

	if (map->nr_run_pages >= HIB_MAX_RUN_PAGES)
		return NULL;

	runs = (void *)__get_free_page(GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY);
	if (!runs) {
		runs = map->spare_runs;
		map->spare_runs = NULL;
	}
	if (!runs)
		return NULL;

	runs->next = NULL;
	runs->pos = 0;
	runs->nr = 0;
	if (map->tail)
		map->tail->next = runs;
	else
		map->head = runs;
	map->tail = runs;
	map->nr_run_pages++;

	return runs;
}

/**
 * image_map_init() - begin a map
 * @map: the map
 * @swap: type of the swap area that the image goes to
 *
 * Return: 0 or -ENOMEM.
 * Context: May sleep.
 */
int image_map_init(struct image_map *map, int swap)
{
	BUILD_BUG_ON(sizeof(struct swap_map_page) != PAGE_SIZE);
	BUILD_BUG_ON(struct_size_t(struct image_runs, run, RUNS_PER_PAGE) > PAGE_SIZE);

	*map = (struct image_map) { .swap = swap };
	map->spare = (void *)__get_free_page(GFP_KERNEL);
	map->spare_runs = (void *)__get_free_page(GFP_KERNEL);
	if (map->spare && map->spare_runs && image_map_new_runs(map))
		return 0;

	image_map_free(map);
	return -ENOMEM;
}

/* Take the block that was recorded first. There is one: map->nr says so. */
static sector_t image_map_take(struct image_map *map)
{
	struct image_runs *runs = map->head;
	u64 run = runs->run[runs->pos];
	sector_t block = run_start(run) + map->taken;

	map->nr--;
	if (++map->taken < run_nr(run))
		return block;

	map->taken = 0;
	if (++runs->pos < runs->nr)
		return block;

	map->head = runs->next;
	if (!map->head)
		map->tail = NULL;
	map->nr_run_pages--;
	if (map->spare_runs)
		free_page((unsigned long)runs);
	else
		map->spare_runs = runs;

	return block;
}

static void image_map_fill(struct image_map *map, struct swap_map_page *page,
			   sector_t next)
{
	unsigned int i, nr = min(map->nr, MAP_PAGE_ENTRIES);

	for (i = 0; i < nr; i++)
		page->entries[i] = image_map_take(map);
	/* A reader takes 0 for the end. */
	for (; i < MAP_PAGE_ENTRIES; i++)
		page->entries[i] = 0;
	page->next_swap = next;
}

/* Write the next page of the map to @slot, which names @next as its successor. */
static int image_map_write_page(struct image_map *map, struct hib_bio_batch *hb,
				sector_t slot, sector_t next)
{
	gfp_t gfp = GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY;
	struct swap_map_page *page;
	int error;

	if (!map->first)
		map->first = slot;
	else if (slot != map->last + 1)
		map->broken = true;
	if (!map->broken)
		map->contiguous++;
	map->last = slot;

	page = (void *)__get_free_page(gfp);
	if (page) {
		image_map_fill(map, page, next);
		return hib_add_page(hb, REQ_OP_WRITE | REQ_SYNC, slot, page,
				    HIB_PAGE_OWNED);
	}

	image_map_fill(map, map->spare, next);
	error = hib_add_page(hb, REQ_OP_WRITE | REQ_SYNC, slot, map->spare,
			     HIB_PAGE_STABLE);
	return error ?: hib_wait_io(hb);
}

/* Write @pages pages of the map. If they are not the @last, more will follow. */
static int image_map_flush(struct image_map *map, struct hib_bio_batch *hb,
			   unsigned long pages, bool last)
{
	sector_t slot = map->next, next;
	int error;

	if (!slot)
		slot = alloc_swapdev_block(map->swap);
	if (!slot)
		return -ENOSPC;

	while (pages--) {
		next = 0;
		if (pages || !last) {
			next = alloc_swapdev_block(map->swap);
			if (!next)
				return -ENOSPC;
		}
		error = image_map_write_page(map, hb, slot, next);
		if (error)
			return error;
		slot = next;
	}
	map->next = slot;

	return 0;
}

static bool image_map_extend(struct image_map *map, sector_t block)
{
	struct image_runs *runs = map->tail;
	u64 run;

	if (!runs || !runs->nr)
		return false;

	run = runs->run[runs->nr - 1];
	if (run_start(run) + run_nr(run) != block || run_nr(run) >= RUN_MAX)
		return false;

	runs->run[runs->nr - 1]++;
	return true;
}

/**
 * image_map_add() - record where the next page of the image is
 * @map: the map
 * @block: its offset on the device, in pages
 * @hb: batch for map pages that have to be written now
 *
 * Return: 0, -ENOMEM, -ENOSPC or an I/O error.
 * Context: May sleep.
 */
int image_map_add(struct image_map *map, sector_t block, struct hib_bio_batch *hb)
{
	struct image_runs *runs = map->tail;
	unsigned long full;
	int error;

	if (image_map_extend(map, block)) {
		map->nr++;
		return 0;
	}

	if (!runs || runs->nr >= RUNS_PER_PAGE)
		runs = image_map_new_runs(map);
	if (!runs && hb && map->nr > MAP_PAGE_ENTRIES) {
		/*
		 * One entry stays, so that the last page will not be empty. The
		 * spare page was taken, so there are two at least, and more runs
		 * go to the map than one page holds.
		 */
		full = (map->nr - 1) / MAP_PAGE_ENTRIES;
		error = image_map_flush(map, hb, full, false);
		if (error)
			return error;
		runs = image_map_new_runs(map);
	}
	if (!runs)
		return -ENOMEM;

	runs->run[runs->nr++] = run_make(block);
	map->nr++;

	return 0;
}

/**
 * image_map_finish() - write the map, or what is left to write of it
 * @map: the map
 * @bdev: the device
 *
 * On success, @map->first says where it begins.
 *
 * Return: 0, -EINVAL if nothing was recorded, -ENOSPC or an I/O error.
 * Context: Sleeps until it is written.
 */
int image_map_finish(struct image_map *map, struct block_device *bdev)
{
	struct hib_bio_batch hb;
	int error, err2;

	if (!map->nr)
		return -EINVAL;

	hib_init_batch(&hb, bdev);
	error = image_map_flush(map, &hb, DIV_ROUND_UP(map->nr, MAP_PAGE_ENTRIES),
				true);
	err2 = hib_finish_batch(&hb);

	return error ?: err2;
}
