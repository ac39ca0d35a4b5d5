// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the image log and its map.
 *
 * Built into the kernel, the target lends its code; a module brings a copy.
 */
#include <kunit/test.h>
#include <linux/slab.h>

#if IS_BUILTIN(CONFIG_DM_HIBSWAP) && !defined(MODULE)
#include "dm-hibswap-log.h"
#else
#include "dm-hibswap-log.c"
#endif

#define CAP	64
#define ROOM	10000

static const struct hibswap_geom log_geom = { .data_sectors = 1 << 20 };

static void log_new(struct kunit *test, struct hibswap_log *log, u64 cap, u64 room)
{
	struct hibswap_extent *ext = kunit_kcalloc(test, cap, sizeof(*ext), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ext);
	hibswap_log_init(log, ext, cap, room);
}

static struct hibswap_where look_up(const struct hibswap_log *log, u64 lba, u64 blocks)
{
	struct hibswap_where where;
	u64 cursor = 0;

	hibswap_log_lookup(log, lba, blocks, &cursor, &where);
	return where;
}

static void log_appends(struct kunit *test)
{
	struct hibswap_log log;
	u64 pos;

	log_new(test, &log, CAP, ROOM);
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 100, 10, &pos), 0);
	KUNIT_EXPECT_EQ(test, pos, 0);
	/* What follows, in the log and in address, is the same extent */
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 110, 5, &pos), 0);
	KUNIT_EXPECT_EQ(test, pos, 10);
	KUNIT_EXPECT_EQ(test, log.nr, 1);
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 50, 1, &pos), 0);
	KUNIT_EXPECT_EQ(test, pos, 15);
	KUNIT_EXPECT_EQ(test, log.nr, 2);
	KUNIT_EXPECT_EQ(test, log.used, 16);
	KUNIT_EXPECT_EQ(test, hibswap_extent_len(&log.ext[0]), 15);
}

static void log_refuses(struct kunit *test)
{
	struct hibswap_log log;
	u64 pos = 77;

	log_new(test, &log, 2, 100);
	/* The header page's block, nothing at all, more than an extent holds */
	KUNIT_EXPECT_EQ(test, hibswap_log_append(&log, 0, 1, &pos), -EINVAL);
	KUNIT_EXPECT_EQ(test, hibswap_log_append(&log, 10, 0, &pos), -EINVAL);
	KUNIT_EXPECT_EQ(test, hibswap_log_append(&log, 10, HIBSWAP_EXTENT_MAX + 1, &pos), -EINVAL);
	KUNIT_EXPECT_EQ(test, hibswap_log_append(&log, HIBSWAP_BLOCKS_MAX, 1, &pos), -EINVAL);
	KUNIT_EXPECT_EQ(test, hibswap_log_append(&log, ~0ULL, 2, &pos), -EINVAL);
	/* No room, no memory */
	KUNIT_EXPECT_EQ(test, hibswap_log_append(&log, 10, 101, &pos), -E2BIG);
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 10, 1, &pos), 0);
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 20, 1, &pos), 0);
	KUNIT_EXPECT_EQ(test, hibswap_log_append(&log, 30, 1, &pos), -ENOSPC);
	KUNIT_EXPECT_EQ(test, pos, 1);
	KUNIT_EXPECT_EQ(test, log.nr, 2);
	KUNIT_EXPECT_EQ(test, log.used, 2);
}

static void log_in_place_ends_the_log(struct kunit *test)
{
	struct hibswap_log log;
	struct hibswap_where w;
	u64 pos;

	log_new(test, &log, CAP, ROOM);
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 100, 10, &pos), 0);
	KUNIT_ASSERT_EQ(test, hibswap_log_append_in_place(&log, 105, 2), 0);
	KUNIT_EXPECT_EQ(test, hibswap_log_append(&log, 200, 1, &pos), -EINVAL);
	KUNIT_EXPECT_EQ(test, log.in_place, 2);
	w = look_up(&log, 105, 10);
	KUNIT_EXPECT_TRUE(test, w.mapped && w.in_place);
	KUNIT_EXPECT_EQ(test, w.blocks, 2);
}

