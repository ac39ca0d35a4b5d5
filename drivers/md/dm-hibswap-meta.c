// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metadata I/O of a hibswap region: superblocks, map, header page.
 *
 * Everything goes past the page cache, to the device below, and is waited
 * for. Nothing here allocates: bios come from dm-io's mempools, buffers are
 * the region's own. Process context; region->mutex held, or the region not in
 * the list yet.
 */
#include "dm-hibswap.h"

#include <linux/blkdev.h>
#include <linux/dm-io.h>
#include <linux/ioprio.h>

#define MAP_BUF_SECTORS		(HIBSWAP_MAP_BUF_SIZE >> SECTOR_SHIFT)
#define BLANK_SAMPLES		256
#define MAP_BUF_EXTENTS		(HIBSWAP_MAP_BUF_SIZE / sizeof(struct hibswap_extent_disk))

static int meta_io(struct hibswap_region *r, blk_opf_t opf, u64 sector, u64 sectors,
		   const struct dm_io_memory *mem)
{
	struct dm_io_region where = {
		.bdev = r->bdev,
		.sector = sector,
		.count = sectors,
	};
	struct dm_io_request req = {
		.bi_opf = opf,
		.mem = *mem,
		.client = r->io,
	};
	unsigned long error_bits = 0, unsup_bits = 0;

	return dm_io(&req, 1, &where, &error_bits, &unsup_bits, IOPRIO_DEFAULT);
}

/**
 * hibswap_meta_io - read or write, and wait
 * @r: region
 * @opf: operation and flags
 * @sector: absolute place on the device
 * @sectors: how many
 * @buf: kernel memory, linear or vmalloc
 *
 * Return: 0 or a negative errno.
 */
int hibswap_meta_io(struct hibswap_region *r, blk_opf_t opf, u64 sector,
		    u64 sectors, void *buf)
{
	struct dm_io_memory mem = {};

	if (is_vmalloc_addr(buf)) {
		mem.type = DM_IO_VMA;
		mem.ptr.vma = buf;
	} else {
		mem.type = DM_IO_KMEM;
		mem.ptr.addr = buf;
	}
	return meta_io(r, opf, sector, sectors, &mem);
}

/* A metadata write; after one that has failed no image is begun */
static int meta_write(struct hibswap_region *r, blk_opf_t opf, u64 sector, u64 sectors,
		      void *buf)
{
	int err = hibswap_meta_io(r, REQ_OP_WRITE | REQ_SYNC | REQ_META | opf, sector, sectors,
				  buf);

	if (err)
		hibswap_fail(r, sector, err);
	return err;
}

/**
 * hibswap_meta_flush - bring what was written to stable storage
 * @r: region
 *
 * A bio of its own: a flush that goes in front of a write may fail unnoticed,
 * where the device below is another device-mapper device.
 *
 * Return: 0 or the error.
 */
int hibswap_meta_flush(struct hibswap_region *r)
{
	int err = blkdev_issue_flush(r->bdev);

	if (err) {
		DMERR("%s: the device below cannot flush: error %d", dm_device_name(r->md), err);
		hibswap_fail(r, r->geom.region_start, err);
	}
	return err;
}

/**
 * hibswap_meta_bio - write a deferred bio's data somewhere, and wait
 * @r: region
 * @opf: operation and flags
 * @sector: absolute place on the device
 * @sectors: how many of the bio's sectors, from where it stands
 * @bio: the bio, which is not completed
 *
 * Return: 0 or a negative errno.
 */
int hibswap_meta_bio(struct hibswap_region *r, blk_opf_t opf, u64 sector,
		     u64 sectors, struct bio *bio)
{
	struct dm_io_memory mem = {
		.type = DM_IO_BIO,
		.ptr.bio = bio,
	};

	return meta_io(r, opf, sector, sectors, &mem);
}

/**
 * hibswap_meta_read_super - read both copies and choose
 * @r: region; its geom.region_start says where
 * @sb: the copy that counts
 * @fault: says what is wrong
 *
 * A copy that cannot be read counts like a torn one, but r->unsure is set: it
 * may be the newer one, and what hangs on it must not be taken for granted.
 *
 * Return: 0; or as hibswap_super_choose(); or the I/O error if neither copy
 * can be read.
 */
