// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of superblock, geometry and header page.
 *
 * Built into the kernel, the target lends its code; a module brings a copy.
 */
#include <kunit/test.h>
#include <linux/slab.h>

#if IS_BUILTIN(CONFIG_DM_HIBSWAP) && !defined(MODULE)
#include "dm-hibswap-format.h"
#else
#include "dm-hibswap-format.c"
#endif

#define REGION	0x100000	/* sectors: 512 MiB */
#define DATA	0x400000	/* 2 GiB */
#define EXTENTS	10000

static struct hibswap_geom areas(void)
{
	return (struct hibswap_geom){
		.region_sectors = REGION,
		.data_start = REGION,
		.data_sectors = DATA,
	};
}

static void super_new(struct kunit *test, struct hibswap_super *sb)
{
	memset(sb, 0, sizeof(*sb));
	sb->version = HIBSWAP_VERSION;
	sb->generation = 101;
	sb->state = HIBSWAP_COMMITTED;
	sb->geom = areas();
	KUNIT_ASSERT_EQ(test, hibswap_geom_init(&sb->geom, EXTENTS, NULL), 0);
	sb->image = (struct hibswap_image){
		.extents = 3,
		.map_place = 1,
		.map_crc = 0x12345678,
		.log_blocks = 1000,
		.in_place_blocks = 5,
		.header_crc = 0x87654321,
		.page_size = 4096,
	};
	sb->past_images[0] = 1005 << HIBSWAP_BLOCK_SHIFT;
}

/* A superblock and its bytes, for copy B */
static u8 *block_new(struct kunit *test, struct hibswap_super *sb)
{
	u8 *block = kunit_kzalloc(test, HIBSWAP_BLOCK_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, block);
	super_new(test, sb);
	hibswap_super_encode(sb, block);
	return block;
}

static struct hibswap_super *super_alloc(struct kunit *test, unsigned int nr)
{
	struct hibswap_super *sb = kunit_kcalloc(test, nr, sizeof(*sb), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sb);
	return sb;
}

static void geom_is_laid_out(struct kunit *test)
{
	struct hibswap_geom g = areas();

	KUNIT_ASSERT_EQ(test, hibswap_geom_init(&g, EXTENTS, NULL), 0);
	KUNIT_EXPECT_EQ(test, hibswap_geom_check(&g, NULL), 0);
	KUNIT_EXPECT_GE(test, hibswap_map_extents_max(&g), EXTENTS);
	/* Aligned to 1 MiB and behind both superblocks */
	KUNIT_EXPECT_EQ(test, g.log_start % 2048, 0);
	KUNIT_EXPECT_GE(test, g.log_start, HIBSWAP_SUPER_GAP + HIBSWAP_BLOCK_SECTORS);
	KUNIT_EXPECT_LE(test, g.log_start + g.log_sectors, g.map_start[0]);
	KUNIT_EXPECT_LE(test, g.map_start[0] + g.map_sectors, g.map_start[1]);
	KUNIT_EXPECT_LE(test, g.map_start[1] + g.map_sectors, g.region_start + g.region_sectors);
}

static void geom_refuses(struct kunit *test)
{
	struct hibswap_fault fault = {};
	struct hibswap_geom g = areas();

	g.region_sectors = 4096;
	KUNIT_EXPECT_EQ(test, hibswap_geom_init(&g, EXTENTS, &fault), -ENOSPC);
	KUNIT_EXPECT_GT(test, fault.limit, g.region_sectors);
	/* What it asks for is enough */
	g.region_sectors = fault.limit;
	KUNIT_EXPECT_EQ(test, hibswap_geom_init(&g, EXTENTS, NULL), 0);

	g = areas();
	g.data_start -= 8;
	KUNIT_EXPECT_EQ(test, hibswap_geom_init(&g, EXTENTS, &fault), -EINVAL);
	g = areas();
	g.region_start = 2 * REGION;
	g.data_start = 8;
	KUNIT_EXPECT_EQ(test, hibswap_geom_init(&g, EXTENTS, &fault), -EINVAL);
	g = areas();
	g.data_sectors = ~7ULL;
	KUNIT_EXPECT_EQ(test, hibswap_geom_init(&g, EXTENTS, &fault), -EINVAL);
	g = areas();
	KUNIT_ASSERT_EQ(test, hibswap_geom_init(&g, EXTENTS, NULL), 0);
	g.map_start[0] -= 8;
	KUNIT_EXPECT_NE(test, hibswap_geom_check(&g, &fault), 0);
	KUNIT_EXPECT_NOT_NULL(test, fault.what);
}

static void super_round_trip(struct kunit *test)
{
	struct hibswap_super *sb = super_alloc(test, 2);
	u8 *block = block_new(test, &sb[0]);
	u8 *again = kunit_kzalloc(test, HIBSWAP_BLOCK_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, again);
	KUNIT_ASSERT_EQ(test, hibswap_super_decode(&sb[1], block, 1, NULL), 0);
	KUNIT_EXPECT_EQ(test, sb[1].generation, 101);
	KUNIT_EXPECT_EQ(test, sb[1].state, HIBSWAP_COMMITTED);
	KUNIT_EXPECT_EQ(test, sb[1].image.header_crc, 0x87654321);
	KUNIT_EXPECT_EQ(test, sb[1].image.log_blocks, 1000);
	KUNIT_EXPECT_EQ(test, hibswap_geom_match(&sb[1].geom, &sb[0].geom, NULL), 0);
	hibswap_super_encode(&sb[1], again);
	KUNIT_EXPECT_MEMEQ(test, block, again, HIBSWAP_BLOCK_SIZE);
	/* A generation's parity says which copy it is */
	KUNIT_EXPECT_EQ(test, hibswap_super_decode(&sb[1], block, 0, NULL), -EINVAL);
}

