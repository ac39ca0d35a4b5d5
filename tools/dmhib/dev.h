/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device below, or a regular file in its stead.
 */
#ifndef DMHIB_DEV_H
#define DMHIB_DEV_H

#include "dmhib.h"

/* What buffers and places are aligned to: no logical block is larger */
#define DEV_ALIGN	4096
/* Largest piece of one read or write, also a good size for buffers */
#define DEV_CHUNK	(1U << 20)

/**
 * struct dev - an open device
 * @path: as the user named it
 * @fd: for reads and writes past the page cache
 * @sectors: its length
 * @lbs: logical block size, bytes
 * @rdev: device number, 0 for a regular file
 * @regular: it is a regular file
 */
struct dev {
	const char *path;
	int fd;
	u64 sectors;
	unsigned int lbs;
	dev_t rdev;
	bool regular;
};

#define DEV_WRITE	1	/* for writing, and nobody else may use it */
#define DEV_BLOCK	2	/* a regular file will not do */

int dev_open(struct dev *dev, const char *path, unsigned int flags);
void dev_close(struct dev *dev);
void *dev_buf(size_t len);
int dev_read(const struct dev *dev, u64 sector, u64 sectors, void *buf);
int dev_write(const struct dev *dev, u64 sector, u64 sectors, const void *buf);
int dev_zero(const struct dev *dev, u64 sector, u64 sectors);
int dev_sync(const struct dev *dev);

#endif /* DMHIB_DEV_H */
