// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device below. Metadata is read and written with O_DIRECT: the target
 * submits bios of its own, and the raw device's page cache does not see them.
 */
#include "dev.h"
#include "inuse.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_only(const struct dev *dev)
{
	msg_err("%s is read-only", dev->path);
	return E_DEVICE;
}

static int open_failed(const struct dev *dev, int err, unsigned int flags)
{
	if (err == EBUSY || err == ETXTBSY) {
		msg_err("%s is in use", dev->path);
		inuse_say(dev->rdev);
		return E_BUSY;
	}
	/* Some drivers say this to root of a write-protected device */
	if ((err == EACCES || err == EROFS) && (flags & DEV_WRITE) && !geteuid())
		return read_only(dev);
	msg_err("cannot open %s: %s", dev->path, strerror(err));
	return exit_from_errno(err);
}

static int get_size(struct dev *dev, const struct stat *st)
{
	u64 bytes = st->st_size;
	int lbs = 512;

	if (!dev->regular &&
	    (ioctl(dev->fd, BLKGETSIZE64, &bytes) || ioctl(dev->fd, BLKSSZGET, &lbs))) {
		msg_err("cannot get the size of %s: %s", dev->path, strerror(errno));
		return E_DEVICE;
	}
	dev->sectors = bytes >> HIBSWAP_SECTOR_SHIFT;
	dev->lbs = lbs;
	return E_OK;
}

/**
 * dev_open - open a device
 * @dev: filled in; dev_close() is needed only after success
 * @path: the device or file
 * @flags: DEV_*
 *
 * Return: an exit code.
 */
int dev_open(struct dev *dev, const char *path, unsigned int flags)
{
	int how = (flags & DEV_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC;
	struct stat st;
	int rc, ro = 0;

	*dev = (struct dev){ .path = path, .fd = -1 };
	if (stat(path, &st)) {
		msg_err("cannot find %s: %s", path, strerror(errno));
		return exit_from_errno(errno);
	}
	dev->regular = S_ISREG(st.st_mode);
	if (!S_ISBLK(st.st_mode) && (!dev->regular || flags & DEV_BLOCK)) {
		msg_err("%s is not a block device", path);
		if (dev->regular)
			msg_more("\"losetup --find --show %s\" makes one of it", path);
		return E_DEVICE;
	}
	if (!dev->regular) {
		dev->rdev = st.st_rdev;
		if (flags & DEV_WRITE)
			how |= O_EXCL;
	}
	dev->fd = open(path, how | O_DIRECT);
	/* Some file systems have no O_DIRECT, and a file has no other side */
	if (dev->fd < 0 && errno == EINVAL && dev->regular)
		dev->fd = open(path, how);
	if (dev->fd < 0)
		return open_failed(dev, errno, flags);
	rc = get_size(dev, &st);
	if (!rc && dev->rdev && flags & DEV_WRITE) {
		/* What an earlier user left in the page cache may be old */
		ioctl(dev->fd, BLKFLSBUF, 0);
		if (!ioctl(dev->fd, BLKROGET, &ro) && ro)
			rc = read_only(dev);
	}
	if (rc)
		dev_close(dev);
	else
		msg_debug("%s: %llu sectors, logical blocks of %u bytes", path,
			  (unsigned long long)dev->sectors, dev->lbs);
	return rc;
}

/**
 * dev_close - close it
 * @dev: may be closed already
 */
void dev_close(struct dev *dev)
{
	if (dev->fd >= 0)
		close(dev->fd);
	dev->fd = -1;
}

/**
 * dev_buf - memory for dev_read() and dev_write()
 * @len: bytes
 *
 * Return: zeroed memory, to be freed with free(); there is always some.
 */
void *dev_buf(size_t len)
{
	void *buf;

	len = (len + DEV_ALIGN - 1) & ~(size_t)(DEV_ALIGN - 1);
	buf = aligned_alloc(DEV_ALIGN, len);
	if (!buf) {
		msg_err("out of memory");
		exit(E_MEM);
	}
	return memset(buf, 0, len);
}

static int transfer(const struct dev *dev, u64 sector, u64 sectors, void *in, const void *out)
{
	size_t left, done = 0;
	u64 at;

	if (sector > dev->sectors || sectors > dev->sectors - sector)
		return -ENXIO;
	at = sector << HIBSWAP_SECTOR_SHIFT;
	left = sectors << HIBSWAP_SECTOR_SHIFT;
	while (left) {
		size_t len = left < DEV_CHUNK ? left : DEV_CHUNK;
		ssize_t n;

		if (in)
			n = pread(dev->fd, (char *)in + done, len, at);
		else
			n = pwrite(dev->fd, (const char *)out + done, len, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		/* Neither happens, except when the device shrinks under us */
		if (!n || n % 512)
			return -EIO;
		at += n;
		done += n;
		left -= n;
	}
	return 0;
}

/**
 * dev_read - read sectors
 * @dev: device
 * @sector: where, a multiple of 8
 * @sectors: how many, a multiple of 8
 * @buf: from dev_buf()
 *
 * Return: 0 or a negative errno; -ENXIO behind the end of the device.
 */
int dev_read(const struct dev *dev, u64 sector, u64 sectors, void *buf)
{
	return transfer(dev, sector, sectors, buf, NULL);
}

/**
 * dev_write - write sectors
 * @dev: device, opened with DEV_WRITE
 * @sector: where, a multiple of 8
 * @sectors: how many, a multiple of 8
 * @buf: from dev_buf()
 *
 * Return: 0 or a negative errno; -ENXIO behind the end of the device.
 */
int dev_write(const struct dev *dev, u64 sector, u64 sectors, const void *buf)
{
	return transfer(dev, sector, sectors, NULL, buf);
}

/**
 * dev_zero - write zeros
 * @dev: device, opened with DEV_WRITE
 * @sector: where, a multiple of 8
 * @sectors: how many, a multiple of 8
 *
 * Not a discard: a device may return what it likes after one.
 *
 * Return: 0 or a negative errno.
 */
int dev_zero(const struct dev *dev, u64 sector, u64 sectors)
{
	const u64 chunk = DEV_CHUNK >> HIBSWAP_SECTOR_SHIFT;
	void *zeros = dev_buf(DEV_CHUNK);
	int err = 0;

	while (sectors && !err) {
		u64 nr = min(sectors, chunk);

		err = dev_write(dev, sector, nr, zeros);
		sector += nr;
		sectors -= nr;
	}
	free(zeros);
	return err;
}

/**
 * dev_sync - what was written is on stable storage afterwards
 * @dev: device
 *
 * Return: 0 or a negative errno.
 */
int dev_sync(const struct dev *dev)
{
	return fdatasync(dev->fd) ? -errno : 0;
}
