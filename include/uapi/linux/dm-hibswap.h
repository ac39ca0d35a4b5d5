/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * On-disk format of the hibswap device-mapper target.
 *
 * The region, a contiguous piece of the underlying device:
 *
 *	| super A | ... | super B | pad | image log -> ... | map 0 | map 1 |
 *	0               1 MiB           1 MiB aligned                region end
 *
 * All integers are little-endian. "Sector" is 512 bytes, "block" is 4096
 * bytes. Places are absolute sectors of the underlying device, so that a
 * region which was moved is noticed. Everything that is reserved is written
 * as zero and refused when it is not, in a superblock only as long as it has no
 * compatible feature that the reader does not know.
 */
#ifndef _UAPI_LINUX_DM_HIBSWAP_H
#define _UAPI_LINUX_DM_HIBSWAP_H

#include <linux/types.h>

#define HIBSWAP_MAGIC		"dm-hibswap\r\n\032\n\0"	/* and its NUL */
#define HIBSWAP_MAGIC_LEN	16
#define HIBSWAP_VERSION		1

#define HIBSWAP_SECTOR_SHIFT	9
#define HIBSWAP_BLOCK_SHIFT	12
#define HIBSWAP_BLOCK_SIZE	4096
#define HIBSWAP_BLOCK_SECTORS	8

/* Distance of the two superblock copies; also what the log is aligned to */
#define HIBSWAP_SUPER_GAP	2048	/* sectors: 1 MiB */
/* Below this libblkid and a raw resume= would find the data's header page */
#define HIBSWAP_DATA_MIN	2048	/* sectors: 1 MiB */

/* Logical addresses and log positions have 40 bits of blocks: 4 PiB */
#define HIBSWAP_BLOCKS_MAX	0x10000000000ULL
#define HIBSWAP_EXTENT_MAX	((1U << 24) - 1)	/* blocks in one extent */

#define HIBSWAP_PAST_IMAGES	16

/* super.state */
#define HIBSWAP_EMPTY		1	/* no image */
#define HIBSWAP_COMMITTED	2	/* the map vouches for an image */

/* super.feature_compat */
#define HIBSWAP_COMPAT_SUMS	1ULL	/* sum_blocks, sum_crc: see below */
#define HIBSWAP_COMPAT_DIRTY	2ULL	/* log_dirty counts; without, all is dirty */

/* super.feature_compat and super.feature_incompat: bits this version knows */
#define HIBSWAP_COMPAT_KNOWN	(HIBSWAP_COMPAT_SUMS | HIBSWAP_COMPAT_DIRTY)
#define HIBSWAP_INCOMPAT_KNOWN	0ULL

/**
 * struct hibswap_super_disk - a superblock, one 4 KiB block, two copies
 *
 * Copy A is at the region's start and carries even generations, copy B is
 * HIBSWAP_SUPER_GAP sectors behind it and carries odd ones. The valid copy
 * with the higher generation counts.
 *
 * @crc is CRC32C (seed ~0, inverted at the end) over the block with @crc
 * taken as zero.
 */
struct hibswap_super_disk {
	__u8	magic[HIBSWAP_MAGIC_LEN];	/*   0 */
	__le32	version;			/*  16 */
	__le32	crc;				/*  20 */
	__le64	feature_compat;			/*  24: may be ignored */
	__le64	feature_incompat;		/*  32: must be understood */
	__u8	uuid[16];			/*  40 */
	__le64	generation;			/*  56 */
	__le32	state;				/*  64 */
	__le32	page_size;			/*  68: of the image's kernel */

	/* Geometry, in sectors */
	__le64	region_start;			/*  72 */
	__le64	region_sectors;			/*  80 */
	__le64	data_start;			/*  88 */
	__le64	data_sectors;			/*  96 */
	__le64	window_sectors;			/* 104: logical, behind data */
	__le64	log_start;			/* 112 */
	__le64	log_sectors;			/* 120 */
	__le64	map_start[2];			/* 128 */
	__le64	map_sectors;			/* 144: of each map place */

	/* The image: all zero unless state is HIBSWAP_COMMITTED */
	__le64	map_extents;			/* 152 */
	__le32	map_place;			/* 160: 0 or 1 */
	__le32	map_crc;			/* 164: of the extents' bytes */
	__le64	log_blocks;			/* 168: used by the image */
	__le64	in_place_blocks;		/* 176: outside the region */
	__le32	header_crc;			/* 184: of the header page */
	__le32	reserved0;			/* 188 */

	__le64	past_images[HIBSWAP_PAST_IMAGES]; /* 192: bytes, newest first */

	/* HIBSWAP_COMPAT_SUMS, zero without */
	__le64	sum_blocks;			/* 320: blocks that have a checksum */
	__le32	sum_crc;			/* 328: of the checksums' bytes */
	__le32	reserved2;			/* 332 */

	/* HIBSWAP_COMPAT_DIRTY, zero without */
	__le64	log_dirty;			/* 336: blocks to be erased */
	__u8	reserved1[3752];		/* 344 */
};						/* 4096 */

/* extent.flags */
#define HIBSWAP_EXTENT_IN_PLACE	1	/* not in the log but at its own address */
#define HIBSWAP_EXTENT_KNOWN	1

/**
 * struct hibswap_extent_disk - one entry of the map
 *
 * Entries stand in the order of the log. A log extent's place is the sum of
 * the lengths of the log extents before it. In-place extents come after all
 * log extents. Where extents overlap, the later one counts.
 */
struct hibswap_extent_disk {
	__le64	block;				/*   0: logical, in blocks */
	__le32	blocks;				/*   8: length, in blocks */
	__le32	flags;				/*  12 */
};						/*  16 */

/*
 * Checksums: one __le32 for each of the image's first sum_blocks blocks, CRC32C
 * like the superblock's, in the order in which the blocks were written: those in
 * the log, then those in place. They are in the map's place, from the first 4 KiB
 * behind the extents on.
 */
#define HIBSWAP_SUM_SIZE	4

#endif /* _UAPI_LINUX_DM_HIBSWAP_H */
