/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Laying a region out: what format and resize share.
 */
#ifndef DMHIB_LAYOUT_H
#define DMHIB_LAYOUT_H

#include "dev.h"

#include <json-c/json.h>

#define MIB_SECTORS	2048

/*
 * Where a header page may end in a signature, whatever the page size: old swap
 * must not come back to life at the data's start.
 */
#define DATA_ZERO_SECTORS	128	/* 64 KiB */

u64 layout_page_sectors(void);
u64 layout_round(u64 bytes, u64 align);
int layout_options(void);
int layout_extents(u64 *ram, u64 *extents);
int layout_data(const struct dev *dev, const struct hibswap_geom *geom, u64 end);
int layout_init(struct hibswap_geom *geom, u64 extents);
int layout_wipe_signatures(const struct dev *dev, const struct hibswap_geom *geom);
void layout_table(const struct dev *dev, const struct hibswap_geom *geom, char *buf, size_t len);
void layout_print(const struct hibswap_geom *geom, u64 ram);
struct json_object *layout_json(const struct dev *dev, const struct hibswap_super *sb,
				const char *table);

#endif /* DMHIB_LAYOUT_H */
