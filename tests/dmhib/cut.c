// SPDX-License-Identifier: GPL-2.0-only
/*
 * A power cut in the middle of dmhib, for LD_PRELOAD.
 *
 *	CUT_AT=N	the Nth write is the last thing that happens
 *	CUT_SEED=N	what the disk has by then of what was not yet flushed: any
 *			part of it, in 512 byte sectors; 0 is all of it, and of the
 *			last write half
 *	CUT_COUNT=FILE	no cut: writes the number of writes to FILE
 *
 * Writes to the one regular file that dmhib has open for writing are counted:
 * pwrite(), write() and fallocate(). A volatile cache is played by putting back
 * sectors that no fdatasync() or fsync() has covered.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR	512
#define PUNCH	(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE)

struct old {
	struct old *next;
	off_t at;
	char bytes[SECTOR];
};

static struct old *unflushed;
static long count, cut_at;
static uint64_t seed;
static char path[4096];

static ssize_t (*real_pwrite)(int fd, const void *buf, size_t len, off_t at);
static ssize_t (*real_write)(int fd, const void *buf, size_t len);
static int (*real_fdatasync)(int fd);
static int (*real_fsync)(int fd);
static int (*real_fallocate)(int fd, int mode, off_t at, off_t len);

static void save_count(void)
{
	const char *to = getenv("CUT_COUNT");
	FILE *f = to ? fopen(to, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "%ld\n", count);
	fclose(f);
}

__attribute__((constructor)) static void start(void)
{
	const char *at = getenv("CUT_AT"), *s = getenv("CUT_SEED");

	real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
	real_write = dlsym(RTLD_NEXT, "write");
	real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
	real_fsync = dlsym(RTLD_NEXT, "fsync");
	real_fallocate = dlsym(RTLD_NEXT, "fallocate64");
	cut_at = at ? atol(at) : -1;
	seed = s ? strtoull(s, NULL, 0) * 0x9e3779b97f4a7c15ULL : 0;
	atexit(save_count);
}

/* Not the standard streams, nor a pipe */
static bool is_device(int fd)
{
	struct stat st;
	char name[64];
	ssize_t n;

	if (fd <= 2 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return false;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = readlink(name, path, sizeof(path) - 1);
	if (n > 0)
		path[n] = '\0';
	return n > 0;
}

static void remember(off_t at, size_t len)
{
	int fd = open(path, O_RDONLY);

	for (off_t s = at / SECTOR * SECTOR; s < at + (off_t)len; s += SECTOR) {
		struct old *o = calloc(1, sizeof(*o));

		o->at = s;
		if (pread(fd, o->bytes, SECTOR, s) < 0)
			abort();
		o->next = unflushed;
		unflushed = o;
	}
	close(fd);
}

static void forget(void)
{
	while (unflushed) {
		struct old *o = unflushed;

		unflushed = o->next;
		free(o);
	}
}

static bool lost(const struct old *o)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	(void)o;
	return seed & 1;
}

/* Newest first, so that the oldest bytes of a sector are what is left */
static void cut(void)
{
	int fd = open(path, O_WRONLY);

	for (const struct old *o = unflushed; o; o = o->next)
		if (seed && lost(o))
			real_pwrite(fd, o->bytes, SECTOR, o->at);
	_exit(77);
}

static ssize_t one_write(int fd, const void *buf, size_t len, off_t at)
{
	ssize_t n;

	count++;
	if (cut_at < 0)
		return real_pwrite(fd, buf, len, at);
	remember(at, len);
	/* Torn in the middle */
	if (count == cut_at && !seed)
		len = len / 2 / SECTOR * SECTOR;
	n = real_pwrite(fd, buf, len, at);
	if (count == cut_at)
		cut();
	return n;
}

ssize_t pwrite64(int fd, const void *buf, size_t len, off_t at)
{
	return is_device(fd) ? one_write(fd, buf, len, at) : real_pwrite(fd, buf, len, at);
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t at)
{
	return pwrite64(fd, buf, len, at);
}

ssize_t write(int fd, const void *buf, size_t len)
{
	ssize_t n;

	if (!is_device(fd))
		return real_write(fd, buf, len);
	n = one_write(fd, buf, len, lseek(fd, 0, SEEK_CUR));
	if (n > 0)
		lseek(fd, n, SEEK_CUR);
	return n;
}

int fallocate64(int fd, int mode, off_t at, off_t len)
{
	int rc;

	if (!is_device(fd) || mode != PUNCH)
		return real_fallocate(fd, mode, at, len);
	count++;
	if (cut_at >= 0)
		remember(at, len);
	rc = real_fallocate(fd, mode, at, len);
	if (count == cut_at)
		cut();
	return rc;
}

int fallocate(int fd, int mode, off_t at, off_t len)
{
	return fallocate64(fd, mode, at, len);
}

int fdatasync(int fd)
{
	int rc = real_fdatasync(fd);

	if (is_device(fd))
		forget();
	return rc;
}

int fsync(int fd)
{
	int rc = real_fsync(fd);

	if (is_device(fd))
		forget();
	return rc;
}