int hibswap_meta_read_super(struct hibswap_region *r, struct hibswap_super *sb,
			    struct hibswap_fault *fault)
{
	struct hibswap_fault faults[2] = {};
	int err[2], io_err[2], i;

	r->unsure = false;
	for (i = 0; i < 2; i++) {
		u64 sector = hibswap_super_sector(r->geom.region_start, i);

		io_err[i] = hibswap_meta_io(r, REQ_OP_READ | REQ_SYNC | REQ_META, sector,
					    HIBSWAP_BLOCK_SECTORS, r->block);
		if (io_err[i]) {
			DMWARN("%s: cannot read superblock copy %c at sector %llu: error %d",
			       dm_device_name(r->md), 'A' + i, sector, io_err[i]);
			r->unsure = true;
			err[i] = -EBADMSG;
			faults[i].what = "read error";
			continue;
		}
		err[i] = hibswap_super_decode(&r->copies[i], r->block, i, &faults[i]);
	}
	if (io_err[0] && io_err[1]) {
		if (fault)
			*fault = faults[0];
		return io_err[0];
	}
	i = hibswap_super_choose(err, r->copies);
	if (i >= 0) {
		*sb = r->copies[i];
		return 0;
	}
	/* The fault that the choice was made by */
	if (fault)
		*fault = err[1] == i && err[0] != i ? faults[1] : faults[0];
	return i;
}

/**
 * hibswap_super_complain - say what is wrong with the superblocks
 * @r: region
 * @err: what hibswap_meta_read_super() returned
 * @fault: and found
 */
void hibswap_super_complain(struct hibswap_region *r, int err,
			    const struct hibswap_fault *fault)
{
	DMERR("%s: superblock: %s: found %llu, expected or limit %llu (error %d)",
	      dm_device_name(r->md), fault->what ? fault->what : "no valid copy",
	      fault->value, fault->limit, err);
}

/*
 * Two rules keep a generation on disk meaningful. Whoever writes a superblock
 * reads both copies first and goes one above the highest: memory may be a
 * snapshot's and old. And memory's own number is raised before a write is
 * issued, so that a higher one on disk proves that another kernel wrote it and
 * then resumed this one.
 */

/**
 * hibswap_meta_write_super - write a superblock to the copy its turn is
 * @r: region; r->sb takes the new contents before the write is issued, so
 *	that a generation on disk above memory's is never this kernel's own
 * @sb: contents; the caller has raised the generation above all on disk
 *
 * On stable storage when this returns. What it vouches for is not, unless
 * hibswap_meta_flush() was called before.
 *
 * Return: 0 or the I/O error.
 */
int hibswap_meta_write_super(struct hibswap_region *r, const struct hibswap_super *sb)
{
	unsigned int copy = hibswap_super_copy(sb->generation);

	r->sb = *sb;
	hibswap_super_encode(sb, r->block);
	return meta_write(r, REQ_FUA, hibswap_super_sector(sb->geom.region_start, copy),
			  HIBSWAP_BLOCK_SECTORS, r->block);
}

/**
 * hibswap_meta_read_header - read the data's header page from the device
 * @r: region
 * @page: PAGE_SIZE bytes
 *
 * Return: 0 or the I/O error; -ENODATA if the data is shorter than a page.
 */
int hibswap_meta_read_header(struct hibswap_region *r, void *page)
{
	if (r->geom.data_sectors < HIBSWAP_PAGE_SECTORS)
		return -ENODATA;
	return hibswap_meta_io(r, REQ_OP_READ | REQ_SYNC, r->geom.data_start,
			       HIBSWAP_PAGE_SECTORS, page);
}

static u64 map_piece_sectors(u64 extents)
{
	return DIV_ROUND_UP(extents * sizeof(struct hibswap_extent_disk),
			    HIBSWAP_BLOCK_SIZE) * HIBSWAP_BLOCK_SECTORS;
}

/**
 * hibswap_meta_read_map - read the map that a superblock vouches for
 * @r: region
 * @sb: the superblock, committed
 * @log: set up with memory for sb->image.extents; gets the extents
 * @fault: says what is wrong
 *
 * The checksum is taken over the whole map before a single extent is looked
 * at, which means reading it twice: maps are small. The second reading has to
 * have it, too.
 *
 * Return: 0; the I/O error; -EBADMSG for a wrong checksum; -EINVAL for an
 * extent out of its bounds.
 */
