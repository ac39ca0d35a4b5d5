// SPDX-License-Identifier: GPL-2.0-only
/*
 * Superblock and geometry of a hibswap region.
 *
 * Bytes from the disk are hostile: the checksum comes first, then every field
 * against its bounds, with every sum checked for overflow. What decode lets
 * through may be used without another look.
 */
#include "dm-hibswap-format.h"

/* The log's least size: one extent of one 64 KiB page */
#define LOG_SECTORS_MIN		128
#define MAP_EXTENTS_MIN		((u64)HIBSWAP_BLOCK_SIZE / sizeof(struct hibswap_extent_disk))

static_assert(sizeof(struct hibswap_super_disk) == HIBSWAP_BLOCK_SIZE);
static_assert(offsetof(struct hibswap_super_disk, generation) == 56);
static_assert(offsetof(struct hibswap_super_disk, region_start) == 72);
static_assert(offsetof(struct hibswap_super_disk, map_extents) == 152);
static_assert(offsetof(struct hibswap_super_disk, past_images) == 192);
static_assert(offsetof(struct hibswap_super_disk, sum_blocks) == 320);
static_assert(offsetof(struct hibswap_super_disk, log_dirty) == 336);
static_assert(offsetof(struct hibswap_super_disk, reserved1) == 344);
static_assert(sizeof(struct hibswap_extent_disk) == 16);
static_assert(sizeof(HIBSWAP_MAGIC) == HIBSWAP_MAGIC_LEN);

static int fault_set(struct hibswap_fault *fault, int err, const char *what,
		     u64 value, u64 limit)
{
	if (fault) {
		fault->what = what;
		fault->value = value;
		fault->limit = limit;
	}
	return err;
}

static u64 round_up_to(u64 value, u64 to)
{
	return (value + to - 1) & ~(to - 1);
}

/**
 * hibswap_crc - CRC32C as the format uses it
 * @crc: 0 to begin, or the result of the preceding piece
 * @data: the bytes
 * @len: how many
 *
 * Return: the checksum of everything so far.
 */
u32 hibswap_crc(u32 crc, const void *data, size_t len)
{
	return ~crc32c(~crc, data, len);
}

/**
 * hibswap_map_extents_max - how many extents a map place holds
 * @geom: a checked geometry
 *
 * Return: number of extents.
 */
u64 hibswap_map_extents_max(const struct hibswap_geom *geom)
{
	return (geom->map_sectors << HIBSWAP_SECTOR_SHIFT) /
		sizeof(struct hibswap_extent_disk);
}

static u64 extents_bytes(u64 extents)
{
	return round_up_to(extents * sizeof(struct hibswap_extent_disk), HIBSWAP_BLOCK_SIZE);
}

/**
 * hibswap_sum_room - how many checksums fit behind a map
 * @geom: a checked geometry
 * @extents: of the map, not more than a map place holds
 *
 * Return: number of blocks that can have one.
 */
u64 hibswap_sum_room(const struct hibswap_geom *geom, u64 extents)
{
	return ((geom->map_sectors << HIBSWAP_SECTOR_SHIFT) - extents_bytes(extents)) /
		HIBSWAP_SUM_SIZE;
}

/**
 * hibswap_sum_sector - where the checksums behind a map begin
 * @geom: a checked geometry
 * @place: of the map
 * @extents: of the map
 *
 * Return: sector on the device.
 */
u64 hibswap_sum_sector(const struct hibswap_geom *geom, unsigned int place, u64 extents)
{
	return geom->map_start[place] + (extents_bytes(extents) >> HIBSWAP_SECTOR_SHIFT);
}

/**
 * hibswap_log_dirty - how much of the log has yet to be erased
 * @sb: superblock
 *
 * Return: blocks from the log's beginning on; all of it if nobody has kept count.
 */
u64 hibswap_log_dirty(const struct hibswap_super *sb)
{
	return sb->feature_compat & HIBSWAP_COMPAT_DIRTY ? sb->log_dirty :
		sb->geom.log_sectors / HIBSWAP_BLOCK_SECTORS;
}

