/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernel versions, all in this folder; not for mainline.
 *
 * The sources are written for the kernel's tree. Out of it, Kbuild puts this
 * file before each of them, and this folder behind the kernel's own headers,
 * where it lends those that a kernel does not have.
 */
#ifndef HIBSWAP_COMPAT_H
#define HIBSWAP_COMPAT_H

#include <linux/blkdev.h>
#include <linux/dm-io.h>
#include <linux/slab.h>

/* Before 6.5 block devices were opened with an fmode_t */
#ifndef BLK_OPEN_WRITE
#define BLK_OPEN_WRITE	FMODE_WRITE
#endif

/* 6.19 */
#ifndef kzalloc_obj
#define kzalloc_obj(obj, gfp)	kzalloc(sizeof(obj), gfp)
#endif

/*
 * dm_io() has grown two arguments, at versions that vendors do not keep to.
 * Ask the declaration: the branches that do not fit are never compiled in.
 */
typedef int (hibswap_dm_io_4)(struct dm_io_request *, unsigned int,
			      struct dm_io_region *, unsigned long *);
typedef int (hibswap_dm_io_5)(struct dm_io_request *, unsigned int,
			      struct dm_io_region *, unsigned long *,
			      unsigned short);
typedef int (hibswap_dm_io_6)(struct dm_io_request *, unsigned int,
			      struct dm_io_region *, unsigned long *,
			      unsigned long *, unsigned short);

static inline int hibswap_dm_io(struct dm_io_request *req, unsigned int nr,
				struct dm_io_region *where,
				unsigned long *error_bits,
				unsigned long *unsup_bits,
				unsigned short ioprio)
{
	void *fn = dm_io;

	if (__builtin_types_compatible_p(typeof(dm_io), hibswap_dm_io_4))
		return ((hibswap_dm_io_4 *)fn)(req, nr, where, error_bits);
	if (__builtin_types_compatible_p(typeof(dm_io), hibswap_dm_io_5))
		return ((hibswap_dm_io_5 *)fn)(req, nr, where, error_bits, ioprio);
	BUILD_BUG_ON(!__builtin_types_compatible_p(typeof(dm_io), hibswap_dm_io_4) &&
		     !__builtin_types_compatible_p(typeof(dm_io), hibswap_dm_io_5) &&
		     !__builtin_types_compatible_p(typeof(dm_io), hibswap_dm_io_6));
	return ((hibswap_dm_io_6 *)fn)(req, nr, where, error_bits, unsup_bits, ioprio);
}

#define dm_io(...)	hibswap_dm_io(__VA_ARGS__)

#endif /* HIBSWAP_COMPAT_H */
