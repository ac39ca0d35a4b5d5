/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each committed generation is: learnt from the log at the moment at
 * which its superblock arrives, when everything before has arrived, too. Any
 * crash state in which the same generation is resumed has to hold the same.
 *
 * "The same" is more than the image: memory that was paged out before the
 * snapshot lies in the data, and a resumed kernel will want it back. So the
 * whole of the data counts, without its header page.
 */
#ifndef CRASH_IMAGE_H
#define CRASH_IMAGE_H

#include "disk.h"
#include "dm-hibswap-log.h"

#define ANY_VERSION	(~0U)	/* the sector does not matter */

/**
 * struct image - a generation
 * @next: the one before
 * @sb: its superblock
 * @log: its map, sorted
 * @map_good: the map can be loaded
 * @map_from: sectors of the map
 * @map_to: behind them
 * @want: version of each sector of the disk that holds what the image holds
 * @bad_map: how many sectors of the map differ from that if all has arrived
 * @bad_data: how many others do
 * @pages: pages that a resume reads; 0 until image_walk()
 * @missing: ... of which the map lacks so many
 * @walked: image_walk() has been there
 * @swsusp: the header page is one of swsusp's
 */
struct image {
	struct image *next;
	struct hibswap_super sb;
	struct hibswap_log log;
	bool map_good;
	u64 map_from;
	u64 map_to;
	u32 *want;
	u64 bad_map;
	u64 bad_data;
	u64 pages;
	u64 missing;
	bool walked;
	bool swsusp;
};

/* How a state differs from what the image should be, in sectors */
struct image_diff {
	u64 map;
	u64 data;
};

struct image *image_find(struct image *list, u64 generation);
struct image *image_learn(struct disk *d, const struct hibswap_super *sb, struct image *list);
void image_follow(struct disk *d, struct image *list);
struct image_diff image_compare(const struct disk *d, const struct state *st,
				const struct image *im);
void image_walk(const struct disk *d, const struct state *st, struct image *im,
		const u8 *header);

#endif /* CRASH_IMAGE_H */