/**
 * hibswap_set_log_dirty - record how much of the log has yet to be erased
 * @sb: superblock
 * @blocks: from the log's beginning on
 */
void hibswap_set_log_dirty(struct hibswap_super *sb, u64 blocks)
{
	sb->feature_compat |= HIBSWAP_COMPAT_DIRTY;
	sb->log_dirty = blocks;
}

/**
 * hibswap_forget_log_dirty - nobody keeps count of what has yet to be erased
 * @sb: superblock
 */
void hibswap_forget_log_dirty(struct hibswap_super *sb)
{
	sb->feature_compat &= ~HIBSWAP_COMPAT_DIRTY;
	sb->log_dirty = 0;
}

/**
 * hibswap_default_extents - how many extents a map should have room for
 * @ram_blocks: memory of the machine, in blocks
 *
 * An image is at most half of memory, and what it takes to describe it, or to
 * store pages that do not compress, is less than an eighth of that. At worst
 * each of its blocks is an extent: 0.2 % of memory.
 *
 * Return: number of extents to give to hibswap_geom_init().
 */
u64 hibswap_default_extents(u64 ram_blocks)
{
	return max(ram_blocks / 2 + ram_blocks / 16, MAP_EXTENTS_MIN);
}

/* The places that follow from region and map size; bounds are the caller's */
static void geom_derive(struct hibswap_geom *geom, u64 map_sectors)
{
	u64 end = geom->region_start +
		  (geom->region_sectors & ~(u64)(HIBSWAP_BLOCK_SECTORS - 1));

	geom->map_sectors = map_sectors;
	geom->map_start[1] = end - map_sectors;
	geom->map_start[0] = end - 2 * map_sectors;
	geom->log_start = round_up_to(geom->region_start + HIBSWAP_SUPER_GAP +
				      HIBSWAP_BLOCK_SECTORS, HIBSWAP_SUPER_GAP);
	geom->log_sectors = geom->map_start[0] - geom->log_start;
}

/* Region, data and window alone: what a table line or a superblock claims */
static int geom_check_areas(const struct hibswap_geom *geom,
			    struct hibswap_fault *fault)
{
	const u64 most = HIBSWAP_BLOCKS_MAX * HIBSWAP_BLOCK_SECTORS;
	u64 logical;

	if (geom->region_start >= most)
		return fault_set(fault, -EINVAL, "region_start", geom->region_start, most - 1);
	if (geom->region_sectors > most - geom->region_start)
		return fault_set(fault, -EINVAL, "region_sectors", geom->region_sectors,
				 most - geom->region_start);
	if (geom->data_start < HIBSWAP_DATA_MIN || geom->data_start >= most)
		return fault_set(fault, -EINVAL, "data_start", geom->data_start,
				 HIBSWAP_DATA_MIN);
	if (!geom->data_sectors || geom->data_sectors > most - geom->data_start)
		return fault_set(fault, -EINVAL, "data_sectors", geom->data_sectors,
				 most - geom->data_start);
	if (geom->window_sectors > most - geom->data_sectors)
		return fault_set(fault, -EINVAL, "window_sectors", geom->window_sectors,
				 most - geom->data_sectors);
	if (geom->region_start % HIBSWAP_BLOCK_SECTORS)
		return fault_set(fault, -EINVAL, "region_start alignment", geom->region_start,
				 HIBSWAP_BLOCK_SECTORS);
	if (geom->data_start % HIBSWAP_BLOCK_SECTORS)
		return fault_set(fault, -EINVAL, "data_start alignment", geom->data_start,
				 HIBSWAP_BLOCK_SECTORS);
	/* Data may end anywhere, but a window has to start on a block */
	logical = geom->data_sectors | geom->window_sectors;
	if (geom->window_sectors && logical % HIBSWAP_BLOCK_SECTORS)
		return fault_set(fault, -EINVAL, "window alignment", logical,
				 HIBSWAP_BLOCK_SECTORS);
	if (geom->data_start < geom->region_start + geom->region_sectors &&
	    geom->region_start < geom->data_start + geom->data_sectors)
		return fault_set(fault, -EINVAL, "data and region overlap",
				 geom->data_start, geom->region_start);
	return 0;
}

