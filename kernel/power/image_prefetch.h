/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the image while memory for it is still being prepared.
 */
#ifndef _KERNEL_POWER_IMAGE_PREFETCH_H
#define _KERNEL_POWER_IMAGE_PREFETCH_H

#include <linux/types.h>

struct hib_bio_batch;
struct swap_map_handle;

void image_prefetch_start(struct swap_map_handle *handle,
			  struct hib_bio_batch *hb);
bool image_prefetch_give(void *page);
void *image_prefetch_take(void);
void image_prefetch_drain(void);
void image_prefetch_stop(void);

#endif /* _KERNEL_POWER_IMAGE_PREFETCH_H */
