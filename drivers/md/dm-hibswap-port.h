/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the pure parts of dm-hibswap need from their surroundings.
 *
 * dm-hibswap-format.c and dm-hibswap-log.c are compiled into the module, into
 * dmhib and into the unit tests and fuzzers. This is the one place that knows
 * which of them is being built.
 */
#ifndef DM_HIBSWAP_PORT_H
#define DM_HIBSWAP_PORT_H

#ifdef __KERNEL__

#include <linux/build_bug.h>
#include <linux/crc32c.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

/* Sorting a map takes seconds where it is large and the machine slow */
static inline void hibswap_relax(void)
{
	cond_resched();
}

static inline void hibswap_sort(void *base, size_t nr, size_t size,
				int (*cmp)(const void *, const void *))
{
	sort(base, nr, size, cmp, NULL);
}

#else

#include "dm-hibswap-user.h"

#endif

#endif /* DM_HIBSWAP_PORT_H */
