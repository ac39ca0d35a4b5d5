// SPDX-License-Identifier: GPL-2.0-only
/*
 * The image log and its map.
 *
 *	logical:   ..[ C ]......[ A ]....[B]........[ D ]..
 *	log:       |A A A|B B|C C C| -> appended, never rewritten
 *	in place:  D, because the log was full
 *
 * While an image is written, extents are appended in the order of the log;
 * the last one grows as long as addresses and positions both continue. That
 * order is also the order of age, and where an address was written twice the
 * younger extent counts.
 *
 * For look-ups the same array is sorted by address. Images whose addresses
 * were written twice keep the order of age (and a slow search), or are
 * resolved into an array without overlaps where there is memory to do it.
 */
#include "dm-hibswap-log.h"

static_assert(sizeof(struct hibswap_extent) == sizeof(struct hibswap_extent_disk));

static void extent_set(struct hibswap_extent *e, u64 lba, u64 len, u64 pos,
		       u64 flags)
{
	e->lba_len = lba << 24 | len;
	e->pos_flags = pos << 24 | flags;
}

/**
 * hibswap_log_init - an empty log
 * @log: to be set up
 * @ext: memory for extents
 * @cap: for how many
 * @room: blocks in the log
 */
void hibswap_log_init(struct hibswap_log *log, struct hibswap_extent *ext,
		      u64 cap, u64 room)
{
	log->ext = ext;
	log->cap = ext ? cap : 0;
	log->room = room;
	hibswap_log_reset(log);
}

/**
 * hibswap_log_reset - forget all extents
 * @log: the log
 */
void hibswap_log_reset(struct hibswap_log *log)
{
	log->nr = 0;
	log->used = 0;
	log->in_place = 0;
	log->sorted = false;
}

/* Adds an extent at @pos, or lets the last one grow */
static int log_add(struct hibswap_log *log, u64 lba, u64 blocks, u64 pos, u64 flags)
{
	struct hibswap_extent *last = log->nr ? &log->ext[log->nr - 1] : NULL;

	if (last && hibswap_extent_lba(last) + hibswap_extent_len(last) == lba &&
	    hibswap_extent_in_place(last) == !!flags &&
	    hibswap_extent_len(last) + blocks <= HIBSWAP_EXTENT_MAX) {
		last->lba_len += blocks;
		return 0;
	}
	if (log->nr >= log->cap)
		return -ENOSPC;
	extent_set(&log->ext[log->nr], lba, blocks, pos, flags);
	log->nr++;
	return 0;
}

static int log_check_range(const struct hibswap_log *log, u64 lba, u64 blocks)
{
	/* Block 0 is the header page's, which is never part of the log */
	if (log->sorted || !lba || !blocks || blocks > HIBSWAP_EXTENT_MAX ||
	    lba >= HIBSWAP_BLOCKS_MAX || blocks > HIBSWAP_BLOCKS_MAX - lba)
		return -EINVAL;
	return 0;
}

/**
 * hibswap_log_append - give a write its place in the log
 * @log: the log, not sorted
 * @lba: logical block
 * @blocks: length; must fit into what is left of the log
 * @pos: set to the position in the log, in blocks
 *
 * Return: 0; -E2BIG if the log has less room than @blocks; -ENOSPC if there is
 * no extent left; -EINVAL for arguments out of range or a sorted log, or when
 * something has been recorded in place already.
 */
int hibswap_log_append(struct hibswap_log *log, u64 lba, u64 blocks, u64 *pos)
{
	int err;

	if (log_check_range(log, lba, blocks) || log->in_place)
		return -EINVAL;
	if (blocks > log->room - log->used)
		return -E2BIG;
	err = log_add(log, lba, blocks, log->used, 0);
	if (err)
		return err;
	*pos = log->used;
	log->used += blocks;
	return 0;
}

/**
 * hibswap_log_append_in_place - record a write that stays where it is
 * @log: the log, not sorted
 * @lba: logical block
 * @blocks: length
 *
 * From here on the log takes nothing more: in-place extents come last.
 *
 * Return: 0; -ENOSPC if there is no extent left; -EINVAL for arguments out of
 * range or a sorted log.
 */
