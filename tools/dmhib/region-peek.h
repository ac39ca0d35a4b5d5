/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A quick look: is this a region?
 */
#ifndef DMHIB_REGION_PEEK_H
#define DMHIB_REGION_PEEK_H

#include "dmhib.h"

int region_peek(const char *path, u64 region_start, struct hibswap_super *sb);

#endif /* DMHIB_REGION_PEEK_H */
