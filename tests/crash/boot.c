// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "boot.h"

const char * const outcome_names[NR_OUTCOMES] = {
	[BOOT_FRESH] = "fresh",
	[BOOT_FAILS] = "fails",
	[BOOT_RESUMES] = "resumes",
	[BOOT_WRONG] = "wrong",
	[BOOT_UNUSABLE] = "unusable",
};

/*
 * What superblocks and header page say, which is the same in most states: kept
 * under the versions of their sectors.
 */
struct meta {
	u32 version[META_SECTORS];
	bool valid;
	int chosen;			/* as hibswap_super_choose() */
	struct hibswap_super sb;
	bool is_signed;
	bool is_swap;
	bool is_swap_again;		/* once the signature has been taken away */
	u32 header_crc;
	u8 header[4096];
};

#define CACHED	1024

static struct meta cache[CACHED];

/**
 * boot_meta_sector - place of a meta sector
 * @b: booter
 * @i: number, less than META_SECTORS
 *
 * Return: its sector on the disk.
 */
u64 boot_meta_sector(const struct booter *b, unsigned int i)
{
	if (i < 16)
		return hibswap_super_sector(b->region_start, i / 8) + i % 8;
	return b->data_start + i - 16;
}

static void examine(const struct booter *b, const struct state *st, struct meta *m)
{
	struct hibswap_super sb[2] = {};
	u64 block[512];
	int err[2], i;

	for (i = 0; i < 2; i++) {
		disk_read(b->d, st, hibswap_super_sector(b->region_start, i), 8, block);
		err[i] = hibswap_super_decode(&sb[i], block, i, NULL);
	}
	m->chosen = hibswap_super_choose(err, sb);
	if (m->chosen >= 0)
		m->sb = sb[m->chosen];
	disk_read(b->d, st, b->data_start, 8, m->header);
	m->is_swap = hibswap_header_is_swap(m->header, 4096);
	m->is_signed = !memcmp(m->header + 4086, "S1SUSPEND", 10);
	/* swsusp keeps swap's signature in front of its own; by hand nobody does */
	m->is_swap_again = !memcmp(m->header + 4076, "SWAPSPACE2", 10) ||
			   hibswap_is_zero(m->header + 4064, 8);
	m->header_crc = hibswap_crc(0, m->header, 4096);
}

static struct meta *meta_of(struct booter *b, const struct state *st)
{
	u32 version[META_SECTORS], hash = 2166136261U;
	struct meta *m;
	unsigned int i;

	for (i = 0; i < META_SECTORS; i++) {
		version[i] = disk_version(b->d, st, boot_meta_sector(b, i));
		hash = (hash ^ version[i]) * 16777619;
	}
	m = &cache[(hash ^ hash >> 16) % CACHED];
	if (!m->valid || memcmp(m->version, version, sizeof(version))) {
		memcpy(m->version, version, sizeof(version));
		examine(b, st, m);
		m->valid = true;
	}
	return m;
}

/**
 * boot_super - the superblock that counts
 * @b: booter
 * @st: a state
 *
 * Return: the superblock, or NULL if there is none. Valid until the next call.
 */
const struct hibswap_super *boot_super(struct booter *b, const struct state *st)
{
	struct meta *m = meta_of(b, st);

	return m->chosen >= 0 ? &m->sb : NULL;
}

/* A first activation formats only what reads as zeros */
static bool region_is_blank(const struct booter *b, const struct state *st)
{
	u8 sector[512];
	u64 s;

	for (s = b->region_start; s < b->data_start; s++) {
		disk_read(b->d, st, s, 1, sector);
		if (!hibswap_is_zero(sector, sizeof(sector)))
			return false;
	}
	return true;
}

/**
 * boot_next - what does the next boot do?
 * @b: booter
 * @st: a state of its disk
 *
 * Return: see struct boot.
 */
struct boot boot_next(struct booter *b, const struct state *st)
{
	struct meta *m = meta_of(b, st);
	struct boot r = { .version = m->version };
	struct image_diff diff;

	r.outcome = m->is_signed ? BOOT_FAILS : BOOT_FRESH;
	if (b->has_swap && !m->is_swap && !(m->is_signed && m->is_swap_again)) {
		r.outcome = BOOT_UNUSABLE;
		return r;
	}
	if (m->chosen < 0) {
		if (m->chosen != -ENODATA || !region_is_blank(b, st))
			r.outcome = BOOT_UNUSABLE;
		return r;
	}
	r.generation = m->sb.generation;
	if (m->sb.state != HIBSWAP_COMMITTED)
		return r;

	r.committed = true;
	r.image = image_find(b->images, m->sb.generation);
	if (!r.image) {
		/* Nobody has ever written that superblock as a whole */
		r.outcome = BOOT_WRONG;
		return r;
	}
	diff = image_compare(b->d, st, r.image);
	r.bad_map = diff.map || !r.image->map_good;
	/* What the header page does not name, or has no map, is dropped as stale */
	if (r.bad_map || !m->is_signed || m->sb.image.page_size != 4096 ||
	    m->sb.image.header_crc != m->header_crc) {
		r.image = NULL;
		return r;
	}
	/*
	 * What differs matters only if the kernel gets through: the late write of
	 * an image of which a part lies in place is there before its commit is.
	 */
	if (diff.data || !r.image->walked)
		image_walk(b->d, st, r.image, m->header);
	if (!r.image->missing)
		r.outcome = diff.data ? BOOT_WRONG : BOOT_RESUMES;
	/* Only what a right image has may be kept */
	r.image->walked = !diff.data;
	return r;
}
