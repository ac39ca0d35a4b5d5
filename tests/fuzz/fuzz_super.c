// SPDX-License-Identifier: GPL-2.0-only
/*
 * Superblock decode. Input: one byte of options, then the block.
 *
 * What is accepted must keep every promise that the target relies on, and
 * encode to the very bytes it came from.
 */
#include "fuzz.h"

#define OPT_COPY_B	1
#define OPT_KEEP_CRC	2	/* else the checksum is made right */
#define OPT_KEEP_HEAD	4	/* else magic, version and features are */
#define OPT_LAY_OUT	8	/* region layout computed from the areas */

static void head(u8 *block)
{
	memcpy(block, "dm-hibswap\r\n\032\n\0", 16);
	ref_put(block, 16, 4, 1);
	ref_put(block, 32, 8, 0);
}

/* Bends the geometry until it is one, so that what comes after is reached */
static void lay_out(u8 *block)
{
	u64 start = ref_get(block, 72, 8) & 0xffffff8;
	u64 map = (ref_get(block, 144, 8) & 0xff8) + 8;
	u64 sectors = (ref_get(block, 80, 8) & 0xffffff) + 8192 + 2 * map;
	u64 end = (start + sectors) & ~7ULL;
	u64 log = (start + 2048 + 8 + 2047) & ~2047ULL;

	ref_put(block, 72, 8, start);
	ref_put(block, 80, 8, sectors);
	ref_put(block, 88, 8, (start + sectors + 2048) & ~7ULL);
	ref_put(block, 96, 8, (ref_get(block, 96, 8) & 0xffffff8) + 8);
	ref_put(block, 104, 8, ref_get(block, 104, 8) % (end - 2 * map - log + 1) & ~7ULL);
	ref_put(block, 112, 8, log);
	ref_put(block, 120, 8, end - 2 * map - log);
	ref_put(block, 128, 8, end - 2 * map);
	ref_put(block, 136, 8, end - map);
	ref_put(block, 144, 8, map);
}

static void check_accepted(const struct hibswap_super *sb, unsigned int copy)
{
	const struct hibswap_image *im = &sb->image;
	const char *wrong = ref_geom_wrong(&sb->geom);

	if (wrong)
		fprintf(stderr, "geometry: %s\n", wrong);
	FUZZ_CHECK(!wrong);
	FUZZ_CHECK(sb->version == 1);
	FUZZ_CHECK(!sb->feature_incompat);
	FUZZ_CHECK(sb->generation % 2 == copy && sb->generation + 1 != 0);
	FUZZ_CHECK(im->page_size == 4096 || im->page_size == 8192 || im->page_size == 16384 ||
		   im->page_size == 32768 || im->page_size == 65536);
	FUZZ_CHECK(sb->state == HIBSWAP_EMPTY || sb->state == HIBSWAP_COMMITTED);
	FUZZ_CHECK(hibswap_log_dirty(sb) <= sb->geom.log_sectors / 8);
	if (sb->state == HIBSWAP_EMPTY) {
		FUZZ_CHECK(!im->extents && !im->log_blocks && !im->in_place_blocks &&
			   !im->map_place && !im->map_crc && !im->header_crc &&
			   !im->sum_blocks && !im->sum_crc);
		return;
	}
	FUZZ_CHECK(im->extents > 0 && im->extents <= sb->geom.map_sectors * 512 / 16);
	FUZZ_CHECK(im->map_place < 2);
	FUZZ_CHECK(im->log_blocks <= sb->geom.log_sectors / 8);
	FUZZ_CHECK(im->in_place_blocks <= 1ULL << 40);
	FUZZ_CHECK(im->log_blocks + im->in_place_blocks > 0);
	FUZZ_CHECK(im->sum_blocks <= im->log_blocks + im->in_place_blocks);
	/* The checksums lie behind the extents, in the map's place */
	FUZZ_CHECK((im->extents * 16 + 4095) / 4096 * 4096 + im->sum_blocks * 4 <=
		   sb->geom.map_sectors * 512);
}

