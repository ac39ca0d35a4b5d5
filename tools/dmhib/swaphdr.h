/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The swap header in the data's first page.
 */
#ifndef DMHIB_SWAPHDR_H
#define DMHIB_SWAPHDR_H

#include "dev.h"

#define SWAPHDR_MAX	65536	/* the largest page */

/**
 * struct swaphdr - a swap header
 * @pages: of the swap area, the header page included
 * @bad_pages: entries of its list of bad pages
 * @signed_off: it carries another signature than swap's: a hibernation's
 */
struct swaphdr {
	u64 pages;
	u32 bad_pages;
	bool signed_off;
};

int swaphdr_read(const struct dev *dev, u64 sector, u32 page_size, void *page,
		 struct swaphdr *hdr);
void swaphdr_resize(void *page, u32 page_size, u64 pages);
void swaphdr_unsign(void *page, u32 page_size);

#endif /* DMHIB_SWAPHDR_H */
