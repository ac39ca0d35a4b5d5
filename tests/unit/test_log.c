// SPDX-License-Identifier: GPL-2.0-only
/*
 * The image log and its map, against a model that keeps one word per block.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "hibswap_ref.h"
#include "golden.h"

/* After the core's headers, which bring their own assert() */
#include <cmocka.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define BLOCKS_MAX	(1ULL << 40)
#define LEN_MAX		((1ULL << 24) - 1)

static_assert(sizeof(struct hibswap_extent) == 16);
static_assert(sizeof(struct hibswap_extent_disk) == 16);

/* Memory of exactly the size, so that ASan sees a step beyond it */
static void *exactly(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);

	assert_non_null(p);
	memset(p, 0xa5, bytes);
	return p;
}

static struct hibswap_log new_log(u64 cap, u64 room)
{
	struct hibswap_log log;

	memset(&log, 0xa5, sizeof(log));
	hibswap_log_init(&log, exactly(cap * sizeof(*log.ext)), cap, room);
	assert_int_equal(log.nr, 0);
	assert_int_equal(log.used, 0);
	assert_int_equal(log.in_place, 0);
	assert_false(log.sorted);
	return log;
}

static void assert_extent(const struct hibswap_log *log, u64 i, u64 lba, u64 len, u64 pos,
			  bool in_place)
{
	assert_true(i < log->nr);
	assert_int_equal(hibswap_extent_lba(&log->ext[i]), lba);
	assert_int_equal(hibswap_extent_len(&log->ext[i]), len);
	assert_int_equal(hibswap_extent_pos(&log->ext[i]), pos);
	assert_int_equal(hibswap_extent_in_place(&log->ext[i]), in_place);
}

/* where.pos of -1: not mapped; of -2: in place */
static void assert_lookup(const struct hibswap_log *log, u64 lba, u64 blocks, int64_t pos,
			  u64 len)
{
	struct hibswap_where w;
	u64 cursor = 0;

	memset(&w, 0xa5, sizeof(w));
	hibswap_log_lookup(log, lba, blocks, &cursor, &w);
	assert_int_equal(w.mapped, pos != -1);
	assert_int_equal(w.in_place, pos == -2);
	if (pos >= 0)
		assert_int_equal(w.pos, pos);
	assert_int_equal(w.blocks, len);
}

/* A device of data alone */
static int decode(struct hibswap_log *log, const struct hibswap_extent_disk *in, u64 nr,
		  u64 blocks, struct hibswap_fault *fault)
{
	const struct hibswap_geom geom = { .data_sectors = blocks * 8 };

	return hibswap_log_decode(log, in, nr, &geom, fault);
}

static void sixteen_bytes(void **state)
{
	struct hibswap_log log = new_log(4, BLOCKS_MAX);
	u64 pos;

	(void)state;
	assert_int_equal(sizeof(struct hibswap_extent), 16);
	/* And all of 40, 24 and 40 bits fit there */
	log.used = BLOCKS_MAX - LEN_MAX;
	assert_int_equal(hibswap_log_append(&log, BLOCKS_MAX - LEN_MAX, LEN_MAX, &pos), 0);
	assert_int_equal(pos, BLOCKS_MAX - LEN_MAX);
	assert_extent(&log, 0, BLOCKS_MAX - LEN_MAX, LEN_MAX, BLOCKS_MAX - LEN_MAX, false);
	free(log.ext);
}

static void append_and_merge(void **state)
{
	struct hibswap_log log = new_log(10, 1000);
	u64 pos = 99;

	(void)state;
	assert_int_equal(hibswap_log_append(&log, 100, 4, &pos), 0);
	assert_int_equal(pos, 0);
	assert_int_equal(hibswap_log_append(&log, 104, 1, &pos), 0);
	assert_int_equal(pos, 4);
	assert_int_equal(log.nr, 1);
	assert_extent(&log, 0, 100, 5, 0, false);
	/* A hole, a step back, the same again: no merging */
	assert_int_equal(hibswap_log_append(&log, 106, 2, &pos), 0);
	assert_int_equal(pos, 5);
	assert_int_equal(hibswap_log_append(&log, 105, 1, &pos), 0);
	assert_int_equal(hibswap_log_append(&log, 105, 1, &pos), 0);
	assert_int_equal(pos, 8);
	assert_int_equal(log.nr, 4);
	/* It is the last one that grows, not one that would fit */
	assert_int_equal(hibswap_log_append(&log, 108, 1, &pos), 0);
	assert_int_equal(log.nr, 5);
	assert_extent(&log, 4, 108, 1, 9, false);
	assert_int_equal(log.used, 10);
	assert_int_equal(log.in_place, 0);
	/* Neither do an extent of the log and one in place grow together */
	assert_int_equal(hibswap_log_append_in_place(&log, 109, 3), 0);
	assert_int_equal(log.nr, 6);
	assert_extent(&log, 5, 109, 3, 10, true);
	assert_int_equal(hibswap_log_append_in_place(&log, 112, 3), 0);
	assert_int_equal(log.nr, 6);
	assert_extent(&log, 5, 109, 6, 10, true);
	assert_int_equal(hibswap_log_append_in_place(&log, 200, 1), 0);
	assert_extent(&log, 6, 200, 1, 16, true);
	assert_int_equal(log.used, 10);
	assert_int_equal(log.in_place, 7);
	/* After which the log is closed */
	assert_int_equal(hibswap_log_append(&log, 300, 1, &pos), -EINVAL);
	hibswap_log_reset(&log);
	assert_int_equal(hibswap_log_append(&log, 300, 1, &pos), 0);
	assert_int_equal(pos, 0);
	assert_int_equal(log.nr, 1);
	free(log.ext);
}