int hibswap_log_append_in_place(struct hibswap_log *log, u64 lba, u64 blocks)
{
	int err;

	if (log_check_range(log, lba, blocks) ||
	    blocks > HIBSWAP_BLOCKS_MAX - log->used - log->in_place)
		return -EINVAL;
	err = log_add(log, lba, blocks, log->used + log->in_place,
		      HIBSWAP_EXTENT_IN_PLACE);
	if (!err)
		log->in_place += blocks;
	return err;
}

static int cmp_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* By address; the length in the low bits does not matter to the order */
static int cmp_lba(const void *a, const void *b)
{
	const struct hibswap_extent *x = a, *y = b;

	hibswap_relax();
	return cmp_u64(hibswap_extent_lba(x), hibswap_extent_lba(y));
}

static int cmp_age(const void *a, const void *b)
{
	const struct hibswap_extent *x = a, *y = b;

	hibswap_relax();
	return cmp_u64(hibswap_extent_pos(x), hibswap_extent_pos(y));
}

/**
 * hibswap_log_index - sort by address, for look-ups
 * @log: the log; nothing can be appended to it afterwards
 *
 * Needs no memory. Takes time: not under a spinlock.
 *
 * Return: 0; -EEXIST if extents overlap: they are in the order of age again,
 * and look-ups are right but slow.
 */
int hibswap_log_index(struct hibswap_log *log)
{
	u64 i;

	if (log->sorted)
		return 0;
	hibswap_sort(log->ext, log->nr, sizeof(*log->ext), cmp_lba);
	for (i = 1; i < log->nr; i++) {
		const struct hibswap_extent *e = &log->ext[i - 1];

		if (hibswap_extent_lba(e) + hibswap_extent_len(e) >
		    hibswap_extent_lba(&log->ext[i])) {
			hibswap_sort(log->ext, log->nr, sizeof(*log->ext), cmp_age);
			return -EEXIST;
		}
	}
	log->sorted = true;
	return 0;
}

/* Answer for @lba from an extent that covers it */
static void where_from(struct hibswap_where *w, const struct hibswap_extent *e,
		       u64 lba, u64 blocks)
{
	u64 skip = lba - hibswap_extent_lba(e);

	w->mapped = true;
	w->in_place = hibswap_extent_in_place(e);
	w->pos = hibswap_extent_pos(e) + skip;
	w->blocks = min(blocks, hibswap_extent_len(e) - skip);
}

static bool covers(const struct hibswap_extent *e, u64 lba)
{
	return lba >= hibswap_extent_lba(e) &&
	       lba - hibswap_extent_lba(e) < hibswap_extent_len(e);
}

/* Youngest first; a younger extent also ends what an older one, or a hole, answers */
static void lookup_by_age(const struct hibswap_log *log, u64 lba, u64 blocks,
			  struct hibswap_where *w)
{
	u64 i;

	for (i = log->nr; i--; ) {
		const struct hibswap_extent *e = &log->ext[i];

		if (covers(e, lba)) {
			where_from(w, e, lba, blocks);
			return;
		}
		if (hibswap_extent_lba(e) > lba)
			blocks = min(blocks, hibswap_extent_lba(e) - lba);
	}
	w->blocks = blocks;
}

/**
 * hibswap_log_lookup - where does an address lie?
 * @log: the log
 * @lba: logical block
 * @blocks: how many blocks are of interest, at least 1
 * @cursor: a hint kept between calls, may be shared without a lock
 * @where: the answer
 *
 * O(log n) in a sorted log and O(1) where one look-up continues another;
 * O(n) in one that still grows or has overlaps.
 */
