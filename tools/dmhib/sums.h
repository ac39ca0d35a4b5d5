/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The checksums of an image's blocks, and what does not have its own.
 */
#ifndef DMHIB_SUMS_H
#define DMHIB_SUMS_H

#include "dev.h"
#include "dm-hibswap-log.h"

#include <json-c/json.h>

#define SUMS_NAMED	16	/* bad blocks that are named */

/**
 * struct bad_block - a block that is not what was written
 * @block: its address on the mapped device, in blocks
 * @pos: its position in the image
 * @sector: where it lies on the device
 */
struct bad_block {
	u64 block;
	u64 pos;
	u64 sector;
};

/**
 * struct sums - checksums, and what came of comparing
 * @crc: of the image's blocks, by position
 * @nr: how many have one
 * @checked: blocks that were compared
 * @bad: how many of them differ
 * @named: the first of these
 */
struct sums {
	u32 *crc;
	u64 nr;
	u64 checked;
	u64 bad;
	struct bad_block named[SUMS_NAMED];
};

int sums_load(struct sums *sums, const struct dev *dev, const struct hibswap_super *sb);
void sums_free(struct sums *sums);
void sums_restart(struct sums *sums);
void sums_check(struct sums *sums, const u8 *data, const struct bad_block *first, u64 blocks);
void sums_words(const struct sums *sums, const struct hibswap_geom *geom);
struct json_object *sums_json(const struct sums *sums, const struct hibswap_geom *geom);

#endif /* DMHIB_SUMS_H */
