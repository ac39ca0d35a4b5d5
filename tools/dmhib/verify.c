// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib verify: read the image, all of it, and check what can be checked.
 *
 * What cannot is said in the man page: an uncompressed image carries no
 * checksum of the kernel's, and that of a compressed one needs its pages
 * uncompressed. The target's checksums are of the blocks as they lie there.
 */
#include "describe.h"
#include "progress.h"
#include "swapmap.h"

#include <inttypes.h>
#include <stdarg.h>

/* In the order in which they are looked at */
enum check {
	CHECK_SUPERBLOCKS,
	CHECK_GEOMETRY,
	CHECK_MAP,
	CHECK_HEADER,
	CHECK_SWAP_MAP,
	CHECK_READ,
	CHECK_SUMS,
	NR_CHECKS,
};

static const char * const check_names[NR_CHECKS] = {
	"superblocks", "geometry", "map", "header", "swap-map", "read",
	"checksums",
};

enum result { R_SKIPPED, R_OK, R_WARN, R_FAIL };

static const char * const result_names[] = { "skipped", "ok", "warning", "failed" };

struct verdict {
	const struct dev *dev;
	const struct meta *meta;
	const struct hibswap_super *sb;
	enum result result[NR_CHECKS];
	char text[NR_CHECKS][256];
	struct swapmap sm;
	struct sums sums;
	u64 read;		/* bytes */
	bool stale;		/* nothing names the image any more */
};

