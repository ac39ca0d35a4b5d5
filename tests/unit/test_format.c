// SPDX-License-Identifier: GPL-2.0-only
/*
 * Superblock and geometry: golden bytes, hostile bytes, torn copies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "hibswap_ref.h"
#include "golden.h"

/* After the core's headers, which bring their own assert() */
#include <cmocka.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define MOST		(1ULL << 43)	/* 4 PiB in sectors */
#define A		0
#define B		1

union block {
	u8 b[4096];
	u64 align;
};

static struct hibswap_super sb_empty(void)
{
	struct hibswap_super sb = {
		.generation = 0x0123456789abcdf0,
		.version = 1,
		.state = HIBSWAP_EMPTY,
		.geom = {
			.region_start = 0x800,
			.region_sectors = 0x40005,
			.data_start = 0x100000,
			.data_sectors = 0x200000,
			.window_sectors = 0x20000,
			.log_start = 6144,
			.log_sectors = 0x3efc0,
			.map_start = { 0x407c0, 0x407e0 },
			.map_sectors = 0x20,
		},
		.image.page_size = 4096,
		.past_images[0] = 0x1122334455667788,
	};
	unsigned int i;

	for (i = 0; i < sizeof(sb.uuid); i++)
		sb.uuid[i] = 0xa0 + i;
	return sb;
}

static struct hibswap_super sb_committed(void)
{
	struct hibswap_super sb = sb_empty();

	sb.generation = 0x0123456789abcdef;
	sb.state = HIBSWAP_COMMITTED;
	sb.image = (struct hibswap_image){
		.extents = 1023,
		.map_place = 1,
		.map_crc = 0xcafef00d,
		.log_blocks = 0x7123,
		.in_place_blocks = 0x10203,
		.header_crc = 0xdeadbeef,
		.page_size = 16384,
	};
	sb.past_images[1] = 4096;
	sb.past_images[15] = 0x99;
	return sb;
}

static struct hibswap_super sb_checked(void)
{
	struct hibswap_super sb = sb_committed();

	sb.feature_compat = 3;
	sb.image.extents = 512;
	sb.image.sum_blocks = 0x7ff;
	sb.image.sum_crc = 0x5eed5eed;
	sb.log_dirty = 0x7124;
	return sb;
}

static void golden_block(union block *block, const u8 *bytes)
{
	memset(block, 0, sizeof(*block));
	memcpy(block, bytes, 320);
}

static void golden_checked_block(union block *block)
{
	memset(block, 0, sizeof(*block));
	memcpy(block, golden_checked, sizeof(golden_checked));
}

static void assert_super_equal(const struct hibswap_super *x, const struct hibswap_super *y)
{
	assert_int_equal(x->generation, y->generation);
	assert_int_equal(x->feature_compat, y->feature_compat);
	assert_int_equal(x->feature_incompat, y->feature_incompat);
	assert_int_equal(x->version, y->version);
	assert_int_equal(x->state, y->state);
	assert_memory_equal(x->uuid, y->uuid, sizeof(x->uuid));
	assert_memory_equal(&x->geom, &y->geom, sizeof(x->geom));
	assert_int_equal(x->image.extents, y->image.extents);
	assert_int_equal(x->image.map_place, y->image.map_place);
	assert_int_equal(x->image.map_crc, y->image.map_crc);
	assert_int_equal(x->image.log_blocks, y->image.log_blocks);
	assert_int_equal(x->image.in_place_blocks, y->image.in_place_blocks);
	assert_int_equal(x->image.header_crc, y->image.header_crc);
	assert_int_equal(x->image.page_size, y->image.page_size);
	assert_int_equal(x->image.sum_blocks, y->image.sum_blocks);
	assert_int_equal(x->image.sum_crc, y->image.sum_crc);
	assert_int_equal(x->log_dirty, y->log_dirty);
	assert_memory_equal(x->past_images, y->past_images, sizeof(x->past_images));
}

static void assert_fault(const struct hibswap_fault *fault, const char *what)
{
	assert_non_null(fault->what);
	assert_string_equal(fault->what, what);
}

