/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests and fuzzers hold the core against: written another way, slow
 * and obvious, sharing nothing with the core but its structures.
 */
#ifndef HIBSWAP_REF_H
#define HIBSWAP_REF_H

#include "dm-hibswap-log.h"

#define REF_CRC_AT	20	/* of the superblock's checksum */

/* CRC32C, bit by bit */
static inline u32 ref_crc32c(const void *data, size_t len)
{
	const u8 *p = data;
	u32 crc = 0xffffffff;
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return crc ^ 0xffffffff;
}

static inline void ref_put(void *block, size_t at, unsigned int width, u64 value)
{
	u8 *p = (u8 *)block + at;

	while (width--) {
		*p++ = value & 0xff;
		value >>= 8;
	}
}

static inline u64 ref_get(const void *block, size_t at, unsigned int width)
{
	const u8 *p = (const u8 *)block + at;
	u64 value = 0;

	while (width--)
		value = value << 8 | p[width];
	return value;
}

static inline void ref_sign_super(u8 *block)
{
	ref_put(block, REF_CRC_AT, 4, 0);
	ref_put(block, REF_CRC_AT, 4, ref_crc32c(block, 4096));
}

/* splitmix64 */
static inline u64 ref_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static inline u64 ref_below(u64 *state, u64 limit)
{
	return ref_random(state) % limit;
}

/*
 * Everything that a geometry promises. Returns what is wrong with it, or NULL.
 */
static inline const char *ref_geom_wrong(const struct hibswap_geom *g)
{
	const u64 most = 1ULL << 43;	/* 4 PiB in sectors */
	const u64 fields[] = {
		g->region_start, g->region_sectors, g->data_start, g->data_sectors,
		g->window_sectors, g->log_start, g->log_sectors, g->map_start[0],
		g->map_start[1], g->map_sectors,
	};
	u64 region_end, data_end;
	size_t i;

	/* No sum of two overflows after this */
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i] > most)
			return "a field above 4 PiB";
	region_end = g->region_start + g->region_sectors;
	data_end = g->data_start + g->data_sectors;
	if (region_end > most || data_end > most || g->data_sectors + g->window_sectors > most)
		return "an end above 4 PiB";
	if (g->region_start % 8 || g->data_start % 8 || g->log_start % 2048 ||
	    g->log_sectors % 8 || g->map_start[0] % 8 || g->map_start[1] % 8)
		return "alignment";
	if (g->window_sectors % 8 || (g->window_sectors && g->data_sectors % 8))
		return "window alignment";
	if (g->data_start < 2048)
		return "data below 1 MiB";
	if (!g->data_sectors)
		return "no data";
	if (!(data_end <= g->region_start || region_end <= g->data_start))
		return "region and data overlap";
	/* A, B, log, map 0, map 1: in this order, all inside the region */
	if (g->log_start < g->region_start + 2048 + 8)
		return "log over superblock B";
	if (g->log_start >= g->region_start + 2048 + 8 + 2048)
		return "a gap before the log";
	if (g->log_sectors < 128)
		return "log too small";
	if (g->log_start + g->log_sectors != g->map_start[0])
		return "map 0 not behind the log";
	if (g->map_sectors < 8 || g->map_sectors % 8)
		return "map size";
	if (g->map_start[0] + g->map_sectors != g->map_start[1])
		return "map 1 not behind map 0";
	if (g->map_start[1] + g->map_sectors > region_end ||
	    g->map_start[1] + g->map_sectors + 8 <= region_end)
		return "map 1 not at the region's end";
	if (g->window_sectors > g->log_sectors)
		return "a window that the log cannot hold";
	return NULL;
}

/*
 * Where addresses lie, by a list of what was written, youngest last.
 */
struct ref_write {
	u64 lba;
	u64 len;
	u64 pos;		/* in the log */
	bool in_place;
};

struct ref_list {
	struct ref_write *w;
	size_t nr;
};

static inline const struct ref_write *ref_newest(const struct ref_list *list, u64 lba)
{
	size_t i;

	for (i = list->nr; i--; )
		if (lba >= list->w[i].lba && lba < list->w[i].lba + list->w[i].len)
			return &list->w[i];
	return NULL;
}

static inline bool ref_agrees(const struct ref_list *list, u64 lba, bool mapped,
			      bool in_place, u64 pos)
{
	const struct ref_write *w = ref_newest(list, lba);

	if (!w || !mapped)
		return !w && !mapped;
	if (w->in_place || in_place)
		return w->in_place && in_place;
	return w->pos + (lba - w->lba) == pos;
}

/*
 * Is the answer right for every block that it speaks of? It suffices to ask at
 * the borders of writes, between which nothing changes.
 */
static inline bool ref_lookup_right(const struct ref_list *list, u64 lba, u64 blocks,
				    const struct hibswap_where *where)
{
	size_t i;
	int side;

	if (!where->blocks || where->blocks > blocks)
		return false;
	if (!ref_agrees(list, lba, where->mapped, where->in_place, where->pos))
		return false;
	for (i = 0; i < list->nr; i++) {
		for (side = 0; side < 2; side++) {
			u64 at = list->w[i].lba + (side ? list->w[i].len : 0);

			if (at <= lba || at - lba >= where->blocks)
				continue;
			if (!ref_agrees(list, at, where->mapped, where->in_place,
					where->pos + (at - lba)))
				return false;
		}
	}
	return true;
}

/* Sorted by address, without overlaps, and 40 bits suffice everywhere */
static inline bool ref_sorted_right(const struct hibswap_log *log)
{
	u64 i, end = 0;

	for (i = 0; i < log->nr; i++) {
		const struct hibswap_extent *e = &log->ext[i];

		if (!hibswap_extent_len(e) || (i && hibswap_extent_lba(e) < end))
			return false;
		end = hibswap_extent_lba(e) + hibswap_extent_len(e);
		if (end > 1ULL << 40)
			return false;
	}
	return log->sorted;
}

#endif /* HIBSWAP_REF_H */
