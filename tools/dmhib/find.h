/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which block device does a line of hibswaptab(5) mean?
 */
#ifndef DMHIB_FIND_H
#define DMHIB_FIND_H

#include "dmhib.h"
#include "tab.h"

#include <limits.h>

#define FIND_WHY	640
#define WAIT_FOREVER	(~0ULL)

int find_device(const struct tab_entry *e, char *path, size_t len, char *why);
int find_wait(const struct tab_entry *e, u64 seconds, char *path, size_t len);

#endif /* DMHIB_FIND_H */