int hibswap_meta_read_map(struct hibswap_region *r, const struct hibswap_super *sb,
			  struct hibswap_log *log, struct hibswap_fault *fault)
{
	int pass, err;

	for (pass = 0; pass < 2; pass++) {
		u64 sector = sb->geom.map_start[sb->image.map_place];
		u64 left = sb->image.extents;
		u32 crc = 0;

		while (left) {
			u64 nr = min_t(u64, left, MAP_BUF_EXTENTS);

			err = hibswap_meta_io(r, REQ_OP_READ | REQ_SYNC | REQ_META, sector,
					      map_piece_sectors(nr), r->map_buf);
			if (err) {
				fault->what = "map cannot be read, sector";
				fault->value = sector;
				return err;
			}
			crc = hibswap_crc(crc, r->map_buf,
					  nr * sizeof(struct hibswap_extent_disk));
			if (pass) {
				err = hibswap_log_decode(log, r->map_buf, nr, &sb->geom,
							 fault);
				if (err)
					return err;
			}
			sector += MAP_BUF_SECTORS;
			left -= nr;
			cond_resched();
		}
		if (crc != sb->image.map_crc) {
			fault->what = "map checksum";
			fault->value = crc;
			fault->limit = sb->image.map_crc;
			return -EBADMSG;
		}
	}
	if (log->used != sb->image.log_blocks || log->in_place != sb->image.in_place_blocks) {
		fault->what = "map length";
		fault->value = log->used + log->in_place;
		fault->limit = sb->image.log_blocks + sb->image.in_place_blocks;
		return -EINVAL;
	}
	return 0;
}

/**
 * hibswap_meta_write_map - write the log's map
 * @r: region; its log does not change meanwhile
 * @place: which of the two places, not the one that is committed
 * @crc: checksum of what was written
 *
 * Not flushed: hibswap_meta_flush() does that.
 *
 * Return: 0 or the I/O error; -EFBIG if the place is too small; -EINVAL if
 * the log has been sorted, which loses the order that the map stands for.
 */
int hibswap_meta_write_map(struct hibswap_region *r, unsigned int place, u32 *crc)
{
	u64 sector = r->geom.map_start[place];
	u64 from = 0;
	int err;

	if (r->log.nr > hibswap_map_extents_max(&r->geom))
		return -EFBIG;
	if (r->log.sorted)
		return -EINVAL;
	*crc = 0;
	while (from < r->log.nr) {
		u64 nr = hibswap_log_encode(&r->log, from, r->map_buf, MAP_BUF_EXTENTS);
		size_t bytes = nr * sizeof(struct hibswap_extent_disk);
		u64 sectors = map_piece_sectors(nr);

		*crc = hibswap_crc(*crc, r->map_buf, bytes);
		memset(r->map_buf + bytes, 0, (sectors << SECTOR_SHIFT) - bytes);
		err = meta_write(r, 0, sector, sectors, r->map_buf);
		if (err)
			return err;
		sector += MAP_BUF_SECTORS;
		from += nr;
	}
	return 0;
}

/* A piece of the checksums that belong to sb's image, in whole blocks */
static u64 sums_piece(const struct hibswap_super *sb, u64 from, u64 *sector, u64 *sectors)
{
	u64 nr = min_t(u64, sb->image.sum_blocks - from,
		       HIBSWAP_MAP_BUF_SIZE / HIBSWAP_SUM_SIZE);

	*sector = hibswap_sum_sector(&sb->geom, sb->image.map_place, sb->image.extents) +
		  (from * HIBSWAP_SUM_SIZE >> SECTOR_SHIFT);
	*sectors = DIV_ROUND_UP(nr * HIBSWAP_SUM_SIZE, HIBSWAP_BLOCK_SIZE) *
		   HIBSWAP_BLOCK_SECTORS;
	return nr;
}

/**
 * hibswap_meta_write_sums - write the checksums of an image's blocks
 * @r: region; its map has been written
 * @sb: the superblock to come: place and length of map and checksums are set;
 *	sum_crc is set here
 * @sums: the checksums
 *
 * Return: 0 or the I/O error.
 */
