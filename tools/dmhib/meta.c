// SPDX-License-Identifier: GPL-2.0-only
/*
 * The superblocks and the map on a device. What is on it is hostile until the
 * shared decoders have let it through.
 */
#include "meta.h"

#include <ctype.h>

#define CHUNK_EXTENTS	(DEV_CHUNK / sizeof(struct hibswap_extent_disk))

/**
 * meta_read - read both superblocks and choose
 * @dev: device
 * @region_start: where the region starts, sectors
 * @meta: filled in, whatever is there; meta_free() it
 *
 * A copy that cannot be read is as good as a torn one, as in the target.
 */
void meta_read(const struct dev *dev, u64 region_start, struct meta *meta)
{
	struct hibswap_super sb[2];
	int err[2];

	memset(meta, 0, sizeof(*meta));
	for (int i = 0; i < 2; i++) {
		struct meta_copy *c = &meta->copy[i];

		c->block = dev_buf(HIBSWAP_BLOCK_SIZE);
		c->sector = hibswap_super_sector(region_start, i);
		c->io_err = dev_read(dev, c->sector, HIBSWAP_BLOCK_SECTORS, c->block);
		if (c->io_err) {
			c->err = -EBADMSG;
			c->fault.what = c->io_err == -ENXIO ? "behind the end of the device" :
							      "read error";
		} else {
			c->err = hibswap_super_decode(&c->sb, c->block, i, &c->fault);
		}
		err[i] = c->err;
		sb[i] = c->sb;
	}
	if (meta->copy[0].io_err && meta->copy[1].io_err)
		meta->which = -EIO;
	else
		meta->which = hibswap_super_choose(err, sb);
	if (meta->which >= 0)
		msg_debug("superblock copy %c counts, generation %llu", 'A' + meta->which,
			  (unsigned long long)meta->copy[meta->which].sb.generation);
}

/**
 * meta_free - free what meta_read() has allocated
 * @meta: the copies
 */
void meta_free(struct meta *meta)
{
	free(meta->copy[0].block);
	free(meta->copy[1].block);
	meta->copy[0].block = NULL;
	meta->copy[1].block = NULL;
}

/**
 * meta_ours - is there a hibswap superblock, be it damaged?
 * @meta: the copies
 */
bool meta_ours(const struct meta *meta)
{
	for (int i = 0; i < 2; i++) {
		const struct meta_copy *c = &meta->copy[i];

		if (!c->io_err && c->err != -ENODATA && c->err != -EMEDIUMTYPE)
			return true;
	}
	return false;
}

/**
 * meta_committed - is there an image that a boot may want?
 * @meta: the copies
 */
bool meta_committed(const struct meta *meta)
{
	const struct hibswap_super *sb = meta_super(meta);

	return sb && sb->state == HIBSWAP_COMMITTED;
}

/**
 * meta_fits - does a superblock's geometry agree with where it was found?
 * @dev: device
 * @geom: decoded geometry
 * @region_start: where the superblock was looked for
 * @fault: says what is wrong; value is the superblock's
 *
 * Return: 0 or -EINVAL.
 */
int meta_fits(const struct dev *dev, const struct hibswap_geom *geom, u64 region_start,
	      struct hibswap_fault *fault)
{
	/* Decode has seen to it that no sum overflows */
	const u64 region_end = geom->region_start + geom->region_sectors;
	const u64 data_end = geom->data_start + geom->data_sectors;

	if (geom->region_start != region_start)
		*fault = (struct hibswap_fault){ "region_start", geom->region_start, region_start };
	else if (region_end > dev->sectors)
		*fault = (struct hibswap_fault){ "region's end", region_end, dev->sectors };
	else if (data_end > dev->sectors)
		*fault = (struct hibswap_fault){ META_DATA_END, data_end, dev->sectors };
	else
		return 0;
	return -EINVAL;
}

/**
 * meta_write_super - write a superblock to the copy its turn is
 * @dev: device
 * @sb: contents
 *
 * On stable storage before it returns, and not before what was written earlier.
 *
 * Return: 0 or a negative errno.
 */