/**
 * hibswap_geom_init - lay out a region
 * @geom: region, data and window are read, the places inside the region set
 * @max_extents: how many extents each map place shall hold
 * @fault: says what is wrong, may be NULL
 *
 * Return: 0; -EINVAL if the areas cannot be; -ENOSPC if the region is too
 * small (@fault then has its size and the least size, in sectors).
 */
int hibswap_geom_init(struct hibswap_geom *geom, u64 max_extents,
		      struct hibswap_fault *fault)
{
	u64 map_sectors, least;
	int err;

	err = geom_check_areas(geom, fault);
	if (err)
		return err;
	max_extents = max(max_extents, MAP_EXTENTS_MIN);
	if (max_extents > HIBSWAP_BLOCKS_MAX)
		return fault_set(fault, -EINVAL, "map extents", max_extents,
				 HIBSWAP_BLOCKS_MAX);
	map_sectors = extents_bytes(max_extents) >> HIBSWAP_SECTOR_SHIFT;
	least = round_up_to(geom->region_start + HIBSWAP_SUPER_GAP + HIBSWAP_BLOCK_SECTORS,
			    HIBSWAP_SUPER_GAP) - geom->region_start +
		LOG_SECTORS_MIN + 2 * map_sectors;
	if (geom->region_sectors < least)
		return fault_set(fault, -ENOSPC, "region_sectors", geom->region_sectors, least);
	geom_derive(geom, map_sectors);
	return hibswap_geom_check(geom, fault);
}

/**
 * hibswap_geom_check - is a geometry from the disk one that we would make?
 * @geom: the geometry
 * @fault: says what is wrong, may be NULL
 *
 * Return: 0 or -EINVAL.
 */
int hibswap_geom_check(const struct hibswap_geom *geom,
		       struct hibswap_fault *fault)
{
	struct hibswap_geom want = *geom;
	int err;

	err = geom_check_areas(geom, fault);
	if (err)
		return err;
	if (!geom->map_sectors || geom->map_sectors % HIBSWAP_BLOCK_SECTORS ||
	    geom->map_sectors > geom->region_sectors / 2)
		return fault_set(fault, -EINVAL, "map_sectors", geom->map_sectors,
				 geom->region_sectors / 2);
	geom_derive(&want, geom->map_sectors);
	if (want.map_start[0] > geom->region_start + geom->region_sectors ||
	    want.map_start[0] < want.log_start + LOG_SECTORS_MIN ||
	    want.map_start[0] < geom->region_start)
		return fault_set(fault, -EINVAL, "map_sectors", geom->map_sectors,
				 geom->region_sectors / 2);
	if (geom->log_start != want.log_start)
		return fault_set(fault, -EINVAL, "log_start", geom->log_start, want.log_start);
	if (geom->log_sectors != want.log_sectors)
		return fault_set(fault, -EINVAL, "log_sectors", geom->log_sectors,
				 want.log_sectors);
	if (geom->map_start[0] != want.map_start[0])
		return fault_set(fault, -EINVAL, "map_start[0]", geom->map_start[0],
				 want.map_start[0]);
	if (geom->map_start[1] != want.map_start[1])
		return fault_set(fault, -EINVAL, "map_start[1]", geom->map_start[1],
				 want.map_start[1]);
	/* What is offered behind the data has nowhere to be but the log */
	if (geom->window_sectors > geom->log_sectors)
		return fault_set(fault, -EINVAL, "window_sectors", geom->window_sectors,
				 geom->log_sectors);
	return 0;
}

/**
 * hibswap_geom_match - does the superblock agree with the table line?
 * @disk: from the superblock
 * @table: from the table; only the areas are looked at, and data_sectors is
 *	the whole logical length, with or without the window
 * @fault: names the field; value is the superblock's, limit the table's
 *
 * Return: 0 or -EINVAL.
 */