static void longest_extent(void **state)
{
	struct hibswap_log log = new_log(3, BLOCKS_MAX);
	u64 pos;

	(void)state;
	assert_int_equal(hibswap_log_append(&log, 8, LEN_MAX - 1, &pos), 0);
	assert_int_equal(hibswap_log_append(&log, 8 + LEN_MAX - 1, 1, &pos), 0);
	assert_int_equal(log.nr, 1);
	assert_int_equal(hibswap_log_append(&log, 8 + LEN_MAX, 1, &pos), 0);
	assert_int_equal(log.nr, 2);
	assert_extent(&log, 0, 8, LEN_MAX, 0, false);
	assert_extent(&log, 1, 8 + LEN_MAX, 1, LEN_MAX, false);
	assert_int_equal(pos, LEN_MAX);
	/* Too long, and almost too long, to grow */
	assert_int_equal(hibswap_log_append(&log, 9 + LEN_MAX, LEN_MAX, &pos), 0);
	assert_int_equal(log.nr, 3);
	assert_int_equal(hibswap_log_append(&log, 5, LEN_MAX + 1, &pos), -EINVAL);
	free(log.ext);
}

static void log_full(void **state)
{
	struct hibswap_log log = new_log(3, 10);
	u64 pos = 77;

	(void)state;
	assert_int_equal(hibswap_log_append(&log, 1, 11, &pos), -E2BIG);
	assert_int_equal(hibswap_log_append(&log, 1, 6, &pos), 0);
	pos = 77;
	assert_int_equal(hibswap_log_append(&log, 7, 5, &pos), -E2BIG);
	assert_int_equal(pos, 77);
	assert_int_equal(log.used, 6);
	assert_int_equal(log.nr, 1);
	/* Exactly full */
	assert_int_equal(hibswap_log_append(&log, 20, 4, &pos), 0);
	assert_int_equal(pos, 6);
	assert_int_equal(log.used, 10);
	assert_int_equal(hibswap_log_append(&log, 24, 1, &pos), -E2BIG);
	assert_int_equal(hibswap_log_append(&log, 40, 1, &pos), -E2BIG);
	/* In place takes over, up to the memory's end */
	assert_int_equal(hibswap_log_append_in_place(&log, 24, 1), 0);
	assert_int_equal(log.nr, 3);
	assert_int_equal(hibswap_log_append_in_place(&log, 40, 1), -ENOSPC);
	assert_int_equal(log.nr, 3);
	assert_int_equal(log.in_place, 1);
	/* While there is no memory the last one may still grow */
	assert_int_equal(hibswap_log_append_in_place(&log, 25, 1), 0);
	assert_int_equal(log.in_place, 2);
	free(log.ext);

	log = new_log(1, 10);
	assert_int_equal(hibswap_log_append(&log, 1, 1, &pos), 0);
	pos = 77;
	assert_int_equal(hibswap_log_append(&log, 3, 1, &pos), -ENOSPC);
	assert_int_equal(pos, 77);
	assert_int_equal(log.used, 1);
	assert_int_equal(hibswap_log_append(&log, 2, 1, &pos), 0);
	assert_int_equal(log.used, 2);
	free(log.ext);

	/* No memory at all, and no room at all */
	hibswap_log_init(&log, NULL, 100, 10);
	assert_int_equal(hibswap_log_append(&log, 1, 1, &pos), -ENOSPC);
	assert_int_equal(hibswap_log_append_in_place(&log, 1, 1), -ENOSPC);
	assert_int_equal(log.in_place, 0);
	assert_lookup(&log, 1, 5, -1, 5);
	assert_int_equal(hibswap_log_index(&log), 0);
	assert_lookup(&log, 1, 5, -1, 5);
	log = new_log(1, 0);
	assert_int_equal(hibswap_log_append(&log, 1, 1, &pos), -E2BIG);
	assert_int_equal(hibswap_log_append_in_place(&log, 1, 1), 0);
	free(log.ext);
}

static void ranges_refused(void **state)
{
	static const u64 bad[][2] = {
		{ 1, 0 }, { 0, 0 }, { BLOCKS_MAX, 1 }, { BLOCKS_MAX - 1, 2 }, { ~0ULL, 1 },
		{ 1, LEN_MAX + 1 }, { 1, 1ULL << 40 }, { 1, ~0ULL }, { ~0ULL, ~0ULL },
		{ BLOCKS_MAX - LEN_MAX + 1, LEN_MAX }, { 1ULL << 63, 1 },
	};
	struct hibswap_log log = new_log(4, BLOCKS_MAX);
	unsigned int i;
	u64 pos;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(hibswap_log_append(&log, bad[i][0], bad[i][1], &pos), -EINVAL);
		assert_int_equal(hibswap_log_append_in_place(&log, bad[i][0], bad[i][1]),
				 -EINVAL);
	}
	assert_int_equal(log.nr, 0);
	assert_int_equal(hibswap_log_append(&log, BLOCKS_MAX - 1, 1, &pos), 0);
	assert_int_equal(hibswap_log_append(&log, 5, 1, &pos), 0);
	assert_int_equal(hibswap_log_index(&log), 0);
	/* Sorted by address is closed */
	assert_int_equal(hibswap_log_append(&log, 6, 1, &pos), -EINVAL);
	assert_int_equal(hibswap_log_append_in_place(&log, 6, 1), -EINVAL);
	assert_int_equal(log.nr, 2);
	free(log.ext);
}

/* Positions have 40 bits as well, those of in-place extents included */
static void positions_end(void **state)
{
	struct hibswap_log log = new_log(3, BLOCKS_MAX);

	(void)state;
	log.used = BLOCKS_MAX - 5;
	assert_int_equal(hibswap_log_append_in_place(&log, 10, LEN_MAX), -EINVAL);
	assert_int_equal(hibswap_log_append_in_place(&log, 10, 6), -EINVAL);
	assert_int_equal(hibswap_log_append_in_place(&log, 10, 4), 0);
	assert_extent(&log, 0, 10, 4, BLOCKS_MAX - 5, true);
	assert_int_equal(hibswap_log_append_in_place(&log, 20, 2), -EINVAL);
	assert_int_equal(hibswap_log_append_in_place(&log, 20, LEN_MAX), -EINVAL);
	assert_int_equal(hibswap_log_append_in_place(&log, 20, 1), 0);
	assert_extent(&log, 1, 20, 1, BLOCKS_MAX - 1, true);
	assert_int_equal(hibswap_log_append_in_place(&log, 30, 1), -EINVAL);
	assert_int_equal(log.nr, 2);
	free(log.ext);
}