static void log_youngest_wins(struct kunit *test)
{
	struct hibswap_log log;
	struct hibswap_where w;
	u64 pos;

	log_new(test, &log, CAP, ROOM);
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 100, 50, &pos), 0);
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 120, 10, &pos), 0);
	w = look_up(&log, 100, 50);
	KUNIT_EXPECT_TRUE(test, w.mapped);
	KUNIT_EXPECT_EQ(test, w.pos, 0);
	KUNIT_EXPECT_EQ(test, w.blocks, 20);
	w = look_up(&log, 125, 50);
	KUNIT_EXPECT_EQ(test, w.pos, 55);
	KUNIT_EXPECT_EQ(test, w.blocks, 5);
	w = look_up(&log, 130, 50);
	KUNIT_EXPECT_EQ(test, w.pos, 30);
	KUNIT_EXPECT_EQ(test, w.blocks, 20);
	w = look_up(&log, 90, 50);
	KUNIT_EXPECT_FALSE(test, w.mapped);
	KUNIT_EXPECT_EQ(test, w.blocks, 10);
	/* An index has no ages */
	KUNIT_EXPECT_EQ(test, hibswap_log_index(&log), -EEXIST);
	KUNIT_EXPECT_FALSE(test, log.sorted);
}

static void log_index_finds(struct kunit *test)
{
	struct hibswap_log log;
	struct hibswap_where w;
	u64 pos, i;

	log_new(test, &log, CAP, ROOM);
	/* Downwards, so that sorting has something to do */
	for (i = CAP; i--; )
		KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 10 + 10 * i, 3, &pos), 0);
	KUNIT_ASSERT_EQ(test, hibswap_log_index(&log), 0);
	KUNIT_EXPECT_TRUE(test, log.sorted);
	for (i = 0; i < CAP; i++) {
		w = look_up(&log, 11 + 10 * i, 100);
		KUNIT_EXPECT_TRUE(test, w.mapped);
		KUNIT_EXPECT_EQ(test, w.pos, (CAP - 1 - i) * 3 + 1);
		KUNIT_EXPECT_EQ(test, w.blocks, 2);
		w = look_up(&log, 13 + 10 * i, 5);
		KUNIT_EXPECT_FALSE(test, w.mapped);
		KUNIT_EXPECT_EQ(test, w.blocks, 5);
	}
	/* Nothing is added to a map that has been sorted */
	KUNIT_EXPECT_EQ(test, hibswap_log_append(&log, 5000, 1, &pos), -EINVAL);
}

static void log_round_trip(struct kunit *test)
{
	struct hibswap_extent_disk *disk;
	struct hibswap_log log, again;
	u64 pos, i;

	log_new(test, &log, CAP, ROOM);
	log_new(test, &again, CAP, ROOM);
	disk = kunit_kcalloc(test, CAP, sizeof(*disk), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, disk);
	for (i = 1; i < CAP / 2; i++)
		KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, i * 1000 % 791 + 1, i, &pos), 0);
	for (i = 1; i < CAP / 4; i++)
		KUNIT_ASSERT_EQ(test, hibswap_log_append_in_place(&log, i * 900, 7), 0);
	KUNIT_ASSERT_EQ(test, hibswap_log_encode(&log, 0, disk, CAP), log.nr);
	KUNIT_ASSERT_EQ(test, hibswap_log_decode(&again, disk, log.nr, &log_geom, NULL), 0);
	KUNIT_EXPECT_EQ(test, again.nr, log.nr);
	KUNIT_EXPECT_EQ(test, again.used, log.used);
	KUNIT_EXPECT_EQ(test, again.in_place, log.in_place);
	KUNIT_EXPECT_MEMEQ(test, again.ext, log.ext, log.nr * sizeof(*log.ext));
}

