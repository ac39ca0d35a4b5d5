/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The superblocks and the map on a device.
 */
#ifndef DMHIB_META_H
#define DMHIB_META_H

#include "dev.h"
#include "dm-hibswap-log.h"

/**
 * struct meta_copy - one of the two superblock copies
 * @sector: where it lies
 * @io_err: it could not be read, negative errno
 * @err: what hibswap_super_decode() said
 * @fault: and why
 * @sb: what it decoded
 * @block: its bytes
 */
struct meta_copy {
	u64 sector;
	int io_err;
	int err;
	struct hibswap_fault fault;
	struct hibswap_super sb;
	void *block;
};

/**
 * struct meta - both copies
 * @copy: A and B
 * @which: the one that counts, or a negative errno: hibswap_super_choose();
 *	-EIO if neither could be read
 */
struct meta {
	struct meta_copy copy[2];
	int which;
};

/**
 * struct meta_header - the data's header page
 * @err: it could not be read, negative errno
 * @crc: CRC32C of the page
 * @crc_ok: ... which is what the superblock says
 * @swap: it ends in a plain swap signature
 * @signature: its last 10 bytes, printable
 */
struct meta_header {
	int err;
	u32 crc;
	bool crc_ok;
	bool swap;
	char signature[41];
};

/**
 * struct meta_map - what reading a map came to
 * @err: 0 or a negative errno
 * @fault: and why
 */
struct meta_map {
	int err;
	struct hibswap_fault fault;
};

/* Called for each extent; @pos is its place in the log, if it has one */
typedef void (*meta_extent_fn)(u64 nr, const struct hibswap_extent *e, void *arg);

static inline const struct hibswap_super *meta_super(const struct meta *meta)
{
	return meta->which < 0 ? NULL : &meta->copy[meta->which].sb;
}

void meta_read(const struct dev *dev, u64 region_start, struct meta *meta);
void meta_free(struct meta *meta);
bool meta_ours(const struct meta *meta);
bool meta_committed(const struct meta *meta);
/* What meta_fits() complains about if the device is too small for the data alone */
#define META_DATA_END	"data's end"

int meta_fits(const struct dev *dev, const struct hibswap_geom *geom, u64 region_start,
	      struct hibswap_fault *fault);
int meta_write_super(const struct dev *dev, const struct hibswap_super *sb);
int meta_invalidate(const struct dev *dev, struct hibswap_super *sb);
void meta_read_header(const struct dev *dev, const struct hibswap_super *sb,
		      struct meta_header *header);
void meta_read_map(const struct dev *dev, const struct hibswap_super *sb,
		   struct meta_map *map, meta_extent_fn fn, void *arg);
void meta_read_sums(const struct dev *dev, const struct hibswap_super *sb,
		    struct meta_map *map, u32 *sums);

#endif /* DMHIB_META_H */