static void crc_known_values(void **state)
{
	u8 bytes[300];
	unsigned int i;

	(void)state;
	/* RFC 3720, B.4 */
	memset(bytes, 0, 32);
	assert_int_equal(hibswap_crc(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, 32);
	assert_int_equal(hibswap_crc(0, bytes, 32), 0x62a8ab43);
	assert_int_equal(hibswap_crc(0, "123456789", 9), 0xe3069283);
	assert_int_equal(hibswap_crc(0, bytes, 0), 0);

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 7;
	for (i = 0; i <= sizeof(bytes); i++)
		assert_int_equal(hibswap_crc(hibswap_crc(0, bytes, i), bytes + i,
					     sizeof(bytes) - i),
				 ref_crc32c(bytes, sizeof(bytes)));
}

static void golden_super(void **state)
{
	struct hibswap_super committed = sb_committed(), empty = sb_empty(), sb;
	union block want, got;

	(void)state;
	golden_block(&want, golden_committed);
	memset(&got, 0x55, sizeof(got));
	hibswap_super_encode(&committed, got.b);
	assert_memory_equal(got.b, want.b, 4096);
	/* The literal checksum is right by another implementation as well */
	ref_sign_super(want.b);
	assert_memory_equal(got.b, want.b, 4096);
	memset(&sb, 0xaa, sizeof(sb));
	assert_int_equal(hibswap_super_decode(&sb, want.b, B, NULL), 0);
	assert_super_equal(&sb, &committed);

	golden_block(&want, golden_empty);
	memset(&got, 0x55, sizeof(got));
	hibswap_super_encode(&empty, got.b);
	assert_memory_equal(got.b, want.b, 4096);
	ref_sign_super(want.b);
	assert_memory_equal(got.b, want.b, 4096);
	memset(&sb, 0xaa, sizeof(sb));
	assert_int_equal(hibswap_super_decode(&sb, want.b, A, NULL), 0);
	assert_super_equal(&sb, &empty);
}

/* The features that came later, which an older reader passes over */
static void golden_checksums(void **state)
{
	struct hibswap_super checked = sb_checked(), sb;
	union block want, got;

	(void)state;
	golden_checked_block(&want);
	memset(&got, 0x55, sizeof(got));
	hibswap_super_encode(&checked, got.b);
	assert_memory_equal(got.b, want.b, 4096);
	ref_sign_super(want.b);
	assert_memory_equal(got.b, want.b, 4096);
	memset(&sb, 0xaa, sizeof(sb));
	assert_int_equal(hibswap_super_decode(&sb, want.b, B, NULL), 0);
	assert_super_equal(&sb, &checked);

	/* The bit follows from the number, and both go with the image */
	sb.image.sum_blocks = 0;
	hibswap_super_encode(&sb, got.b);
	assert_int_equal(ref_get(got.b, 24, 8), 2);
	assert_int_equal(ref_get(got.b, 328, 4), 0);
	sb = sb_checked();
	sb.state = HIBSWAP_EMPTY;
	hibswap_super_encode(&sb, got.b);
	assert_int_equal(ref_get(got.b, 24, 8), 2);
	assert_true(hibswap_is_zero(got.b + 320, 12));
	assert_int_equal(ref_get(got.b, 336, 8), 0x7124);
	assert_int_equal(hibswap_super_decode(&sb, got.b, B, NULL), 0);
}

/* Where checksums lie, and how many */
static void sums_behind_the_map(void **state)
{
	struct hibswap_super sb = sb_checked();
	const struct hibswap_geom *g = &sb.geom;

	(void)state;
	assert_int_equal(hibswap_sum_room(g, 1), 3 * 1024);
	assert_int_equal(hibswap_sum_room(g, 256), 3 * 1024);
	assert_int_equal(hibswap_sum_room(g, 257), 2 * 1024);
	assert_int_equal(hibswap_sum_room(g, 768), 1024);
	assert_int_equal(hibswap_sum_room(g, 769), 0);
	assert_int_equal(hibswap_sum_room(g, 1024), 0);
	assert_int_equal(hibswap_sum_sector(g, 0, 1), 0x407c0 + 8);
	assert_int_equal(hibswap_sum_sector(g, 1, 257), 0x407e0 + 16);
	/* Unless somebody has kept count, everything is dirty */
	assert_int_equal(hibswap_log_dirty(&sb), 0x7124);
	sb.feature_compat = 0;
	assert_int_equal(hibswap_log_dirty(&sb), 0x3efc0 / 8);
	hibswap_set_log_dirty(&sb, 5);
	assert_int_equal(hibswap_log_dirty(&sb), 5);
}

/* Without an image no field of an earlier one may be left, whatever the caller gives */
static void encode_empty_forgets_image(void **state)
{
	struct hibswap_super sb = sb_committed(), empty = sb_empty();
	union block got;

	(void)state;
	sb.generation = empty.generation;
	sb.state = HIBSWAP_EMPTY;
	hibswap_super_encode(&sb, got.b);
	assert_true(hibswap_is_zero(got.b + 152, 192 - 152));
	assert_int_equal(hibswap_super_decode(&sb, got.b, A, NULL), 0);
	assert_int_equal(sb.image.extents, 0);
	assert_int_equal(sb.image.page_size, 16384);
}

struct bad_field {
	const char *name;
	size_t at;
	unsigned int width;
	u64 value;
	int err;
	const char *what;
};

/* Each in a superblock that is right otherwise, checksum included */
static const struct bad_field bad_fields[] = {
	{ "magic", 0, 1, 'D', -EMEDIUMTYPE, "magic" },
	{ "magic's end", 15, 1, 1, -EMEDIUMTYPE, "magic" },
	{ "version 0", 16, 4, 0, -EPROTONOSUPPORT, "version" },
	{ "version 2", 16, 4, 2, -EPROTONOSUPPORT, "version" },
	{ "version high", 16, 4, 0x01000001, -EPROTONOSUPPORT, "version" },
	{ "incompat lowest", 32, 8, 1, -EPROTONOSUPPORT, "feature_incompat" },
	{ "incompat highest", 32, 8, 1ULL << 63, -EPROTONOSUPPORT, "feature_incompat" },
	{ "parity", 56, 8, 0x0123456789abcdee, -EINVAL, "generation parity" },
	{ "parity of 0", 56, 8, 0, -EINVAL, "generation parity" },
	{ "last generation", 56, 8, ~0ULL, -EINVAL, "generation" },
	{ "generation too high", 56, 8, HIBSWAP_GENERATION_MAX + 2, -EINVAL, "generation" },
	{ "state 0", 64, 4, 0, -EINVAL, "state" },
	{ "state 3", 64, 4, 3, -EINVAL, "state" },
	{ "state high", 64, 4, 0x80000002, -EINVAL, "state" },
	{ "page size 0", 68, 4, 0, -EINVAL, "page_size" },
	{ "page size 2048", 68, 4, 2048, -EINVAL, "page_size" },
	{ "page size 131072", 68, 4, 131072, -EINVAL, "page_size" },
	{ "page size 12288", 68, 4, 12288, -EINVAL, "page_size" },
	{ "page size 2^31", 68, 4, 1U << 31, -EINVAL, "page_size" },
	{ "region behind the end", 72, 8, MOST, -EINVAL, "region_start" },
	{ "region start high", 72, 8, ~7ULL, -EINVAL, "region_start" },
	{ "region start odd", 72, 8, 0x801, -EINVAL, "region_start alignment" },
	{ "region moved", 72, 8, 0x1000, -EINVAL, "log_start" },
	{ "region moved a little", 72, 8, 0x808, -EINVAL, "log_sectors" },
	{ "region over data", 72, 8, 0x100000, -EINVAL, "data and region overlap" },
	{ "region end in data", 72, 8, 0x100000 - 0x40000, -EINVAL, "data and region overlap" },
	{ "region size 0", 80, 8, 0, -EINVAL, "map_sectors" },
	{ "region size max", 80, 8, ~0ULL, -EINVAL, "region_sectors" },
	{ "region size over", 80, 8, MOST - 0x800 + 1, -EINVAL, "region_sectors" },
	{ "region into data", 80, 8, 0x100000 - 0x800 + 1, -EINVAL, "data and region overlap" },
	{ "region shorter", 80, 8, 0x3ffff, -EINVAL, "log_sectors" },
	{ "region longer", 80, 8, 0x40008, -EINVAL, "log_sectors" },
	{ "region much shorter", 80, 8, 0x40, -EINVAL, "map_sectors" },
	{ "data at 0", 88, 8, 0, -EINVAL, "data_start" },
	{ "data below 1 MiB", 88, 8, 2040, -EINVAL, "data_start" },
	{ "data behind the end", 88, 8, MOST, -EINVAL, "data_start" },
	{ "data start high", 88, 8, ~7ULL, -EINVAL, "data_start" },
	{ "data start odd", 88, 8, 0x100004, -EINVAL, "data_start alignment" },
	{ "data in region", 88, 8, 0x800, -EINVAL, "data and region overlap" },
	{ "data at region's end", 88, 8, 0x40800, -EINVAL, "data and region overlap" },
	{ "no data", 96, 8, 0, -EINVAL, "data_sectors" },
	{ "data size max", 96, 8, ~0ULL, -EINVAL, "data_sectors" },
	{ "data size over", 96, 8, MOST - 0x100000 + 1, -EINVAL, "data_sectors" },
	{ "data size odd", 96, 8, 0x200001, -EINVAL, "window alignment" },
	{ "window max", 104, 8, ~0ULL, -EINVAL, "window_sectors" },
	{ "window wraps", 104, 8, ~0ULL - 0x200000 + 1, -EINVAL, "window_sectors" },
	{ "window over", 104, 8, MOST - 0x200000 + 8, -EINVAL, "window_sectors" },
	{ "window larger than the log", 104, 8, 0x3efc0 + 8, -EINVAL, "window_sectors" },
	{ "window odd", 104, 8, 0x20004, -EINVAL, "window alignment" },
	{ "log start 0", 112, 8, 0, -EINVAL, "log_start" },
	{ "log start later", 112, 8, 8192, -EINVAL, "log_start" },
	{ "log start high", 112, 8, 6144 + (1ULL << 63), -EINVAL, "log_start" },
	{ "log size 0", 120, 8, 0, -EINVAL, "log_sectors" },
	{ "log over map", 120, 8, 0x3efc0 + 8, -EINVAL, "log_sectors" },
	{ "log shorter", 120, 8, 0x3efc0 - 8, -EINVAL, "log_sectors" },
	{ "map 0 at 0", 128, 8, 0, -EINVAL, "map_start[0]" },
	{ "map 0 over map 1", 128, 8, 0x407e0, -EINVAL, "map_start[0]" },
	{ "map 1 over map 0", 136, 8, 0x407c0, -EINVAL, "map_start[1]" },
	{ "map 1 behind region", 136, 8, 0x40808, -EINVAL, "map_start[1]" },
	{ "map size 0", 144, 8, 0, -EINVAL, "map_sectors" },
	{ "map size odd", 144, 8, 0x21, -EINVAL, "map_sectors" },
	{ "map size high", 144, 8, 1ULL << 63, -EINVAL, "map_sectors" },
	{ "map size max", 144, 8, ~7ULL, -EINVAL, "map_sectors" },
	{ "map half of region", 144, 8, 0x20000, -EINVAL, "map_sectors" },
	{ "map leaves no log", 144, 8, (0x40800 - 6144 - 120) / 2, -EINVAL, "map_sectors" },
	{ "map smaller", 144, 8, 0x18, -EINVAL, "log_sectors" },
	{ "no extents", 152, 8, 0, -EINVAL, "map_extents" },
	{ "too many extents", 152, 8, 1025, -EINVAL, "map_extents" },
	{ "extents high", 152, 8, 1ULL << 60, -EINVAL, "map_extents" },
	{ "map place 2", 160, 4, 2, -EINVAL, "map_place" },
	{ "map place max", 160, 4, ~0U, -EINVAL, "map_place" },
	{ "log overfull", 168, 8, 0x3efc0 / 8 + 1, -EINVAL, "log_blocks" },
	{ "log blocks high", 168, 8, 1ULL << 61, -EINVAL, "log_blocks" },
	{ "in place over", 176, 8, (1ULL << 40) + 1, -EINVAL, "in_place_blocks" },
	{ "in place max", 176, 8, ~0ULL, -EINVAL, "in_place_blocks" },
	{ "reserved 0", 188, 1, 1, -EINVAL, "reserved bytes" },
	{ "reserved 0 end", 191, 1, 0x80, -EINVAL, "reserved bytes" },
	{ "sums without the bit", 320, 1, 1, -EINVAL, "reserved bytes" },
	{ "sums' checksum without the bit", 331, 1, 1, -EINVAL, "reserved bytes" },
	{ "reserved 2", 332, 1, 1, -EINVAL, "reserved bytes" },
	{ "dirty without the bit", 343, 1, 1, -EINVAL, "reserved bytes" },
	{ "reserved 1", 344, 1, 1, -EINVAL, "reserved bytes" },
	{ "reserved 1 end", 4095, 1, 1, -EINVAL, "reserved bytes" },
};

static void field_out_of_range(void **state)
{
	struct hibswap_fault fault;
	struct hibswap_super sb;
	union block block;
	unsigned int i;
	int err;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad_fields); i++) {
		const struct bad_field *f = &bad_fields[i];

		golden_block(&block, golden_committed);
		ref_put(block.b, f->at, f->width, f->value);
		ref_sign_super(block.b);
		fault = (struct hibswap_fault){};
		err = hibswap_super_decode(&sb, block.b, B, &fault);
		if (err != f->err || !fault.what || strcmp(fault.what, f->what))
			fail_msg("%s: error %d (%s), expected %d (%s)", f->name, err,
				 fault.what ? fault.what : "nothing", f->err, f->what);
		/* Nobody needs to ask for the fault */
		memset(&sb, 0xa5, sizeof(sb));
		assert_int_equal(hibswap_super_decode(&sb, block.b, B, NULL), f->err);
		/* The choice between the copies rests on these, whatever is wrong */
		if (err == -EINVAL || err == -EPROTONOSUPPORT) {
			assert_int_equal(sb.generation, ref_get(block.b, 56, 8));
			assert_int_equal(sb.version, ref_get(block.b, 16, 4));
			assert_int_equal(sb.feature_incompat, ref_get(block.b, 32, 8));
		}
	}
}

