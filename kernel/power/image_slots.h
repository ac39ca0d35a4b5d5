/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KERNEL_POWER_IMAGE_SLOTS_H
#define _KERNEL_POWER_IMAGE_SLOTS_H

#include <linux/types.h>

sector_t image_slots_alloc(int type);
void image_slots_free(void);
unsigned long image_slots_avail(int type);
bool image_slots_in_use(void);

#endif
