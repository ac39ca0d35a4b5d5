/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's image: its swap map and what that leads to.
 */
#ifndef DMHIB_SWAPMAP_H
#define DMHIB_SWAPMAP_H

#include "image.h"
#include "progress.h"

/**
 * struct swapmap - what following it came to
 * @kernel_image: the signature is that of the kernel's own images: without it,
 *	nothing was followed
 * @compressed: the image is
 * @map_pages: pages of the swap map
 * @data_pages: pages that it names, the first of which describes the image
 * @image_pages: pages that the image says it has, uncompressed
 * @chunks: compressed pieces
 * @fault: what is wrong, in words, or empty
 */
struct swapmap {
	bool kernel_image;
	bool compressed;
	u64 map_pages;
	u64 data_pages;
	u64 image_pages;
	u64 chunks;
	char fault[160];
};

int swapmap_follow(struct image *im, struct swapmap *sm, struct progress *p);

#endif /* DMHIB_SWAPMAP_H */