static void lookup_disjoint(void **state)
{
	struct hibswap_log log = new_log(8, 100);
	int sorted;
	u64 pos;

	(void)state;
	hibswap_log_append(&log, 50, 10, &pos);
	hibswap_log_append(&log, 20, 5, &pos);
	hibswap_log_append(&log, 70, 1, &pos);
	hibswap_log_append(&log, 60, 2, &pos);
	hibswap_log_append_in_place(&log, 30, 3);
	for (sorted = 0; sorted < 2; sorted++) {
		assert_lookup(&log, 0, 1000, -1, 20);
		assert_lookup(&log, 19, 1, -1, 1);
		assert_lookup(&log, 19, 9, -1, 1);
		assert_lookup(&log, 20, 3, 10, 3);
		assert_lookup(&log, 20, 100, 10, 5);
		assert_lookup(&log, 24, 100, 14, 1);
		assert_lookup(&log, 25, 100, -1, 5);
		assert_lookup(&log, 30, 100, -2, 3);
		assert_lookup(&log, 32, 100, -2, 1);
		assert_lookup(&log, 33, 100, -1, 17);
		assert_lookup(&log, 50, 100, 0, 10);
		assert_lookup(&log, 59, 100, 9, 1);
		assert_lookup(&log, 60, 100, 16, 2);
		assert_lookup(&log, 61, 1, 17, 1);
		assert_lookup(&log, 62, 100, -1, 8);
		assert_lookup(&log, 70, 100, 15, 1);
		assert_lookup(&log, 71, 100, -1, 100);
		assert_lookup(&log, BLOCKS_MAX - 1, 1, -1, 1);
		assert_lookup(&log, ~0ULL, 1, -1, 1);
		if (!sorted)
			assert_int_equal(hibswap_log_index(&log), 0);
	}
	assert_true(ref_sorted_right(&log));
	/* Once is enough */
	assert_int_equal(hibswap_log_index(&log), 0);
	assert_extent(&log, 0, 20, 5, 10, false);
	assert_extent(&log, 1, 30, 3, 18, true);
	assert_extent(&log, 4, 70, 1, 15, false);
	free(log.ext);
}

static void lookup_overlaps(void **state)
{
	struct hibswap_log log = new_log(8, 100);
	struct hibswap_extent *out, *old;
	void *scratch;
	int pass;
	u64 pos;

	(void)state;
	hibswap_log_append(&log, 10, 20, &pos);		/* 10..29 at 0 */
	hibswap_log_append(&log, 15, 5, &pos);		/* 15..19 at 20 */
	hibswap_log_append(&log, 40, 2, &pos);		/* 40..41 at 25 */
	hibswap_log_append(&log, 28, 4, &pos);		/* 28..31 at 27 */
	hibswap_log_append_in_place(&log, 41, 3);	/* 41..43 */
	hibswap_log_append_in_place(&log, 16, 1);	/* 16 */
	for (pass = 0; pass < 3; pass++) {
		assert_lookup(&log, 5, 100, -1, 5);
		assert_lookup(&log, 10, 100, 0, 5);
		assert_lookup(&log, 15, 100, 20, 1);
		assert_lookup(&log, 16, 100, -2, 1);
		assert_lookup(&log, 17, 100, 22, 3);
		assert_lookup(&log, 20, 100, 10, 8);
		assert_lookup(&log, 20, 3, 10, 3);
		assert_lookup(&log, 28, 100, 27, 4);
		assert_lookup(&log, 32, 100, -1, 8);
		assert_lookup(&log, 40, 100, 25, 1);
		assert_lookup(&log, 41, 100, -2, 3);
		assert_lookup(&log, 44, 7, -1, 7);
		if (pass)
			continue;
		/* As they were, in the order of age */
		assert_int_equal(hibswap_log_index(&log), -EEXIST);
		assert_false(log.sorted);
		assert_extent(&log, 0, 10, 20, 0, false);
		assert_extent(&log, 1, 15, 5, 20, false);
		assert_extent(&log, 2, 40, 2, 25, false);
		assert_extent(&log, 3, 28, 4, 27, false);
		assert_extent(&log, 4, 41, 3, 31, true);
		assert_extent(&log, 5, 16, 1, 34, true);
	}

	scratch = exactly(hibswap_log_resolve_scratch(log.nr));
	out = exactly(11 * sizeof(*out));
	old = log.ext;
	/* 10 15 16 17 20 28 40 41: eight pieces */
	assert_int_equal(hibswap_log_resolve(&log, scratch, out, 7), -ENOSPC);
	assert_ptr_equal(log.ext, old);
	assert_int_equal(log.nr, 6);
	assert_false(log.sorted);
	assert_lookup(&log, 15, 100, 20, 1);
	assert_int_equal(hibswap_log_resolve(&log, scratch, out, 8), 0);
	free(scratch);
	free(old);
	assert_ptr_equal(log.ext, out);
	assert_int_equal(log.nr, 8);
	assert_int_equal(log.cap, 8);
	assert_true(ref_sorted_right(&log));
	assert_extent(&log, 0, 10, 5, 0, false);
	assert_extent(&log, 1, 15, 1, 20, false);
	assert_extent(&log, 2, 16, 1, 34, true);
	assert_extent(&log, 3, 17, 3, 22, false);
	assert_extent(&log, 4, 20, 8, 10, false);
	assert_extent(&log, 5, 28, 4, 27, false);
	assert_extent(&log, 6, 40, 1, 25, false);
	assert_extent(&log, 7, 41, 3, 31, true);
	assert_lookup(&log, 5, 100, -1, 5);
	assert_lookup(&log, 16, 100, -2, 1);
	assert_lookup(&log, 20, 100, 10, 8);
	assert_lookup(&log, 40, 100, 25, 1);
	assert_lookup(&log, 44, 7, -1, 7);
	free(log.ext);
}

