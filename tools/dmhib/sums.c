// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checksums of an image's blocks, and what does not have its own.
 */
#include "sums.h"
#include "describe.h"
#include "meta.h"

#include <inttypes.h>

/**
 * sums_load - read the checksums of an image
 * @sums: filled in; sums_free() it, whatever this returns
 * @dev: device
 * @sb: its superblock, committed
 *
 * Return: 0, also if the image has none; or a negative errno.
 */
int sums_load(struct sums *sums, const struct dev *dev, const struct hibswap_super *sb)
{
	struct meta_map map = {};

	*sums = (struct sums){ .nr = sb->image.sum_blocks };
	if (!sums->nr)
		return 0;
	sums->crc = calloc(sums->nr, sizeof(*sums->crc));
	if (!sums->crc)
		return -ENOMEM;
	meta_read_sums(dev, sb, &map, sums->crc);
	return map.err;
}

/** sums_free - free what sums_load() has allocated */
void sums_free(struct sums *sums)
{
	free(sums->crc);
	sums->crc = NULL;
}

/** sums_restart - the image is going to be read from the beginning */
void sums_restart(struct sums *sums)
{
	sums->checked = 0;
	sums->bad = 0;
}

/**
 * sums_check - compare blocks that have been read
 * @sums: the checksums
 * @data: the blocks' bytes
 * @first: which block the first one is
 * @blocks: how many, one behind the other on the device and in the image
 */
void sums_check(struct sums *sums, const u8 *data, const struct bad_block *first, u64 blocks)
{
	for (u64 i = 0; i < blocks && first->pos + i < sums->nr; i++) {
		const u32 crc = hibswap_crc(0, data + i * HIBSWAP_BLOCK_SIZE, HIBSWAP_BLOCK_SIZE);

		sums->checked++;
		if (crc == sums->crc[first->pos + i])
			continue;
		if (sums->bad < SUMS_NAMED)
			sums->named[sums->bad] = (struct bad_block){
				first->block + i, first->pos + i,
				first->sector + i * HIBSWAP_BLOCK_SECTORS,
			};
		sums->bad++;
	}
}

static bool in_log(const struct bad_block *bad, const struct hibswap_geom *geom)
{
	return bad->sector - geom->log_start < geom->log_sectors;
}

static u64 nr_named(const struct sums *sums)
{
	return min(sums->bad, SUMS_NAMED);
}

/**
 * sums_words - name the bad blocks, one a line
 * @sums: what came of comparing
 * @geom: where the log is
 */
void sums_words(const struct sums *sums, const struct hibswap_geom *geom)
{
	for (u64 i = 0; i < nr_named(sums); i++) {
		const struct bad_block *bad = &sums->named[i];

		printf("%21s block %" PRIu64 " of the mapped device: ", "", bad->block);
		if (in_log(bad, geom))
			printf("block %" PRIu64 " of the log, ", bad->pos);
		else
			printf("in place, ");
		printf("sector %" PRIu64 "\n", bad->sector);
	}
	if (sums->bad > nr_named(sums))
		printf("%21s ... and %" PRIu64 " more\n", "", sums->bad - nr_named(sums));
}

/**
 * sums_json - name the bad blocks, for scripts
 * @sums: what came of comparing
 * @geom: where the log is
 */
struct json_object *sums_json(const struct sums *sums, const struct hibswap_geom *geom)
{
	struct json_object *array = json_object_new_array();

	for (u64 i = 0; i < nr_named(sums); i++) {
		const struct bad_block *bad = &sums->named[i];
		struct json_object *obj = json_object_new_object();

		jadd_u64(obj, "block", bad->block);
		if (in_log(bad, geom))
			jadd_u64(obj, "log_block", bad->pos);
		else
			json_object_object_add(obj, "log_block", NULL);
		jadd_u64(obj, "sector", bad->sector);
		json_object_array_add(array, obj);
	}
	return array;
}
