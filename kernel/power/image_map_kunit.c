// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the swap map of the hibernation image.
 *
 * A copy of image_map.c and image_map_read.c runs on a disk of memory and on slots
 * that the test hands out, so neither hibernation nor swap is needed.
 */

#define pr_fmt(fmt) "PM: " fmt	/* as in image_map_read.c */

#include <kunit/test.h>
#include <linux/blkdev.h>
#include <linux/slab.h>
#include <linux/xarray.h>

static int disk_rw(struct block_device *bdev, sector_t sector, void *data, size_t len,
		   enum req_op op);
#define bdev_rw_virt	disk_rw
#include "image_map.c"
#include "image_map_read.c"

MODULE_DESCRIPTION("KUnit tests of the hibernation image's swap map");
MODULE_LICENSE("GPL");

/* Where the map's own slots begin */
#define MAP_AT		0x1000000

static struct {
	struct xarray pages;
	sector_t next;		/* slot to hand out */
	unsigned int every;	/* so many slots in a row, 0: all of them */
	unsigned int handed;
	unsigned int limit;	/* no more than these */
	unsigned int writes;
	unsigned int reads;
	sector_t broken;	/* cannot be read */
} disk;

static int disk_page(sector_t offset, void *addr, bool write)
{
	void *page = xa_load(&disk.pages, offset);

	if (write && !page) {
		page = kmalloc(PAGE_SIZE, GFP_KERNEL);
		if (!page || xa_err(xa_store(&disk.pages, offset, page, GFP_KERNEL)))
			return -ENOMEM;
	}
	if (!page || offset == disk.broken)
		return -EIO;
	if (write)
		memcpy(page, addr, PAGE_SIZE);
	else
		memcpy(addr, page, PAGE_SIZE);
	disk.writes += write;
	disk.reads += !write;
	return 0;
}

static int disk_rw(struct block_device *bdev, sector_t sector, void *data, size_t len,
		   enum req_op op)
{
	return disk_page(sector >> PAGE_SECTORS_SHIFT, data, op == REQ_OP_WRITE);
}

/* What image_io.c and swap.c have in a kernel that hibernates */

void hib_init_batch(struct hib_bio_batch *hb, struct block_device *bdev)
{
	memset(hb, 0, sizeof(*hb));
}

int hib_add_page(struct hib_bio_batch *hb, blk_opf_t opf, sector_t offset, void *addr,
		 enum hib_page_owner owner)
{
	int error = disk_page(offset, addr, op_is_write(opf));

	if (owner == HIB_PAGE_OWNED)
		free_page((unsigned long)addr);
	/* As if it came with the completion */
	if (error)
		hb->error = BLK_STS_IOERR;
	return 0;
}

int hib_wait_io(struct hib_bio_batch *hb)
{
	return blk_status_to_errno(hb->error);
}

int hib_finish_batch(struct hib_bio_batch *hb)
{
	return blk_status_to_errno(hb->error);
}

bool hib_batch_busy(struct hib_bio_batch *hb)
{
	return false;
}

void hib_kick_batch(struct hib_bio_batch *hb)
{
}

int swap_read_page(struct swap_map_handle *handle, void *buf, struct hib_bio_batch *hb)
{
	return -EIO;
}

sector_t alloc_swapdev_block(int swap)
{
	if (disk.handed == disk.limit)
		return 0;
	if (disk.every && disk.handed && !(disk.handed % disk.every))
		disk.next += 5;
	disk.handed++;
	return disk.next++;
}

static int map_test_init(struct kunit *test)
{
	memset(&disk, 0, sizeof(disk));
	xa_init(&disk.pages);
	disk.next = MAP_AT;
	disk.limit = UINT_MAX;
	return 0;
}

static void map_test_exit(struct kunit *test)
{
	unsigned long i;
	void *page;

	xa_for_each(&disk.pages, i, page)
		kfree(page);
	xa_destroy(&disk.pages);
}

/* The n-th page of an image in runs of @run with a hole behind each */
static sector_t block_of(unsigned long n, unsigned long run)
{
	return 1 + n + n / run;
}

static int map_write(struct kunit *test, struct image_map *map, unsigned long nr,
		     unsigned long run)
{
	struct hib_bio_batch hb;
	unsigned long n;
	int error;

	hib_init_batch(&hb, NULL);
	KUNIT_ASSERT_EQ(test, image_map_init(map, 0), 0);
	for (n = 0; n < nr; n++) {
		error = image_map_add(map, block_of(n, run), &hb);
		if (error)
			return error;
	}
	return image_map_finish(map, NULL);
}

/* As a reader sees it: entries up to the first 0, then the next page */
static void map_check(struct kunit *test, struct swap_map_page_list *list, unsigned long nr,
		      unsigned long run)
{
	unsigned long n = 0;
	unsigned int i;

	for (; list; list = list->next) {
		for (i = 0; i < MAP_PAGE_ENTRIES && list->map->entries[i]; i++, n++)
			if (list->map->entries[i] != block_of(n, run))
				break;
		if (i < MAP_PAGE_ENTRIES && list->map->entries[i])
			break;
		/* Only the last page may be short */
		KUNIT_ASSERT_TRUE(test, i == MAP_PAGE_ENTRIES || !list->next);
	}
	KUNIT_EXPECT_EQ(test, n, nr);
}