static void say(struct verdict *v, enum check which, enum result result, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void say(struct verdict *v, enum check which, enum result result, const char *fmt, ...)
{
	va_list ap;

	v->result[which] = result;
	va_start(ap, fmt);
	vsnprintf(v->text[which], sizeof(v->text[which]), fmt, ap);
	va_end(ap);
}

static void check_superblocks(struct verdict *v)
{
	const int other = !v->meta->which;
	char text[FAULT_TEXT];

	if (v->meta->copy[other].err)
		say(v, CHECK_SUPERBLOCKS, R_WARN, "copy %c counts, copy %c: %s", 'A' + !other,
		    'A' + other, copy_fault_text(&v->meta->copy[other], text));
	else
		say(v, CHECK_SUPERBLOCKS, R_OK, "copy %c counts, generation %" PRIu64,
		    'A' + !other, v->sb->generation);
}

static bool check_geometry(struct verdict *v, u64 region_start)
{
	struct hibswap_fault fault = {};

	if (meta_fits(v->dev, &v->sb->geom, region_start, &fault)) {
		say(v, CHECK_GEOMETRY, R_FAIL, "its %s is %" PRIu64 ", the device says %" PRIu64
		    " (sectors)", fault.what, fault.value, fault.limit);
		return false;
	}
	say(v, CHECK_GEOMETRY, R_OK, "region and data lie within the device");
	return true;
}

static bool check_map(struct verdict *v)
{
	struct meta_map map;
	char text[FAULT_TEXT];

	meta_read_map(v->dev, v->sb, &map, NULL, NULL);
	if (map.err) {
		say(v, CHECK_MAP, R_FAIL, "%s", fault_text(map.err, &map.fault, text));
		return false;
	}
	say(v, CHECK_MAP, R_OK, "checksum right, %" PRIu64 " extents within their bounds",
	    v->sb->image.extents);
	return true;
}

static bool check_header(struct verdict *v)
{
	struct meta_header h;

	meta_read_header(v->dev, v->sb, &h);
	if (h.err)
		say(v, CHECK_HEADER, R_FAIL, "cannot be read: %s", strerror(-h.err));
	else if (h.crc_ok)
		say(v, CHECK_HEADER, R_OK, "ends in \"%s\", the one that the image was signed with",
		    h.signature);
	else
		say(v, CHECK_HEADER, R_FAIL, "ends in \"%s\" and is not the one that the image was signed with: it will not be resumed",
		    h.signature);
	v->stale = !h.err && !h.crc_ok;
	return !h.err && h.crc_ok;
}

/* Of an image that nobody knows how to follow: can it be read? */
static int read_extents(struct image *im, struct progress *p, char *fault, size_t len)
{
	const struct hibswap_geom *g = &im->sb->geom;
	const u64 chunk = DEV_CHUNK >> HIBSWAP_SECTOR_SHIFT;
	const u64 shift = HIBSWAP_BLOCK_SHIFT - HIBSWAP_SECTOR_SHIFT;

	for (u64 i = 0; i < im->log.nr; i++) {
		const struct hibswap_extent *e = &im->log.ext[i];
		struct bad_block at = { hibswap_extent_lba(e), hibswap_extent_pos(e),
					hibswap_extent_in_place(e) ?
					g->data_start + (hibswap_extent_lba(e) << shift) :
					g->log_start + (hibswap_extent_pos(e) << shift) };
		u64 left = hibswap_extent_len(e) * HIBSWAP_BLOCK_SECTORS;

		while (left) {
			const u64 nr = min(left, chunk);
			int err = image_read(im, &at, nr);

			if (err) {
				snprintf(fault, len, "sector %" PRIu64 ": %s", at.sector,
					 strerror(-err));
				return err;
			}
			at.block += nr >> shift;
			at.pos += nr >> shift;
			at.sector += nr;
			left -= nr;
			progress_add(p, nr << HIBSWAP_SECTOR_SHIFT);
		}
	}
	return 0;
}

static void follow(struct verdict *v, struct image *im, struct progress *p)
{
	if (swapmap_follow(im, &v->sm, p))
		say(v, CHECK_SWAP_MAP, R_FAIL, "%s", v->sm.fault);
	else if (!v->sm.kernel_image)
		say(v, CHECK_SWAP_MAP, R_SKIPPED, "the signature is not the kernel's own");
	else
		say(v, CHECK_SWAP_MAP, R_OK, "%" PRIu64 " pages lead to %" PRIu64
		    " of the image, %s", v->sm.map_pages, v->sm.data_pages,
		    v->sm.compressed ? "compressed" : "not compressed");
}

static void judge_sums(struct verdict *v)
{
	const struct sums *s = &v->sums;
	const u64 blocks = v->sb->image.log_blocks + v->sb->image.in_place_blocks;

	if (!s->nr)
		say(v, CHECK_SUMS, R_SKIPPED, "the image has none");
	else if (s->bad)
		say(v, CHECK_SUMS, R_FAIL, "%" PRIu64 " of %" PRIu64
		    " blocks are not what was written", s->bad, s->checked);
	else if (s->nr < blocks)
		say(v, CHECK_SUMS, R_WARN, "right for %" PRIu64 " blocks, the last %" PRIu64
		    " have none", s->checked, blocks - s->nr);
	else
		say(v, CHECK_SUMS, R_OK, "right for %" PRIu64 " blocks", s->checked);
}

static void read_all(struct verdict *v, bool named)
{
	const u64 blocks = v->sb->image.log_blocks + v->sb->image.in_place_blocks;
	char fault[128] = "", size[SIZE_TEXT];
	struct progress p;
	struct image im;
	int err;

	err = image_open(&im, v->dev, v->sb);
	if (!err)
		err = sums_load(&v->sums, v->dev, v->sb);
	if (err) {
		say(v, CHECK_READ, R_FAIL, "cannot load the map: %s", strerror(-err));
		image_close(&im);
		return;
	}
	im.sums = v->sums.nr ? &v->sums : NULL;
	progress_start(&p, "read", blocks << HIBSWAP_BLOCK_SHIFT);
	if (named)
		follow(v, &im, &p);
	else
		say(v, CHECK_SWAP_MAP, R_SKIPPED, "no header page leads to it");
	/* What the chain has not read, because it is broken or not the kernel's */
	if (v->result[CHECK_SWAP_MAP] != R_OK) {
		p.done = 0;
		im.read = 0;
		sums_restart(&v->sums);
		err = read_extents(&im, &p, fault, sizeof(fault));
	}
	progress_end(&p);
	v->read = im.read << HIBSWAP_SECTOR_SHIFT;
	if (err)
		say(v, CHECK_READ, R_FAIL, "%s", fault);
	else
		say(v, CHECK_READ, R_OK, "%s read", size_text(v->read, size));
	judge_sums(v);
	sums_free(&v->sums);
	image_close(&im);
}

static bool failed(const struct verdict *v)
{
	for (int i = 0; i < NR_CHECKS; i++)
		if (v->result[i] == R_FAIL && !(i == CHECK_HEADER && v->stale))
			return true;
	return false;
}

static const char *verdict_word(const struct verdict *v)
{
	return failed(v) ? "damaged" : v->sb->state != HIBSWAP_COMMITTED ? "none" :
	       v->stale ? "stale" : "good";
}

static void print_json(const struct verdict *v)
{
	struct json_object *obj = json_object_new_object(), *checks, *im;
	const struct hibswap_image *image = &v->sb->image;

	jadd_str(obj, "device", v->dev->path);
	jadd_str(obj, "verdict", verdict_word(v));
	jadd_u64(obj, "generation", v->sb->generation);
	checks = json_object_new_array();
	for (int i = 0; i < NR_CHECKS; i++) {
		struct json_object *c = json_object_new_object();

		jadd_str(c, "check", check_names[i]);
		jadd_str(c, "result", result_names[v->result[i]]);
		jadd_str(c, "text", v->text[i]);
		json_object_array_add(checks, c);
	}
	json_object_object_add(obj, "checks", checks);
	im = v->sb->state == HIBSWAP_COMMITTED ? json_object_new_object() : NULL;
	if (im) {
		jadd_u64(im, "bytes", (image->log_blocks + image->in_place_blocks) <<
				      HIBSWAP_BLOCK_SHIFT);
		jadd_u64(im, "read_bytes", v->read);
		jadd_bool(im, "kernel_image", v->sm.kernel_image);
		jadd_bool(im, "compressed", v->sm.compressed);
		jadd_u64(im, "swap_map_pages", v->sm.map_pages);
		jadd_u64(im, "data_pages", v->sm.data_pages);
		jadd_u64(im, "image_pages", v->sm.image_pages);
		jadd_u64(im, "checked_bytes", v->sums.checked << HIBSWAP_BLOCK_SHIFT);
		jadd_u64(im, "bad_bytes", v->sums.bad << HIBSWAP_BLOCK_SHIFT);
		json_object_object_add(im, "bad_blocks", sums_json(&v->sums, &v->sb->geom));
	}
	json_object_object_add(obj, "image", im);
	json_print(obj);
}

static void print_words(const struct verdict *v)
{
	for (int i = 0; i < NR_CHECKS; i++)
		if (v->text[i][0])
			printf("%-8s %-12s %s\n", result_names[v->result[i]], check_names[i],
			       v->text[i]);
	sums_words(&v->sums, &v->sb->geom);
}

static int conclude(const struct verdict *v)
{
	if (opts.json)
		print_json(v);
	else
		print_words(v);
	if (failed(v)) {
		msg_err("the image on %s is damaged", v->dev->path);
		return E_BADSUPER;
	}
	if (v->sb->state != HIBSWAP_COMMITTED) {
		msg_err("there is no image on %s", v->dev->path);
		return E_NOIMAGE;
	}
	if (v->stale) {
		msg_err("the image on %s will not be resumed: the header page does not name it",
			v->dev->path);
		return E_NOIMAGE;
	}
	if (!opts.json)
		printf("The image on %s is good.\n", v->dev->path);
	return E_OK;
}

/** verb_verify - read the image on a device */
int verb_verify(int argc, char **argv)
{
	const u64 region_start = opts.region_start >> HIBSWAP_SECTOR_SHIFT;
	struct verdict v = {};
	struct meta meta;
	struct dev dev;
	int rc;

	(void)argc;
	rc = region_open(&dev, &meta, argv[0], 0);
	if (rc)
		return rc;
	v.dev = &dev;
	v.meta = &meta;
	v.sb = meta_super(&meta);
	check_superblocks(&v);
	if (check_geometry(&v, region_start) && v.sb->state == HIBSWAP_COMMITTED) {
		bool map = check_map(&v), named = check_header(&v);

		if (map)
			read_all(&v, named);
	}
	rc = conclude(&v);
	region_close(&dev, &meta);
	return rc;
}
