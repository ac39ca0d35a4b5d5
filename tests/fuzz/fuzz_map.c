// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile map. Input: 32 bytes (options, split, window; then room of the log,
 * data, a seed for the look-ups), then extents as on disk.
 *
 * It is refused or accepted as the format says, and in every state of the map
 * each look-up agrees with the list of extents.
 */
#include "fuzz.h"

#define EXTENTS_MAX	64
#define OPT_TAME	1	/* small addresses: most are valid and many overlap */
#define OPT_ORDER	2	/* those of the log first */
#define OPT_SHORT	4	/* one extent of memory too few */

struct input {
	u64 nr, split, room, data, window, seed;
	struct hibswap_geom geom;
	struct hibswap_extent_disk disk[EXTENTS_MAX];
};

static void parse(struct input *in, const u8 *data, size_t size)
{
	u8 options = data[0];
	bool in_place = false;
	u64 i;

	in->nr = (size - 32) / 16;
	if (in->nr > EXTENTS_MAX)
		in->nr = EXTENTS_MAX;
	memcpy(in->disk, data + 32, in->nr * 16);
	in->split = in->nr ? data[1] % (in->nr + 1) : 0;
	in->room = ref_get(data, 8, 8);
	in->data = ref_get(data, 16, 8) % ((1ULL << 40) + 1);
	in->window = ref_get(data, 2, 6) % ((1ULL << 40) - in->data + 1);
	in->seed = ref_get(data, 24, 8);
	if (in->room > 1ULL << 40)
		in->room &= (1ULL << 40) - 1;
	if (options & OPT_TAME) {
		in->room = in->room % 8192;
		in->data = 1100 + (options >> 4) * 10;
		in->window = 1200 - in->data % 1200;
	}
	in->geom = (struct hibswap_geom){
		.data_sectors = in->data * 8,
		.window_sectors = in->window * 8,
	};
	for (i = 0; i < in->nr; i++) {
		u8 *e = (u8 *)&in->disk[i];

		if (options & OPT_TAME) {
			ref_put(e, 0, 8, ref_get(e, 0, 8) % 1101);
			ref_put(e, 8, 4, ref_get(e, 8, 4) % 100);
			ref_put(e, 12, 4, ref_get(e, 12, 4) & 1);
		}
		if (options & OPT_ORDER) {
			in_place |= ref_get(e, 12, 1) & 1;
			e[12] = (e[12] & ~1) | in_place;
		}
	}
}

/* The format's rules once more; returns how many extents are good */
static u64 ref_decode(const struct input *in, struct ref_list *list, u64 *used, u64 *in_place)
{
	u64 i;

	*used = 0;
	*in_place = 0;
	for (i = 0; i < in->nr; i++) {
		u64 lba = ref_get(&in->disk[i], 0, 8);
		u64 len = ref_get(&in->disk[i], 8, 4);
		u64 flags = ref_get(&in->disk[i], 12, 4);

		if (!lba || !len || len >> 24 || flags > 1)
			break;
		if (lba > 1ULL << 40 || lba + len > in->data + (flags ? 0 : in->window))
			break;
		if (flags ? *used + *in_place + len > 1ULL << 40 :
			    *in_place || *used + len > in->room)
			break;
		list->w[i] = (struct ref_write){ lba, len, *used, flags };
		*(flags ? in_place : used) += len;
	}
	list->nr = i;
	return i;
}

static void check_lookup(const struct hibswap_log *log, const struct ref_list *list, u64 lba,
			 u64 blocks, u64 *cursor)
{
	struct hibswap_where where;

	memset(&where, 0xa5, sizeof(where));
	hibswap_log_lookup(log, lba, blocks, cursor, &where);
	FUZZ_CHECK(ref_lookup_right(list, lba, blocks, &where));
}

static void check_lookups(const struct hibswap_log *log, const struct ref_list *list, u64 *seed)
{
	u64 cursor = ref_random(seed);
	size_t i;
	int d;

	for (i = 0; i < list->nr; i++) {
		/* Around both ends of each extent */
		for (d = -1; d < 2; d++) {
			if (!ref_below(seed, 4))
				cursor = ref_random(seed) >> ref_below(seed, 64);
			check_lookup(log, list, list->w[i].lba + d, 1 + ref_below(seed, 300),
				     &cursor);
			check_lookup(log, list, list->w[i].lba + list->w[i].len + d,
				     1 + ref_below(seed, 1ULL << 41), &cursor);
		}
		check_lookup(log, list, list->w[i].lba + ref_below(seed, list->w[i].len),
			     1 + ref_below(seed, 300), &cursor);
	}
	check_lookup(log, list, 0, 1ULL << 40, &cursor);
	check_lookup(log, list, ref_below(seed, 1ULL << 40), 1, &cursor);
	check_lookup(log, list, ref_below(seed, 2000), 2000, &cursor);
}