/* Writes a map, reads it the fast way and as a stock kernel does */
static void round_trip(struct kunit *test, unsigned long nr, unsigned long run)
{
	struct swap_map_page_list *list;
	struct image_map map;

	KUNIT_ASSERT_EQ(test, map_write(test, &map, nr, run), 0);
	KUNIT_EXPECT_EQ(test, disk.writes, DIV_ROUND_UP(nr, MAP_PAGE_ENTRIES));
	KUNIT_EXPECT_EQ(test, map.first, MAP_AT);
	KUNIT_EXPECT_EQ(test, image_map_read(NULL, map.first, map.contiguous, &list), 0);
	map_check(test, list, nr, run);
	image_map_list_free(list);
	KUNIT_EXPECT_EQ(test, image_map_read(NULL, map.first, 0, &list), 0);
	map_check(test, list, nr, run);
	image_map_list_free(list);
	image_map_free(&map);
}

static void one_run(struct kunit *test)
{
	round_trip(test, 5 * MAP_PAGE_ENTRIES, ULONG_MAX);
}

static void one_entry(struct kunit *test)
{
	round_trip(test, 1, 1);
}

static void every_slot_alone(struct kunit *test)
{
	round_trip(test, 3 * MAP_PAGE_ENTRIES + 17, 1);
}

static void map_in_pieces(struct kunit *test)
{
	disk.every = 2;
	round_trip(test, 9 * MAP_PAGE_ENTRIES + 1, 100);
}

/* More runs than are kept in memory: the map begins to be written before the end */
static void more_runs_than_memory(struct kunit *test)
{
	const unsigned long nr = (HIB_MAX_RUN_PAGES + 3) * RUNS_PER_PAGE;

	round_trip(test, nr, 1);
}

static void nothing_recorded(struct kunit *test)
{
	struct image_map map;

	KUNIT_EXPECT_EQ(test, map_write(test, &map, 0, 1), -EINVAL);
	image_map_free(&map);
}

static void no_slots(struct kunit *test)
{
	struct image_map map;

	disk.limit = 2;
	KUNIT_EXPECT_EQ(test, map_write(test, &map, 3 * MAP_PAGE_ENTRIES, 10), -ENOSPC);
	image_map_free(&map);
}

/* The header's count is only a hint */
static void count_that_lies(struct kunit *test)
{
	struct swap_map_page_list *list;
	struct image_map map;
	unsigned int count;

	disk.every = 3;
	KUNIT_ASSERT_EQ(test, map_write(test, &map, 8 * MAP_PAGE_ENTRIES, 7), 0);
	for (count = 0; count < 20; count++) {
		KUNIT_EXPECT_EQ_MSG(test, image_map_read(NULL, map.first, count, &list), 0,
				    "count %u", count);
		map_check(test, list, 8 * MAP_PAGE_ENTRIES, 7);
		image_map_list_free(list);
	}
	image_map_free(&map);
}

static void page_that_cannot_be_read(struct kunit *test)
{
	struct swap_map_page_list *list;
	struct image_map map;

	KUNIT_ASSERT_EQ(test, map_write(test, &map, 4 * MAP_PAGE_ENTRIES, ULONG_MAX), 0);
	disk.broken = MAP_AT + 2;
	KUNIT_EXPECT_EQ(test, image_map_read(NULL, map.first, map.contiguous, &list), -EIO);
	image_map_list_free(list);
	image_map_free(&map);
}

static void map_without_end(struct kunit *test)
{
	struct swap_map_page_list *list;
	struct swap_map_page *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	page->entries[0] = 1;
	page->next_swap = MAP_AT;
	KUNIT_ASSERT_EQ(test, disk_page(MAP_AT, page, true), 0);
	KUNIT_EXPECT_EQ(test, image_map_read(NULL, MAP_AT, 0, &list), -EINVAL);
	image_map_list_free(list);
	KUNIT_EXPECT_EQ(test, image_map_read(NULL, MAP_AT, UINT_MAX, &list), -EINVAL);
	image_map_list_free(list);
}

static struct kunit_case map_cases[] = {
	KUNIT_CASE(one_run),
	KUNIT_CASE(one_entry),
	KUNIT_CASE(every_slot_alone),
	KUNIT_CASE(map_in_pieces),
	KUNIT_CASE_SLOW(more_runs_than_memory),
	KUNIT_CASE(nothing_recorded),
	KUNIT_CASE(no_slots),
	KUNIT_CASE(count_that_lies),
	KUNIT_CASE(page_that_cannot_be_read),
	KUNIT_CASE(map_without_end),
	{}
};

static struct kunit_suite map_suite = {
	.name = "hibernation-image-map",
	.init = map_test_init,
	.exit = map_test_exit,
	.test_cases = map_cases,
};

kunit_test_suite(map_suite);
