/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was sent to a disk, in the order in which it was completed: the file
 * that QEMU's blklogwrites filter leaves. Sectors are 512 bytes.
 */
#ifndef CRASH_WLOG_H
#define CRASH_WLOG_H

#include "dm-hibswap-format.h"

#define WLOG_MAGIC	0x6a736677736872ULL
#define WLOG_FLUSH	0x1	/* everything completed before is durable */
#define WLOG_FUA	0x2	/* this one is durable once completed */
#define WLOG_DISCARD	0x4	/* no data follows */
#define WLOG_KNOWN	0x7
#define WLOG_BOOT	0x100	/* ours: the machine was off, nothing is pending */

/**
 * struct wlog_entry - one request
 * @sector: where
 * @nr: how many sectors
 * @flags: WLOG_*
 * @data: what was written; NULL stands for zeros
 * @prev: the version of each sector before this entry; see disk.h
 */
struct wlog_entry {
	u64 sector;
	u64 nr;
	u64 flags;
	const u8 *data;
	u32 *prev;
};

/**
 * struct wlog - the requests of some boots; number 0 stands for the base
 * @e: entries
 * @nr: how many, entry 0 included
 */
struct wlog {
	struct wlog_entry *e;
	u32 nr;
};

void wlog_init(struct wlog *log);
void wlog_add(struct wlog *log, u64 sector, u64 nr, u64 flags, const u8 *data);
int wlog_load(struct wlog *log, const char *path);

#endif /* CRASH_WLOG_H */