int meta_write_super(const struct dev *dev, const struct hibswap_super *sb)
{
	unsigned int copy = hibswap_super_copy(sb->generation);
	void *block = dev_buf(HIBSWAP_BLOCK_SIZE);
	int err;

	hibswap_super_encode(sb, block);
	err = dev_sync(dev);
	if (!err)
		err = dev_write(dev, hibswap_super_sector(sb->geom.region_start, copy),
				HIBSWAP_BLOCK_SECTORS, block);
	if (!err)
		err = dev_sync(dev);
	free(block);
	return err;
}

/**
 * meta_invalidate - take an image back
 * @dev: device
 * @sb: the superblock that counts; becomes what is written last
 *
 * Both copies, with the next two generations: the one that vouches for the
 * image is written over second, when the first one counts already.
 *
 * Return: 0 or a negative errno.
 */
int meta_invalidate(const struct dev *dev, struct hibswap_super *sb)
{
	int err = 0;

	sb->state = HIBSWAP_EMPTY;
	sb->image = (struct hibswap_image){ .page_size = sb->image.page_size };
	for (int i = 0; i < 2 && !err; i++) {
		sb->generation++;
		err = meta_write_super(dev, sb);
	}
	return err;
}

/* Ten bytes from the disk, fit for a terminal */
static void printable(const u8 *sig, char *to)
{
	int end = 10;

	while (end && !sig[end - 1])
		end--;
	for (int i = 0; i < end; i++) {
		if (isprint(sig[i]) && sig[i] != '\\' && sig[i] != '"')
			*to++ = sig[i];
		else
			to += sprintf(to, "\\x%02x", sig[i]);
	}
	*to = '\0';
}

/**
 * meta_read_header - look at the data's header page
 * @dev: device
 * @sb: superblock that counts; gives the page's size
 * @header: filled in
 */
void meta_read_header(const struct dev *dev, const struct hibswap_super *sb,
		      struct meta_header *header)
{
	const u32 size = sb->image.page_size;
	u8 *page = dev_buf(size);

	memset(header, 0, sizeof(*header));
	if (size >> HIBSWAP_SECTOR_SHIFT > sb->geom.data_sectors)
		header->err = -ENXIO;
	else
		header->err = dev_read(dev, sb->geom.data_start, size >> HIBSWAP_SECTOR_SHIFT,
				       page);
	if (!header->err) {
		header->crc = hibswap_crc(0, page, size);
		header->crc_ok = sb->state == HIBSWAP_COMMITTED &&
				 header->crc == sb->image.header_crc;
		header->swap = hibswap_header_is_swap(page, size);
		printable(page + size - 10, header->signature);
	}
	free(page);
}

static int map_fault(struct meta_map *map, int err, const char *what, u64 value, u64 limit)
{
	map->err = err;
	map->fault = (struct hibswap_fault){ what, value, limit };
	return err;
}

/* One piece of the map after the other, so that a huge one needs no memory */
struct map_reader {
	const struct dev *dev;
	const struct hibswap_super *sb;
	struct hibswap_extent_disk *buf;
	u64 from;
	u64 nr;
};

/* Return: 1 if there is a piece in @buf, 0 at the end, or a negative errno */
static int map_next(struct map_reader *r, struct meta_map *map)
{
	const u64 bytes_each = sizeof(struct hibswap_extent_disk);
	u64 sector = r->sb->geom.map_start[r->sb->image.map_place];
	u64 bytes;
	int err;

	r->from += r->nr;
	r->nr = min(r->sb->image.extents - r->from, CHUNK_EXTENTS);
	if (!r->nr)
		return 0;
	sector += r->from * bytes_each >> HIBSWAP_SECTOR_SHIFT;
	bytes = (r->nr * bytes_each + HIBSWAP_BLOCK_SIZE - 1) & ~(u64)(HIBSWAP_BLOCK_SIZE - 1);
	err = dev_read(r->dev, sector, bytes >> HIBSWAP_SECTOR_SHIFT, r->buf);
	if (err)
		return map_fault(map, err, "map cannot be read, sector", sector, 0);
	return 1;
}

