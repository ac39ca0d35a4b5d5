// SPDX-License-Identifier: GPL-2.0-only
/*
 * States whose last entry touches superblock, map or header page, or comes next
 * after one that does, are near a change. Of these one of each class is taken:
 * a class is what has arrived of superblocks, header page and maps, and what
 * the boot will do. Of all others a sample.
 */
#include <stdio.h>

#include "picks.h"

#define NEAR_MAX	4096

void picks_init(struct picks *p, u64 seed, u64 max_far)
{
	*p = (struct picks){ .max_far = max_far, .random = seed * 2 + 1 };
	p->near = calloc(NEAR_MAX, sizeof(*p->near));
	p->near_class = calloc(NEAR_MAX, sizeof(*p->near_class));
	p->far = calloc(max_far ? max_far : 1, sizeof(*p->far));
	if (!p->near || !p->near_class || !p->far) {
		perror("memory for picks");
		exit(2);
	}
}

static bool overlaps(const struct wlog_entry *e, u64 from, u64 to)
{
	return e->nr && e->sector < to && e->sector + e->nr > from;
}

static bool touches_map(struct booter *b, const struct wlog_entry *e)
{
	const struct hibswap_super *sb = boot_super(b, &(struct state){ .kind = STATE_ALL });

	return sb && overlaps(e, sb->geom.map_start[0],
			      sb->geom.map_start[1] + sb->geom.map_sectors);
}

static bool touches_meta(struct booter *b, u32 entry)
{
	const struct wlog_entry *e = &b->d->log->e[entry];

	return overlaps(e, boot_meta_sector(b, 0), boot_meta_sector(b, 0) + 8) ||
	       overlaps(e, boot_meta_sector(b, 8), boot_meta_sector(b, 8) + 8) ||
	       overlaps(e, boot_meta_sector(b, 16), boot_meta_sector(b, 16) + 8) ||
	       touches_map(b, e);
}

static u64 mix_in(u64 hash, u64 value)
{
	return (hash ^ value) * 0x100000001b3ULL;
}

/* The map matters where its writing is the last thing that has happened */
static u64 class_of(struct booter *b, const struct state *st, const struct boot *next,
		    bool map_is_new)
{
	/* First and last sector of each: a torn one is told from a whole one */
	static const u8 which[] = { 0, 7, 8, 15, 16, 23 };
	u64 hash = 0xcbf29ce484222325ULL, s;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(which); i++)
		hash = mix_in(hash, next->version[which[i]]);
	hash = mix_in(hash, next->outcome);
	if (map_is_new) {
		const struct wlog_entry *e = &b->d->log->e[b->d->nr];

		hash = mix_in(hash, b->d->nr);
		for (s = e->sector; s < e->sector + e->nr; s += e->nr > 1 ? e->nr - 1 : 1)
			hash = mix_in(hash, disk_version(b->d, st, s) == b->d->nr);
	}
	return hash;
}

static void fill_in(struct picked *to, const struct booter *b, const struct state *st,
		    const struct boot *next, unsigned int boot_nr)
{
	state_print(b->d, st, to->name, sizeof(to->name));
	to->outcome = next->outcome;
	to->by_hand = next->image && next->image->walked && !next->image->swsusp;
	to->boot = boot_nr;
}

static u64 by_lot(struct picks *p, u64 below)
{
	p->random = p->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (p->random >> 33) % below;
}

/**
 * pick - is this state worth a boot?
 * @p: picks
 * @b: booter
 * @st: the state
 * @next: what boot_next() says of it
 * @boot_nr: boot of the log
 */
void pick(struct picks *p, struct booter *b, const struct state *st, const struct boot *next,
	  unsigned int boot_nr)
{
	static u32 last_entry = ~0U;
	static bool near, map_is_new;
	u64 class, at;
	u32 i;

	if (last_entry != b->d->nr) {
		last_entry = b->d->nr;
		near = touches_meta(b, last_entry) ||
		       (last_entry && touches_meta(b, last_entry - 1));
		map_is_new = touches_map(b, &b->d->log->e[last_entry]);
	}
	if (!near) {
		if (!p->max_far)
			return;
		p->seen_far++;
		at = p->nr_far < p->max_far ? p->nr_far : by_lot(p, p->seen_far);
		if (at < p->max_far)
			fill_in(&p->far[at], b, st, next, boot_nr);
		p->nr_far = min(p->nr_far + 1, p->max_far);
		return;
	}
	class = class_of(b, st, next, map_is_new);
	for (i = 0; i < p->nr_near; i++)
		if (p->near_class[i] == class)
			return;
	if (p->nr_near == NEAR_MAX)
		return;
	p->near_class[p->nr_near] = class;
	fill_in(&p->near[p->nr_near++], b, st, next, boot_nr);
}

static void save_one(FILE *f, const char *where, const struct picked *p)
{
	fprintf(f, "%s %s %s boot%u\n", where, p->name,
		p->by_hand ? "any" : outcome_names[p->outcome], p->boot);
}

/**
 * picks_save - a line for each: near|far STATE OUTCOME BOOT
 * @p: picks
 * @path: file
 *
 * Return: 0 or -1, having said why.
 */
int picks_save(const struct picks *p, const char *path)
{
	FILE *f = fopen(path, "w");
	u64 i;

	if (!f) {
		perror(path);
		return -1;
	}
	for (i = 0; i < p->nr_near; i++)
		save_one(f, "near", &p->near[i]);
	for (i = 0; i < p->nr_far; i++)
		save_one(f, "far", &p->far[i]);
	if (fclose(f)) {
		perror(path);
		return -1;
	}
	return 0;
}