int hibswap_meta_write_sums(struct hibswap_region *r, struct hibswap_super *sb,
			    const u32 *sums)
{
	__le32 *buf = r->map_buf;
	u64 from, nr, sector, sectors, i;
	int err;

	sb->image.sum_crc = 0;
	for (from = 0; from < sb->image.sum_blocks; from += nr) {
		nr = sums_piece(sb, from, &sector, &sectors);
		for (i = 0; i < nr; i++)
			buf[i] = cpu_to_le32(sums[from + i]);
		memset(buf + nr, 0, (sectors << SECTOR_SHIFT) - nr * HIBSWAP_SUM_SIZE);
		sb->image.sum_crc = hibswap_crc(sb->image.sum_crc, buf, nr * HIBSWAP_SUM_SIZE);
		err = meta_write(r, 0, sector, sectors, buf);
		if (err)
			return err;
	}
	return 0;
}

/**
 * hibswap_meta_read_sums - read the checksums that a superblock vouches for
 * @r: region
 * @sb: the superblock, committed
 * @sums: memory for sb->image.sum_blocks of them
 * @fault: says what is wrong
 *
 * Return: 0; the I/O error; -EBADMSG if they do not have their own checksum.
 */
int hibswap_meta_read_sums(struct hibswap_region *r, const struct hibswap_super *sb,
			   u32 *sums, struct hibswap_fault *fault)
{
	__le32 *buf = r->map_buf;
	u64 from, nr, sector, sectors, i;
	u32 crc = 0;
	int err;

	for (from = 0; from < sb->image.sum_blocks; from += nr) {
		nr = sums_piece(sb, from, &sector, &sectors);
		err = hibswap_meta_io(r, REQ_OP_READ | REQ_SYNC | REQ_META, sector, sectors, buf);
		if (err) {
			fault->what = "the checksums cannot be read, sector";
			fault->value = sector;
			return err;
		}
		crc = hibswap_crc(crc, buf, nr * HIBSWAP_SUM_SIZE);
		for (i = 0; i < nr; i++)
			sums[from + i] = le32_to_cpu(buf[i]);
		cond_resched();
	}
	if (crc == sb->image.sum_crc)
		return 0;
	fault->what = "checksum of the checksums";
	fault->value = crc;
	fault->limit = sb->image.sum_crc;
	return -EBADMSG;
}

/**
 * hibswap_meta_is_blank - does the region read as zeros where it matters?
 * @r: region
 * @geom: its layout
 *
 * Looks at everything in front of the log and at both map places: what a first
 * format writes to, and where file systems, RAID and LVM keep their labels. Of
 * the log itself, samples: to read it all would take minutes.
 *
 * Return: 1 if blank, 0 if not, or the I/O error.
 */
int hibswap_meta_is_blank(struct hibswap_region *r, const struct hibswap_geom *geom)
{
	const u64 from[2] = { geom->region_start, geom->map_start[0] };
	const u64 to[2] = { geom->log_start, geom->map_start[1] + geom->map_sectors };
	const u64 step = max_t(u64, geom->log_sectors / BLANK_SAMPLES, HIBSWAP_BLOCK_SECTORS) &
			 ~(u64)(HIBSWAP_BLOCK_SECTORS - 1);
	u64 sample;
	int i, err;

	for (sample = geom->log_start;
	     sample + HIBSWAP_BLOCK_SECTORS <= geom->log_start + geom->log_sectors;
	     sample += step) {
		err = hibswap_meta_io(r, REQ_OP_READ, sample, HIBSWAP_BLOCK_SECTORS, r->block);
		if (err)
			return err;
		if (!hibswap_is_zero(r->block, HIBSWAP_BLOCK_SIZE))
			return 0;
	}
	for (i = 0; i < 2; i++) {
		u64 sector = from[i];

		while (sector < to[i]) {
			u64 nr = min_t(u64, to[i] - sector, MAP_BUF_SECTORS);

			err = hibswap_meta_io(r, REQ_OP_READ, sector, nr, r->map_buf);
			if (err)
				return err;
			if (!hibswap_is_zero(r->map_buf, nr << SECTOR_SHIFT))
				return 0;
			sector += nr;
			cond_resched();
		}
	}
	return 1;
}
