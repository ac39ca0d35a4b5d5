/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the next boot does with a disk: the decisions of an activation and of
 * swsusp_check(), made with the target's own code for superblock and map.
 */
#ifndef CRASH_BOOT_H
#define CRASH_BOOT_H

#include "image.h"

enum outcome {
	BOOT_FRESH,	/* no signature: boots, swap is usable */
	BOOT_FAILS,	/* signed, but the image is not there: an error, then as above */
	BOOT_RESUMES,	/* the exact memory that was saved */
	BOOT_WRONG,	/* memory that was not saved */
	BOOT_UNUSABLE,	/* no device, or no swap on it */
};

#define NR_OUTCOMES	(BOOT_UNUSABLE + 1)

extern const char * const outcome_names[NR_OUTCOMES];

/* Sectors that the decision begins with: superblock A, B, header page */
#define META_SECTORS	24

/**
 * struct boot - the answer
 * @outcome: what happens
 * @generation: of the superblock that counts, 0 if none does
 * @committed: the superblock that counts vouches for an image
 * @bad_map: ... whose map is not there
 * @image: the image that is resumed, or would be but for what is missing
 * @version: versions of the meta sectors
 */
struct boot {
	enum outcome outcome;
	u64 generation;
	bool committed;
	bool bad_map;
	struct image *image;
	const u32 *version;
};

/**
 * struct booter - what is known beforehand
 * @d: the disk
 * @images: see image.h
 * @region_start: in sectors
 * @data_start: likewise; what lies between is the region
 * @has_swap: a swap area has been seen, so it has to stay usable
 */
struct booter {
	struct disk *d;
	struct image *images;
	u64 region_start;
	u64 data_start;
	bool has_swap;
};

u64 boot_meta_sector(const struct booter *b, unsigned int i);
const struct hibswap_super *boot_super(struct booter *b, const struct state *st);
struct boot boot_next(struct booter *b, const struct state *st);

#endif /* CRASH_BOOT_H */
