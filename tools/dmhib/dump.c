// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib dump: what is on the device, also where it is damaged.
 *
 * A copy that decode has refused is shown raw, field for field: whoever looks
 * at it wants to see what is there.
 */
#include "describe.h"

#include <inttypes.h>

/* What of a superblock's bytes can be shown whatever they are */
struct field {
	const char *name;
	unsigned int offset;
	unsigned int bytes;
	bool hex;
};

#define FIELD(f, h) { #f, offsetof(struct hibswap_super_disk, f), \
		      sizeof(((struct hibswap_super_disk *)0)->f), h }

static const struct field fields[] = {
	FIELD(version, false),
	FIELD(crc, true),
	FIELD(feature_compat, true),
	FIELD(feature_incompat, true),
	FIELD(generation, false),
	FIELD(state, false),
	FIELD(page_size, false),
	FIELD(region_start, false),
	FIELD(region_sectors, false),
	FIELD(data_start, false),
	FIELD(data_sectors, false),
	FIELD(window_sectors, false),
	FIELD(log_start, false),
	FIELD(log_sectors, false),
	FIELD(map_start[0], false),
	FIELD(map_start[1], false),
	FIELD(map_sectors, false),
	FIELD(map_extents, false),
	FIELD(map_place, false),
	FIELD(map_crc, true),
	FIELD(log_blocks, false),
	FIELD(in_place_blocks, false),
	FIELD(header_crc, true),
	FIELD(sum_blocks, false),
	FIELD(sum_crc, true),
	FIELD(log_dirty, false),
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

static u64 field_value(const void *block, const struct field *f)
{
	const u8 *p = (const u8 *)block + f->offset;
	u64 value = 0;

	for (unsigned int i = 0; i < f->bytes; i++)
		value |= (u64)p[i] << (8 * i);
	return value;
}

static bool has_magic(const struct meta_copy *c)
{
	return !c->io_err && !memcmp(c->block, HIBSWAP_MAGIC, HIBSWAP_MAGIC_LEN);
}

static const u8 *raw_uuid(const struct meta_copy *c)
{
	return ((const struct hibswap_super_disk *)c->block)->uuid;
}

static u64 raw_past(const struct meta_copy *c, unsigned int i)
{
	return le64_to_cpu(((const struct hibswap_super_disk *)c->block)->past_images[i]);
}

/* All that an answer is made of */
struct view {
	const struct dev *dev;
	const struct meta *meta;
	u64 region_start;
	bool fits;			/* geometry and device agree */
	struct hibswap_fault fits_fault;
	struct meta_header header;
	struct meta_map map;
	const struct hibswap_super *sb;	/* the one that counts, or NULL */
	u64 log_pos;			/* while extents are shown */
	bool first;
};

/* ---- words ---- */

static void copy_words(const struct view *v, int i)
{
	const struct meta_copy *c = &v->meta->copy[i];
	char text[FAULT_TEXT], uuid[UUID_TEXT];

	printf("Superblock copy %c, sector %" PRIu64 ": %s%s\n", 'A' + i, c->sector,
	       copy_fault_text(c, text), v->meta->which == i ? " and counts" : "");
	if (!has_magic(c))
		return;
	printf("  %-18s%s\n", "uuid", uuid_text(raw_uuid(c), uuid));
	for (unsigned int k = 0; k < NR_FIELDS; k++) {
		const struct field *f = &fields[k];
		u64 value = field_value(c->block, f);

		if (f->hex)
			printf("  %-18s0x%0*" PRIx64, f->name, 2 * f->bytes, value);
		else
			printf("  %-18s%" PRIu64, f->name, value);
		if (strstr(f->name, "_sectors"))
			printf(" (%s)", sectors_text(value, text));
		else if (!strcmp(f->name, "state"))
			printf(" (%s)", value == HIBSWAP_EMPTY ? "empty" :
			       value == HIBSWAP_COMMITTED ? "committed" : "unknown");
		printf("\n");
	}
	for (unsigned int k = 0; k < HIBSWAP_PAST_IMAGES && raw_past(c, k); k++)
		printf("  %-18s%" PRIu64 " (%s)\n", k ? "" : "past_images", raw_past(c, k),
		       size_text(raw_past(c, k), text));
}

static void header_words(const struct view *v)
{
	const struct meta_header *h = &v->header;

	if (h->err) {
		printf("  header page:  cannot be read: %s\n", strerror(-h->err));
		return;
	}
	printf("  header page:  ends in \"%s\"%s, CRC 0x%08x", h->signature,
	       h->swap ? " (plain swap)" : "", h->crc);
	if (v->sb->state == HIBSWAP_COMMITTED)
		printf(h->crc_ok ? ", as the superblock says" :
				   ": not what the superblock says (0x%08x)",
		       v->sb->image.header_crc);
	printf("\n");
}

static void image_words(const struct view *v)
{
	const struct hibswap_image *im = &v->sb->image;
	char text[FAULT_TEXT];

	if (v->sb->state != HIBSWAP_COMMITTED) {
		printf("Image: none, generation %" PRIu64 "\n", v->sb->generation);
		header_words(v);
		return;
	}
	printf("Image: %s, generation %" PRIu64 "\n",
	       size_text((im->log_blocks + im->in_place_blocks) << HIBSWAP_BLOCK_SHIFT, text),
	       v->sb->generation);
	printf("  in the log:   %" PRIu64 " blocks (%s)\n", im->log_blocks,
	       size_text(im->log_blocks << HIBSWAP_BLOCK_SHIFT, text));
	printf("  in place:     %" PRIu64 " blocks (%s)\n", im->in_place_blocks,
	       size_text(im->in_place_blocks << HIBSWAP_BLOCK_SHIFT, text));
	printf("  extents:      %" PRIu64 ", map place %u at sector %" PRIu64 "\n", im->extents,
	       im->map_place, v->sb->geom.map_start[im->map_place]);
	printf("  page size:    %u\n", im->page_size);
	printf("  checksums:    %" PRIu64 " blocks have one\n", im->sum_blocks);
	printf("  map:          %s\n", fault_text(v->map.err, &v->map.fault, text));
	header_words(v);
	printf("  verdict:      %s\n",
	       v->map.err ? "stale, its map is damaged" :
	       v->header.crc_ok ? "resumable" : "stale, the header page does not name it");
}

static void extent_words(u64 nr, const struct hibswap_extent *e, void *arg)
{
	struct view *v = arg;
	u64 len = hibswap_extent_len(e);

	printf("%10" PRIu64 "  %14" PRIu64 "  %10" PRIu64 "  ", nr, hibswap_extent_lba(e), len);
	if (hibswap_extent_in_place(e)) {
		printf("in place\n");
	} else {
		printf("%14" PRIu64 "\n", v->sb->geom.log_start +
					  v->log_pos * HIBSWAP_BLOCK_SECTORS);
		v->log_pos += len;
	}
}

static void extents_words(struct view *v)
{
	if (v->sb->state != HIBSWAP_COMMITTED) {
		printf("Extents: none\n");
		return;
	}
	printf("Extents:\n%10s  %14s  %10s  %14s\n", "nr", "logical block", "blocks",
	       "at sector");
	meta_read_map(v->dev, v->sb, &v->map, extent_words, v);
	if (v->map.err) {
		char text[FAULT_TEXT];

		printf("  the map is damaged: %s\n", fault_text(v->map.err, &v->map.fault, text));
	}
}

/* ---- JSON ---- */

static struct json_object *copy_json(const struct view *v, int i)
{
	const struct meta_copy *c = &v->meta->copy[i];
	struct json_object *obj = json_object_new_object(), *raw, *past;
	char name[2] = { 'A' + i, '\0' }, uuid[UUID_TEXT];

	jadd_str(obj, "copy", name);
	jadd_u64(obj, "sector", c->sector);
	jadd_bool(obj, "valid", !c->err);
	jadd_bool(obj, "counts", v->meta->which == i);
	json_object_object_add(obj, "fault", fault_json(c->io_err ? c->io_err : c->err, &c->fault));
	if (!has_magic(c)) {
		json_object_object_add(obj, "fields", NULL);
		return obj;
	}
	raw = json_object_new_object();
	jadd_str(raw, "uuid", uuid_text(raw_uuid(c), uuid));
	for (unsigned int k = 0; k < NR_FIELDS; k++)
		jadd_u64(raw, fields[k].name, field_value(c->block, &fields[k]));
	past = json_object_new_array();
	for (unsigned int k = 0; k < HIBSWAP_PAST_IMAGES; k++)
		json_object_array_add(past, json_object_new_uint64(raw_past(c, k)));
	json_object_object_add(raw, "past_images", past);
	json_object_object_add(obj, "fields", raw);
	return obj;
}

static struct json_object *header_json(const struct view *v)
{
	const struct meta_header *h = &v->header;
	struct json_object *obj;

	if (h->err)
		return NULL;
	obj = json_object_new_object();
	jadd_str(obj, "signature", h->signature);
	jadd_bool(obj, "plain_swap", h->swap);
	jadd_u64(obj, "crc", h->crc);
	jadd_bool(obj, "crc_matches", h->crc_ok);
	return obj;
}

static struct json_object *image_json(const struct view *v)
{
	struct json_object *obj = json_object_new_object();
	const struct hibswap_image *im = &v->sb->image;
	const bool committed = v->sb->state == HIBSWAP_COMMITTED;

	jadd_str(obj, "state", state_text(v->sb->state));
	jadd_u64(obj, "generation", v->sb->generation);
	jadd_u64(obj, "page_size", im->page_size);
	json_object_object_add(obj, "header", header_json(v));
	if (!committed)
		return obj;
	jadd_u64(obj, "bytes", (im->log_blocks + im->in_place_blocks) << HIBSWAP_BLOCK_SHIFT);
	jadd_u64(obj, "log_bytes", im->log_blocks << HIBSWAP_BLOCK_SHIFT);
	jadd_u64(obj, "in_place_bytes", im->in_place_blocks << HIBSWAP_BLOCK_SHIFT);
	jadd_u64(obj, "extents", im->extents);
	jadd_u64(obj, "sum_blocks", im->sum_blocks);
	jadd_bool(obj, "map_valid", !v->map.err);
	json_object_object_add(obj, "map_fault", fault_json(v->map.err, &v->map.fault));
	jadd_bool(obj, "resumable", !v->map.err && v->header.crc_ok);
	return obj;
}

static void extent_json(u64 nr, const struct hibswap_extent *e, void *arg)
{
	struct view *v = arg;
	u64 len = hibswap_extent_len(e);
	bool in_place = hibswap_extent_in_place(e);

	(void)nr;
	printf("%s\n    {\"block\": %" PRIu64 ", \"blocks\": %" PRIu64 ", \"in_place\": %s, \"sector\": ",
	       v->first ? "" : ",", hibswap_extent_lba(e), len, in_place ? "true" : "false");
	v->first = false;
	if (in_place) {
		printf("null}");
	} else {
		printf("%" PRIu64 "}", v->sb->geom.log_start + v->log_pos * HIBSWAP_BLOCK_SECTORS);
		v->log_pos += len;
	}
}

/* There may be millions of extents: they are printed as they are read */
static void print_json(struct json_object *obj, struct view *v)
{
	const char *text;
	size_t len;

	if (!opts.show_extents) {
		json_print(obj);
		return;
	}
	text = json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY |
						   JSON_C_TO_STRING_NOSLASHESCAPE);
	len = strlen(text);
	/* The closing brace and what stands before it */
	while (len && text[len - 1] != '}')
		len--;
	while (--len && text[len - 1] == '\n')
		;
	printf("%.*s,\n  \"extents\": [", (int)len, text);
	json_object_put(obj);
	v->first = true;
	if (v->sb && v->fits && v->sb->state == HIBSWAP_COMMITTED)
		meta_read_map(v->dev, v->sb, &v->map, extent_json, v);
	printf("%s]\n}\n", v->first ? "" : "\n  ");
}

