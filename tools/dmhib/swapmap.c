// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's image, as swsusp lays it out in a swap area (kernel/power/swap.c
 * of 6.1 to 7.3):
 *
 *	header page	... | hw_sig 4 | crc32 4 | image 8 | flags 4 | sig 10 | sig 10
 *			              `-> the first page of the swap map
 *	swap map page	the numbers of PAGE_SIZE / 8 - 1 pages | the next map page
 *	first page	struct swsusp_info: how many pages there are
 *	the others	uncompressed: one each; compressed: a length of 8 bytes and
 *			as many bytes, then padding to the page, for 32 pages each
 *
 * Numbers are in the byte order of the machine that wrote them, which is this
 * one, or the image cannot be resumed anyway. The pages may lie behind the data,
 * in the window. What the compressed pieces hold is not looked at: the checksum
 * in the header page is of the uncompressed pages.
 */
#include "swapmap.h"

#include <inttypes.h>
#include <stdarg.h>

#define SIGNATURE	"S1SUSPEND"	/* and its NUL */
#define FROM_END_FLAGS	24
#define FROM_END_IMAGE	32
#define FLAG_NOCOMPRESS	2

/* struct swsusp_info on a machine of 64 bits */
#define INFO_PAGES	424
#define INFO_SIZE	432

#define CHUNK_PAGES	32
#define CHUNK_HEADER	8

/* While the chain is followed */
struct walk {
	struct image *im;
	struct swapmap *sm;
	struct progress *p;
	u32 page_size;
	u8 *used;		/* a bit for each page of the swap area */
	u64 skip;		/* pages of a compressed piece that are yet to come */
};

static int bad(struct walk *w, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int bad(struct walk *w, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->sm->fault, sizeof(w->sm->fault), fmt, ap);
	va_end(ap);
	return err;
}

static u64 number(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static int read_page(struct walk *w, u64 page, const char *what, const u8 **data)
{
	u64 run = 1ULL << 20;
	int err = image_page(w->im, page, data, &run);

	if (err == -ENXIO)
		return bad(w, -EINVAL, "%s: page %" PRIu64 " lies behind the end", what, page);
	if (err == -ENODATA)
		return bad(w, -EINVAL, "%s: page %" PRIu64 " is not in the map", what, page);
	if (err)
		return bad(w, err, "%s: page %" PRIu64 ": %s", what, page, strerror(-err));
	if (w->used[page / 8] & 1 << page % 8)
		return bad(w, -EINVAL, "%s: page %" PRIu64 " is used twice", what, page);
	w->used[page / 8] |= 1 << page % 8;
	progress_add(w->p, w->page_size);
	return 0;
}

static int first_page(struct walk *w, const u8 *data)
{
	w->sm->image_pages = number(data + INFO_PAGES);
	if (!w->sm->image_pages ||
	    number(data + INFO_SIZE) / w->page_size != w->sm->image_pages)
		return bad(w, -EINVAL, "the first page describes no image: %" PRIu64 " pages, %"
			   PRIu64 " bytes", w->sm->image_pages, number(data + INFO_SIZE));
	return 0;
}

/* The first page of each compressed piece says how many follow */
static int chunk_page(struct walk *w, const u8 *data)
{
	const u64 worst = (u64)CHUNK_PAGES * w->page_size * 17 / 16 + 69;
	u64 len;

	if (w->skip) {
		w->skip--;
		return 0;
	}
	len = number(data);
	if (!len || len > worst)
		return bad(w, -EINVAL, "compressed piece %" PRIu64 ": a length of %" PRIu64
			   " bytes cannot be", w->sm->chunks, len);
	w->sm->chunks++;
	w->skip = (len + CHUNK_HEADER + w->page_size - 1) / w->page_size - 1;
	return 0;
}

static int data_page(struct walk *w, u64 page)
{
	const u8 *data;
	int err = read_page(w, page, "image", &data);

	if (err)
		return err;
	if (!w->sm->data_pages++)
		return first_page(w, data);
	return w->sm->compressed ? chunk_page(w, data) : 0;
}

/* Is it as long as its first page says? */
static int whole(struct walk *w)
{
	const struct swapmap *sm = w->sm;
	const u64 want = sm->image_pages ? sm->image_pages - 1 : 0;

	if (!sm->data_pages)
		return bad(w, -EINVAL, "the swap map is empty");
	if (w->skip)
		return bad(w, -EINVAL, "the last compressed piece is %" PRIu64 " pages short",
			   w->skip);
	if (sm->compressed && sm->chunks != (want + CHUNK_PAGES - 1) / CHUNK_PAGES)
		return bad(w, -EINVAL, "%" PRIu64 " compressed pieces are not %" PRIu64 " pages",
			   sm->chunks, want);
	if (!sm->compressed && sm->data_pages - 1 != want)
		return bad(w, -EINVAL, "the swap map has %" PRIu64 " pages, the image %" PRIu64,
			   sm->data_pages - 1, want);
	return 0;
}

static int follow(struct walk *w, u64 next)
{
	const u64 entries = w->page_size / 8 - 1;
	u8 *map = dev_buf(w->page_size);
	const u8 *data;
	bool end = false;
	int err = 0;

	while (next && !err) {
		err = read_page(w, next, "swap map", &data);
		if (err)
			break;
		w->sm->map_pages++;
		memcpy(map, data, w->page_size);
		for (u64 i = 0; i < entries && !err; i++) {
			const u64 page = number(map + 8 * i);

			if (!page)
				end = true;
			else if (end)
				err = bad(w, -EINVAL, "the swap map goes on behind its end");
			else
				err = data_page(w, page);
		}
		next = number(map + 8 * entries);
		if (!err && end && next)
			err = bad(w, -EINVAL, "the swap map goes on behind its end");
	}
	free(map);
	return err ? err : whole(w);
}

/**
 * swapmap_follow - read all of the kernel's image through its swap map
 * @im: the image, with a header page that names it
 * @sm: filled in
 * @p: gets on with each page
 *
 * Return: 0, or a negative errno if something is wrong, which @sm says.
 */
int swapmap_follow(struct image *im, struct swapmap *sm, struct progress *p)
{
	const struct hibswap_geom *g = &im->sb->geom;
	const u32 size = im->sb->image.page_size;
	const u64 pages = (g->data_sectors + g->window_sectors) / (size >> HIBSWAP_SECTOR_SHIFT);
	struct walk w = { .im = im, .sm = sm, .p = p, .page_size = size };
	u8 *header = dev_buf(size);
	u64 first;
	int err;

	memset(sm, 0, sizeof(*sm));
	err = dev_read(im->dev, g->data_start, size >> HIBSWAP_SECTOR_SHIFT, header);
	if (err) {
		bad(&w, err, "header page: %s", strerror(-err));
		goto out;
	}
	sm->kernel_image = !memcmp(header + size - 10, SIGNATURE, 10);
	if (!sm->kernel_image)
		goto out;
	sm->compressed = !(header[size - FROM_END_FLAGS] & FLAG_NOCOMPRESS);
	first = number(header + size - FROM_END_IMAGE);
	w.used = calloc(pages / 8 + 1, 1);
	if (!w.used)
		err = bad(&w, -ENOMEM, "out of memory");
	else if (!first)
		err = bad(&w, -EINVAL, "the header page names no swap map");
	else
		err = follow(&w, first);
	free(w.used);
out:
	free(header);
	return err;
}