static void map_walk(struct map_reader *r, struct meta_map *map, meta_extent_fn fn, void *arg)
{
	const struct hibswap_super *sb = r->sb;
	struct hibswap_extent *ext = dev_buf(CHUNK_EXTENTS * sizeof(*ext));
	struct hibswap_fault fault = {};
	struct hibswap_log log;

	hibswap_log_init(&log, ext, CHUNK_EXTENTS, sb->geom.log_sectors / HIBSWAP_BLOCK_SECTORS);
	while (map_next(r, map) > 0) {
		int err = hibswap_log_decode(&log, r->buf, r->nr, &sb->geom, &fault);

		/* What came before a bad extent is shown, too */
		for (u64 i = 0; fn && i < log.nr; i++)
			fn(r->from + i, &ext[i], arg);
		if (err) {
			if (!map->err)
				map_fault(map, err, fault.what, fault.value, fault.limit);
			break;
		}
		/* Sums go on; the array is used again for the next piece */
		log.nr = 0;
	}
	if (!map->err && log.used != sb->image.log_blocks)
		map_fault(map, -EINVAL, "log_blocks", sb->image.log_blocks, log.used);
	if (!map->err && log.in_place != sb->image.in_place_blocks)
		map_fault(map, -EINVAL, "in_place_blocks", sb->image.in_place_blocks,
			  log.in_place);
	free(ext);
}

/**
 * meta_read_sums - read the checksums of an image's blocks
 * @dev: device
 * @sb: the superblock, committed
 * @map: says whether they are good, if it has no error yet
 * @sums: memory for sb->image.sum_blocks of them, or NULL
 */
void meta_read_sums(const struct dev *dev, const struct hibswap_super *sb,
		    struct meta_map *map, u32 *sums)
{
	const u64 most = DEV_CHUNK / HIBSWAP_SUM_SIZE;
	u64 sector = hibswap_sum_sector(&sb->geom, sb->image.map_place, sb->image.extents);
	__le32 *buf = dev_buf(DEV_CHUNK);
	u32 crc = 0;
	u64 nr;

	for (u64 from = 0; !map->err && from < sb->image.sum_blocks; from += nr) {
		u64 sectors;
		int err;

		nr = min(sb->image.sum_blocks - from, most);
		sectors = (nr * HIBSWAP_SUM_SIZE + HIBSWAP_BLOCK_SIZE - 1) / HIBSWAP_BLOCK_SIZE *
			  HIBSWAP_BLOCK_SECTORS;
		err = dev_read(dev, sector, sectors, buf);
		if (err)
			map_fault(map, err, "checksums cannot be read, sector", sector, 0);
		crc = hibswap_crc(crc, buf, nr * HIBSWAP_SUM_SIZE);
		for (u64 i = 0; sums && i < nr; i++)
			sums[from + i] = le32_to_cpu(buf[i]);
		sector += sectors;
	}
	if (!map->err && crc != sb->image.sum_crc)
		map_fault(map, -EBADMSG, "checksum of the checksums", crc, sb->image.sum_crc);
	free(buf);
}

/**
 * meta_read_map - check the map of a committed image
 * @dev: device
 * @sb: the superblock, committed
 * @map: says whether it is good
 * @fn: called for every extent, may be NULL; also when the checksum is wrong,
 *	because this is for people who want to know
 * @arg: for @fn
 */
void meta_read_map(const struct dev *dev, const struct hibswap_super *sb,
		   struct meta_map *map, meta_extent_fn fn, void *arg)
{
	struct map_reader r = { .dev = dev, .sb = sb, .buf = dev_buf(DEV_CHUNK) };
	u32 crc = 0;

	memset(map, 0, sizeof(*map));
	while (map_next(&r, map) > 0)
		crc = hibswap_crc(crc, r.buf, r.nr * sizeof(*r.buf));
	if (!map->err) {
		if (crc != sb->image.map_crc)
			map_fault(map, -EBADMSG, "map checksum", crc, sb->image.map_crc);
		r.from = 0;
		r.nr = 0;
		map_walk(&r, map, fn, arg);
	}
	meta_read_sums(dev, sb, map, NULL);
	free(r.buf);
}