static void dump_json(struct view *v)
{
	struct json_object *obj = json_object_new_object(), *copies;

	jadd_str(obj, "device", v->dev->path);
	jadd_u64(obj, "device_sectors", v->dev->sectors);
	jadd_u64(obj, "region_start", v->region_start);
	jadd_str(obj, "verdict", v->sb && !v->fits ? "disagrees" :
		 fault_code(v->meta->which > 0 ? 0 : v->meta->which));
	json_object_object_add(obj, "disagreement",
			       v->sb && !v->fits ? fault_json(-EINVAL, &v->fits_fault) : NULL);
	if (opts.show_super) {
		copies = json_object_new_array();
		json_object_array_add(copies, copy_json(v, 0));
		json_object_array_add(copies, copy_json(v, 1));
		json_object_object_add(obj, "superblocks", copies);
		json_object_object_add(obj, "geometry", v->sb ? geom_json(&v->sb->geom) : NULL);
	}
	if (opts.show_image)
		json_object_object_add(obj, "image", v->sb && v->fits ? image_json(v) : NULL);
	print_json(obj, v);
}

static void dump_words(struct view *v)
{
	if (opts.show_super || !v->sb) {
		copy_words(v, 0);
		copy_words(v, 1);
	}
	if (!v->sb || !v->fits)
		return;
	if (opts.show_image)
		image_words(v);
	if (opts.show_extents)
		extents_words(v);
}