/* What encode makes of a block that was accepted and has no unknown feature */
static void normalise(const struct hibswap_super *sb, u8 *block)
{
	if (sb->image.sum_blocks || !(sb->feature_compat & HIBSWAP_COMPAT_SUMS))
		return;
	/* No checksums: neither the bit nor theirs */
	ref_put(block, 24, 8, sb->feature_compat & ~HIBSWAP_COMPAT_SUMS);
	ref_put(block, 328, 4, 0);
	ref_sign_super(block);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct hibswap_super *sb = malloc(sizeof(*sb));
	u8 *block = calloc(1, 4096), *again = malloc(4096);
	struct hibswap_fault fault = {};
	unsigned int copy;
	u8 options;
	int err;

	if (!size || !sb || !block || !again)
		goto out;
	options = data[0];
	copy = options & OPT_COPY_B ? 1 : 0;
	memcpy(block, data + 1, size - 1 < 4096 ? size - 1 : 4096);
	if (!(options & OPT_KEEP_HEAD))
		head(block);
	if (options & OPT_LAY_OUT)
		lay_out(block);
	if (!(options & OPT_KEEP_CRC))
		ref_sign_super(block);

	memset(sb, 0xa5, sizeof(*sb));
	err = hibswap_super_decode(sb, block, copy, &fault);
	FUZZ_CHECK(err == hibswap_super_decode(sb, block, copy, NULL));
	FUZZ_CHECK(!err == !fault.what);
	if (!err) {
		check_accepted(sb, copy);
		FUZZ_CHECK(!hibswap_geom_check(&sb->geom, NULL));
		FUZZ_CHECK(hibswap_super_decode(sb, block, !copy, NULL) == -EINVAL);
		FUZZ_CHECK(!hibswap_super_decode(sb, block, copy, NULL));
		memset(again, 0x5a, 4096);
		hibswap_super_encode(sb, again);
		if (sb->feature_compat & ~HIBSWAP_COMPAT_KNOWN) {
			/* What a feature keeps in reserved bytes is not ours to make */
			memcpy(again + 16, block + 16, 16);
			FUZZ_CHECK(!memcmp(again, block, 188));
			FUZZ_CHECK(!memcmp(again + 192, block + 192, 128));
		} else {
			normalise(sb, block);
			FUZZ_CHECK(!memcmp(again, block, 4096));
		}
	} else {
		FUZZ_CHECK(err == -ENODATA || err == -EMEDIUMTYPE || err == -EBADMSG ||
			   err == -EPROTONOSUPPORT || err == -EINVAL);
		/* A right checksum is never called torn, nor a wrong one right */
		if (err != -ENODATA && err != -EMEDIUMTYPE) {
			u32 crc = ref_get(block, REF_CRC_AT, 4);

			ref_sign_super(block);
			FUZZ_CHECK((err == -EBADMSG) == (crc != ref_get(block, REF_CRC_AT, 4)));
		}
	}
out:
	free(sb);
	free(block);
	free(again);
	return 0;
}

size_t fuzz_seed(unsigned int nr, u8 *data)
{
	u8 *block = data + 1;

	if (nr == 6) {
		data[0] = OPT_KEEP_CRC | OPT_KEEP_HEAD;
		return 4097;	/* all zero */
	}
	if (nr > 6)
		return 0;
	data[0] = nr & 1 ? OPT_COPY_B : 0;
	ref_put(block, 56, 8, 100 + (nr & 1));
	ref_put(block, 64, 4, nr & 2 ? HIBSWAP_COMMITTED : HIBSWAP_EMPTY);
	ref_put(block, 68, 4, nr & 4 ? 65536 : 4096);
	ref_put(block, 72, 8, 2048);
	ref_put(block, 80, 8, 1 << 20);
	ref_put(block, 96, 8, 1 << 22);
	ref_put(block, 104, 8, nr & 4 ? 1 << 20 : 0);
	ref_put(block, 144, 8, 0x100);
	if (nr & 2) {
		ref_put(block, 152, 8, 17);
		ref_put(block, 160, 4, 1);
		ref_put(block, 164, 4, 0x12345678);
		ref_put(block, 168, 8, 100);
		ref_put(block, 176, 8, 5);
		ref_put(block, 184, 4, 0x87654321);
		ref_put(block, 192, 8, 105 * 4096);
		if (nr & 1) {
			ref_put(block, 24, 8, HIBSWAP_COMPAT_KNOWN);
			ref_put(block, 320, 8, 105);
			ref_put(block, 328, 4, 0xabcdef01);
			ref_put(block, 336, 8, 101);
		}
	}
	lay_out(block);
	if (nr == 5)
		data[0] |= OPT_LAY_OUT;
	head(block);
	ref_sign_super(block);
	if (nr == 4)
		data[0] |= OPT_KEEP_CRC | OPT_KEEP_HEAD;
	return 4097;
}