/* In golden_checked */
static const struct bad_field bad_compat_fields[] = {
	{ "more sums than room", 320, 8, 2049, -EINVAL, "sum_blocks" },
	{ "sums high", 320, 8, ~0ULL, -EINVAL, "sum_blocks" },
	{ "no room for sums", 152, 8, 1024, -EINVAL, "sum_blocks" },
	{ "more sums than blocks", 168, 16, 0x7fe, -EINVAL, "sum_blocks" },
	{ "sums without an image", 64, 4, HIBSWAP_EMPTY, -EINVAL, "image fields without an image" },
	{ "dirty behind the log", 336, 8, 0x3efc0 / 8 + 1, -EINVAL, "log_dirty" },
	{ "dirty high", 336, 8, ~0ULL, -EINVAL, "log_dirty" },
	{ "reserved 2", 332, 4, 1, -EINVAL, "reserved bytes" },
	{ "reserved 1", 344, 1, 1, -EINVAL, "reserved bytes" },
	{ "sums bit away", 24, 1, 2, -EINVAL, "reserved bytes" },
	{ "dirty bit away", 24, 1, 1, -EINVAL, "reserved bytes" },
	{ "sums full", 320, 8, 2048, 0, NULL },
	{ "as many sums as blocks", 168, 16, 0x7ff, 0, NULL },
	{ "no sums", 320, 8, 0, 0, NULL },
	{ "all dirty", 336, 8, 0x3efc0 / 8, 0, NULL },
	{ "nothing dirty", 336, 8, 0, 0, NULL },
};

