// SPDX-License-Identifier: GPL-2.0-only
/*
 * mklog - logs for the checker's own test: right ones, and wrong ones
 *
 * Writes what a hibernation, a resume and a second hibernation send to a small
 * disk, in the order in which the target sends it, or with one defect in it
 * that the checker has to see.
 */
#include <stdio.h>

#include "dm-hibswap-log.h"
#include "wlog.h"

#define DISK_BLOCKS	4096
#define REGION_BLOCKS	2048
#define PAGES		700		/* of the image, without swap map pages */
#define PER_MAP_PAGE	511
#define EXTENTS_MAX	2048
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static const char * const defects[] = {
	"none",
	"super-first",		/* the second superblock before its map */
	"map-over",		/* the second map over the first */
	"no-flush",		/* no flush between image and header page */
	"scribble",		/* one byte of the image changes behind the commit */
	"swap-scribble",	/* and one that had been paged out */
	"unsign-cached",	/* the signature is taken away without a flush */
	"sign-cached",		/* what completes the image is not flushed */
	"drop-early",		/* the boot kernel's activation drops the image */
	"torn-both",		/* both superblocks are damaged */
	"orig-sig",		/* the signed page has forgotten swap's signature */
	"page-missing",		/* the map lacks a page */
};

static const char *defect;
static FILE *out;
static u8 *disk;
static struct hibswap_super sb;
static struct hibswap_extent extents[EXTENTS_MAX];
static struct hibswap_log map;
static u8 header[4096];

static bool has(const char *name)
{
	return !strcmp(defect, name);
}

static void put(const void *data, size_t size)
{
	if (size && fwrite(data, size, 1, out) != 1) {
		perror("write");
		exit(2);
	}
}

static void entry(u64 sector, u64 nr, u64 flags, const void *data)
{
	__le64 head[64] = {
		cpu_to_le64(sector), cpu_to_le64(nr), cpu_to_le64(flags), 0,
	};

	put(head, sizeof(head));
	put(data, nr * 512);
	if (nr)
		memcpy(disk + sector * 512, data, nr * 512);
}

static void flush(void)
{
	entry(0, 0, WLOG_FLUSH, NULL);
}

static void open_log(const char *path)
{
	const __le64 head[64] = {
		cpu_to_le64(WLOG_MAGIC), cpu_to_le64(1), 0, cpu_to_le64(512),
	};

	out = fopen(path, "w");
	if (!out) {
		perror(path);
		exit(2);
	}
	put(head, sizeof(head));
}

static void fill(u8 *block, u64 lba, u64 seed)
{
	u64 x = lba * 0x9e3779b97f4a7c15ULL + seed;
	unsigned int i;

	for (i = 0; i < 4096; i += 8) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(block + i, &x, 8);
	}
}

static void write_super(u32 state)
{
	u64 block[512];

	sb.generation++;
	sb.state = state;
	if (state == HIBSWAP_EMPTY)
		sb.image = (struct hibswap_image){ .page_size = 4096 };
	hibswap_super_encode(&sb, block);
	entry(hibswap_super_sector(0, hibswap_super_copy(sb.generation)), 8, 0, block);
}

static void write_map(void)
{
	static struct hibswap_extent_disk raw[EXTENTS_MAX];
	u64 nr = hibswap_log_encode(&map, 0, raw, EXTENTS_MAX);
	u64 sectors = (nr * sizeof(*raw) + 4095) / 4096 * 8;

	sb.image.extents = nr;
	sb.image.map_crc = hibswap_crc(0, raw, nr * sizeof(*raw));
	sb.image.log_blocks = map.used;
	sb.image.in_place_blocks = 0;
	sb.image.header_crc = hibswap_crc(0, header, 4096);
	sb.image.page_size = 4096;
	entry(sb.geom.map_start[sb.image.map_place], sectors, 0, raw);
}

static void commit(bool first)
{
	if (!first && !has("map-over"))
		sb.image.map_place = !sb.image.map_place;
	if (!first && has("super-first")) {
		/* The superblock has to be made from the map all the same */
		FILE *real = out;
		u8 *real_disk = disk;

		out = fopen("/dev/null", "w");
		disk = malloc(DISK_BLOCKS * 4096UL);
		write_map();
		free(disk);
		fclose(out);
		out = real;
		disk = real_disk;
		write_super(HIBSWAP_COMMITTED);
		write_map();
		flush();
		return;
	}
	write_map();
	if (!has("no-flush"))
		flush();
	write_super(HIBSWAP_COMMITTED);
	if (!has("no-flush") && !(has("sign-cached") && !first))
		flush();
}

/* Append blocks to the log, in requests of a size that changes */
static void write_image_block(u64 lba, const u8 *block)
{
	u64 pos;

	if (has("page-missing") && lba == 16 + 3 * 42)
		return;
	if (hibswap_log_append(&map, lba, 1, &pos)) {
		fprintf(stderr, "mklog: the log is full\n");
		exit(2);
	}
	entry(sb.geom.log_start + pos * 8, 8, 0, block);
}

/* Where page @i of the image is, for swap: every third one */
static u64 page_lba(unsigned int i)
{
	return 16 + 3 * (u64)i % 1800 + (i >= 600);
}

