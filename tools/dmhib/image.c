// SPDX-License-Identifier: GPL-2.0-only
/*
 * An image on a device, read through its map, or dropped.
 */
#include "image.h"
#include "swaphdr.h"

#include <inttypes.h>

/* The map was found good before: only memory can be short */
static int load(struct image *im, struct hibswap_extent_disk *in, u64 bytes)
{
	const struct hibswap_super *sb = im->sb;
	const u64 nr = sb->image.extents;
	struct hibswap_extent *ext, *out;
	void *scratch;
	int err;

	err = dev_read(im->dev, sb->geom.map_start[sb->image.map_place],
		       bytes >> HIBSWAP_SECTOR_SHIFT, in);
	if (err)
		return err;
	ext = calloc(nr, sizeof(*ext));
	if (!ext)
		return -ENOMEM;
	hibswap_log_init(&im->log, ext, nr, sb->geom.log_sectors / HIBSWAP_BLOCK_SECTORS);
	err = hibswap_log_decode(&im->log, in, nr, &sb->geom, NULL);
	if (err || hibswap_log_index(&im->log) != -EEXIST)
		return err;
	/* An address was written twice: the younger one counts */
	out = calloc(2 * nr, sizeof(*out));
	scratch = malloc(hibswap_log_resolve_scratch(nr));
	err = out && scratch ? hibswap_log_resolve(&im->log, scratch, out, 2 * nr) : -ENOMEM;
	free(scratch);
	free(err ? out : ext);
	return err;
}

/**
 * image_open - load the map
 * @im: filled in; image_close() it, whatever this returns
 * @dev: device
 * @sb: its superblock, committed, with a map that is good
 *
 * Return: 0 or a negative errno.
 */
int image_open(struct image *im, const struct dev *dev, const struct hibswap_super *sb)
{
	const u64 bytes = (sb->image.extents * sizeof(struct hibswap_extent_disk) +
			   HIBSWAP_BLOCK_SIZE - 1) & ~(u64)(HIBSWAP_BLOCK_SIZE - 1);
	struct hibswap_extent_disk *in;
	int err;

	*im = (struct image){ .dev = dev, .sb = sb };
	im->page_blocks = sb->image.page_size >> HIBSWAP_BLOCK_SHIFT;
	im->buf = dev_buf(DEV_CHUNK);
	in = aligned_alloc(DEV_ALIGN, bytes);
	if (!in)
		return -ENOMEM;
	err = load(im, in, bytes);
	free(in);
	return err;
}

/** image_close - free what image_open() has allocated */
void image_close(struct image *im)
{
	free(im->log.ext);
	free(im->buf);
	im->log.ext = NULL;
	im->buf = NULL;
}

/**
 * image_read - read a piece of the image into its buffer
 * @im: the image
 * @first: which block it begins with, and where that lies
 * @sectors: how many, in one piece and not more than the buffer holds
 *
 * Return: 0 or a negative errno. A wrong checksum is no error, but counted.
 */
int image_read(struct image *im, const struct bad_block *first, u64 sectors)
{
	int err;

	im->buf_sectors = 0;
	err = dev_read(im->dev, first->sector, sectors, im->buf);
	if (err)
		return err;
	im->buf_sector = first->sector;
	im->buf_sectors = sectors;
	im->read += sectors;
	if (im->sums)
		sums_check(im->sums, im->buf, first, sectors / HIBSWAP_BLOCK_SECTORS);
	return 0;
}

/* At @first there are @sectors of the image in one piece */
static int fill(struct image *im, const struct bad_block *first, u64 sectors, u64 least)
{
	if (first->sector >= im->buf_sector &&
	    first->sector + least <= im->buf_sector + im->buf_sectors)
		return 0;
	return image_read(im, first, min(sectors, DEV_CHUNK >> HIBSWAP_SECTOR_SHIFT));
}

/**
 * image_page - read a page of the swap area, as a resume would
 * @im: the image
 * @page: its number in the swap area
 * @data: set to its bytes, valid until the next call
 * @run: how far pages from here on will be asked for one after the other; 1 if
 *	nobody knows
 *
 * Return: 0, -ENXIO behind the end of data and window, -ENODATA if the map
 * does not have it, or a negative errno.
 */
int image_page(struct image *im, u64 page, const u8 **data, u64 *run)
{
	const struct hibswap_geom *g = &im->sb->geom;
	const u64 blocks = (g->data_sectors + g->window_sectors) / HIBSWAP_BLOCK_SECTORS;
	const u64 need = im->page_blocks * HIBSWAP_BLOCK_SECTORS;
	struct hibswap_where where = {};
	struct bad_block first;
	u64 block;
	int err;

	if (page >= blocks / im->page_blocks)
		return -ENXIO;
	block = page * im->page_blocks;
	hibswap_log_lookup(&im->log, block, *run * im->page_blocks, &im->cursor, &where);
	/* The kernel writes whole pages: each is in one extent */
	if (!where.mapped || where.blocks < im->page_blocks)
		return -ENODATA;
	*run = where.blocks / im->page_blocks;
	first = (struct bad_block){ block, where.pos, where.in_place ?
		g->data_start + block * HIBSWAP_BLOCK_SECTORS :
		g->log_start + where.pos * HIBSWAP_BLOCK_SECTORS };
	err = fill(im, &first, *run * need, need);
	if (!err)
		*data = im->buf + ((first.sector - im->buf_sector) << HIBSWAP_SECTOR_SHIFT);
	return err;
}

static int cannot_write(const struct dev *dev, const char *what, int err)
{
	msg_err("cannot write %s of %s: %s", what, dev->path, strerror(-err));
	return E_DEVICE;
}

static int unsign(const struct dev *dev, const struct hibswap_super *sb)
{
	const u32 size = sb->image.page_size;
	void *page = dev_buf(SWAPHDR_MAX);
	struct swaphdr hdr;
	int n, err = 0;

	n = swaphdr_read(dev, sb->geom.data_start, size, page, &hdr);
	if (n > 0 && hdr.signed_off) {
		msg_verbose("taking the hibernation signature off");
		swaphdr_unsign(page, size);
		err = dev_write(dev, sb->geom.data_start, size >> HIBSWAP_SECTOR_SHIFT, page);
		if (!err)
			err = dev_sync(dev);
	}
	free(page);
	/* One that cannot be read keeps no superblock from being written */
	return err ? cannot_write(dev, "the header page", err) : E_OK;
}

/**
 * image_drop - there is no image afterwards, on stable storage
 * @dev: device, opened with DEV_WRITE
 * @sb: the superblock that counts; becomes what is written last
 *
 * The signature of the header page goes, too, also without an image.
 *
 * Return: an exit code.
 */
int image_drop(const struct dev *dev, struct hibswap_super *sb)
{
	int rc = unsign(dev, sb), err;

	if (rc || sb->state != HIBSWAP_COMMITTED)
		return rc;
	msg_verbose("dropping the image of generation %" PRIu64, sb->generation);
	err = meta_invalidate(dev, sb);
	return err ? cannot_write(dev, "a superblock", err) : E_OK;
}