static void check_resolve(struct hibswap_log *log, const struct ref_list *list, u64 *seed)
{
	struct hibswap_log before = *log;
	u64 most = 2 * log->nr - 1, least;
	struct hibswap_extent *out = malloc(most * sizeof(*out));
	void *scratch = malloc(hibswap_log_resolve_scratch(log->nr));

	if (!out || !scratch)
		abort();
	FUZZ_CHECK(!hibswap_log_resolve(log, scratch, out, most));
	FUZZ_CHECK(log->ext == out && log->nr <= most);
	FUZZ_CHECK(ref_sorted_right(log));
	check_lookups(log, list, seed);
	least = log->nr;
	free(out);

	/* Exactly as much memory as needed, and one extent less */
	out = malloc(least * sizeof(*out));
	if (!out)
		abort();
	*log = before;
	FUZZ_CHECK(!hibswap_log_resolve(log, scratch, out, least));
	FUZZ_CHECK(log->nr == least);
	*log = before;
	FUZZ_CHECK(hibswap_log_resolve(log, scratch, out, least - 1) == -ENOSPC);
	FUZZ_CHECK(!memcmp(log, &before, sizeof(before)));
	free(out);
	free(scratch);
}

static void check_encode(const struct hibswap_log *log, const struct input *in)
{
	struct hibswap_extent_disk *disk = malloc(log->nr * 16 + 1);

	if (!disk)
		abort();
	FUZZ_CHECK(hibswap_log_encode(log, 0, disk, in->split) == in->split);
	FUZZ_CHECK(hibswap_log_encode(log, in->split, disk + in->split, ~0ULL) ==
		   log->nr - in->split);
	FUZZ_CHECK(!memcmp(disk, in->disk, log->nr * 16));
	free(disk);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct ref_write writes[EXTENTS_MAX];
	struct ref_list list = { .w = writes };
	u64 good, used, in_place, cap, i;
	struct hibswap_fault fault = {};
	struct hibswap_extent *ext;
	struct hibswap_log log;
	bool twice = false;
	struct input in;
	int err;

	if (size < 32)
		return 0;
	parse(&in, data, size);
	good = ref_decode(&in, &list, &used, &in_place);
	cap = in.nr - (in.nr && data[0] & OPT_SHORT);
	ext = malloc(cap * sizeof(*ext) + 1);
	if (!ext)
		return 0;
	hibswap_log_init(&log, ext, cap, in.room);

	err = hibswap_log_decode(&log, in.disk, in.split, &in.geom, &fault);
	if (!err)
		err = hibswap_log_decode(&log, in.disk + in.split, in.nr - in.split, &in.geom,
					 &fault);
	if (good < in.nr) {
		FUZZ_CHECK(log.nr == good);
		FUZZ_CHECK(err == -EINVAL && fault.what);
	} else if (cap < in.nr) {
		FUZZ_CHECK(log.nr == cap);
		FUZZ_CHECK(err == -ENOSPC && !fault.what);
	} else {
		FUZZ_CHECK(!err && !fault.what);
		FUZZ_CHECK(log.nr == in.nr && log.used == used && log.in_place == in_place);
		check_lookups(&log, &list, &in.seed);
		check_encode(&log, &in);
		for (i = 0; i < in.nr; i++) {
			size_t k;

			for (k = 0; k < i; k++)
				twice |= writes[i].lba < writes[k].lba + writes[k].len &&
					 writes[k].lba < writes[i].lba + writes[i].len;
		}
		err = hibswap_log_index(&log);
		FUZZ_CHECK(err == (twice ? -EEXIST : 0));
		check_lookups(&log, &list, &in.seed);
		if (twice) {
			check_encode(&log, &in);
			check_resolve(&log, &list, &in.seed);
		} else {
			FUZZ_CHECK(ref_sorted_right(&log));
		}
	}
	free(ext);
	return 0;
}

size_t fuzz_seed(unsigned int nr, u8 *data)
{
	u64 seed = nr, count, i, lba = 1, len;

	if (nr >= 8)
		return 0;
	count = nr < 2 ? nr : ref_below(&seed, EXTENTS_MAX);
	data[0] = nr & 3;
	data[1] = nr * 5;
	ref_put(data, 8, 8, nr & 1 ? 4000 : 1ULL << 30);
	ref_put(data, 16, 8, nr & 2 ? 1ULL << 40 : 5000);
	ref_put(data, 2, 6, nr & 1 ? 500 : 0);
	ref_put(data, 24, 8, nr);
	for (i = 0; i < count; i++) {
		len = 1 + ref_below(&seed, 60);
		if (nr > 5)
			lba = 1 + ref_below(&seed, 1000);
		ref_put(data, 32 + 16 * i, 8, lba);
		ref_put(data, 40 + 16 * i, 4, len);
		ref_put(data, 44 + 16 * i, 4, i > count * 3 / 4);
		lba += len + ref_below(&seed, 3);
	}
	return 32 + 16 * count;
}
