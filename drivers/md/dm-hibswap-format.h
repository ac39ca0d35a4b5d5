/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Superblock and geometry of a hibswap region: pure logic, no I/O, no locks,
 * no allocation. Any context.
 */
#ifndef DM_HIBSWAP_FORMAT_H
#define DM_HIBSWAP_FORMAT_H

#include "dm-hibswap-port.h"

#include <linux/dm-hibswap.h>

/**
 * struct hibswap_geom - where everything lies; all in sectors
 * @region_start: first sector of the region on the device
 * @region_sectors: its length
 * @data_start: first sector of the data on the device
 * @data_sectors: length of the data, which is the logical device's start
 * @window_sectors: logical sectors behind the data that only an image may use
 * @log_start: first sector of the image log
 * @log_sectors: its length
 * @map_start: the two places for a map
 * @map_sectors: length of each of them
 */
struct hibswap_geom {
	u64 region_start;
	u64 region_sectors;
	u64 data_start;
	u64 data_sectors;
	u64 window_sectors;
	u64 log_start;
	u64 log_sectors;
	u64 map_start[2];
	u64 map_sectors;
};

/**
 * struct hibswap_image - what a committed superblock says of its image
 * @extents: number of entries in the map
 * @map_place: which of the two places holds the map
 * @map_crc: CRC32C of the map's bytes
 * @log_blocks: blocks of the log that are used
 * @in_place_blocks: blocks of the image that lie at their own address
 * @header_crc: CRC32C of the header page that names the image
 * @page_size: of the kernel that wrote the image, bytes
 * @sum_blocks: so many of its blocks, the oldest, have a checksum
 * @sum_crc: CRC32C of the checksums' bytes
 */
struct hibswap_image {
	u64 extents;
	u32 map_place;
	u32 map_crc;
	u64 log_blocks;
	u64 in_place_blocks;
	u32 header_crc;
	u32 page_size;
	u64 sum_blocks;
	u32 sum_crc;
};

/*
 * A superblock in memory; the fields are those of struct hibswap_super_disk.
 * Encoding takes the bit HIBSWAP_COMPAT_SUMS from image.sum_blocks.
 */
struct hibswap_super {
	u64 generation;
	u64 feature_compat;
	u64 feature_incompat;
	u32 version;
	u32 state;
	u8 uuid[16];
	struct hibswap_geom geom;
	struct hibswap_image image;
	u64 past_images[HIBSWAP_PAST_IMAGES];
	u64 log_dirty;
};

/**
 * struct hibswap_fault - what is wrong, for one clear message
 * @what: the field or object, a constant string; NULL if nothing is
 * @value: what was found
 * @limit: what was expected, or the bound that was crossed
 */
struct hibswap_fault {
	const char *what;
	u64 value;
	u64 limit;
};

#define HIBSWAP_GENERATION_MAX	(~0ULL >> 1)

/* Which copy a generation is written to: 0 is A, 1 is B */
static inline unsigned int hibswap_super_copy(u64 generation)
{
	return generation & 1;
}

/* Sector of a superblock copy on the device */
static inline u64 hibswap_super_sector(u64 region_start, unsigned int copy)
{
	return region_start + copy * HIBSWAP_SUPER_GAP;
}

u32 hibswap_crc(u32 crc, const void *data, size_t len);
u64 hibswap_map_extents_max(const struct hibswap_geom *geom);
u64 hibswap_sum_room(const struct hibswap_geom *geom, u64 extents);
u64 hibswap_sum_sector(const struct hibswap_geom *geom, unsigned int place, u64 extents);
u64 hibswap_log_dirty(const struct hibswap_super *sb);
void hibswap_set_log_dirty(struct hibswap_super *sb, u64 blocks);
void hibswap_forget_log_dirty(struct hibswap_super *sb);
u64 hibswap_default_extents(u64 ram_blocks);
int hibswap_geom_init(struct hibswap_geom *geom, u64 max_extents,
		      struct hibswap_fault *fault);
int hibswap_geom_check(const struct hibswap_geom *geom,
		       struct hibswap_fault *fault);
int hibswap_geom_match(const struct hibswap_geom *disk,
		       const struct hibswap_geom *table,
		       struct hibswap_fault *fault);
void hibswap_super_encode(const struct hibswap_super *sb, void *block);
int hibswap_super_decode(struct hibswap_super *sb, const void *block,
			 unsigned int copy, struct hibswap_fault *fault);
int hibswap_super_choose(const int err[2], const struct hibswap_super sb[2]);
bool hibswap_is_zero(const void *data, size_t len);
bool hibswap_header_is_swap(const void *page, size_t page_size);
u64 hibswap_header_pages(const void *page);

#endif /* DM_HIBSWAP_FORMAT_H */