int hibswap_geom_match(const struct hibswap_geom *disk,
		       const struct hibswap_geom *table,
		       struct hibswap_fault *fault)
{
	if (disk->region_start != table->region_start)
		return fault_set(fault, -EINVAL, "region_start", disk->region_start,
				 table->region_start);
	if (disk->region_sectors != table->region_sectors)
		return fault_set(fault, -EINVAL, "region_sectors", disk->region_sectors,
				 table->region_sectors);
	if (disk->data_start != table->data_start)
		return fault_set(fault, -EINVAL, "data_start", disk->data_start,
				 table->data_start);
	if (table->data_sectors != disk->data_sectors &&
	    table->data_sectors != disk->data_sectors + disk->window_sectors)
		return fault_set(fault, -EINVAL, "data_sectors", disk->data_sectors,
				 table->data_sectors);
	return 0;
}

static u32 super_crc(const struct hibswap_super_disk *d)
{
	static const u8 zero[sizeof(d->crc)];
	const size_t after = offsetof(struct hibswap_super_disk, feature_compat);
	u32 crc;

	crc = hibswap_crc(0, d, offsetof(struct hibswap_super_disk, crc));
	crc = hibswap_crc(crc, zero, sizeof(zero));
	return hibswap_crc(crc, (const u8 *)d + after, sizeof(*d) - after);
}

/**
 * hibswap_super_encode - make the bytes of a superblock
 * @sb: the superblock; must be one that decode would accept
 * @block: 4096 bytes, 8 byte aligned
 */
void hibswap_super_encode(const struct hibswap_super *sb, void *block)
{
	struct hibswap_super_disk *d = block;
	const struct hibswap_geom *g = &sb->geom;
	const struct hibswap_image *im = &sb->image;
	u64 compat = sb->feature_compat & HIBSWAP_COMPAT_KNOWN & ~HIBSWAP_COMPAT_SUMS;
	unsigned int i;

	memset(d, 0, sizeof(*d));
	memcpy(d->magic, HIBSWAP_MAGIC, HIBSWAP_MAGIC_LEN);
	d->version = cpu_to_le32(HIBSWAP_VERSION);
	d->feature_incompat = cpu_to_le64(sb->feature_incompat);
	memcpy(d->uuid, sb->uuid, sizeof(d->uuid));
	d->generation = cpu_to_le64(sb->generation);
	d->state = cpu_to_le32(sb->state);
	d->page_size = cpu_to_le32(im->page_size);
	d->region_start = cpu_to_le64(g->region_start);
	d->region_sectors = cpu_to_le64(g->region_sectors);
	d->data_start = cpu_to_le64(g->data_start);
	d->data_sectors = cpu_to_le64(g->data_sectors);
	d->window_sectors = cpu_to_le64(g->window_sectors);
	d->log_start = cpu_to_le64(g->log_start);
	d->log_sectors = cpu_to_le64(g->log_sectors);
	d->map_start[0] = cpu_to_le64(g->map_start[0]);
	d->map_start[1] = cpu_to_le64(g->map_start[1]);
	d->map_sectors = cpu_to_le64(g->map_sectors);
	if (sb->state == HIBSWAP_COMMITTED) {
		d->map_extents = cpu_to_le64(im->extents);
		d->map_place = cpu_to_le32(im->map_place);
		d->map_crc = cpu_to_le32(im->map_crc);
		d->log_blocks = cpu_to_le64(im->log_blocks);
		d->in_place_blocks = cpu_to_le64(im->in_place_blocks);
		d->header_crc = cpu_to_le32(im->header_crc);
		if (im->sum_blocks) {
			compat |= HIBSWAP_COMPAT_SUMS;
			d->sum_blocks = cpu_to_le64(im->sum_blocks);
			d->sum_crc = cpu_to_le32(im->sum_crc);
		}
	}
	if (compat & HIBSWAP_COMPAT_DIRTY)
		d->log_dirty = cpu_to_le64(sb->log_dirty);
	/* A feature that we do not know goes with its bytes, which we do not write */
	d->feature_compat = cpu_to_le64(compat);
	for (i = 0; i < HIBSWAP_PAST_IMAGES; i++)
		d->past_images[i] = cpu_to_le64(sb->past_images[i]);
	d->crc = cpu_to_le32(super_crc(d));
}

