// SPDX-License-Identifier: GPL-2.0-only
/*
 * A quick look: is this a region? For udev and for looking through all disks:
 * 8 KiB are read, and nothing is said.
 */
#include "region-peek.h"
#include "meta.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/**
 * region_peek - read the superblock that counts
 * @path: device or file
 * @region_start: where the region starts, sectors
 * @sb: filled in
 *
 * Return: 0; -ENOENT and the like if it cannot be opened; what meta_read()
 * has for "none".
 */
int region_peek(const char *path, u64 region_start, struct hibswap_super *sb)
{
	struct dev dev = { .path = path };
	struct meta meta;
	struct stat st;
	off_t end;
	int err;

	/* Opening anything else may have effects */
	if (stat(path, &st))
		return -errno;
	if (!S_ISBLK(st.st_mode) && !S_ISREG(st.st_mode))
		return -ENOTBLK;
	dev.fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT | O_NONBLOCK);
	if (dev.fd < 0 && errno == EINVAL)
		dev.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (dev.fd < 0)
		return -errno;
	end = lseek(dev.fd, 0, SEEK_END);
	dev.sectors = end > 0 ? (u64)end >> HIBSWAP_SECTOR_SHIFT : 0;
	meta_read(&dev, region_start, &meta);
	err = meta.which < 0 ? meta.which : 0;
	if (!err)
		*sb = *meta_super(&meta);
	else if (!meta_ours(&meta) && err != -EIO)
		err = -ENODATA;
	meta_free(&meta);
	close(dev.fd);
	return err;
}