static void compat_field_out_of_range(void **state)
{
	struct hibswap_super sb;
	union block block;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad_compat_fields); i++) {
		const struct bad_field *f = &bad_compat_fields[i];
		struct hibswap_fault fault = {};
		int err;

		golden_checked_block(&block);
		memset(block.b + f->at, 0, f->width);
		ref_put(block.b, f->at, f->width < 8 ? f->width : 8, f->value);
		ref_sign_super(block.b);
		err = hibswap_super_decode(&sb, block.b, B, &fault);
		if (err != f->err || !fault.what != !f->what ||
		    (f->what && strcmp(fault.what, f->what)))
			fail_msg("%s: error %d (%s), expected %d (%s)", f->name, err,
				 fault.what ? fault.what : "nothing", f->err,
				 f->what ? f->what : "nothing");
	}
}

/* The last value that is still allowed, so that the bounds are exact */
static const struct bad_field good_fields[] = {
	{ "generation 1", 56, 8, 1, 0, NULL },
	{ "generation high", 56, 8, HIBSWAP_GENERATION_MAX, 0, NULL },
	{ "page size 4096", 68, 4, 4096, 0, NULL },
	{ "page size 65536", 68, 4, 65536, 0, NULL },
	{ "region size by the sector", 80, 8, 0x40007, 0, NULL },
	{ "region size down", 80, 8, 0x40000, 0, NULL },
	{ "data right behind", 88, 8, 0x40808, 0, NULL },
	{ "data last", 88, 8, MOST - 0x200000, 0, NULL },
	{ "data size last", 96, 8, MOST - 0x100000, 0, NULL },
	{ "data size one block", 96, 8, 8, 0, NULL },
	{ "no window", 104, 8, 0, 0, NULL },
	{ "window fills the log", 104, 8, 0x3efc0, 0, NULL },
	{ "one extent", 152, 8, 1, 0, NULL },
	{ "extents full", 152, 8, 1024, 0, NULL },
	{ "map place 0", 160, 4, 0, 0, NULL },
	{ "log full", 168, 8, 0x3efc0 / 8, 0, NULL },
	{ "all in place", 168, 8, 0, 0, NULL },
	{ "nothing in place", 176, 8, 0, 0, NULL },
	{ "in place last", 176, 8, 1ULL << 40, 0, NULL },
};

static void field_at_its_bound(void **state)
{
	struct hibswap_fault fault;
	struct hibswap_super sb;
	union block block, again;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good_fields); i++) {
		const struct bad_field *f = &good_fields[i];

		golden_block(&block, golden_committed);
		ref_put(block.b, f->at, f->width, f->value);
		ref_sign_super(block.b);
		fault = (struct hibswap_fault){};
		if (hibswap_super_decode(&sb, block.b, B, &fault))
			fail_msg("%s: refused (%s)", f->name, fault.what);
		hibswap_super_encode(&sb, again.b);
		assert_memory_equal(again.b, block.b, 4096);
	}
}

static void image_fields(void **state)
{
	/* Fields of an image where there is none */
	static const struct { size_t at; unsigned int width; } image[] = {
		{ 152, 8 }, { 160, 4 }, { 164, 4 }, { 168, 8 }, { 176, 8 }, { 184, 4 },
	};
	struct hibswap_fault fault;
	struct hibswap_super sb;
	union block block;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(image); i++) {
		golden_block(&block, golden_empty);
		ref_put(block.b, image[i].at, image[i].width, 1);
		ref_sign_super(block.b);
		assert_int_equal(hibswap_super_decode(&sb, block.b, A, &fault), -EINVAL);
		assert_fault(&fault, "image fields without an image");
		golden_block(&block, golden_empty);
		ref_put(block.b, image[i].at + image[i].width - 1, 1, 0x80);
		ref_sign_super(block.b);
		assert_int_equal(hibswap_super_decode(&sb, block.b, A, &fault), -EINVAL);
		assert_fault(&fault, "image fields without an image");
	}
	/* An image of nothing */
	golden_block(&block, golden_committed);
	ref_put(block.b, 168, 8, 0);
	ref_put(block.b, 176, 8, 0);
	ref_sign_super(block.b);
	assert_int_equal(hibswap_super_decode(&sb, block.b, B, &fault), -EINVAL);
	assert_fault(&fault, "log_blocks");
	/* Data by the sector, as long as there is no window */
	golden_block(&block, golden_committed);
	ref_put(block.b, 96, 8, 0x200001);
	ref_put(block.b, 104, 8, 0);
	ref_sign_super(block.b);
	assert_int_equal(hibswap_super_decode(&sb, block.b, B, &fault), 0);
	/* Generation 0 is a generation */
	golden_block(&block, golden_empty);
	ref_put(block.b, 56, 8, 0);
	ref_sign_super(block.b);
	assert_int_equal(hibswap_super_decode(&sb, block.b, A, &fault), 0);
}

static void unknown_version_is_named(void **state)
{
	struct hibswap_fault fault;
	struct hibswap_super sb;
	union block block;

	(void)state;
	/* Everything else may mean something else there: it is not looked at */
	golden_block(&block, golden_committed);
	ref_put(block.b, 16, 4, 7);
	ref_put(block.b, 64, 4, 99);
	ref_put(block.b, 72, 8, ~0ULL);
	ref_put(block.b, 2000, 8, ~0ULL);
	ref_sign_super(block.b);
	/* In the other copy's place, even */
	assert_int_equal(hibswap_super_decode(&sb, block.b, A, &fault), -EPROTONOSUPPORT);
	assert_fault(&fault, "version");
	assert_int_equal(fault.value, 7);
	assert_int_equal(fault.limit, 1);
	assert_int_equal(sb.version, 7);
	assert_int_equal(sb.generation, 0x0123456789abcdef);

	golden_block(&block, golden_committed);
	ref_put(block.b, 24, 8, 0x8000000000000001);
	ref_put(block.b, 32, 8, 0x20);
	ref_sign_super(block.b);
	assert_int_equal(hibswap_super_decode(&sb, block.b, B, &fault), -EPROTONOSUPPORT);
	assert_fault(&fault, "feature_incompat");
	assert_int_equal(fault.value, 0x20);
	assert_int_equal(sb.feature_incompat, 0x20);
	assert_int_equal(sb.feature_compat, 0x8000000000000001);
}

static void unknown_compat_is_accepted(void **state)
{
	struct hibswap_super sb, want = sb_committed();
	union block block;
	unsigned int bit;

	(void)state;
	for (bit = 2; bit < 64; bit++) {
		golden_block(&block, golden_committed);
		ref_put(block.b, 24, 8, 1ULL << bit);
		ref_sign_super(block.b);
		assert_int_equal(hibswap_super_decode(&sb, block.b, B, NULL), 0);
		want.feature_compat = 1ULL << bit;
		assert_super_equal(&sb, &want);
		/* Such a feature may have its data where there was nothing */
		ref_put(block.b, 188, 4, 0x12345678);
		ref_put(block.b, 320, 8, ~0ULL);
		ref_put(block.b, 4088, 8, ~0ULL);
		ref_sign_super(block.b);
		assert_int_equal(hibswap_super_decode(&sb, block.b, B, NULL), 0);
		assert_super_equal(&sb, &want);
	}
}