static int super_check_image(const struct hibswap_super *sb,
			     struct hibswap_fault *fault)
{
	const struct hibswap_image *im = &sb->image;
	const u64 log_max = sb->geom.log_sectors / HIBSWAP_BLOCK_SECTORS;
	u64 sums_max;

	if (im->page_size < HIBSWAP_BLOCK_SIZE || im->page_size > 65536 ||
	    (im->page_size & (im->page_size - 1)))
		return fault_set(fault, -EINVAL, "page_size", im->page_size, 65536);

	if (sb->state == HIBSWAP_EMPTY) {
		u64 rest = im->extents | im->map_place | im->map_crc |
			   im->log_blocks | im->in_place_blocks | im->header_crc |
			   im->sum_blocks | im->sum_crc;

		if (rest)
			return fault_set(fault, -EINVAL, "image fields without an image",
					 rest, 0);
		return 0;
	}
	if (!im->extents || im->extents > hibswap_map_extents_max(&sb->geom))
		return fault_set(fault, -EINVAL, "map_extents", im->extents,
				 hibswap_map_extents_max(&sb->geom));
	if (im->map_place > 1)
		return fault_set(fault, -EINVAL, "map_place", im->map_place, 1);
	if (im->log_blocks > log_max)
		return fault_set(fault, -EINVAL, "log_blocks", im->log_blocks, log_max);
	/* Not bounded by the data: an address may have been written again */
	if (im->in_place_blocks > HIBSWAP_BLOCKS_MAX)
		return fault_set(fault, -EINVAL, "in_place_blocks", im->in_place_blocks,
				 HIBSWAP_BLOCKS_MAX);
	if (!im->log_blocks && !im->in_place_blocks)
		return fault_set(fault, -EINVAL, "log_blocks", 0, 1);
	sums_max = min(im->log_blocks + im->in_place_blocks,
		       hibswap_sum_room(&sb->geom, im->extents));
	if (im->sum_blocks > sums_max)
		return fault_set(fault, -EINVAL, "sum_blocks", im->sum_blocks, sums_max);
	return 0;
}

/* What belongs to compatible features; zero where the bit is not set */
static int super_decode_compat(struct hibswap_super *sb, const struct hibswap_super_disk *d,
			       struct hibswap_fault *fault)
{
	const u64 log_max = sb->geom.log_sectors / HIBSWAP_BLOCK_SECTORS;
	u64 left = le32_to_cpu(d->reserved0) | le32_to_cpu(d->reserved2);

	sb->image.sum_blocks = 0;
	sb->image.sum_crc = 0;
	sb->log_dirty = 0;
	if (sb->feature_compat & HIBSWAP_COMPAT_SUMS) {
		sb->image.sum_blocks = le64_to_cpu(d->sum_blocks);
		sb->image.sum_crc = le32_to_cpu(d->sum_crc);
	} else {
		left |= le64_to_cpu(d->sum_blocks) | le32_to_cpu(d->sum_crc);
	}
	if (sb->feature_compat & HIBSWAP_COMPAT_DIRTY) {
		sb->log_dirty = le64_to_cpu(d->log_dirty);
		if (sb->log_dirty > log_max)
			return fault_set(fault, -EINVAL, "log_dirty", sb->log_dirty, log_max);
	} else {
		left |= le64_to_cpu(d->log_dirty);
	}
	/* Reserved bytes belong to features; who sets a compatible one may use some */
	if (!(sb->feature_compat & ~HIBSWAP_COMPAT_KNOWN) &&
	    (left || !hibswap_is_zero(d->reserved1, sizeof(d->reserved1))))
		return fault_set(fault, -EINVAL, "reserved bytes", 1, 0);
	return 0;
}