/* 2n - 1 pieces: each extent inside the one before; and one piece of n the same */
static void resolve_extremes(void **state)
{
	const u64 n = 200;
	struct hibswap_log log = new_log(n, 1000000);
	struct hibswap_extent *out = exactly((2 * n - 1) * sizeof(*out));
	void *scratch = exactly(hibswap_log_resolve_scratch(n));
	struct hibswap_extent *old = log.ext;
	u64 i, pos;

	(void)state;
	for (i = 0; i < n; i++)
		assert_int_equal(hibswap_log_append(&log, 10 + i, 1 + 2 * (n - i), &pos), 0);
	assert_int_equal(hibswap_log_index(&log), -EEXIST);
	assert_int_equal(hibswap_log_resolve(&log, scratch, out, 2 * n - 2), -ENOSPC);
	assert_int_equal(hibswap_log_resolve(&log, scratch, out, 2 * n - 1), 0);
	assert_int_equal(log.nr, 2 * n - 1);
	assert_true(ref_sorted_right(&log));

	hibswap_log_init(&log, old, n, 1000000);
	for (i = 0; i < n; i++)
		assert_int_equal(hibswap_log_append(&log, 77, 3, &pos), 0);
	assert_int_equal(hibswap_log_index(&log), -EEXIST);
	/* Addresses alike: the order of age decides, not that of a sort */
	assert_lookup(&log, 77, 10, 3 * (n - 1), 3);
	for (i = 0; i < n; i++)
		assert_extent(&log, i, 77, 3, 3 * i, false);
	assert_int_equal(hibswap_log_resolve(&log, scratch, out, 1), 0);
	assert_int_equal(log.nr, 1);
	assert_extent(&log, 0, 77, 3, 3 * (n - 1), false);

	/* Nothing at all */
	hibswap_log_init(&log, old, n, 10);
	assert_int_equal(hibswap_log_resolve(&log, scratch, out, 0), 0);
	assert_int_equal(log.nr, 0);
	assert_lookup(&log, 77, 10, -1, 10);
	free(old);
	free(out);
	free(scratch);
}

static void assert_position(const struct hibswap_log *log, u64 lba, u64 pos)
{
	struct hibswap_where where;
	u64 cursor = 0;

	hibswap_log_lookup(log, lba, 1, &cursor, &where);
	assert_true(where.mapped);
	assert_int_equal(where.pos, pos);
}

/* Checksums are found by position, so blocks in place must keep theirs as well */
static void assert_positions(const struct hibswap_log *log)
{
	assert_position(log, 50, 0);
	assert_position(log, 59, 9);
	assert_position(log, 100, 10);
	assert_position(log, 101, 11);
	assert_position(log, 102, 18);
	assert_position(log, 103, 19);
	assert_position(log, 104, 14);
	assert_position(log, 200, 15);
	assert_position(log, 202, 17);
}

static void positions_in_place(void **state)
{
	struct hibswap_log log = new_log(4, 10);
	struct hibswap_extent *out = exactly(8 * sizeof(*out)), *old = log.ext;
	void *scratch = exactly(hibswap_log_resolve_scratch(4));
	struct hibswap_extent_disk map[4];
	struct hibswap_geom geom = { .data_sectors = 8000 };
	u64 pos;

	(void)state;
	assert_int_equal(hibswap_log_append(&log, 50, 10, &pos), 0);
	assert_int_equal(hibswap_log_append_in_place(&log, 100, 5), 0);
	assert_int_equal(hibswap_log_append_in_place(&log, 200, 3), 0);
	assert_int_equal(hibswap_log_append_in_place(&log, 102, 2), 0);
	assert_positions(&log);
	assert_int_equal(hibswap_log_encode(&log, 0, map, 4), 4);
	hibswap_log_reset(&log);
	assert_int_equal(hibswap_log_decode(&log, map, 4, &geom, NULL), 0);
	assert_positions(&log);
	assert_int_equal(hibswap_log_index(&log), -EEXIST);
	assert_positions(&log);
	assert_int_equal(hibswap_log_resolve(&log, scratch, out, 8), 0);
	assert_positions(&log);
	free(old);
	free(out);
	free(scratch);
}

static const struct { u64 lba, len; bool in_place; } map_extents[] = {
	{ 1, 1, false },
	{ 0xfedcba9876, 0xabcdef, false },
	{ 0x12345, 0x100, false },
	{ 0x100, 0x20, true },
	{ 0xffffffff00, 0x100, true },
};

static void golden_map_bytes(void **state)
{
	struct hibswap_log log = new_log(5, 0x1000000);
	struct hibswap_extent_disk disk[5];
	unsigned int i;
	u64 pos;

	(void)state;
	for (i = 0; i < 5; i++)
		assert_int_equal(map_extents[i].in_place ?
				 hibswap_log_append_in_place(&log, map_extents[i].lba,
							     map_extents[i].len) :
				 hibswap_log_append(&log, map_extents[i].lba,
						    map_extents[i].len, &pos), 0);
	assert_int_equal(log.nr, 5);
	memset(disk, 0xa5, sizeof(disk));
	assert_int_equal(hibswap_log_encode(&log, 0, disk, 5), 5);
	assert_memory_equal(disk, golden_map, sizeof(golden_map));
	assert_int_equal(hibswap_crc(0, disk, sizeof(disk)), GOLDEN_MAP_CRC);
	assert_int_equal(ref_crc32c(golden_map, sizeof(golden_map)), GOLDEN_MAP_CRC);

	hibswap_log_reset(&log);
	memcpy(disk, golden_map, sizeof(disk));
	assert_int_equal(decode(&log, disk, 5, BLOCKS_MAX, NULL), 0);
	for (i = 0, pos = 0; i < 5; pos += map_extents[i++].len)
		assert_extent(&log, i, map_extents[i].lba, map_extents[i].len, pos,
			      map_extents[i].in_place);
	assert_int_equal(log.used, 1 + 0xabcdef + 0x100);
	assert_int_equal(log.in_place, 0x120);
	free(log.ext);
}