static void not_ours(void **state)
{
	struct hibswap_fault fault;
	struct hibswap_super sb;
	union block block;
	unsigned int i;

	(void)state;
	memset(&block, 0, sizeof(block));
	assert_int_equal(hibswap_super_decode(&sb, block.b, A, &fault), -ENODATA);
	assert_fault(&fault, "all zero");
	/* One bit anywhere makes it somebody's */
	for (i = 0; i < 4096; i++) {
		memset(&block, 0, sizeof(block));
		block.b[i] = 0x80 >> i % 8;
		assert_int_equal(hibswap_super_decode(&sb, block.b, A, &fault), -EMEDIUMTYPE);
	}
	memset(&block, 0xff, sizeof(block));
	assert_int_equal(hibswap_super_decode(&sb, block.b, A, &fault), -EMEDIUMTYPE);
	assert_fault(&fault, "magic");
	memset(&block, 0, sizeof(block));
	memcpy(block.b + 4086, "SWAPSPACE2", 10);
	assert_int_equal(hibswap_super_decode(&sb, block.b, A, &fault), -EMEDIUMTYPE);
	/* The magic alone is not enough */
	memset(&block, 0, sizeof(block));
	memcpy(block.b, golden_committed, 16);
	assert_int_equal(hibswap_super_decode(&sb, block.b, A, &fault), -EBADMSG);
	assert_fault(&fault, "crc");
}

static void every_bit_is_covered(void **state)
{
	struct hibswap_super sb;
	union block block;
	unsigned int i;

	(void)state;
	golden_block(&block, golden_committed);
	for (i = 0; i < 4096 * 8; i++) {
		block.b[i / 8] ^= 1 << i % 8;
		assert_int_equal(hibswap_super_decode(&sb, block.b, B, NULL),
				 i < 128 ? -EMEDIUMTYPE : -EBADMSG);
		block.b[i / 8] ^= 1 << i % 8;
	}
	assert_int_equal(hibswap_super_decode(&sb, block.b, B, NULL), 0);
}

static void check_torn(const union block *old, const union block *new, size_t at)
{
	struct hibswap_super sb;
	union block torn, again;
	int err;

	memcpy(torn.b, old->b, 4096);
	memcpy(torn.b, new->b, at);
	err = hibswap_super_decode(&sb, torn.b, B, NULL);
	if (!memcmp(torn.b, old->b, 4096) || !memcmp(torn.b, new->b, 4096)) {
		assert_int_equal(err, 0);
		hibswap_super_encode(&sb, again.b);
		assert_memory_equal(again.b, torn.b, 4096);
	} else {
		assert_int_equal(err, -EBADMSG);
	}
}

static void torn_copies(void **state)
{
	struct hibswap_super sb = sb_committed();
	union block old, new, other, torn;
	size_t at;
	unsigned int mask;

	(void)state;
	hibswap_super_encode(&sb, old.b);
	/* An image of two generations later, all of its fields others */
	sb.generation += 2;
	sb.image.extents = 3;
	sb.image.map_place = 0;
	sb.image.map_crc = 0x12345678;
	sb.image.log_blocks = 77;
	sb.image.in_place_blocks = 0;
	sb.image.header_crc = 0x87654321;
	memmove(sb.past_images + 1, sb.past_images, 15 * 8);
	sb.past_images[0] = 77 * 4096;
	hibswap_super_encode(&sb, new.b);
	for (at = 0; at <= 4096; at++) {
		check_torn(&old, &new, at);
		check_torn(&new, &old, at);
	}
	/* An invalidation: the image must not shine through */
	sb.state = HIBSWAP_EMPTY;
	hibswap_super_encode(&sb, other.b);
	for (at = 0; at <= 4096; at++) {
		check_torn(&old, &other, at);
		check_torn(&other, &old, at);
	}
	/*
	 * A later format may fill the whole block. Sectors reach the disk in
	 * any order: all 256 mixes of the eight sectors.
	 */
	for (at = 0; at < 8; at++) {
		ref_put(old.b, at * 512 + 500, 4, 0x1111 + at);
		ref_put(other.b, at * 512 + 500, 4, 0x2222 + at);
	}
	ref_sign_super(old.b);
	ref_sign_super(other.b);
	for (mask = 0; mask < 256; mask++) {
		for (at = 0; at < 8; at++)
			memcpy(torn.b + at * 512,
			       (mask >> at & 1 ? other.b : old.b) + at * 512, 512);
		assert_int_equal(hibswap_super_decode(&sb, torn.b, B, NULL),
				 mask == 0 || mask == 255 ? -EINVAL : -EBADMSG);
	}
	/* First write over zeros, torn: never taken for blank nor for valid */
	memset(&old, 0, sizeof(old));
	golden_block(&new, golden_committed);
	for (at = 1; at < 313; at++)
		if (at >= 16) {
			memcpy(torn.b, old.b, 4096);
			memcpy(torn.b, new.b, at);
			assert_int_equal(hibswap_super_decode(&sb, torn.b, B, NULL), -EBADMSG);
		}
}

