// SPDX-License-Identifier: GPL-2.0-only
/*
 * A mapped hibswap device: table and status taken apart.
 */
#include "mapping.h"

#include <inttypes.h>
#include <unistd.h>

/* "254:16" is not what people call their disks */
static void name_below(struct mapping *map, const char *dev)
{
	char path[64], link[PATH_MAX];
	const char *base;
	ssize_t n;

	snprintf(map->below, sizeof(map->below), "%s", dev);
	snprintf(path, sizeof(path), "/sys/dev/block/%s", dev);
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return;
	link[n] = '\0';
	base = strrchr(link, '/');
	if (base)
		snprintf(map->below, sizeof(map->below), "/dev/%.255s", base + 1);
}

static bool parse_table(struct mapping *map)
{
	char dev[32];

	if (sscanf(map->m.table, "%31s %" SCNu64 " %" SCNu64 " %" SCNu64, dev, &map->data_start,
		   &map->region_start, &map->region_sectors) != 4)
		return false;
	name_below(map, dev);
	return true;
}

/**
 * mapping_find - find a mapped device, understand it if it is a hibswap device
 * @name: its name
 * @map: filled in
 *
 * Return: an exit code; E_OK also if there is none, or it is another target's.
 */
int mapping_find(const char *name, struct mapping *map)
{
	int rc;

	memset(map, 0, sizeof(*map));
	rc = dm_find_table(name, &map->m);
	if (rc || !map->m.exists || strcmp(map->m.target, DM_TARGET))
		return rc;
	map->known = parse_table(map) && !hibswap_status_parse(map->m.status, &map->st);
	return E_OK;
}