/**
 * hibswap_super_decode - read the bytes of a superblock
 * @sb: filled in; its contents are meaningless on error, except that after
 *	-EPROTONOSUPPORT and -EINVAL version, features and generation are set
 * @block: 4096 bytes, 8 byte aligned
 * @copy: which copy this is, 0 for A or 1 for B
 * @fault: says what is wrong, may be NULL
 *
 * Return: 0;
 * -ENODATA if the block is all zero;
 * -EMEDIUMTYPE if it is not a hibswap superblock at all;
 * -EBADMSG if the checksum is wrong (torn, or damaged);
 * -EPROTONOSUPPORT for a version or an incompatible feature we do not know;
 * -EINVAL if a field is out of its bounds.
 */
int hibswap_super_decode(struct hibswap_super *sb, const void *block,
			 unsigned int copy, struct hibswap_fault *fault)
{
	const struct hibswap_super_disk *d = block;
	struct hibswap_geom *g = &sb->geom;
	struct hibswap_image *im = &sb->image;
	unsigned int i;
	int err;

	if (hibswap_is_zero(block, HIBSWAP_BLOCK_SIZE))
		return fault_set(fault, -ENODATA, "all zero", 0, 0);
	if (memcmp(d->magic, HIBSWAP_MAGIC, HIBSWAP_MAGIC_LEN))
		return fault_set(fault, -EMEDIUMTYPE, "magic", 0, 0);
	if (le32_to_cpu(d->crc) != super_crc(d))
		return fault_set(fault, -EBADMSG, "crc", le32_to_cpu(d->crc), super_crc(d));

	sb->version = le32_to_cpu(d->version);
	sb->feature_compat = le64_to_cpu(d->feature_compat);
	sb->feature_incompat = le64_to_cpu(d->feature_incompat);
	sb->generation = le64_to_cpu(d->generation);
	if (sb->version != HIBSWAP_VERSION)
		return fault_set(fault, -EPROTONOSUPPORT, "version", sb->version,
				 HIBSWAP_VERSION);
	if (sb->feature_incompat & ~HIBSWAP_INCOMPAT_KNOWN)
		return fault_set(fault, -EPROTONOSUPPORT, "feature_incompat",
				 sb->feature_incompat, HIBSWAP_INCOMPAT_KNOWN);
	if (hibswap_super_copy(sb->generation) != copy)
		return fault_set(fault, -EINVAL, "generation parity", sb->generation, copy);
	/* Nobody gets there by writing; leaves room to count on */
	if (sb->generation > HIBSWAP_GENERATION_MAX)
		return fault_set(fault, -EINVAL, "generation", sb->generation,
				 HIBSWAP_GENERATION_MAX);

	sb->state = le32_to_cpu(d->state);
	if (sb->state != HIBSWAP_EMPTY && sb->state != HIBSWAP_COMMITTED)
		return fault_set(fault, -EINVAL, "state", sb->state, HIBSWAP_COMMITTED);
	memcpy(sb->uuid, d->uuid, sizeof(sb->uuid));

	g->region_start = le64_to_cpu(d->region_start);
	g->region_sectors = le64_to_cpu(d->region_sectors);
	g->data_start = le64_to_cpu(d->data_start);
	g->data_sectors = le64_to_cpu(d->data_sectors);
	g->window_sectors = le64_to_cpu(d->window_sectors);
	g->log_start = le64_to_cpu(d->log_start);
	g->log_sectors = le64_to_cpu(d->log_sectors);
	g->map_start[0] = le64_to_cpu(d->map_start[0]);
	g->map_start[1] = le64_to_cpu(d->map_start[1]);
	g->map_sectors = le64_to_cpu(d->map_sectors);
	err = hibswap_geom_check(g, fault);
	if (err)
		return err;

	im->page_size = le32_to_cpu(d->page_size);
	im->extents = le64_to_cpu(d->map_extents);
	im->map_place = le32_to_cpu(d->map_place);
	im->map_crc = le32_to_cpu(d->map_crc);
	im->log_blocks = le64_to_cpu(d->log_blocks);
	im->in_place_blocks = le64_to_cpu(d->in_place_blocks);
	im->header_crc = le32_to_cpu(d->header_crc);
	err = super_decode_compat(sb, d, fault);
	if (!err)
		err = super_check_image(sb, fault);
	if (err)
		return err;

	for (i = 0; i < HIBSWAP_PAST_IMAGES; i++)
		sb->past_images[i] = le64_to_cpu(d->past_images[i]);
	return 0;
}