static void encode_pieces(void **state)
{
	struct hibswap_log log = new_log(10, 1000), got;
	struct hibswap_extent_disk all[10], piece[10];
	u64 i, at, nr, pos;

	(void)state;
	for (i = 0; i < 10; i++)
		assert_int_equal(hibswap_log_append(&log, 1000 - 10 * i, 1 + i, &pos), 0);
	assert_int_equal(hibswap_log_encode(&log, 0, all, 10), 10);
	assert_int_equal(hibswap_log_encode(&log, 10, piece, 10), 0);
	assert_int_equal(hibswap_log_encode(&log, ~0ULL, piece, 10), 0);
	assert_int_equal(hibswap_log_encode(&log, 0, piece, 0), 0);
	assert_int_equal(hibswap_log_encode(&log, 9, piece, ~0ULL), 1);
	assert_memory_equal(piece, &all[9], 16);
	for (i = 1; i <= 10; i++) {
		got = new_log(10, 1000);
		for (at = 0; at < 10; at += nr) {
			memset(piece, 0xa5, sizeof(piece));
			nr = hibswap_log_encode(&log, at, piece, i);
			assert_int_equal(nr, i < 10 - at ? i : 10 - at);
			assert_memory_equal(piece, &all[at], nr * 16);
			assert_int_equal(decode(&got, piece, nr, 1011, NULL), 0);
		}
		assert_int_equal(got.nr, log.nr);
		assert_int_equal(got.used, log.used);
		assert_memory_equal(got.ext, log.ext, 10 * 16);
		free(got.ext);
	}
	free(log.ext);
}

/* What stands before: 10 blocks in the log; in room for 20, on 1000 blocks */
static const struct {
	const char *name;
	u64 lba, len, flags;
	const char *what;
} bad_extents[] = {
	{ "no length", 100, 0, 0, "extent length" },
	{ "too long", 100, LEN_MAX + 1, 0, "extent length" },
	{ "much too long", 100, 0xffffffff, 0, "extent length" },
	{ "long by a flag's bit", 100, 1 << 31, 1, "extent length" },
	{ "header page", 0, 1, 0, "extent over the header page" },
	{ "header page in place", 0, 1, 1, "extent over the header page" },
	{ "behind the end", 1000, 1, 0, "extent behind the device's end" },
	{ "over the end", 999, 2, 0, "extent behind the device's end" },
	{ "over the end in place", 999, 2, 1, "extent behind the device's end" },
	{ "far behind", ~0ULL, 1, 0, "extent behind the device's end" },
	{ "wraps", ~0ULL - 5, 10, 0, "extent behind the device's end" },
	{ "over 40 bits", (1ULL << 40) + 1, 1, 0, "extent behind the device's end" },
	{ "flag 2", 100, 1, 2, "extent flags" },
	{ "flag 2 in place", 100, 1, 3, "extent flags" },
	{ "flag 31", 100, 1, 1U << 31, "extent flags" },
	{ "log overfull", 100, 11, 0, "extent behind the log's end" },
};

static void decode_refusals(void **state)
{
	struct hibswap_extent_disk disk[3];
	struct hibswap_fault fault;
	struct hibswap_log log;
	unsigned int i;
	int err;

	(void)state;
	ref_put(disk, 0, 8, 50);
	ref_put(disk, 8, 4, 10);
	ref_put(disk, 12, 4, 0);
	for (i = 0; i < ARRAY_SIZE(bad_extents); i++) {
		ref_put(disk, 16, 8, bad_extents[i].lba);
		ref_put(disk, 24, 4, bad_extents[i].len);
		ref_put(disk, 28, 4, bad_extents[i].flags);
		log = new_log(3, 20);
		fault = (struct hibswap_fault){};
		err = decode(&log, disk, 2, 1000, &fault);
		if (err != -EINVAL || !fault.what || strcmp(fault.what, bad_extents[i].what))
			fail_msg("%s: error %d (%s)", bad_extents[i].name, err, fault.what);
		/* What came before stays, nothing of the bad one does */
		assert_int_equal(log.nr, 1);
		assert_int_equal(log.used, 10);
		assert_int_equal(log.in_place, 0);
		hibswap_log_reset(&log);
		assert_int_equal(decode(&log, disk, 2, 1000, NULL), -EINVAL);
		free(log.ext);
	}

	/* At the bounds: the last address, the last place of the log */
	log = new_log(3, 20);
	ref_put(disk, 16, 8, 990);
	ref_put(disk, 24, 4, 10);
	ref_put(disk, 28, 4, 0);
	fault = (struct hibswap_fault){};
	assert_int_equal(decode(&log, disk, 2, 1000, &fault), 0);
	assert_null(fault.what);
	assert_int_equal(log.used, 20);
	/* The full log takes one in place, and none of the log after that */
	ref_put(disk, 0, 8, 1);
	ref_put(disk, 12, 4, 1);
	ref_put(disk, 24, 4, 1);
	assert_int_equal(decode(&log, disk, 1, 1000, &fault), 0);
	assert_int_equal(log.in_place, 10);
	free(log.ext);
	log = new_log(3, 40);
	assert_int_equal(decode(&log, disk, 2, 1000, &fault), -EINVAL);
	assert_string_equal(fault.what, "log extent after one in place");
	assert_int_equal(fault.value, 1);
	assert_int_equal(log.nr, 1);
	free(log.ext);

	/* No memory, which is not the map's fault */
	log = new_log(1, 40);
	ref_put(disk, 12, 4, 0);
	fault = (struct hibswap_fault){};
	assert_int_equal(decode(&log, disk, 2, 1000, &fault), -ENOSPC);
	assert_null(fault.what);
	assert_int_equal(log.nr, 1);
	free(log.ext);

	/* More in place than positions can number */
	log = new_log(3, 40);
	log.used = 10;
	log.in_place = BLOCKS_MAX - 10 - 9;
	ref_put(disk, 12, 4, 1);
	assert_int_equal(decode(&log, disk, 1, 1000, &fault), -EINVAL);
	assert_string_equal(fault.what, "in-place blocks");
	log.in_place--;
	assert_int_equal(decode(&log, disk, 1, 1000, &fault), 0);
	free(log.ext);

	/* No device at all */
	log = new_log(3, 40);
	assert_int_equal(decode(&log, disk, 1, 0, &fault), -EINVAL);
	assert_string_equal(fault.what, "extent behind the device's end");
	assert_int_equal(decode(&log, disk, 0, 0, &fault), 0);
	free(log.ext);
}

