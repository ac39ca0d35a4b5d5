/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The image log and its map: pure logic, no I/O, no locks, no allocation.
 * The caller brings the memory and serialises. hibswap_log_index() and
 * hibswap_log_resolve() may sleep; the rest is for any context.
 */
#ifndef DM_HIBSWAP_LOG_H
#define DM_HIBSWAP_LOG_H

#include "dm-hibswap-format.h"

/**
 * struct hibswap_extent - a contiguous stretch of image, packed to 16 bytes
 * @lba_len: logical block << 24 | number of blocks
 * @pos_flags: position << 24 | flags
 *
 * A log extent's position is its place in the log, in blocks. In-place
 * extents have none; they are numbered on behind the log, so that ordering by
 * position is always ordering by age.
 */
struct hibswap_extent {
	u64 lba_len;
	u64 pos_flags;
};

static inline u64 hibswap_extent_lba(const struct hibswap_extent *e)
{
	return e->lba_len >> 24;
}

static inline u64 hibswap_extent_len(const struct hibswap_extent *e)
{
	return e->lba_len & HIBSWAP_EXTENT_MAX;
}

static inline u64 hibswap_extent_pos(const struct hibswap_extent *e)
{
	return e->pos_flags >> 24;
}

static inline bool hibswap_extent_in_place(const struct hibswap_extent *e)
{
	return e->pos_flags & HIBSWAP_EXTENT_IN_PLACE;
}

/**
 * struct hibswap_log - the map of an image, while it grows or when loaded
 * @ext: the extents, in order of age, or by address once @sorted
 * @nr: how many there are
 * @cap: how many there is memory for
 * @room: blocks in the log
 * @used: blocks of the log in use
 * @in_place: blocks recorded in place
 * @sorted: by address and free of overlaps: look-up is a binary search
 */
struct hibswap_log {
	struct hibswap_extent *ext;
	u64 nr;
	u64 cap;
	u64 room;
	u64 used;
	u64 in_place;
	bool sorted;
};

/**
 * struct hibswap_where - the answer to a look-up
 * @mapped: the map has the address
 * @in_place: ... and says that it lies at its own address
 * @pos: position in the log, in blocks, if @mapped and not @in_place
 * @blocks: the answer holds for so many blocks, at least 1
 */
struct hibswap_where {
	bool mapped;
	bool in_place;
	u64 pos;
	u64 blocks;
};

void hibswap_log_init(struct hibswap_log *log, struct hibswap_extent *ext,
		      u64 cap, u64 room);
void hibswap_log_reset(struct hibswap_log *log);
int hibswap_log_append(struct hibswap_log *log, u64 lba, u64 blocks, u64 *pos);
int hibswap_log_append_in_place(struct hibswap_log *log, u64 lba, u64 blocks);
void hibswap_log_lookup(const struct hibswap_log *log, u64 lba, u64 blocks,
			u64 *cursor, struct hibswap_where *where);
int hibswap_log_index(struct hibswap_log *log);
size_t hibswap_log_resolve_scratch(u64 nr);
int hibswap_log_resolve(struct hibswap_log *log, void *scratch,
			struct hibswap_extent *out, u64 out_cap);
u64 hibswap_log_encode(const struct hibswap_log *log, u64 from,
		       struct hibswap_extent_disk *out, u64 max);
int hibswap_log_decode(struct hibswap_log *log,
		       const struct hibswap_extent_disk *in, u64 nr,
		       const struct hibswap_geom *geom, struct hibswap_fault *fault);

#endif /* DM_HIBSWAP_LOG_H */