/**
 * hibswap_super_choose - which of the two copies counts
 * @err: what hibswap_super_decode() said of copy A and copy B
 * @sb: the decoded copies
 *
 * A copy of an unknown version is not passed over in favour of an older one
 * that we know: somebody newer has been here. Nor is one with a field out of
 * range, unless the other is newer: its checksum is right, so it is not torn,
 * and the other may hold what it was written to take back.
 *
 * Return: 0 for A, 1 for B;
 * -ENODATA if both are all zero (nobody has formatted this);
 * -EPROTONOSUPPORT if either is of an unknown version or feature;
 * -EMEDIUMTYPE if nothing here is ours;
 * -EBADMSG or -EINVAL if it was ours and neither copy is usable.
 *
 * Parity keeps two valid copies from having one generation: a copy in the
 * wrong place is out of range.
 */
int hibswap_super_choose(const int err[2], const struct hibswap_super sb[2])
{
	if (err[0] == -EPROTONOSUPPORT || err[1] == -EPROTONOSUPPORT)
		return -EPROTONOSUPPORT;
	if (!err[0] && !err[1])
		return sb[1].generation > sb[0].generation;
	if (!err[0])
		return err[1] == -EINVAL && sb[1].generation >= sb[0].generation ? -EINVAL : 0;
	if (!err[1])
		return err[0] == -EINVAL && sb[0].generation >= sb[1].generation ? -EINVAL : 1;
	if (err[0] == -ENODATA && err[1] == -ENODATA)
		return -ENODATA;
	if (err[0] == -EINVAL || err[1] == -EINVAL)
		return -EINVAL;
	if (err[0] == -EBADMSG || err[1] == -EBADMSG)
		return -EBADMSG;
	return -EMEDIUMTYPE;
}

/**
 * hibswap_is_zero - are all bytes zero?
 * @data: the bytes
 * @len: how many
 *
 * Return: whether they are.
 */
bool hibswap_is_zero(const void *data, size_t len)
{
	const u8 *p = data;

	/* Equal to itself moved by one byte and beginning with 0: all 0 */
	return !len || (!p[0] && !memcmp(p, p + 1, len - 1));
}

/**
 * hibswap_header_is_swap - does a header page end in a plain swap signature?
 * @page: the header page
 * @page_size: its size in bytes
 *
 * Whatever else stands there may be somebody's hibernation signature: the
 * list of those is open, that of swap's own is not.
 *
 * Return: whether it does.
 */
bool hibswap_header_is_swap(const void *page, size_t page_size)
{
	const char *sig = (const char *)page + page_size - 10;

	return !memcmp(sig, "SWAPSPACE2", 10) || !memcmp(sig, "SWAP-SPACE", 10);
}

/**
 * hibswap_header_pages - how many pages a version 1 swap header claims
 * @page: the header page
 *
 * Return: pages, the header page included.
 */
u64 hibswap_header_pages(const void *page)
{
	u32 version, last;

	/* 1024 bytes of boot block, version, last_page: linux/swap.h */
	memcpy(&version, (const u8 *)page + 1024, sizeof(version));
	memcpy(&last, (const u8 *)page + 1024 + 4, sizeof(last));
	/* The kernel also takes headers of the other byte order */
	if (version == 0x01000000)
		last = __builtin_bswap32(last);
	return (u64)last + 1;
}
