// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading of blklogwrites files. The count in the file's first sector is
 * brought up to date at flushes only, so what counts is the file's length; the
 * last entry may be cut short where QEMU was ended in the middle of it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wlog.h"

void wlog_add(struct wlog *log, u64 sector, u64 nr, u64 flags, const u8 *data)
{
	/* Grows in powers of two */
	if (!(log->nr & (log->nr - 1))) {
		log->e = realloc(log->e, (log->nr ? 2 * log->nr : 1) * sizeof(*log->e));
		if (!log->e) {
			perror("memory for the log");
			exit(2);
		}
	}
	log->e[log->nr++] = (struct wlog_entry){
		.sector = sector, .nr = nr, .flags = flags, .data = data,
	};
}

void wlog_init(struct wlog *log)
{
	*log = (struct wlog){};
	wlog_add(log, 0, 0, WLOG_BOOT, NULL);
}

static u64 get(const u8 *p, unsigned int field)
{
	__le64 v;

	memcpy(&v, p + 8 * field, sizeof(v));
	return le64_to_cpu(v);
}

/**
 * wlog_load - append the requests of one boot, and a WLOG_BOOT entry
 * @log: where to
 * @path: the file; stays mapped
 *
 * Return: 0 or -1, having said why.
 */
int wlog_load(struct wlog *log, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	u64 at, size, unit;
	struct stat st;
	const u8 *p;

	if (fd < 0 || fstat(fd, &st)) {
		perror(path);
		return -1;
	}
	size = st.st_size;
	p = size < 512 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED) {
		fprintf(stderr, "%s: empty, or cannot be mapped\n", path);
		return -1;
	}
	/* Without a single flush the first sector was never written */
	unit = get(p, 0) ? (u32)get(p, 3) : 512;
	if ((get(p, 0) && get(p, 0) != WLOG_MAGIC) || unit < 512 || unit > 65536 || unit % 512) {
		fprintf(stderr, "%s: not a log of QEMU's blklogwrites\n", path);
		return -1;
	}
	for (at = unit; size - at >= unit; ) {
		u64 nr = get(p + at, 1) * (unit / 512), flags = get(p + at, 2);
		u64 bytes = flags & WLOG_DISCARD ? 0 : nr * 512;
		const u8 *data = bytes ? p + at + unit : NULL;

		if (nr > 1ULL << 40 || flags & ~(u64)WLOG_KNOWN) {
			fprintf(stderr, "%s: odd entry at byte %llu\n", path,
				(unsigned long long)at);
			return -1;
		}
		if (bytes > size - at - unit)
			break;
		wlog_add(log, get(p + at, 0) * (unit / 512), nr, flags, data);
		at += unit + (bytes + unit - 1) / unit * unit;
		if (at > size)
			break;
	}
	wlog_add(log, 0, 0, WLOG_BOOT, NULL);
	return 0;
}
