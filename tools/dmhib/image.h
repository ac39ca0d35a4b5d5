/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An image on a device, read through its map, or dropped.
 */
#ifndef DMHIB_IMAGE_H
#define DMHIB_IMAGE_H

#include "meta.h"
#include "sums.h"

/**
 * struct image - the map in memory, and a buffer to read the image with
 * @dev: device
 * @sb: its superblock, committed
 * @log: the map, sorted
 * @cursor: of its look-ups
 * @page_blocks: blocks in a page of the kernel that wrote the image
 * @buf: what was read last
 * @buf_sector: from where
 * @buf_sectors: how much
 * @read: sectors read from the device for it
 * @sums: what is read is compared with them, may be NULL
 */
struct image {
	const struct dev *dev;
	const struct hibswap_super *sb;
	struct hibswap_log log;
	u64 cursor;
	u64 page_blocks;
	u8 *buf;
	u64 buf_sector;
	u64 buf_sectors;
	u64 read;
	struct sums *sums;
};

int image_open(struct image *im, const struct dev *dev, const struct hibswap_super *sb);
void image_close(struct image *im);
int image_read(struct image *im, const struct bad_block *first, u64 sectors);
int image_page(struct image *im, u64 page, const u8 **data, u64 *run);
int image_drop(const struct dev *dev, struct hibswap_super *sb);

#endif /* DMHIB_IMAGE_H */