static void choose_all_combinations(void **state)
{
	enum { OK, NODATA, MEDIUM, BADMSG, PROTO, INVAL, NR };
	static const int code[NR] = {
		0, -ENODATA, -EMEDIUMTYPE, -EBADMSG, -EPROTONOSUPPORT, -EINVAL
	};
	/* Rows: copy A, columns: copy B; a valid copy being the newer one */
	static const int want[NR][NR] = {
		[OK] = { 0, A, A, A, -EPROTONOSUPPORT, A },
		[NODATA] = { B, -ENODATA, -EMEDIUMTYPE, -EBADMSG, -EPROTONOSUPPORT, -EINVAL },
		[MEDIUM] = { B, -EMEDIUMTYPE, -EMEDIUMTYPE, -EBADMSG, -EPROTONOSUPPORT, -EINVAL },
		[BADMSG] = { B, -EBADMSG, -EBADMSG, -EBADMSG, -EPROTONOSUPPORT, -EINVAL },
		[PROTO] = { -EPROTONOSUPPORT, -EPROTONOSUPPORT, -EPROTONOSUPPORT,
			    -EPROTONOSUPPORT, -EPROTONOSUPPORT, -EPROTONOSUPPORT },
		[INVAL] = { B, -EINVAL, -EINVAL, -EINVAL, -EPROTONOSUPPORT, -EINVAL },
	};
	struct hibswap_super sb[2] = {};
	int a, b, newer, expect;

	(void)state;
	for (a = 0; a < NR; a++) {
		for (b = 0; b < NR; b++) {
			for (newer = A; newer <= B; newer++) {
				const int err[2] = { code[a], code[b] };

				sb[0].generation = newer == A ? 8 : 6;
				sb[1].generation = 7;
				expect = want[a][b];
				if (a == OK && b == OK)
					expect = newer;
				/* One that is not torn is not passed over if it is newer */
				if ((a == OK && b == INVAL && newer == B) ||
				    (a == INVAL && b == OK && newer == A))
					expect = -EINVAL;
				assert_int_equal(hibswap_super_choose(err, sb), expect);
			}
		}
	}
	/* Copy A's bytes in copy B's place: of one generation, so nobody knows */
	sb[0].generation = 8;
	sb[1].generation = 8;
	assert_int_equal(hibswap_super_choose((int[]){ 0, -EINVAL }, sb), -EINVAL);
	assert_int_equal(hibswap_super_choose((int[]){ -EINVAL, 0 }, sb), -EINVAL);
	/* A checksum that is wrong makes the generation mean nothing */
	sb[1].generation = ~0ULL;
	assert_int_equal(hibswap_super_choose((int[]){ 0, -EBADMSG }, sb), A);
	sb[1].generation = 7;
	sb[0].generation = 6;
	assert_int_equal(hibswap_super_choose((int[]){ 0, 0 }, sb), B);
	sb[0].generation = 8;
	assert_int_equal(hibswap_super_choose((int[]){ 0, 0 }, sb), A);
	/* Numbers, not differences: 64 bits do not wrap */
	sb[0].generation = ~0ULL - 1;
	sb[1].generation = 1;
	assert_int_equal(hibswap_super_choose((int[]){ 0, 0 }, sb), A);
	sb[0].generation = 0;
	sb[1].generation = ~0ULL - 2;
	assert_int_equal(hibswap_super_choose((int[]){ 0, 0 }, sb), B);
}

static void copies_and_places(void **state)
{
	(void)state;
	assert_int_equal(hibswap_super_copy(0), A);
	assert_int_equal(hibswap_super_copy(1), B);
	assert_int_equal(hibswap_super_copy(1ULL << 40), A);
	assert_int_equal(hibswap_super_sector(64, A), 64);
	/* At least 1 MiB apart */
	assert_int_equal(hibswap_super_sector(64, B), 64 + 2048);
	assert_int_equal(hibswap_super_sector(MOST - 8, B), MOST - 8 + 2048);
}

static struct hibswap_geom areas(u64 region_start, u64 region_sectors, u64 data_start,
				 u64 data_sectors, u64 window_sectors)
{
	return (struct hibswap_geom){
		.region_start = region_start, .region_sectors = region_sectors,
		.data_start = data_start, .data_sectors = data_sectors,
		.window_sectors = window_sectors,
	};
}

static void geom_known(void **state)
{
	struct hibswap_geom g = areas(0, 0x40000, 0x40000, 0x200000, 0);
	const struct hibswap_super sb = sb_empty();

	(void)state;
	assert_int_equal(hibswap_geom_init(&g, 1000, NULL), 0);
	/* 16000 bytes are 4 blocks */
	assert_int_equal(g.map_sectors, 32);
	assert_int_equal(g.log_start, 4096);
	assert_int_equal(g.map_start[1], 0x40000 - 32);
	assert_int_equal(g.map_start[0], 0x40000 - 64);
	assert_int_equal(g.log_sectors, 0x40000 - 64 - 4096);
	assert_int_equal(hibswap_map_extents_max(&g), 1024);
	/* A map is never smaller than a block, and never one extent short */
	assert_int_equal(hibswap_geom_init(&g, 0, NULL), 0);
	assert_int_equal(g.map_sectors, 8);
	assert_int_equal(hibswap_geom_init(&g, 256, NULL), 0);
	assert_int_equal(g.map_sectors, 8);
	assert_int_equal(hibswap_geom_init(&g, 257, NULL), 0);
	assert_int_equal(g.map_sectors, 16);
	/* The golden one */
	g = areas(0x800, 0x40005, 0x100000, 0x200000, 0x20000);
	assert_int_equal(hibswap_geom_init(&g, 1024, NULL), 0);
	assert_memory_equal(&g, &sb.geom, sizeof(g));
	/* Half of memory, and an eighth more of that */
	assert_int_equal(hibswap_default_extents(0), 256);
	assert_int_equal(hibswap_default_extents(1 << 20), 9 << 16);
	assert_int_equal(hibswap_default_extents(1ULL << 40), 9ULL << 36);
}

static void geom_too_small(void **state)
{
	struct hibswap_fault fault = {};
	struct hibswap_geom g;
	u64 start, sectors, extents;

	(void)state;
	/* For any start the fault's limit is exact */
	for (start = 0; start < 4096; start += 8) {
		for (extents = 0; extents < 2000; extents += 333) {
			g = areas(start, 0, 1 << 20, 8, 0);
			assert_int_equal(hibswap_geom_init(&g, extents, &fault), -ENOSPC);
			assert_fault(&fault, "region_sectors");
			assert_int_equal(fault.value, 0);
			sectors = fault.limit;
			g = areas(start, sectors - 1, 1 << 20, 8, 0);
			assert_int_equal(hibswap_geom_init(&g, extents, &fault), -ENOSPC);
			assert_int_equal(fault.limit, sectors);
			g = areas(start, sectors, 1 << 20, 8, 0);
			assert_int_equal(hibswap_geom_init(&g, extents, &fault), 0);
			assert_int_equal(g.log_sectors, 128);
			assert_null(ref_geom_wrong(&g));
		}
	}
	/* Two superblocks, 64 KiB and two maps of a block, from a MiB on */
	g = areas(2048, 0, 1 << 20, 8, 0);
	assert_int_equal(hibswap_geom_init(&g, 0, &fault), -ENOSPC);
	assert_int_equal(fault.limit, 4096 + 128 + 16);
	for (sectors = 0; sectors < 4096 + 128 + 16; sectors++) {
		g = areas(2048, sectors, 1 << 20, 8, 0);
		assert_int_equal(hibswap_geom_init(&g, 0, NULL), -ENOSPC);
	}
	/* More extents than there are blocks */
	g = areas(0, MOST / 2, MOST / 2, 8, 0);
	assert_int_equal(hibswap_geom_init(&g, (1ULL << 40) + 1, &fault), -EINVAL);
	assert_fault(&fault, "map extents");
	assert_int_equal(hibswap_geom_init(&g, ~0ULL, &fault), -EINVAL);
	assert_fault(&fault, "map extents");
	assert_int_equal(hibswap_geom_init(&g, 1ULL << 40, &fault), 0);
	assert_null(ref_geom_wrong(&g));
}

