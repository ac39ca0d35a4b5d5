// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib resize: another size for the region, the window or the maps.
 *
 *	before	| super A, B | log ......... | maps | H data ................ |
 *	after	| super A, B | log ..................... | maps | H data .... |
 *
 * The superblocks stay where they are, the data begin somewhere else, and with
 * them H, the swap header: it is written again there, with its UUID and label.
 * What was swapped out is worth nothing, since swap is off.
 *
 * At every moment a power cut has to leave one of the two layouts, whole:
 *
 * 1. An image is dropped before anything else (--force): both superblocks, the
 *    layout being the old one.
 * 2. H goes to its new place, which in the old layout is either data that
 *    nobody needs, or log that no superblock vouches for any more. The old H
 *    is untouched. (If the data stay where they are, only H's length changes:
 *    a shorter one fits both layouts and is written now, a longer one last.)
 * 3. Flush.
 * 4. One superblock with the new layout, to the copy that does not count. Torn,
 *    the other one counts: the old layout. Flush. From here on it is the new.
 * 5. The other superblock. Torn, the first counts. Flush.
 *
 * So there is one good superblock at any time, and none of them describes a
 * layout whose data have no swap header, if they had one.
 */
#include "describe.h"
#include "layout.h"
#include "swaphdr.h"

#include <inttypes.h>

struct change {
	const struct dev *dev;
	const struct meta *meta;
	struct hibswap_super old;
	struct hibswap_super new;
	u64 ram;		/* what the maps are made for, 0: they keep their size */
	bool moved;		/* the data start somewhere else */
	bool has_header;
	struct swaphdr header;
	void *page;		/* the header page, as it is to be */
};

/* A device that has become smaller is what resize can help with */
static int check_place(const struct dev *dev, const struct hibswap_geom *g, u64 region_start)
{
	struct hibswap_fault fault = {};

	if (meta_fits(dev, g, region_start, &fault) && strcmp(fault.what, META_DATA_END))
		return meta_stranger(dev, &fault);
	if (g->data_start != g->region_start + g->region_sectors) {
		msg_err("%s cannot be resized: its data do not lie right behind the region",
			dev->path);
		return E_PARAM;
	}
	return E_OK;
}

static int check_image(const struct change *ch)
{
	char size[SIZE_TEXT];

	for (int i = 0; i < 2; i++) {
		if (ch->meta->copy[i].io_err) {
			msg_err("cannot read superblock copy %c of %s: %s", 'A' + i, ch->dev->path,
				strerror(-ch->meta->copy[i].io_err));
			return E_DEVICE;
		}
	}
	if (ch->old.state != HIBSWAP_COMMITTED)
		return E_OK;
	size_text((ch->old.image.log_blocks + ch->old.image.in_place_blocks) <<
		  HIBSWAP_BLOCK_SHIFT, size);
	if (!opts.force) {
		msg_err("%s holds a hibernation image of %s: resume it, or use --force to drop it",
			ch->dev->path, size);
		return E_REFUSED;
	}
	if (!msg_confirm("This will drop the hibernation image of %s on %s irrevocably.", size,
			 ch->dev->path))
		return E_REFUSED;
	return E_OK;
}

static int plan(struct change *ch)
{
	const struct hibswap_geom *old = &ch->old.geom;
	const u64 align = layout_page_sectors();
	struct hibswap_geom geom = {
		.region_start = old->region_start,
		.region_sectors = old->region_sectors,
		.window_sectors = old->window_sectors,
	};
	u64 extents = hibswap_map_extents_max(old);
	u64 end = old->data_start + old->data_sectors;
	int rc;

	if (opts.region_size)
		geom.region_sectors = layout_round(opts.region_size, MIB_SECTORS);
	if (opts.no_window)
		geom.window_sectors = 0;
	else if (opts.window_size)
		geom.window_sectors = layout_round(opts.window_size, align);
	if (opts.ram || opts.map_extents) {
		rc = layout_extents(&ch->ram, &extents);
		if (rc)
			return rc;
	}
	if (opts.fill || end > ch->dev->sectors)
		end = ch->dev->sectors;
	geom.data_start = geom.region_start + geom.region_sectors;
	rc = layout_data(ch->dev, &geom, end);
	if (rc)
		return rc;
	geom.data_sectors = (end - geom.data_start) / align * align;
	rc = layout_init(&geom, extents);
	if (rc)
		return rc;

	ch->moved = geom.data_start != old->data_start;
	if (ch->moved && max(geom.data_start, old->data_start) -
			 min(geom.data_start, old->data_start) < DATA_ZERO_SECTORS) {
		msg_err("the data of %s would move by less than 64 KiB: the old swap header and the new one would overlap",
			ch->dev->path);
		return E_PARAM;
	}
	ch->new = ch->old;
	ch->new.geom = geom;
	ch->new.state = HIBSWAP_EMPTY;
	ch->new.image = (struct hibswap_image){ .page_size = ch->old.image.page_size };
	/* Another log: nobody knows what lies in it */
	hibswap_forget_log_dirty(&ch->new);
	return E_OK;
}

static int failed(const struct change *ch, const char *what, int err)
{
	msg_err("cannot %s of %s: %s", what, ch->dev->path, strerror(-err));
	return E_DEVICE;
}