static void log_decode_refuses(struct kunit *test)
{
	const u64 blocks = log_geom.data_sectors / 8;
	const struct {
		u64 lba;
		u32 len, flags;
	} bad[] = {
		{ 0, 1, 0 },			/* the header page */
		{ 10, 0, 0 },			/* empty */
		{ 10, 1, 2 },			/* a flag that nobody knows */
		{ blocks, 1, 0 },		/* behind the device */
		{ blocks - 1, 2, 0 },		/* half of it */
		{ ~0ULL, 2, 0 },		/* around the end of numbers */
		{ 10, ROOM + 1, 0 },		/* more than the log holds */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct hibswap_extent_disk disk = {
			.block = cpu_to_le64(bad[i].lba),
			.blocks = cpu_to_le32(bad[i].len),
			.flags = cpu_to_le32(bad[i].flags),
		};
		struct hibswap_fault fault = {};
		struct hibswap_log log;

		log_new(test, &log, CAP, ROOM);
		KUNIT_EXPECT_EQ_MSG(test, hibswap_log_decode(&log, &disk, 1, &log_geom, &fault),
				    -EINVAL, "extent %u", i);
		KUNIT_EXPECT_NOT_NULL_MSG(test, fault.what, "extent %u", i);
		KUNIT_EXPECT_EQ(test, log.nr, 0);
	}
}

static void log_resolve_cuts(struct kunit *test)
{
	struct hibswap_extent *out;
	struct hibswap_log log;
	struct hibswap_where w;
	void *scratch;
	u64 pos, i;

	log_new(test, &log, CAP, ROOM);
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 100, 50, &pos), 0);
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 120, 10, &pos), 0);
	KUNIT_ASSERT_EQ(test, hibswap_log_append(&log, 90, 15, &pos), 0);
	scratch = kunit_kzalloc(test, hibswap_log_resolve_scratch(log.nr), GFP_KERNEL);
	out = kunit_kcalloc(test, CAP, sizeof(*out), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, scratch);
	KUNIT_ASSERT_NOT_NULL(test, out);
	KUNIT_ASSERT_EQ(test, hibswap_log_resolve(&log, scratch, out, CAP), 0);
	KUNIT_EXPECT_TRUE(test, log.sorted);
	for (i = 1; i < log.nr; i++)
		KUNIT_EXPECT_LE(test,
				hibswap_extent_lba(&log.ext[i - 1]) +
				hibswap_extent_len(&log.ext[i - 1]),
				hibswap_extent_lba(&log.ext[i]));
	w = look_up(&log, 90, 100);
	KUNIT_EXPECT_EQ(test, w.pos, 60);
	KUNIT_EXPECT_EQ(test, w.blocks, 15);
	w = look_up(&log, 105, 100);
	KUNIT_EXPECT_EQ(test, w.pos, 5);
	KUNIT_EXPECT_EQ(test, w.blocks, 15);
	w = look_up(&log, 125, 1);
	KUNIT_EXPECT_EQ(test, w.pos, 55);
	w = look_up(&log, 149, 5);
	KUNIT_EXPECT_EQ(test, w.pos, 49);
	KUNIT_EXPECT_EQ(test, w.blocks, 1);
}

static struct kunit_case log_cases[] = {
	KUNIT_CASE(log_appends),
	KUNIT_CASE(log_refuses),
	KUNIT_CASE(log_in_place_ends_the_log),
	KUNIT_CASE(log_youngest_wins),
	KUNIT_CASE(log_index_finds),
	KUNIT_CASE(log_round_trip),
	KUNIT_CASE(log_decode_refuses),
	KUNIT_CASE(log_resolve_cuts),
	{}
};

static struct kunit_suite log_suite = {
	.name = "dm-hibswap-log",
	.test_cases = log_cases,
};

kunit_test_suite(log_suite);

MODULE_DESCRIPTION("KUnit tests of dm-hibswap");
MODULE_LICENSE("GPL");
