// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "image.h"

/* swsusp's part of the header page, from its end: see kernel/power/swap.c */
#define SWSUSP_IMAGE_AT		(4096 - 32)	/* sector_t image, in pages */
#define SWSUSP_ENTRIES		511		/* of a swap map page; next_swap follows */

static const struct state all = { .kind = STATE_ALL };

static void *get_memory(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size);

	if (!p) {
		perror("memory for an image");
		exit(2);
	}
	return p;
}

/**
 * image_find - the image of a generation
 * @list: all images
 * @generation: the generation
 *
 * Return: the image or NULL.
 */
struct image *image_find(struct image *list, u64 generation)
{
	while (list && list->sb.generation != generation)
		list = list->next;
	return list;
}

/* Load and sort the map, as an activation does; false if it cannot be had */
static bool load_map(const struct disk *d, struct image *im)
{
	const struct hibswap_image *sbi = &im->sb.image;
	const u64 room = im->sb.geom.log_sectors / HIBSWAP_BLOCK_SECTORS;
	u8 *raw = get_memory(im->map_to - im->map_from, 512);
	struct hibswap_extent *out;
	void *scratch;
	bool good;

	disk_read(d, &all, im->map_from, im->map_to - im->map_from, raw);
	hibswap_log_init(&im->log, get_memory(sbi->extents, sizeof(struct hibswap_extent)),
			 sbi->extents, room);
	good = hibswap_crc(0, raw, sbi->extents * sizeof(struct hibswap_extent_disk)) ==
		       sbi->map_crc &&
	       !hibswap_log_decode(&im->log, (void *)raw, sbi->extents, &im->sb.geom, NULL) &&
	       im->log.used == sbi->log_blocks && im->log.in_place == sbi->in_place_blocks;
	free(raw);
	if (good && hibswap_log_index(&im->log) == -EEXIST) {
		out = get_memory(2 * im->log.nr, sizeof(*out));
		scratch = get_memory(1, hibswap_log_resolve_scratch(im->log.nr));
		good = !hibswap_log_resolve(&im->log, scratch, out, 2 * im->log.nr);
		free(scratch);
	}
	return good;
}

/**
 * image_learn - take down what a generation holds
 * @d: the disk, on which its superblock has just arrived
 * @sb: the superblock
 * @list: the images so far
 *
 * Return: the new head of the list.
 */
struct image *image_learn(struct disk *d, const struct hibswap_super *sb, struct image *list)
{
	struct image *im = get_memory(1, sizeof(*im));
	const struct hibswap_geom *g = &sb->geom;
	u64 i, s;

	im->next = list;
	im->sb = *sb;
	im->map_from = g->map_start[sb->image.map_place];
	im->map_to = im->map_from +
		     (sb->image.extents * sizeof(struct hibswap_extent_disk) + 511) / 512;
	im->want = get_memory(d->sectors, sizeof(*im->want));
	memset(im->want, 0xff, d->sectors * sizeof(*im->want));
	im->map_good = load_map(d, im);

	for (s = im->map_from; s < im->map_to; s++)
		im->want[s] = d->cur[s];
	for (s = g->data_start + HIBSWAP_BLOCK_SECTORS; s < g->data_start + g->data_sectors; s++)
		im->want[s] = d->cur[s];
	for (i = 0; im->map_good && i < im->log.nr; i++) {
		const struct hibswap_extent *e = &im->log.ext[i];
		u64 from = g->log_start + hibswap_extent_pos(e) * HIBSWAP_BLOCK_SECTORS;

		/* What lies in place is in the data, which is all wanted anyway */
		if (hibswap_extent_in_place(e))
			continue;
		for (s = from; s < from + hibswap_extent_len(e) * HIBSWAP_BLOCK_SECTORS; s++)
			im->want[s] = d->cur[s];
	}
	return im;
}

static bool differs(const struct disk *d, u32 version, u32 want, u64 sector)
{
	return version != want &&
	       memcmp(disk_content(d, version, sector), disk_content(d, want, sector), 512);
}

