/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making the mapped device.
 */
#ifndef DMHIB_OPEN_H
#define DMHIB_OPEN_H

#include "dmhib.h"

/**
 * struct open_how - what the command line or hibswaptab(5) says
 * @region_start: sectors
 * @window: map the window, too
 * @discard: feature of the target
 * @wipe: feature of the target
 * @again: one that is open already in the same way is as good as opened
 */
struct open_how {
	u64 region_start;
	bool window;
	bool discard;
	bool wipe;
	bool again;
};

int open_region(const char *device, const char *name, const struct open_how *how);

#endif /* DMHIB_OPEN_H */
