/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For kernels that know no image window: nobody asks, so nobody is told.
 */
#ifndef HIBSWAP_COMPAT_HIBERNATE_WINDOW_H
#define HIBSWAP_COMPAT_HIBERNATE_WINDOW_H

#include <linux/types.h>

struct hibernate_window {
	sector_t data_sectors;
	sector_t start;
	sector_t nr_sectors;
};

struct hibernate_window_provider {
	dev_t dev;
	int (*query)(struct hibernate_window_provider *p, struct hibernate_window *w);
};

static inline int hibernate_window_register(struct hibernate_window_provider *p)
{
	return 0;
}

static inline void hibernate_window_unregister(struct hibernate_window_provider *p)
{
}

#endif /* HIBSWAP_COMPAT_HIBERNATE_WINDOW_H */
