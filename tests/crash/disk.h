/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The disk as a power cut may leave it, without ever copying it.
 *
 * A sector's *version* is the number of the log entry that wrote it last, 0
 * for what was there before. An entry keeps the version that each of its
 * sectors had before it, so all versions of a sector form a chain:
 *
 *	cur[s] = 17  ->  e[17].prev[..] = 9  ->  e[9].prev[..] = 0
 *
 * A crash state is a rule that says which entries since the last flush made it
 * to the medium; looking a sector up goes down its chain to the first entry
 * that did. Replaying a log is one pass over it, and a state costs only the
 * sectors that somebody asks for.
 */
#ifndef CRASH_DISK_H
#define CRASH_DISK_H

#include "wlog.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Which of the pending entries, those since the last flush, are on the medium */
enum state_kind {
	STATE_ALL,	/* all of them */
	STATE_NONE,	/* none of them */
	STATE_DROP,	/* all but entry @arg */
	STATE_ONLY,	/* entry @arg alone */
	STATE_RANDOM,	/* by lot; @arg is the seed */
	STATE_TORN,	/* all; of the last one the first @arg sectors */
	STATE_LONE_TORN, /* none; of the last one the first @arg sectors */
};

/**
 * struct state - a crash state of the disk
 * @kind: the rule
 * @arg: its argument
 */
struct state {
	enum state_kind kind;
	u64 arg;
};

/**
 * struct disk - a log being replayed
 * @log: the log
 * @base: what was on the disk before; NULL for zeros
 * @base_sectors: length of @base; zeros follow
 * @sectors: length of the disk
 * @cur: version of each sector if everything has arrived
 * @nr: entries 1..@nr have been completed
 * @flushed: entries 1..@flushed are durable
 */
struct disk {
	struct wlog *log;
	const u8 *base;
	u64 base_sectors;
	u64 sectors;
	u32 *cur;
	u32 nr;
	u32 flushed;
};

int disk_init(struct disk *d, struct wlog *log, const char *base, u64 sectors);
void disk_next(struct disk *d);
bool state_has(const struct disk *d, const struct state *st, u32 version, u64 sector);
u32 disk_version(const struct disk *d, const struct state *st, u64 sector);
const u8 *disk_content(const struct disk *d, u32 version, u64 sector);
void disk_read(const struct disk *d, const struct state *st, u64 sector, u64 nr, void *buf);
int disk_write_out(const struct disk *d, const struct state *st, const char *path);
void state_print(const struct disk *d, const struct state *st, char *buf, size_t size);
int state_parse(const char *text, struct state *st, u32 *nr);

#endif /* CRASH_DISK_H */