static int read_header(struct change *ch)
{
	const struct hibswap_geom *old = &ch->old.geom, *new = &ch->new.geom;
	const u32 size = ch->old.image.page_size;
	int n = swaphdr_read(ch->dev, old->data_start, size, ch->page, &ch->header);

	/* Where the device ends in front of it, there is none any more */
	if (n < 0 && n != -ENXIO)
		return failed(ch, "read the swap header", n);
	ch->has_header = n > 0;
	if (n > 0)
		swaphdr_resize(ch->page, size, new->data_sectors / (size >> HIBSWAP_SECTOR_SHIFT));
	return E_OK;
}

static int write_header(struct change *ch)
{
	const u32 size = ch->old.image.page_size;
	int err = dev_write(ch->dev, ch->new.geom.data_start, size >> HIBSWAP_SECTOR_SHIFT,
			    ch->page);

	if (!err)
		err = dev_sync(ch->dev);
	return err ? failed(ch, "write the swap header", err) : E_OK;
}

/* What lies at the new place now may be anything */
static int move_header(struct change *ch)
{
	const struct hibswap_geom *new = &ch->new.geom;
	int err, rc;

	rc = layout_wipe_signatures(ch->dev, new);
	if (rc)
		return rc;
	err = dev_zero(ch->dev, new->data_start, DATA_ZERO_SECTORS);
	if (err)
		return failed(ch, "clear the new start of the data", err);
	return ch->has_header ? write_header(ch) : E_OK;
}

static int write_supers(struct change *ch)
{
	for (int i = 0; i < 2; i++) {
		int err;

		ch->new.generation++;
		msg_verbose("writing superblock copy %c, generation %" PRIu64,
			    'A' + hibswap_super_copy(ch->new.generation), ch->new.generation);
		err = meta_write_super(ch->dev, &ch->new);
		if (err)
			return failed(ch, "write a superblock", err);
	}
	return E_OK;
}

static int apply(struct change *ch)
{
	const struct hibswap_geom *old = &ch->old.geom, *new = &ch->new.geom;
	const bool shorter = new->data_sectors < old->data_sectors;
	int rc = E_OK;

	if (ch->old.state == HIBSWAP_COMMITTED) {
		int err = meta_invalidate(ch->dev, &ch->old);

		if (err)
			return failed(ch, "drop the image", err);
		ch->new.generation = ch->old.generation;
	}
	if (ch->moved)
		rc = move_header(ch);
	else if (ch->has_header && shorter)
		rc = write_header(ch);
	if (!rc)
		rc = write_supers(ch);
	if (!rc && ch->has_header && !ch->moved && !shorter)
		rc = write_header(ch);
	return rc;
}

/* Is it there? */
static int verify(const struct change *ch)
{
	struct meta now;
	bool ok;

	meta_read(ch->dev, ch->new.geom.region_start, &now);
	ok = now.which >= 0 && !now.copy[!now.which].err &&
	     now.copy[now.which].sb.generation == ch->new.generation &&
	     !memcmp(&now.copy[0].sb.geom, &ch->new.geom, sizeof(ch->new.geom)) &&
	     !memcmp(&now.copy[1].sb.geom, &ch->new.geom, sizeof(ch->new.geom));
	meta_free(&now);
	if (!ok) {
		msg_err("%s does not read back what was written to it", ch->dev->path);
		return E_DEVICE;
	}
	return E_OK;
}

static void report(const struct change *ch)
{
	const struct dev *dev = ch->dev;
	char table[512];

	layout_table(dev, &ch->new.geom, table, sizeof(table));
	if (opts.json) {
		struct json_object *obj = layout_json(dev, &ch->new, table);

		json_object_object_add(obj, "old_geometry", geom_json(&ch->old.geom));
		jadd_bool(obj, "swap_header", ch->has_header);
		json_print(obj);
	} else {
		printf("%s: resized\n", dev->path);
		layout_print(&ch->new.geom, ch->ram);
		if (ch->has_header)
			printf("The swap area keeps its UUID and label.\n");
		else
			printf("There was no swap area: run mkswap on the mapped device.\n");
		printf("Open it with \"dmhib open %s NAME\", or with\n", dev->path);
		printf("  dmsetup create NAME --table \"%s\"\n", table);
	}
	if (ch->has_header && ch->header.bad_pages)
		msg_warn("the swap area had a list of %u bad pages, which is gone: \"mkswap --check\" makes a new one",
			 ch->header.bad_pages);
}

static int resize(struct change *ch, u64 region_start)
{
	int rc = check_place(ch->dev, &ch->old.geom, region_start);

	if (!rc)
		rc = plan(ch);
	if (!rc)
		rc = check_image(ch);
	if (!rc)
		rc = read_header(ch);
	if (!rc)
		rc = apply(ch);
	if (!rc)
		rc = verify(ch);
	if (!rc)
		report(ch);
	return rc;
}

/** verb_resize - grow or shrink the region of a device that is not open */
int verb_resize(int argc, char **argv)
{
	const u64 region_start = opts.region_start >> HIBSWAP_SECTOR_SHIFT;
	struct change ch = {};
	struct meta meta;
	struct dev dev;
	int rc;

	(void)argc;
	rc = layout_options();
	if (rc)
		return rc;
	rc = region_open(&dev, &meta, argv[0], DEV_WRITE);
	if (rc)
		return rc;
	ch.dev = &dev;
	ch.meta = &meta;
	ch.old = *meta_super(&meta);
	ch.page = dev_buf(SWAPHDR_MAX);
	rc = resize(&ch, region_start);
	free(ch.page);
	region_close(&dev, &meta);
	return rc;
}