void hibswap_log_lookup(const struct hibswap_log *log, u64 lba, u64 blocks,
			u64 *cursor, struct hibswap_where *where)
{
	u64 lo = 0, hi = log->nr, i;

	where->mapped = false;
	where->in_place = false;
	where->pos = 0;
	if (!log->sorted) {
		lookup_by_age(log, lba, blocks, where);
		return;
	}

	/* The one used last, or its successor */
	i = READ_ONCE(*cursor);
	if (i < log->nr && !covers(&log->ext[i], lba))
		i++;
	if (i >= log->nr || !covers(&log->ext[i], lba)) {
		/* The first extent that begins behind lba, and the one before */
		while (lo < hi) {
			u64 mid = lo + (hi - lo) / 2;

			if (hibswap_extent_lba(&log->ext[mid]) <= lba)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (!lo || !covers(&log->ext[lo - 1], lba)) {
			if (lo < log->nr)
				blocks = min(blocks, hibswap_extent_lba(&log->ext[lo]) - lba);
			where->blocks = blocks;
			return;
		}
		i = lo - 1;
	}
	WRITE_ONCE(*cursor, i);
	where_from(where, &log->ext[i], lba, blocks);
}

/**
 * hibswap_log_resolve_scratch - memory that hibswap_log_resolve() needs
 * @nr: number of extents
 *
 * Return: bytes.
 */
size_t hibswap_log_resolve_scratch(u64 nr)
{
	return (2 * nr + 1) * (sizeof(u64) + 2 * sizeof(u32));
}

static int cmp_cut(const void *a, const void *b)
{
	hibswap_relax();
	return cmp_u64(*(const u64 *)a, *(const u64 *)b);
}

static u32 find_cut(const u64 *cut, u32 nr, u64 value)
{
	u32 lo = 0, hi = nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (cut[mid] < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The first piece from @i on that has no owner yet */
static u32 next_bare(u32 *next, u32 i)
{
	u32 root = i;

	while (next[root] != root)
		root = next[root];
	while (next[i] != root) {
		u32 n = next[i];

		next[i] = root;
		i = n;
	}
	return root;
}

/**
 * hibswap_log_resolve - remove overlaps, the younger extent wins
 * @log: in the order of age, as hibswap_log_index() leaves it with -EEXIST
 * @scratch: hibswap_log_resolve_scratch(log->nr) bytes, 8 byte aligned
 * @out: memory for the result
 * @out_cap: for how many extents; 2 * log->nr - 1 always suffices
 *
 * The addresses at which extents begin or end cut the address space into
 * pieces. The extents paint their pieces from the youngest to the oldest, and
 * a painted piece is passed over from then on. On success @log uses @out and
 * is sorted; what it used before is the caller's to free.
 *
 * Return: 0 or -ENOSPC if @out is too small or there are too many extents.
 */
int hibswap_log_resolve(struct hibswap_log *log, void *scratch,
			struct hibswap_extent *out, u64 out_cap)
{
	u64 *cut = scratch;
	u32 *next = (u32 *)(cut + 2 * log->nr + 1);
	u32 *owner = next + 2 * log->nr + 1;
	u32 nr_cuts = 0, i, j;
	u64 nr_out = 0, k;

	if (log->nr > 1U << 30)
		return -ENOSPC;
	for (k = 0; k < log->nr; k++) {
		const struct hibswap_extent *e = &log->ext[k];

		cut[2 * k] = hibswap_extent_lba(e);
		cut[2 * k + 1] = hibswap_extent_lba(e) + hibswap_extent_len(e);
	}
	hibswap_sort(cut, 2 * log->nr, sizeof(*cut), cmp_cut);
	for (k = 0; k < 2 * log->nr; k++)
		if (!nr_cuts || cut[nr_cuts - 1] != cut[k])
			cut[nr_cuts++] = cut[k];

	for (i = 0; i <= nr_cuts; i++) {
		next[i] = i;
		owner[i] = ~0U;
	}
	for (k = log->nr; k--; ) {
		const struct hibswap_extent *e = &log->ext[k];
		u64 end = hibswap_extent_lba(e) + hibswap_extent_len(e);

		j = find_cut(cut, nr_cuts, end);
		for (i = next_bare(next, find_cut(cut, nr_cuts, hibswap_extent_lba(e)));
		     i < j; i = next_bare(next, i)) {
			owner[i] = k;
			next[i] = i + 1;
		}
	}

	for (i = 0; i < nr_cuts; i = j) {
		const struct hibswap_extent *e;

		for (j = i + 1; j < nr_cuts && owner[j] == owner[i]; j++)
			;
		if (owner[i] == ~0U)
			continue;
		if (nr_out >= out_cap)
			return -ENOSPC;
		e = &log->ext[owner[i]];
		extent_set(&out[nr_out++], cut[i], cut[j] - cut[i],
			   hibswap_extent_pos(e) + cut[i] - hibswap_extent_lba(e),
			   hibswap_extent_in_place(e) ? HIBSWAP_EXTENT_IN_PLACE : 0);
	}
	log->ext = out;
	log->nr = nr_out;
	log->cap = out_cap;
	log->sorted = true;
	return 0;
}

/**
 * hibswap_log_encode - make the bytes of a piece of the map
 * @log: in the order of age
 * @from: number of the first extent
 * @out: where to
 * @max: for how many extents there is space
 *
 * Return: how many were encoded.
 */
u64 hibswap_log_encode(const struct hibswap_log *log, u64 from,
		       struct hibswap_extent_disk *out, u64 max)
{
	u64 nr = from < log->nr ? min(max, log->nr - from) : 0, i;

	for (i = 0; i < nr; i++) {
		const struct hibswap_extent *e = &log->ext[from + i];

		out[i].block = cpu_to_le64(hibswap_extent_lba(e));
		out[i].blocks = cpu_to_le32(hibswap_extent_len(e));
		out[i].flags = cpu_to_le32(hibswap_extent_in_place(e) ?
					   HIBSWAP_EXTENT_IN_PLACE : 0);
	}
	return nr;
}

/**
 * hibswap_log_decode - take in the bytes of a piece of the map
 * @log: extents are added to it, in the order of age
 * @in: the bytes; their checksum has been looked at
 * @nr: number of extents in them
 * @geom: checked; says how long data and window are
 * @fault: says what is wrong, may be NULL
 *
 * Return: 0 or -EINVAL; -ENOSPC if @log has no memory for them.
 */
int hibswap_log_decode(struct hibswap_log *log,
		       const struct hibswap_extent_disk *in, u64 nr,
		       const struct hibswap_geom *geom, struct hibswap_fault *fault)
{
	const u64 data_blocks = geom->data_sectors / HIBSWAP_BLOCK_SECTORS;
	const u64 logical_blocks = (geom->data_sectors + geom->window_sectors) /
				   HIBSWAP_BLOCK_SECTORS;
	struct hibswap_fault f = {};
	u64 i;

	for (i = 0; i < nr; i++) {
		u64 lba = le64_to_cpu(in[i].block);
		u64 len = le32_to_cpu(in[i].blocks);
		u32 flags = le32_to_cpu(in[i].flags);

		if (!len || len > HIBSWAP_EXTENT_MAX)
			f = (struct hibswap_fault){ "extent length", len, HIBSWAP_EXTENT_MAX };
		else if (!lba)
			f = (struct hibswap_fault){ "extent over the header page", lba, 1 };
		else if (lba >= logical_blocks || len > logical_blocks - lba)
			f = (struct hibswap_fault){ "extent behind the device's end", lba,
						    logical_blocks };
		else if (flags & ~HIBSWAP_EXTENT_KNOWN)
			f = (struct hibswap_fault){ "extent flags", flags, HIBSWAP_EXTENT_KNOWN };
		else if (flags && lba + len > data_blocks)
			f = (struct hibswap_fault){ "in-place extent behind the data", lba,
						    data_blocks };
		else if (!flags && log->in_place)
			f = (struct hibswap_fault){ "log extent after one in place", log->nr, 0 };
		else if (!flags && len > log->room - log->used)
			f = (struct hibswap_fault){ "extent behind the log's end",
						    log->used + len, log->room };
		else if (flags && len > HIBSWAP_BLOCKS_MAX - log->used - log->in_place)
			f = (struct hibswap_fault){ "in-place blocks", log->in_place,
						    HIBSWAP_BLOCKS_MAX };
		else if (log->nr >= log->cap)
			return -ENOSPC;

		if (f.what) {
			if (fault)
				*fault = f;
			return -EINVAL;
		}
		extent_set(&log->ext[log->nr++], lba, len, log->used + log->in_place, flags);
		if (flags)
			log->in_place += len;
		else
			log->used += len;
	}
	return 0;
}