static void super_sees_damage(struct kunit *test)
{
	struct hibswap_super *sb = super_alloc(test, 2);
	u8 *block = block_new(test, &sb[0]);
	unsigned int at;

	for (at = HIBSWAP_MAGIC_LEN; at < HIBSWAP_BLOCK_SIZE; at += 5) {
		block[at] ^= 1 << at % 8;
		KUNIT_EXPECT_EQ_MSG(test, hibswap_super_decode(&sb[1], block, 1, NULL), -EBADMSG,
				    "byte %u", at);
		block[at] ^= 1 << at % 8;
	}
	KUNIT_EXPECT_EQ(test, hibswap_super_decode(&sb[1], block, 1, NULL), 0);
	block[0] ^= 1;
	KUNIT_EXPECT_EQ(test, hibswap_super_decode(&sb[1], block, 1, NULL), -EMEDIUMTYPE);
	memset(block, 0, HIBSWAP_BLOCK_SIZE);
	KUNIT_EXPECT_EQ(test, hibswap_super_decode(&sb[1], block, 1, NULL), -ENODATA);
}

static void super_refuses_newer(struct kunit *test)
{
	struct hibswap_super *sb = super_alloc(test, 2);
	struct hibswap_fault fault = {};
	u8 *block = block_new(test, &sb[0]);

	sb[0].feature_incompat = 1ULL << 63;
	hibswap_super_encode(&sb[0], block);
	KUNIT_EXPECT_EQ(test, hibswap_super_decode(&sb[1], block, 1, &fault), -EPROTONOSUPPORT);
	KUNIT_EXPECT_NOT_NULL(test, fault.what);
	KUNIT_EXPECT_EQ(test, fault.value, 1ULL << 63);
}

static void super_refuses_lies(struct kunit *test)
{
	struct hibswap_super *sb = super_alloc(test, 2);
	struct hibswap_fault fault = {};
	u8 *block = block_new(test, &sb[0]);

	/* The checksums are right each time */
	sb[0].image.log_blocks = sb[0].geom.log_sectors / HIBSWAP_BLOCK_SECTORS + 1;
	hibswap_super_encode(&sb[0], block);
	KUNIT_EXPECT_EQ(test, hibswap_super_decode(&sb[1], block, 1, &fault), -EINVAL);
	super_new(test, &sb[0]);
	sb[0].image.extents = hibswap_map_extents_max(&sb[0].geom) + 1;
	hibswap_super_encode(&sb[0], block);
	KUNIT_EXPECT_EQ(test, hibswap_super_decode(&sb[1], block, 1, &fault), -EINVAL);
	super_new(test, &sb[0]);
	sb[0].image.map_place = 2;
	hibswap_super_encode(&sb[0], block);
	KUNIT_EXPECT_EQ(test, hibswap_super_decode(&sb[1], block, 1, &fault), -EINVAL);
	super_new(test, &sb[0]);
	sb[0].geom.log_sectors += 8;
	hibswap_super_encode(&sb[0], block);
	KUNIT_EXPECT_EQ(test, hibswap_super_decode(&sb[1], block, 1, &fault), -EINVAL);
}

static void super_newest_counts(struct kunit *test)
{
	struct hibswap_super *sb = super_alloc(test, 2);
	int err[2] = {};

	super_new(test, &sb[0]);
	super_new(test, &sb[1]);
	sb[0].generation = 100;
	KUNIT_EXPECT_EQ(test, hibswap_super_choose(err, sb), 1);
	sb[0].generation = 102;
	KUNIT_EXPECT_EQ(test, hibswap_super_choose(err, sb), 0);
	err[0] = -EBADMSG;
	KUNIT_EXPECT_EQ(test, hibswap_super_choose(err, sb), 1);
	err[1] = -EBADMSG;
	KUNIT_EXPECT_LT(test, hibswap_super_choose(err, sb), 0);
}

static void header_page(struct kunit *test)
{
	u8 *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_TRUE(test, hibswap_is_zero(page, PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, hibswap_header_is_swap(page, PAGE_SIZE));
	memcpy(page + PAGE_SIZE - 10, "SWAPSPACE2", 10);
	KUNIT_EXPECT_TRUE(test, hibswap_header_is_swap(page, PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, hibswap_is_zero(page, PAGE_SIZE));
	memcpy(page + PAGE_SIZE - 10, "S1SUSPEND\0", 10);
	KUNIT_EXPECT_FALSE(test, hibswap_header_is_swap(page, PAGE_SIZE));
}

static void crc_known(struct kunit *test)
{
	/* RFC 3720, B.4: thirty-two zeros */
	const u8 zeros[32] = {};

	KUNIT_EXPECT_EQ(test, hibswap_crc(0, zeros, sizeof(zeros)), 0x8a9136aa);
	KUNIT_EXPECT_EQ(test, hibswap_crc(0, "123456789", 9), 0xe3069283);
}

static struct kunit_case format_cases[] = {
	KUNIT_CASE(crc_known),
	KUNIT_CASE(geom_is_laid_out),
	KUNIT_CASE(geom_refuses),
	KUNIT_CASE(super_round_trip),
	KUNIT_CASE(super_sees_damage),
	KUNIT_CASE(super_refuses_newer),
	KUNIT_CASE(super_refuses_lies),
	KUNIT_CASE(super_newest_counts),
	KUNIT_CASE(header_page),
	{}
};

static struct kunit_suite format_suite = {
	.name = "dm-hibswap-format",
	.test_cases = format_cases,
};

kunit_test_suite(format_suite);

MODULE_DESCRIPTION("KUnit tests of dm-hibswap");
MODULE_LICENSE("GPL");