static void geom_areas(void **state)
{
	static const struct {
		u64 a[5];
		int err;
		const char *what;
	} cases[] = {
		{ { 0, 8192, 8192, 8, 0 }, 0, NULL },
		{ { 1 << 20, 8192, 2048, (1 << 20) - 2048, 0 }, 0, NULL },
		{ { 1 << 20, 8192, 2048, (1 << 20) - 2047, 0 }, -EINVAL, "data and region overlap" },
		{ { 0, 8193, 8192, 8, 0 }, -EINVAL, "data and region overlap" },
		{ { 8192, 8192, 4096, 1 << 20, 0 }, -EINVAL, "data and region overlap" },
		{ { 4096, 1 << 20, 8192, 8, 0 }, -EINVAL, "data and region overlap" },
		{ { 8192, 8192, 8192, 8192, 0 }, -EINVAL, "data and region overlap" },
		{ { 8192, 8192, 2047, 8, 0 }, -EINVAL, "data_start" },
		{ { 8192, 8192, 2048, 8, 0 }, 0, NULL },
		{ { 8192, 8192, 0, 8, 0 }, -EINVAL, "data_start" },
		{ { 8192, 8192, 2049, 8, 0 }, -EINVAL, "data_start alignment" },
		{ { 8193, 8192, 2048, 8, 0 }, -EINVAL, "region_start alignment" },
		{ { 8192, 8192, 2048, 0, 0 }, -EINVAL, "data_sectors" },
		{ { 8192, 8192, 2048, 1, 0 }, 0, NULL },
		{ { 8192, 8192, 2048, 1, 8 }, -EINVAL, "window alignment" },
		{ { 8192, 8192, 2048, 8, 1 }, -EINVAL, "window alignment" },
		{ { 8192, 8192, 2048, 8, 8 }, 0, NULL },
		/* The window is logical only: it overlaps nothing */
		{ { 8192, 8192, 2048, 8, 4080 }, 0, NULL },
		/* ... but has its place in the log */
		{ { 8192, 8192, 2048, 8, 4088 }, -EINVAL, "window_sectors" },
		{ { 8192, 8192, 2048, 8, MOST - 8 }, -EINVAL, "window_sectors" },
		{ { 8192, 8192, 2048, 8, MOST }, -EINVAL, "window_sectors" },
		{ { MOST - 8192, 8192, 2048, 8, 0 }, 0, NULL },
		{ { MOST - 8192, 8193, 2048, 8, 0 }, -EINVAL, "region_sectors" },
		{ { MOST, 8192, 2048, 8, 0 }, -EINVAL, "region_start" },
		{ { ~7ULL, 8192, 2048, 8, 0 }, -EINVAL, "region_start" },
		{ { 8192, ~0ULL - 8191, 2048, 8, 0 }, -EINVAL, "region_sectors" },
		{ { 8192, ~0ULL, 2048, 8, 0 }, -EINVAL, "region_sectors" },
		{ { 0, 8192, MOST - 8, 8, 0 }, 0, NULL },
		{ { 0, 8192, MOST - 8, 9, 0 }, -EINVAL, "data_sectors" },
		{ { 0, 8192, MOST, 8, 0 }, -EINVAL, "data_start" },
		{ { 0, 8192, ~7ULL, 8, 0 }, -EINVAL, "data_start" },
		{ { 0, 8192, 8192, ~0ULL - 8191, 0 }, -EINVAL, "data_sectors" },
		{ { 0, 8192, 8192, 8, ~7ULL }, -EINVAL, "window_sectors" },
	};
	struct hibswap_fault fault;
	unsigned int i;
	int err;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const u64 *a = cases[i].a;
		struct hibswap_geom g = areas(a[0], a[1], a[2], a[3], a[4]);

		fault = (struct hibswap_fault){};
		err = hibswap_geom_init(&g, 0, &fault);
		if (err != cases[i].err ||
		    (err && (!fault.what || strcmp(fault.what, cases[i].what))))
			fail_msg("case %u: error %d (%s)", i, err, fault.what);
		if (!err)
			assert_null(ref_geom_wrong(&g));
	}
}

static void geom_match(void **state)
{
	struct hibswap_geom disk = sb_empty().geom, table;
	struct hibswap_fault fault = {};

	(void)state;
	table = areas(0x800, 0x40005, 0x100000, 0x200000, 0);
	assert_int_equal(hibswap_geom_match(&disk, &table, &fault), 0);
	/* Data and window */
	table.data_sectors = 0x220000;
	assert_int_equal(hibswap_geom_match(&disk, &table, &fault), 0);
	assert_null(fault.what);
	table.data_sectors = 0x210000;
	assert_int_equal(hibswap_geom_match(&disk, &table, &fault), -EINVAL);
	assert_fault(&fault, "data_sectors");
	assert_int_equal(fault.value, 0x200000);
	assert_int_equal(fault.limit, 0x210000);
	table = areas(0x1000, 0x40005, 0x100000, 0x200000, 0);
	assert_int_equal(hibswap_geom_match(&disk, &table, &fault), -EINVAL);
	assert_fault(&fault, "region_start");
	/* To the sector, although the layout would be the same */
	table = areas(0x800, 0x40004, 0x100000, 0x200000, 0);
	assert_int_equal(hibswap_geom_match(&disk, &table, &fault), -EINVAL);
	assert_fault(&fault, "region_sectors");
	table = areas(0x800, 0x40005, 0x100008, 0x200000, 0);
	assert_int_equal(hibswap_geom_match(&disk, &table, &fault), -EINVAL);
	assert_fault(&fault, "data_start");
	table = areas(0x800, 0x40005, 0x100000, 0x1ffff8, 0);
	assert_int_equal(hibswap_geom_match(&disk, &table, NULL), -EINVAL);
}

/* A number of any magnitude, often close to a power of two, sometimes odd */
static u64 any_number(u64 *seed)
{
	u64 n = ref_random(seed) >> ref_below(seed, 64);

	switch (ref_below(seed, 4)) {
	case 0:
		n = 1ULL << ref_below(seed, 64);
		n += ref_below(seed, 33) - 16;
		break;
	case 1:
		n &= ~7ULL;
		break;
	case 2:
		n &= 0xfffff8;
		break;
	}
	return n;
}

