/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How large will an image be?
 */
#ifndef DMHIB_FORECAST_H
#define DMHIB_FORECAST_H

#include "sample.h"

/**
 * struct memory - what decides it; bytes
 * @page_size: of the kernel
 * @total: all memory that an image can hold
 * @now: the fields below are known; not so for another machine
 * @free: nothing to be saved
 * @kept: free as well, but kept by a CPU, so that the kernel counts it as used
 * @file: page cache that the kernel can drop
 * @anon: what it can swap out, if there is space
 * @swap_free: that space
 * @active_anon: what systemd compares with free swap
 * @image_size: what the kernel aims at
 * @image_size_set: ... was read, and is not just its default
 * @compressed: images are
 */
struct memory {
	u64 page_size;
	u64 total;
	bool now;
	u64 free;
	u64 kept;
	u64 file;
	u64 anon;
	u64 swap_free;
	u64 active_anon;
	u64 image_size;
	bool image_size_set;
	bool compressed;
};

/**
 * struct parts - an image, part by part; bytes
 * @pages: memory that is saved
 * @lists: of page frames and of slots
 * @packing: what compression adds (or, if @saves, takes away)
 * @saves: compression makes it smaller
 * @margin: because memory changes
 * @sum: what is written
 */
struct parts {
	u64 pages;
	u64 lists;
	u64 packing;
	bool saves;
	u64 margin;
	u64 sum;
};

/* Why an image has the size it has */
enum reason {
	WHY_FITS,	/* all that is in use is below image_size */
	WHY_SHRUNK,	/* the kernel frees memory until it is image_size */
	WHY_PINNED,	/* it cannot free that much */
	WHY_HALF,	/* half of memory is the limit */
};

int memory_read(struct memory *m);
void memory_plan(struct memory *m, u64 ram);
u64 memory_in_use(const struct memory *m);
void forecast_pages(const struct memory *m, u64 pages, struct parts *p);
void forecast_largest(const struct memory *m, struct parts *p);
void forecast_target(const struct memory *m, struct parts *p);
enum reason forecast_now(const struct memory *m, const struct sample *s, struct parts *p);
bool forecast_sampled(const struct memory *m, struct sample *s, enum reason *why,
		      struct parts *p);
const char *reason_code(enum reason why);
const char *reason_text(enum reason why);

u64 region_superblocks(void);
u64 region_maps(u64 ram);
u64 region_for(u64 ram, u64 image);

#endif /* DMHIB_FORECAST_H */