/**
 * image_follow - keep the images' counts when an entry has been completed
 * @d: the disk, just after disk_next()
 * @list: the images
 */
void image_follow(struct disk *d, struct image *list)
{
	const struct wlog_entry *e = &d->log->e[d->nr];
	struct image *im;
	u64 i;

	for (im = list; im; im = im->next) {
		for (i = 0; i < e->nr; i++) {
			u64 s = e->sector + i;
			u64 *bad = s >= im->map_from && s < im->map_to ? &im->bad_map :
									 &im->bad_data;

			if (im->want[s] == ANY_VERSION)
				continue;
			*bad += differs(d, d->nr, im->want[s], s);
			*bad -= differs(d, e->prev[i], im->want[s], s);
		}
	}
}

/**
 * image_compare - does a state hold what the image holds?
 * @d: the disk
 * @st: the state
 * @im: the image
 *
 * Starts from what image_follow() has counted for the case that everything has
 * arrived, and looks at those sectors only where something has not.
 *
 * Return: how many sectors differ.
 */
struct image_diff image_compare(const struct disk *d, const struct state *st,
				const struct image *im)
{
	struct image_diff diff = { im->bad_map, im->bad_data };
	u32 v;
	u64 i;

	for (v = d->flushed + 1; v <= d->nr; v++) {
		const struct wlog_entry *e = &d->log->e[v];

		for (i = 0; i < e->nr; i++) {
			u64 s = e->sector + i;
			u64 *bad = s >= im->map_from && s < im->map_to ? &diff.map : &diff.data;

			/* Each sector once: where the newest version is looked at */
			if (im->want[s] == ANY_VERSION || d->cur[s] != v ||
			    state_has(d, st, v, s))
				continue;
			*bad += differs(d, disk_version(d, st, s), im->want[s], s);
			*bad -= differs(d, v, im->want[s], s);
		}
	}
	return diff;
}

/* Read a page of the image through the map; false if the map lacks it */
static bool read_page(const struct disk *d, const struct state *st, struct image *im,
		      u64 page, u8 *buf)
{
	const struct hibswap_geom *g = &im->sb.geom;
	struct hibswap_where where;
	u64 cursor = 0, sector;

	im->pages++;
	if (page < (g->data_sectors + g->window_sectors) / HIBSWAP_BLOCK_SECTORS) {
		hibswap_log_lookup(&im->log, page, 1, &cursor, &where);
		if (where.mapped) {
			sector = where.in_place ? g->data_start + page * HIBSWAP_BLOCK_SECTORS :
						  g->log_start + where.pos * HIBSWAP_BLOCK_SECTORS;
			if (buf)
				disk_read(d, st, sector, HIBSWAP_BLOCK_SECTORS, buf);
			return true;
		}
	}
	im->missing++;
	return false;
}

/**
 * image_walk - go where a resuming kernel goes: header, swap map pages, pages
 * @d: the disk
 * @st: a state in which @header names @im
 * @im: the image
 * @header: the header page
 *
 * Counts the pages, and those that the map lacks: the kernel then gets an
 * error and boots. A header that swsusp has not written (of a test that writes
 * an image by hand) names nothing; then the map alone counts.
 */
void image_walk(const struct disk *d, const struct state *st, struct image *im,
		const u8 *header)
{
	__le64 table[SWSUSP_ENTRIES + 1];
	u64 limit = im->log.used + im->log.in_place + 1, next;
	__le64 first;
	int i;

	im->walked = true;
	im->pages = 0;
	im->missing = 0;
	memcpy(&first, header + SWSUSP_IMAGE_AT, sizeof(first));
	next = le64_to_cpu(first);
	im->swsusp = next;
	while (next) {
		/* Each page is somewhere in the log: a chain that is longer is a ring */
		if (im->pages > limit) {
			im->missing++;
			return;
		}
		if (!read_page(d, st, im, next, (u8 *)table))
			return;
		for (i = 0; i < SWSUSP_ENTRIES && table[i]; i++)
			read_page(d, st, im, le64_to_cpu(table[i]), NULL);
		next = le64_to_cpu(table[SWSUSP_ENTRIES]);
	}
}