/* 1000 blocks of data, 50 of window: nothing in the window is in place */
static void decode_window(void **state)
{
	struct hibswap_geom geom = { .data_sectors = 8000, .window_sectors = 400 };
	static const struct { u64 lba, len, flags; const char *what; } cases[] = {
		{ 990, 10, 1, NULL },
		{ 1000, 50, 0, NULL },
		{ 990, 60, 0, NULL },
		{ 1000, 51, 0, "extent behind the device's end" },
		{ 1050, 1, 0, "extent behind the device's end" },
		{ 1000, 1, 1, "in-place extent behind the data" },
		{ 999, 2, 1, "in-place extent behind the data" },
		{ 1049, 1, 1, "in-place extent behind the data" },
		{ 1049, 2, 1, "extent behind the device's end" },
	};
	struct hibswap_extent_disk disk;
	struct hibswap_fault fault;
	struct hibswap_log log;
	unsigned int i;
	int err;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ref_put(&disk, 0, 8, cases[i].lba);
		ref_put(&disk, 8, 4, cases[i].len);
		ref_put(&disk, 12, 4, cases[i].flags);
		log = new_log(1, 100);
		fault.what = NULL;
		err = hibswap_log_decode(&log, &disk, 1, &geom, &fault);
		assert_int_equal(err, cases[i].what ? -EINVAL : 0);
		if (cases[i].what)
			assert_string_equal(fault.what, cases[i].what);
		free(log.ext);
	}
	/* Data that ends within a block: that block is nobody's */
	geom = (struct hibswap_geom){ .data_sectors = 8007 };
	ref_put(&disk, 0, 8, 1000);
	ref_put(&disk, 8, 4, 1);
	ref_put(&disk, 12, 4, 0);
	log = new_log(1, 100);
	assert_int_equal(hibswap_log_decode(&log, &disk, 1, &geom, &fault), -EINVAL);
	ref_put(&disk, 0, 8, 999);
	assert_int_equal(hibswap_log_decode(&log, &disk, 1, &geom, &fault), 0);
	free(log.ext);
}

/*
 * The model: for each logical block 0 (not mapped), MODEL_IN_PLACE or the
 * position in the log + 1.
 */
#define MODEL_BLOCKS	600
#define MODEL_IN_PLACE	~0ULL

struct model {
	u64 at[MODEL_BLOCKS];
	u64 used;
	u64 in_place;
	bool twice;
};

static void model_write(struct model *m, u64 lba, u64 blocks, bool in_place)
{
	u64 i;

	for (i = lba; i < lba + blocks; i++) {
		m->twice |= m->at[i] != 0;
		m->at[i] = in_place ? MODEL_IN_PLACE : ++m->used;
		m->in_place += in_place;
	}
}

/* One look-up, held against the model block by block; returns where.blocks */
static u64 model_lookup(const struct model *m, const struct hibswap_log *log, u64 lba,
			u64 blocks, u64 *cursor)
{
	struct hibswap_where w;
	u64 i, want;

	memset(&w, 0xa5, sizeof(w));
	hibswap_log_lookup(log, lba, blocks, cursor, &w);
	assert_true(w.blocks >= 1 && w.blocks <= blocks);
	for (i = 0; i < w.blocks && lba + i < MODEL_BLOCKS; i++) {
		want = m->at[lba + i];
		assert_int_equal(w.mapped, want != 0);
		assert_int_equal(w.in_place, want == MODEL_IN_PLACE);
		if (w.mapped && !w.in_place)
			assert_int_equal(w.pos + i, want - 1);
	}
	/* A hole is told of whole, or readers see it in pieces */
	if (!w.mapped && w.blocks < blocks) {
		assert_true(lba + i < MODEL_BLOCKS);
		assert_true(!log->sorted || m->at[lba + i] != 0);
	}
	return w.blocks;
}

static void model_check(const struct model *m, const struct hibswap_log *log, u64 *seed)
{
	u64 cursor = ref_random(seed), lba, blocks;
	int i;

	/* Random access, with whatever a torn or old cursor may hold */
	for (i = 0; i < 60; i++) {
		switch (ref_below(seed, 4)) {
		case 0:
			cursor = ref_random(seed);
			break;
		case 1:
			cursor = ref_below(seed, log->nr + 2);
			break;
		case 2:
			cursor = ~0ULL - ref_below(seed, 2);
			break;
		}
		lba = ref_below(seed, MODEL_BLOCKS);
		blocks = 1 + ref_below(seed, MODEL_BLOCKS);
		model_lookup(m, log, lba, blocks, &cursor);
	}
	/* From one end to the other, as a restore reads */
	cursor = 0;
	blocks = 1 + ref_below(seed, 200);
	for (lba = 0; lba < MODEL_BLOCKS; )
		lba += model_lookup(m, log, lba, blocks, &cursor);
	assert_int_equal(log->used, m->used);
	assert_int_equal(log->in_place, m->in_place);
}

