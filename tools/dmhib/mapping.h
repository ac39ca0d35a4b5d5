/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mapped hibswap device: table and status taken apart.
 */
#ifndef DMHIB_MAPPING_H
#define DMHIB_MAPPING_H

#include "dm.h"
#include "status-parse.h"

#include <limits.h>

/**
 * struct mapping - a mapped hibswap device
 * @m: what device-mapper says
 * @below: the device below it
 * @data_start: sectors, on that
 * @region_start: the same
 * @region_sectors: the same
 * @st: its status
 * @known: table and status could be understood
 */
struct mapping {
	struct mapped m;
	char below[PATH_MAX];
	u64 data_start;
	u64 region_start;
	u64 region_sectors;
	struct hibswap_status st;
	bool known;
};

int mapping_find(const char *name, struct mapping *map);

#endif /* DMHIB_MAPPING_H */
