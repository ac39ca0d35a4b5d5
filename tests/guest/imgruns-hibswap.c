// SPDX-License-Identifier: GPL-2.0-only
/*
 * How imgruns finds the pages of an image that dm-hibswap has taken in: with
 * the superblock and the map on the disk, read by the target's own code.
 *
 * --map hibswap:SECTOR, SECTOR being where the region starts.
 */

#include "dm-hibswap-log.h"
#include "imgruns.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct hibswap_super super;
static struct hibswap_log image_log;
static u64 cursor;

static uint64_t translate(void *data, uint64_t page)
{
	struct hibswap_where where;

	(void)data;
	hibswap_log_lookup(&image_log, page, 1, &cursor, &where);
	if (!where.mapped)
		return UINT64_MAX;
	if (where.in_place)
		return super.geom.data_start * 512 + page * HIBSWAP_BLOCK_SIZE;
	return super.geom.log_start * 512 + where.pos * HIBSWAP_BLOCK_SIZE;
}

static bool whine(const char *what, const struct hibswap_fault *fault)
{
	fprintf(stderr, "imgruns: %s: %s\n", what, fault->what ? fault->what : "?");
	return false;
}

bool imgruns_translation(const char *spec, int fd, uint64_t at, struct translation *tr)
{
	struct hibswap_fault fault = { 0 };
	struct hibswap_extent *ext, *flat;
	uint8_t block[HIBSWAP_BLOCK_SIZE];
	struct hibswap_super sb[2];
	u64 start, n, bytes;
	int err[2], copy;
	void *map;
	char *end;

	if (strncmp(spec, "hibswap:", 8))
		return false;
	start = strtoull(spec + 8, &end, 0);
	if (*end || end == spec + 8)
		return false;

	for (copy = 0; copy < 2; copy++) {
		if (pread(fd, block, sizeof(block), hibswap_super_sector(start, copy) * 512) !=
		    (ssize_t)sizeof(block))
			return whine("superblock", &fault);
		err[copy] = hibswap_super_decode(&sb[copy], block, copy, &fault);
	}
	copy = hibswap_super_choose(err, sb);
	if (copy < 0)
		return whine("superblock", &fault);
	super = sb[copy];
	if (super.state != HIBSWAP_COMMITTED) {
		fprintf(stderr, "imgruns: the region holds no image\n");
		return false;
	}
	if (super.geom.data_start * 512 != at)
		fprintf(stderr, "imgruns: the data starts at %llu, not at %llu\n",
			(unsigned long long)super.geom.data_start * 512, (unsigned long long)at);

	n = super.image.extents;
	bytes = n * sizeof(struct hibswap_extent_disk);
	ext = calloc(n + 1, sizeof(*ext));
	map = malloc(bytes + 1);
	if (!ext || !map)
		return whine("memory", &fault);
	if (pread(fd, map, bytes, super.geom.map_start[super.image.map_place] * 512) !=
	    (ssize_t)bytes || hibswap_crc(0, map, bytes) != super.image.map_crc)
		return whine("map checksum", &fault);
	hibswap_log_init(&image_log, ext, n, super.geom.log_sectors / HIBSWAP_BLOCK_SECTORS);
	if (hibswap_log_decode(&image_log, map, n, &super.geom, &fault))
		return whine("map", &fault);
	free(map);
	if (hibswap_log_index(&image_log) == -EEXIST) {
		flat = calloc(2 * n, sizeof(*flat));
		map = malloc(hibswap_log_resolve_scratch(n));
		if (!flat || !map || hibswap_log_resolve(&image_log, map, flat, 2 * n))
			return whine("overlapping extents", &fault);
		free(map);
		free(ext);
	}
	tr->translate = translate;
	return true;
}