static void sign(bool on)
{
	static const char swap[10] = "SWAPSPACE2", suspend[10] = "S1SUSPEND";
	const __le64 first = cpu_to_le64(on ? 8 : 0);

	memcpy(header + 4086, on ? suspend : swap, 10);
	if (on && has("orig-sig"))
		memset(header + 4076, 'x', 10);
	else if (on)
		memcpy(header + 4076, swap, 10);
	memcpy(header + 4064, &first, 8);
}

static void hibernate(u64 seed, bool late)
{
	__le64 table[2][PER_MAP_PAGE + 1] = {};
	u8 block[4096];
	unsigned int i;

	hibswap_log_init(&map, extents, EXTENTS_MAX, sb.geom.log_sectors / 8);
	for (i = 0; i < PAGES; i++)
		table[i / PER_MAP_PAGE][i % PER_MAP_PAGE] = cpu_to_le64(page_lba(i));
	table[0][PER_MAP_PAGE] = cpu_to_le64(9);
	for (i = 0; i < PAGES; i++) {
		fill(block, page_lba(i), seed);
		write_image_block(page_lba(i), block);
		if (i == PER_MAP_PAGE)
			write_image_block(8, (u8 *)table[0]);
	}
	/* What is paged out by and by, meanwhile */
	fill(block, 2000, seed);
	entry(REGION_BLOCKS * 8 + 2000 * 8, 8, 0, block);
	if (!late)
		write_image_block(9, (u8 *)table[1]);
	sign(true);
	commit(true);
	entry(REGION_BLOCKS * 8, 8, 0, header);
	flush();
	if (late) {
		write_image_block(9, (u8 *)table[1]);
		commit(false);
	}
}

static void write_file(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(disk, DISK_BLOCKS * 4096UL, 1, f) != 1 || fclose(f)) {
		perror(path);
		exit(2);
	}
}

static void first_boot(void)
{
	u8 block[4096];

	/* Paged out before, and never flushed by anybody but the commit */
	fill(block, 1900, 5);
	entry(REGION_BLOCKS * 8 + 1900 * 8, 8, 0, block);
	hibernate(1, true);
}

static void second_boot(void)
{
	u8 block[4096];
	unsigned int i;

	fill(block, page_lba(100), 1);
	block[77] ^= 1;
	if (has("scribble"))
		entry(sb.geom.log_start + 100 * 8, 8, 0, block);
	fill(block, 1900, 5);
	block[99] ^= 1;
	if (has("swap-scribble"))
		entry(REGION_BLOCKS * 8 + 1900 * 8, 8, 0, block);
	if (has("drop-early")) {
		write_super(HIBSWAP_EMPTY);
		flush();
	}
	memset(block, 0x55, sizeof(block));
	for (i = 0; i < 2 && has("torn-both"); i++)
		entry(hibswap_super_sector(0, i), 8, 0, block);

	sign(false);
	entry(REGION_BLOCKS * 8, 8, 0, header);
	if (!has("unsign-cached"))
		flush();
	/* The restored kernel */
	fill(block, 1700, 6);
	entry(REGION_BLOCKS * 8 + 1700 * 8, 8, 0, block);
	for (i = 0; i < 2; i++) {
		write_super(HIBSWAP_EMPTY);
		flush();
	}
	hibernate(2, false);
}

int main(int argc, char **argv)
{
	char path[4096];
	unsigned int i;

	if (argc == 1) {
		for (i = 0; i < ARRAY_SIZE(defects); i++)
			puts(defects[i]);
		return 0;
	}
	for (i = 0; argc == 3 && i < ARRAY_SIZE(defects); i++)
		if (!strcmp(argv[1], defects[i]))
			defect = argv[1];
	if (!defect) {
		fputs("usage: mklog               list the defects\n"
		      "       mklog DEFECT DIR    write DIR/{base,log.1,log.2,final}\n", stderr);
		return 2;
	}

	disk = calloc(DISK_BLOCKS, 4096);
	sb = (struct hibswap_super){
		.version = HIBSWAP_VERSION,
		.geom = {
			.region_sectors = REGION_BLOCKS * 8,
			.data_start = REGION_BLOCKS * 8,
			.data_sectors = (DISK_BLOCKS - REGION_BLOCKS) * 8,
		},
	};
	if (!disk || hibswap_geom_init(&sb.geom, EXTENTS_MAX, NULL)) {
		fprintf(stderr, "mklog: no memory or no geometry\n");
		return 2;
	}
	memcpy(header + 4086, "SWAPSPACE2", 10);
	memcpy(disk + REGION_BLOCKS * 4096UL, header, 4096);
	out = fopen("/dev/null", "w");
	write_super(HIBSWAP_EMPTY);
	write_super(HIBSWAP_EMPTY);
	fclose(out);
	snprintf(path, sizeof(path), "%s/base", argv[2]);
	write_file(path);

	snprintf(path, sizeof(path), "%s/log.1", argv[2]);
	open_log(path);
	first_boot();
	fclose(out);
	snprintf(path, sizeof(path), "%s/log.2", argv[2]);
	open_log(path);
	second_boot();
	fclose(out);
	snprintf(path, sizeof(path), "%s/final", argv[2]);
	write_file(path);
	return 0;
}