static int verdict(const struct view *v)
{
	if (!v->sb)
		return meta_complain(v->dev, v->meta);
	if (!v->fits) {
		msg_err("the superblock does not belong to %s: its %s is %" PRIu64
			", the device says %" PRIu64 " (sectors)",
			v->dev->path, v->fits_fault.what, v->fits_fault.value,
			v->fits_fault.limit);
		return E_BADSUPER;
	}
	if (v->map.err) {
		msg_err("the map of the image on %s is damaged", v->dev->path);
		return E_BADSUPER;
	}
	return E_OK;
}

/** verb_dump - show superblocks, image and extents of a device or a file */
int verb_dump(int argc, char **argv)
{
	struct view v = { .region_start = opts.region_start >> HIBSWAP_SECTOR_SHIFT };
	struct meta meta;
	struct dev dev;
	int rc;

	(void)argc;
	if (!opts.show_super && !opts.show_image && !opts.show_extents) {
		opts.show_super = true;
		opts.show_image = true;
	}
	rc = dev_open(&dev, argv[0], 0);
	if (rc)
		return rc;
	meta_read(&dev, v.region_start, &meta);
	v.dev = &dev;
	v.meta = &meta;
	v.sb = meta_super(&meta);
	v.fits = v.sb && !meta_fits(&dev, &v.sb->geom, v.region_start, &v.fits_fault);
	if (v.fits) {
		meta_read_header(&dev, v.sb, &v.header);
		if (v.sb->state == HIBSWAP_COMMITTED)
			meta_read_map(&dev, v.sb, &v.map, NULL, NULL);
	}
	if (opts.json)
		dump_json(&v);
	else
		dump_words(&v);
	rc = verdict(&v);
	meta_free(&meta);
	dev_close(&dev);
	return rc;
}