static void model_round_trip(const struct model *m, const struct hibswap_log *log, u64 *seed)
{
	struct hibswap_extent_disk *disk = exactly(log->nr * 16);
	struct hibswap_log got = new_log(log->nr, log->room);
	u64 split = ref_below(seed, log->nr + 1);

	assert_int_equal(hibswap_log_encode(log, 0, disk, split), split);
	assert_int_equal(hibswap_log_encode(log, split, disk + split, log->nr), log->nr - split);
	assert_int_equal(decode(&got, disk, split, MODEL_BLOCKS, NULL), 0);
	assert_int_equal(decode(&got, disk + split, log->nr - split, MODEL_BLOCKS, NULL), 0);
	assert_int_equal(got.nr, log->nr);
	assert_memory_equal(got.ext, log->ext, log->nr * 16);
	model_check(m, &got, seed);
	free(got.ext);
	free(disk);
}

static void model_grow(struct model *m, struct hibswap_log *log, u64 steps, bool rewrites,
		       u64 *seed)
{
	u64 lba = 1, blocks, pos, i, k;
	int err;

	for (i = 0; i < steps; i++) {
		/* Half of the writes go on where the last one ended */
		if (ref_below(seed, 2) || lba >= MODEL_BLOCKS)
			lba = 1 + ref_below(seed, MODEL_BLOCKS - 1);
		blocks = 1 + ref_below(seed, 1 + ref_below(seed, 40));
		if (blocks > MODEL_BLOCKS - lba)
			blocks = MODEL_BLOCKS - lba;
		for (k = 0; !rewrites && k < blocks && !m->at[lba + k]; k++)
			;
		if (!rewrites)
			blocks = k;
		if (!blocks)
			continue;
		if (log->used < log->room && !log->in_place) {
			err = hibswap_log_append(log, lba, blocks, &pos);
			if (blocks > log->room - m->used) {
				assert_int_equal(err, -E2BIG);
				blocks = log->room - m->used;
				err = hibswap_log_append(log, lba, blocks, &pos);
			}
			if (!err) {
				assert_int_equal(pos, m->used);
				model_write(m, lba, blocks, false);
			}
		} else {
			err = hibswap_log_append_in_place(log, lba, blocks);
			if (!err)
				model_write(m, lba, blocks, true);
		}
		if (err) {
			assert_int_equal(err, -ENOSPC);
			assert_int_equal(log->nr, log->cap);
		}
		lba += blocks;
		if (!ref_below(seed, 8))
			model_check(m, log, seed);
	}
}

static void model_random(void **state)
{
	unsigned int round, twice = 0, spilt = 0, no_extent = 0;
	struct hibswap_extent *out, *old;
	struct hibswap_log log;
	struct model m;
	void *scratch;
	int err;

	(void)state;
	for (round = 0; round < 1500; round++) {
		u64 seed = round;
		u64 cap = 1 + ref_below(&seed, 60);
		u64 room = ref_below(&seed, 4) ? 1 + ref_below(&seed, 400) : 100000;

		memset(&m, 0, sizeof(m));
		log = new_log(cap, room);
		model_grow(&m, &log, ref_below(&seed, 70), round & 1, &seed);
		model_check(&m, &log, &seed);
		model_round_trip(&m, &log, &seed);
		twice += m.twice;
		spilt += log.in_place != 0;
		no_extent += log.nr == log.cap;

		err = hibswap_log_index(&log);
		assert_int_equal(err, m.twice ? -EEXIST : 0);
		model_check(&m, &log, &seed);
		if (!err) {
			assert_true(ref_sorted_right(&log));
			free(log.ext);
			continue;
		}
		/* The order of age is back: what is written now is the same map */
		model_round_trip(&m, &log, &seed);
		old = log.ext;
		scratch = exactly(hibswap_log_resolve_scratch(log.nr));
		out = exactly((2 * log.nr - 1) * sizeof(*out));
		assert_int_equal(hibswap_log_resolve(&log, scratch, out, 2 * log.nr - 1), 0);
		free(scratch);
		free(old);
		assert_true(ref_sorted_right(&log));
		model_check(&m, &log, &seed);
		free(log.ext);
	}
	/* The rounds did meet what they are for */
	assert_true(twice > 300 && spilt > 300 && no_extent > 100);
}

/* After -EEXIST the image may still go on: a write behind the signature */
static void append_after_failed_index(void **state)
{
	struct hibswap_log log = new_log(8, 100);
	u64 pos;

	(void)state;
	hibswap_log_append(&log, 30, 5, &pos);
	hibswap_log_append(&log, 10, 5, &pos);
	hibswap_log_append(&log, 12, 1, &pos);
	assert_int_equal(hibswap_log_index(&log), -EEXIST);
	assert_int_equal(hibswap_log_append(&log, 13, 1, &pos), 0);
	assert_int_equal(pos, 11);
	assert_int_equal(log.nr, 3);
	assert_lookup(&log, 12, 9, 10, 2);
	assert_lookup(&log, 14, 9, 9, 1);
	assert_lookup(&log, 30, 9, 0, 5);
	free(log.ext);
}

#define MANY	100000

static void index_of_many(void **state)
{
	struct hibswap_log log = new_log(MANY, 3 * MANY);
	u32 *order = exactly(MANY * sizeof(*order));
	struct hibswap_where w;
	u64 seed = 3, cursor = 0, i, k, pos, lba;

	(void)state;
	for (i = 0; i < MANY; i++)
		order[i] = i;
	for (i = MANY - 1; i; i--) {
		k = ref_below(&seed, i + 1);
		lba = order[i];
		order[i] = order[k];
		order[k] = lba;
	}
	/* Extent k covers 3 of 5 blocks; written in random order */
	for (i = 0; i < MANY; i++)
		assert_int_equal(hibswap_log_append(&log, 5 + 5ULL * order[i], 3, &pos), 0);
	assert_int_equal(log.nr, MANY);
	assert_int_equal(hibswap_log_index(&log), 0);
	assert_int_equal(log.nr, MANY);
	assert_true(ref_sorted_right(&log));
	for (i = 0; i < MANY; i++) {
		lba = 5 + 5ULL * order[i];
		assert_extent(&log, order[i], lba, 3, 3 * i, false);
		if (i & 1)
			cursor = ref_random(&seed);
		hibswap_log_lookup(&log, lba + i % 3, 9, &cursor, &w);
		assert_true(w.mapped && !w.in_place);
		assert_int_equal(w.pos, 3 * i + i % 3);
		assert_int_equal(w.blocks, 3 - i % 3);
		assert_int_equal(cursor, order[i]);
		hibswap_log_lookup(&log, lba + 3, 9, &cursor, &w);
		assert_false(w.mapped);
		assert_int_equal(w.blocks, order[i] == MANY - 1 ? 9 : 2);
	}
	free(order);
	free(log.ext);
}