static void geom_random(void **state)
{
	struct hibswap_fault fault;
	u64 seed = 1, accepted = 0, extents;
	struct hibswap_geom g, bad;
	const char *wrong;
	unsigned int i, k;
	u64 *field;

	(void)state;
	for (i = 0; i < 300000; i++) {
		g = areas(any_number(&seed), any_number(&seed), any_number(&seed),
			  any_number(&seed), any_number(&seed));
		if (i & 1) {	/* one that is likely to be good */
			g.region_start &= 0xffffff8;
			g.region_sectors = (g.region_sectors & 0xffffff) + 8192;
			g.data_start = g.region_start + g.region_sectors + 2048;
			g.data_start += -g.data_start & 7;
			g.data_sectors = (g.data_sectors & 0xffffff8) + 8;
			g.window_sectors &= g.region_sectors / 2 & ~7ULL;
		}
		extents = any_number(&seed) >> ref_below(&seed, 40);
		fault = (struct hibswap_fault){};
		if (hibswap_geom_init(&g, extents, &fault)) {
			assert_non_null(fault.what);
			continue;
		}
		accepted++;
		wrong = ref_geom_wrong(&g);
		if (wrong)
			fail_msg("round %u: %s", i, wrong);
		assert_int_equal(hibswap_geom_check(&g, NULL), 0);
		assert_true(hibswap_map_extents_max(&g) >= extents);
		assert_true(hibswap_map_extents_max(&g) < (extents < 256 ? 256 : extents) + 256);
		assert_int_equal(hibswap_geom_match(&g, &g, NULL), 0);
		/* No other place passes */
		for (k = 0; k < 4; k++) {
			bad = g;
			field = k == 0 ? &bad.log_start : k == 1 ? &bad.log_sectors :
				&bad.map_start[k - 2];
			*field = any_number(&seed);
			if (memcmp(&bad, &g, sizeof(g)))
				assert_int_equal(hibswap_geom_check(&bad, NULL), -EINVAL);
		}
		/* Another map size does not fit the rest */
		bad = g;
		bad.map_sectors = any_number(&seed);
		if (bad.map_sectors != g.map_sectors)
			assert_int_equal(hibswap_geom_check(&bad, NULL), -EINVAL);
	}
	assert_true(accepted > 50000);
}

static void super_random_round_trip(void **state)
{
	struct hibswap_super sb, got;
	union block block;
	u64 seed = 2;
	unsigned int i, k, good = 0;

	(void)state;
	for (i = 0; i < 3000; i++) {
		memset(&sb, 0, sizeof(sb));
		sb.version = 1;
		sb.generation = any_number(&seed) >> 1;
		sb.state = ref_below(&seed, 2) ? HIBSWAP_COMMITTED : HIBSWAP_EMPTY;
		for (k = 0; k < 16; k++) {
			sb.uuid[k] = ref_random(&seed);
			sb.past_images[k] = any_number(&seed);
		}
		sb.geom = areas(ref_below(&seed, 1 << 20) * 8, 8192 + ref_below(&seed, 1 << 24),
				1ULL << 30, 8 + ref_below(&seed, 1 << 20) * 8,
				ref_below(&seed, 1 << 9) * 8);
		if (hibswap_geom_init(&sb.geom, ref_below(&seed, 10000), NULL))
			continue;
		good++;
		sb.image.page_size = 4096 << ref_below(&seed, 5);
		if (sb.state == HIBSWAP_COMMITTED) {
			sb.image.extents = 1 + ref_below(&seed, sb.geom.map_sectors * 32);
			sb.image.map_place = ref_below(&seed, 2);
			sb.image.map_crc = ref_random(&seed);
			sb.image.header_crc = ref_random(&seed);
			sb.image.log_blocks = 1 + ref_below(&seed, sb.geom.log_sectors / 8);
			sb.image.in_place_blocks = ref_below(&seed, 1ULL << 40);
		}
		hibswap_super_encode(&sb, block.b);
		assert_int_equal(ref_get(block.b, 56, 8), sb.generation);
		k = sb.generation & 1;
		assert_int_equal(hibswap_super_decode(&got, block.b, k, NULL), 0);
		assert_super_equal(&got, &sb);
		assert_int_equal(hibswap_super_decode(&got, block.b, !k, NULL), -EINVAL);
	}
	assert_true(good > 2000);
}

static void is_zero(void **state)
{
	u8 bytes[600] = {};
	size_t i;

	(void)state;
	assert_true(hibswap_is_zero(bytes, 0));
	for (i = 1; i <= sizeof(bytes); i++) {
		assert_true(hibswap_is_zero(bytes, i));
		bytes[i - 1] = 1;
		assert_false(hibswap_is_zero(bytes, i));
		assert_true(hibswap_is_zero(bytes, i - 1));
		bytes[i - 1] = 0;
	}
	memset(bytes, 7, sizeof(bytes));
	assert_false(hibswap_is_zero(bytes, sizeof(bytes)));
	assert_false(hibswap_is_zero(bytes, 1));
}

static void header_page(void **state)
{
	static const char * const other[] = {
		"S1SUSPEND\0", "S2SUSPEND\0", "ULSUSPEND\0", "LINHIB0001", "SWAPSPACE3", "WAPSPACE2",
	};
	static u8 page[65536];
	size_t size;
	unsigned int i;

	(void)state;
	for (size = 4096; size <= 65536; size *= 2) {
		memset(page, 0, sizeof(page));
		assert_false(hibswap_header_is_swap(page, size));
		memcpy(page + size - 10, "SWAPSPACE2", 10);
		assert_true(hibswap_header_is_swap(page, size));
		assert_false(size > 4096 && hibswap_header_is_swap(page, size / 2));
		memcpy(page + size - 10, "SWAP-SPACE", 10);
		assert_true(hibswap_header_is_swap(page, size));
		for (i = 0; i < ARRAY_SIZE(other); i++) {
			memcpy(page + size - 10, other[i], strlen(other[i]) + 1 > 10 ? 10 :
			       strlen(other[i]) + 1);
			assert_false(hibswap_header_is_swap(page, size));
		}
	}
	memset(page, 0xee, sizeof(page));
	for (i = 0; i < 3; i++) {
		static const u32 last[] = { 0, 1234567, 0xffffffff };

		memcpy(page + 1028, &last[i], 4);
		assert_int_equal(hibswap_header_pages(page), (u64)last[i] + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_known_values),
		cmocka_unit_test(golden_super),
		cmocka_unit_test(golden_checksums),
		cmocka_unit_test(sums_behind_the_map),
		cmocka_unit_test(compat_field_out_of_range),
		cmocka_unit_test(encode_empty_forgets_image),
		cmocka_unit_test(field_out_of_range),
		cmocka_unit_test(field_at_its_bound),
		cmocka_unit_test(image_fields),
		cmocka_unit_test(unknown_version_is_named),
		cmocka_unit_test(unknown_compat_is_accepted),
		cmocka_unit_test(not_ours),
		cmocka_unit_test(every_bit_is_covered),
		cmocka_unit_test(torn_copies),
		cmocka_unit_test(choose_all_combinations),
		cmocka_unit_test(copies_and_places),
		cmocka_unit_test(geom_known),
		cmocka_unit_test(geom_too_small),
		cmocka_unit_test(geom_areas),
		cmocka_unit_test(geom_match),
		cmocka_unit_test(geom_random),
		cmocka_unit_test(super_random_round_trip),
		cmocka_unit_test(is_zero),
		cmocka_unit_test(header_page),
	};

	alarm(300);
	return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
