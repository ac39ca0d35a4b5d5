// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log while an image is written. Input: 16 bytes (memory for extents, room
 * of the log), then operations of 8 bytes: what, length, address.
 *
 * Held against the list of what was accepted; at the end the map goes to disk
 * and comes back.
 */
#include "fuzz.h"

#define OPS_MAX		120
#define LOGICAL		(1ULL << 40)

static void check_lookup(const struct hibswap_log *log, const struct ref_list *list, u64 lba,
			 u64 blocks, u64 *cursor)
{
	struct hibswap_where where;

	memset(&where, 0xa5, sizeof(where));
	hibswap_log_lookup(log, lba, blocks, cursor, &where);
	FUZZ_CHECK(ref_lookup_right(list, lba, blocks, &where));
}

static void check_all(const struct hibswap_log *log, const struct ref_list *list, u64 *cursor)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		check_lookup(log, list, list->w[i].lba, 1 + i * 7, cursor);
		check_lookup(log, list, list->w[i].lba + list->w[i].len, 1 + i * 7, cursor);
		if (list->w[i].lba)
			check_lookup(log, list, list->w[i].lba - 1, 1 + i * 7, cursor);
	}
	check_lookup(log, list, 0, LOGICAL, cursor);
}

static void round_trip(const struct hibswap_log *log)
{
	struct hibswap_extent_disk *disk = malloc(log->nr * 16 + 1);
	struct hibswap_extent *ext = malloc(log->nr * 16 + 1);
	const struct hibswap_geom geom = { .data_sectors = LOGICAL * 8 };
	struct hibswap_log got;

	if (!disk || !ext)
		abort();
	hibswap_log_init(&got, ext, log->nr, log->room);
	FUZZ_CHECK(hibswap_log_encode(log, 0, disk, ~0ULL) == log->nr);
	FUZZ_CHECK(!hibswap_log_decode(&got, disk, log->nr, &geom, NULL));
	FUZZ_CHECK(got.nr == log->nr && got.used == log->used &&
		   got.in_place == log->in_place);
	FUZZ_CHECK(!memcmp(got.ext, log->ext, log->nr * 16));
	free(disk);
	free(ext);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct ref_write writes[OPS_MAX];
	struct ref_list list = { .w = writes };
	u64 cap, room, used = 0, in_place = 0, cursor = 0, lba, len, pos, nr;
	struct hibswap_extent *ext, *out;
	struct hibswap_log log;
	void *scratch;
	size_t at;
	int err;

	if (size < 16)
		return 0;
	cap = ref_get(data, 0, 2) % (OPS_MAX + 1);
	room = ref_get(data, 8, 6) % ((1ULL << 40) + 1);
	if (data[2] & 1)
		room %= 4096;
	ext = malloc(cap * sizeof(*ext) + 1);
	if (!ext)
		return 0;
	hibswap_log_init(&log, ext, cap, room);
	if (data[2] & 2) {	/* near the end of what positions can say */
		log.used = room - room % 1000;
		used = log.used;
	}
	for (at = 16; at + 8 <= size && list.nr < OPS_MAX; at += 8) {
		u8 op = data[at];
		bool bad;

		len = ref_get(data, at + 1, op & 2 ? 1 : 4);
		lba = ref_get(data, at + (op & 2 ? 2 : 5), op & 4 ? 1 : op & 8 ? 2 : 3);
		if (op & 16)
			lba = list.nr ? list.w[list.nr - 1].lba + list.w[list.nr - 1].len : 1;
		if (op & 32)
			lba = LOGICAL - lba;
		if (op & 64)
			cursor = ref_get(data, at, 8);
		if (!lba)	/* the header page never gets here */
			lba = 1;
		bad = !len || len >> 24 || lba >= LOGICAL || lba + len > LOGICAL;
		nr = log.nr;
		if (op & 1) {
			err = hibswap_log_append_in_place(&log, lba, len);
			bad |= used + in_place + len > 1ULL << 40;
		} else {
			pos = ~0ULL;
			err = hibswap_log_append(&log, lba, len, &pos);
			bad |= in_place != 0;
		}
		if (bad)
			FUZZ_CHECK(err == -EINVAL);
		else if (!(op & 1) && used + len > room)
			FUZZ_CHECK(err == -E2BIG);
		else if (err)
			FUZZ_CHECK(err == -ENOSPC && nr == cap);
		if (err) {
			FUZZ_CHECK(log.nr == nr && log.used == used && log.in_place == in_place);
			continue;
		}
		FUZZ_CHECK(op & 1 || pos == used);
		list.w[list.nr++] = (struct ref_write){ lba, len, used, op & 1 };
		*(op & 1 ? &in_place : &used) += len;
		FUZZ_CHECK(log.used == used && log.in_place == in_place);
		FUZZ_CHECK(log.nr <= nr + 1 && log.nr <= cap);
		check_lookup(&log, &list, lba, len, &cursor);
	}
	check_all(&log, &list, &cursor);
	if (!(data[2] & 2))
		round_trip(&log);
	err = hibswap_log_index(&log);
	check_all(&log, &list, &cursor);
	if (err) {
		FUZZ_CHECK(err == -EEXIST);
		if (!(data[2] & 2))
			round_trip(&log);
		out = malloc((2 * log.nr - 1) * sizeof(*out));
		scratch = malloc(hibswap_log_resolve_scratch(log.nr));
		if (!out || !scratch)
			abort();
		FUZZ_CHECK(!hibswap_log_resolve(&log, scratch, out, 2 * log.nr - 1));
		check_all(&log, &list, &cursor);
		free(scratch);
		free(out);
	}
	free(ext);
	return 0;
}

size_t fuzz_seed(unsigned int nr, u8 *data)
{
	u64 seed = nr;
	size_t i, ops = 10 + nr * 15;

	if (nr >= 6)
		return 0;
	ref_put(data, 0, 2, nr & 1 ? OPS_MAX : 20);
	data[2] = nr & 4 ? 2 : 1;
	ref_put(data, 8, 6, nr & 4 ? (1ULL << 40) - 40 : 2000);
	for (i = 0; i < ops; i++) {
		u8 *op = data + 16 + 8 * i;

		ref_put(op, 0, 8, ref_random(&seed));
		op[0] = 2 | (i > ops * 3 / 4) | (ref_below(&seed, 2) << 4) |
			(nr & 2 ? 4 : 8);
		op[1] = 1 + op[1] % 50;
	}
	return 16 + 8 * ops;
}
