// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk.h"

static const u8 zeros[512];

/**
 * disk_init - a disk on which nothing of the log has happened
 * @d: the disk
 * @log: the log
 * @base: file with what was there before; NULL for zeros
 * @sectors: its length, 0 for the file's
 *
 * Return: 0 or -1, having said why.
 */
int disk_init(struct disk *d, struct wlog *log, const char *base, u64 sectors)
{
	struct stat st;
	void *p;
	int fd;

	*d = (struct disk){ .log = log, .sectors = sectors };
	if (base) {
		fd = open(base, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st)) {
			perror(base);
			return -1;
		}
		p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		close(fd);
		if (p == MAP_FAILED) {
			perror(base);
			return -1;
		}
		d->base = p;
		d->base_sectors = st.st_size / 512;
		if (!d->sectors)
			d->sectors = d->base_sectors;
	}
	d->cur = calloc(d->sectors ? d->sectors : 1, sizeof(*d->cur));
	if (!d->cur) {
		perror("memory for the disk");
		return -1;
	}
	return 0;
}

/**
 * disk_next - the next entry of the log is completed
 * @d: the disk
 */
void disk_next(struct disk *d)
{
	struct wlog_entry *e = &d->log->e[d->nr + 1];
	u64 i;

	d->nr++;
	if (e->flags & (WLOG_FLUSH | WLOG_BOOT))
		d->flushed = d->nr;
	if (!e->nr)
		return;
	if (e->sector >= d->sectors || e->nr > d->sectors - e->sector) {
		fprintf(stderr, "entry %u lies behind the end of the disk\n", d->nr);
		exit(2);
	}
	e->prev = malloc(e->nr * sizeof(*e->prev));
	if (!e->prev) {
		perror("memory for versions");
		exit(2);
	}
	for (i = 0; i < e->nr; i++) {
		e->prev[i] = d->cur[e->sector + i];
		d->cur[e->sector + i] = d->nr;
	}
}

static u64 mix(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* By lot, in a quarter, half or three quarters of the cases, as the seed says */
static bool by_lot(u64 seed, u32 version)
{
	u64 weight = mix(seed + 0x9e3779b97f4a7c15ULL) % 3 + 1;

	return (mix(seed * 0x9e3779b97f4a7c15ULL + version) >> 40) % 4 < weight;
}

/**
 * state_has - is this version of a sector on the medium?
 * @d: the disk
 * @st: the state
 * @version: an entry, not after d->nr
 * @sector: a sector that the entry covers
 *
 * Return: whether it is.
 */
bool state_has(const struct disk *d, const struct state *st, u32 version, u64 sector)
{
	const struct wlog_entry *e;

	if (version <= d->flushed)
		return true;
	e = &d->log->e[version];
	/* The last one may have been cut short even if it was FUA */
	if (version < d->nr && e->flags & WLOG_FUA)
		return true;
	switch (st->kind) {
	case STATE_ALL:
		return true;
	case STATE_NONE:
		return false;
	case STATE_DROP:
		return version != st->arg;
	case STATE_ONLY:
		return version == st->arg;
	case STATE_RANDOM:
		return by_lot(st->arg, version);
	case STATE_TORN:
		return version < d->nr || sector - e->sector < st->arg;
	case STATE_LONE_TORN:
		return version == d->nr && sector - e->sector < st->arg;
	}
	return true;
}

/**
 * disk_version - the version of a sector in a state
 * @d: the disk
 * @st: the state
 * @sector: the sector
 *
 * Return: number of the entry that wrote it.
 */
u32 disk_version(const struct disk *d, const struct state *st, u64 sector)
{
	u32 v = d->cur[sector];

	while (!state_has(d, st, v, sector))
		v = d->log->e[v].prev[sector - d->log->e[v].sector];
	return v;
}

/**
 * disk_content - what a version of a sector holds
 * @d: the disk
 * @version: the version
 * @sector: the sector
 *
 * Return: 512 bytes.
 */
const u8 *disk_content(const struct disk *d, u32 version, u64 sector)
{
	const struct wlog_entry *e = &d->log->e[version];

	if (!version)
		return sector < d->base_sectors ? d->base + sector * 512 : zeros;
	return e->data ? e->data + (sector - e->sector) * 512 : zeros;
}

/**
 * disk_read - read from a state
 * @d: the disk
 * @st: the state
 * @sector: from where
 * @nr: how many sectors
 * @buf: where to; zeros stand for what lies behind the end
 */
void disk_read(const struct disk *d, const struct state *st, u64 sector, u64 nr, void *buf)
{
	u8 *to = buf;

	for (; nr--; sector++, to += 512) {
		if (sector < d->sectors)
			memcpy(to, disk_content(d, disk_version(d, st, sector), sector), 512);
		else
			memset(to, 0, 512);
	}
}

/**
 * disk_write_out - make a real disk of a state
 * @d: the disk
 * @st: the state
 * @path: a copy of the base, to which the state is brought
 *
 * Return: 0 or -1, having said why.
 */
int disk_write_out(const struct disk *d, const struct state *st, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	static u8 buf[2048 * 512];
	u64 s, run = 0;

	if (fd < 0 || ftruncate(fd, d->sectors * 512))
		goto failed;
	for (s = 0; s <= d->sectors; s++) {
		u32 v = s < d->sectors ? disk_version(d, st, s) : 0;

		if (run && (!v || run == sizeof(buf) / 512)) {
			if (pwrite(fd, buf, run * 512, (s - run) * 512) != (ssize_t)(run * 512))
				goto failed;
			run = 0;
		}
		if (v)
			memcpy(buf + 512 * run++, disk_content(d, v, s), 512);
	}
	if (!close(fd))
		return 0;
	fd = -1;
failed:
	perror(path);
	if (fd >= 0)
		close(fd);
	return -1;
}

static const char * const kinds[] = {
	[STATE_ALL] = "all",
	[STATE_NONE] = "none",
	[STATE_DROP] = "drop",
	[STATE_ONLY] = "only",
	[STATE_RANDOM] = "random",
	[STATE_TORN] = "torn",
	[STATE_LONE_TORN] = "lone-torn",
};

/**
 * state_print - a state's name: ENTRY:KIND:ARGUMENT
 * @d: the disk
 * @st: the state
 * @buf: where to
 * @size: its size
 */
void state_print(const struct disk *d, const struct state *st, char *buf, size_t size)
{
	snprintf(buf, size, "%u:%s:%llu", d->nr, kinds[st->kind],
		 (unsigned long long)st->arg);
}

/**
 * state_parse - the state of a name
 * @text: the name
 * @st: the state
 * @nr: number of entries that have been completed
 *
 * Return: 0 or -1.
 */
int state_parse(const char *text, struct state *st, u32 *nr)
{
	unsigned long long arg;
	char kind[16];
	unsigned int i;

	if (sscanf(text, "%u:%15[a-z-]:%llu", nr, kind, &arg) != 3)
		return -1;
	st->arg = arg;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kind, kinds[i])) {
			st->kind = i;
			return 0;
		}
	}
	return -1;
}