/* Rewritten all over: the youngest of many, and not in quadratic time */
static void resolve_of_many(void **state)
{
	struct hibswap_log log = new_log(MANY, 100ULL * MANY);
	struct hibswap_extent *old = log.ext, *out = exactly((2 * MANY - 1) * sizeof(*out));
	void *scratch = exactly(hibswap_log_resolve_scratch(MANY));
	u64 *at = calloc(MANY + 100, sizeof(*at));
	u64 seed = 4, cursor = 0, i, k, len, pos, lba;
	struct hibswap_where w;

	(void)state;
	assert_non_null(at);
	for (i = 0; i < MANY; i++) {
		lba = 1 + ref_below(&seed, MANY);
		len = 1 + ref_below(&seed, 90);
		assert_int_equal(hibswap_log_append(&log, lba, len, &pos), 0);
		for (k = 0; k < len; k++)
			at[lba + k] = pos + k + 1;
	}
	assert_int_equal(hibswap_log_index(&log), -EEXIST);
	assert_int_equal(hibswap_log_resolve(&log, scratch, out, 2 * MANY - 1), 0);
	assert_true(ref_sorted_right(&log));
	for (lba = 0; lba < MANY + 100; lba += w.blocks) {
		hibswap_log_lookup(&log, lba, MANY + 100 - lba, &cursor, &w);
		assert_true(w.blocks);
		for (k = 0; k < w.blocks; k++) {
			assert_int_equal(w.mapped, at[lba + k] != 0);
			if (w.mapped)
				assert_int_equal(w.pos + k, at[lba + k] - 1);
		}
	}
	free(at);
	free(scratch);
	free(out);
	free(old);
}

/* CPU time to resolve @n extents over all of the addresses, and as many small ones */
static clock_t resolve_time(u64 n)
{
	struct hibswap_log log = new_log(2 * n, BLOCKS_MAX);
	struct hibswap_extent *old = log.ext, *out = exactly((4 * n - 1) * sizeof(*out));
	void *scratch = exactly(hibswap_log_resolve_scratch(2 * n));
	clock_t took;
	u64 i, pos;

	for (i = 0; i < n; i++)
		assert_int_equal(hibswap_log_append(&log, 1 + (i & 1), 2 * n, &pos), 0);
	for (i = 0; i < n; i++)
		assert_int_equal(hibswap_log_append(&log, 1 + 2 * i, 1, &pos), 0);
	took = clock();
	assert_int_equal(hibswap_log_resolve(&log, scratch, out, 4 * n - 1), 0);
	took = clock() - took;
	assert_int_equal(log.nr, 2 * n);
	assert_true(ref_sorted_right(&log));
	free(scratch);
	free(out);
	free(old);
	return took;
}

/* A hostile map may overlap as much as it likes: that must not hang a boot */
static void resolve_is_not_quadratic(void **state)
{
	clock_t small, large;
	int tries;

	(void)state;
	/* Times of a busy machine are not much to go by: once in three will do */
	for (tries = 0; tries < 3; tries++) {
		small = resolve_time(10000);
		large = resolve_time(80000);
		if (large < 24 * (small + CLOCKS_PER_SEC / 1000))
			return;
	}
	fail_msg("8 times the extents took %g times as long", (double)large / small);
}

/* A cursor that leads to the wrong extent costs a search, never the answer */
static void cursor_is_only_a_hint(void **state)
{
	static const u64 values[] = { 0, 1, 2, 3, 4, 5, 1000, 1ULL << 32, ~0ULL - 1, ~0ULL };
	struct hibswap_log log = new_log(4, 100);
	struct hibswap_where w;
	u64 lba, cursor, pos;
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++)
		hibswap_log_append(&log, 40 - 10 * i, 4, &pos);
	assert_int_equal(hibswap_log_index(&log), 0);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (lba = 0; lba < 60; lba++) {
			bool mapped = lba >= 10 && lba < 50 && lba % 10 < 4;

			cursor = values[i];
			hibswap_log_lookup(&log, lba, 2, &cursor, &w);
			assert_int_equal(w.mapped, mapped);
			/* A miss leaves the hint alone, a hit leads to the extent */
			assert_int_equal(cursor, mapped ? lba / 10 - 1 : values[i]);
			if (mapped) {
				assert_int_equal(w.pos, (4 - lba / 10) * 4 + lba % 10);
				assert_int_equal(w.blocks, lba % 10 == 3 ? 1 : 2);
			}
		}
	}
	free(log.ext);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sixteen_bytes),
		cmocka_unit_test(append_and_merge),
		cmocka_unit_test(longest_extent),
		cmocka_unit_test(log_full),
		cmocka_unit_test(ranges_refused),
		cmocka_unit_test(positions_end),
		cmocka_unit_test(lookup_disjoint),
		cmocka_unit_test(lookup_overlaps),
		cmocka_unit_test(resolve_extremes),
		cmocka_unit_test(positions_in_place),
		cmocka_unit_test(golden_map_bytes),
		cmocka_unit_test(encode_pieces),
		cmocka_unit_test(decode_refusals),
		cmocka_unit_test(decode_window),
		cmocka_unit_test(model_random),
		cmocka_unit_test(append_after_failed_index),
		cmocka_unit_test(index_of_many),
		cmocka_unit_test(resolve_of_many),
		cmocka_unit_test(resolve_is_not_quadratic),
		cmocka_unit_test(cursor_is_only_a_hint),
	};

	/* A look-up that is not logarithmic any more ends here */
	alarm(300);
	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
