/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_POWER_IMAGE_WINDOW_H
#define _KERNEL_POWER_IMAGE_WINDOW_H

#include <linux/types.h>

struct hibernate_window;
struct swap_info_struct;

/* image_window.c */
int image_window_query(dev_t dev, struct hibernate_window *w);
void image_window_open(int type);
sector_t image_window_alloc(int type);
void image_window_free(void);
bool image_window_in_use(void);
unsigned long image_window_left(void);
unsigned long image_window_size(int type);

/* image_reserve.c */
void image_reserve_setup(const char *str);
bool image_reserve_get(const struct swap_info_struct *si, sector_t *start,
		       sector_t *end);

#endif
