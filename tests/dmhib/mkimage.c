// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes an image as the kernel's swsusp would, into the log of a region.
 *
 *	mkimage FILE DATA_SECTORS PAGES plain|lzo [FAULT]
 *
 * FILE has a region of 64 MiB at its start, data behind it. PAGES pages are saved
 * (of which the lists are a part). Prints the extents for "craft sign". A FAULT
 * makes it wrong in one way.
 */
#include "dm-hibswap-port.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PAGE		4096
#define DATA		(64 << 20)
#define LOG		(2 << 20)
#define ENTRIES		(PAGE / 8 - 1)		/* of a page of the swap map */
#define GROUP		32			/* pages that are compressed together */
#define INFO_AT		416			/* image_pages in struct swsusp_info */
#define SIGN_AT		(PAGE - 20)		/* in struct swsusp_header */
#define HEADER_AT	(SIGN_AT - 4 - 8 - 4 - 4)
#define CHECK(cond)	do { if (!(cond)) fail(#cond); } while (0)

static const char *broken = "";
static u64 sectors, used;
static int fd;

static u8 *stream;
static size_t stream_pages;

static u64 map_slot, first_map_slot;
static __le64 map[ENTRIES + 1];
static int entries;

static u64 logged, extent_start, extent_len;

static void fail(const char *what)
{
	fprintf(stderr, "mkimage: failed: %s\n", what);
	exit(1);
}

static bool has(const char *fault)
{
	return !strcmp(broken, fault);
}

/* Every third slot is somebody else's, so the image comes in many extents */
static u64 nth_slot(u64 n)
{
	return n / 2 * 3 + n % 2 + 1;
}

static u64 slot(void)
{
	u64 s = nth_slot(used++);

	CHECK(s < sectors / 8);
	return s;
}

static void put(u8 *at, u64 value)
{
	__le64 v = cpu_to_le64(value);

	memcpy(at, &v, sizeof(v));
}

/* Whole pages of zeros at the stream's end; they move with the next call */
static u8 *add(size_t len)
{
	const size_t pages = (len + PAGE - 1) / PAGE;
	u8 *at;

	stream = realloc(stream, (stream_pages + pages) * PAGE);
	CHECK(stream);
	at = stream + stream_pages * PAGE;
	memset(at, 0, pages * PAGE);
	stream_pages += pages;
	return at;
}

static void add_info(u64 pages)
{
	const u64 claimed = pages + 1 + (has("info") ? GROUP : 0);
	u8 *info = add(PAGE);

	if (has("noinfo"))
		return;
	put(info + INFO_AT, pages);
	put(info + INFO_AT + 8, claimed);
	put(info + INFO_AT + 16, claimed * PAGE);
}

static void add_plain(u64 pages)
{
	for (u64 n = 0; n < pages; n++) {
		u8 *page = add(PAGE);

		for (int i = 0; i < PAGE; i += 8)
			put(page + i, n + 1);
	}
}

static void add_packed(u64 pages)
{
	for (u64 n = 0; n < pages; n += GROUP) {
		u64 len = 3000 + n * 37 % 60000, there;
		u8 *piece;

		if (has("length") && n >= 2 * GROUP)
			len = 0;
		if (has("long") && n >= 2 * GROUP)
			len = 1ULL << 40;
		there = len < 1 << 20 ? len : 8;
		piece = add(8 + there);
		put(piece, len);
		memset(piece + 8, 0xa5, there);
	}
}

static void print_extent(void)
{
	static const char *between = "";

	if (!extent_len)
		return;
	printf("%s%llu:%llu:0", between, (unsigned long long)extent_start,
	       (unsigned long long)extent_len);
	between = " ";
}

static void write_log(u64 at, const void *page)
{
	CHECK(pwrite(fd, page, PAGE, LOG + logged * PAGE) == PAGE);
	logged++;
	if (at != extent_start + extent_len) {
		print_extent();
		extent_start = at;
		extent_len = 0;
	}
	extent_len++;
}

static void write_map(u64 next)
{
	map[ENTRIES] = cpu_to_le64(next);
	write_log(map_slot, map);
	memset(map, 0, sizeof(map));
	map_slot = next;
	entries = 0;
}

/* As the kernel does: a map page's slot is known before it is full */
static void write_stream(void)
{
	first_map_slot = slot();
	map_slot = first_map_slot;
	for (size_t i = 0; i < stream_pages; i++) {
		u64 at;

		if (entries == ENTRIES)
			write_map(slot());
		at = slot();
		map[entries++] = cpu_to_le64(at);
		write_log(at, stream + i * PAGE);
	}
	if (has("twice"))
		map[entries - 1] = map[0];
	else if (has("end"))
		map[entries - 1] = cpu_to_le64(sectors / 8);
	else if (has("hole"))
		map[2] = 0;
	else if (has("unmapped"))
		map[entries - 1] = cpu_to_le64(nth_slot(used + 5));
	write_map(has("loop") ? first_map_slot : 0);
}

static void sign(bool packed)
{
	u8 page[PAGE];

	CHECK(pread(fd, page, PAGE, DATA) == PAGE);
	memset(page + HEADER_AT, 0, SIGN_AT - HEADER_AT);
	put(page + HEADER_AT + 8, has("nostart") ? 0 : first_map_slot);
	page[HEADER_AT + 16] = packed ? 4 : 2;		/* CRC32, or not compressed */
	memcpy(page + SIGN_AT, "SWAPSPACE2", 10);
	memcpy(page + SIGN_AT + 10, has("other") ? "ULSUSPEND\0" : "S1SUSPEND\0", 10);
	CHECK(pwrite(fd, page, PAGE, DATA) == PAGE);
}

int main(int argc, char **argv)
{
	bool packed;
	u64 pages;

	if (argc < 5 || argc > 6)
		return 2;
	fd = open(argv[1], O_RDWR);
	if (fd < 0)
		fail(argv[1]);
	sectors = strtoull(argv[2], NULL, 0);
	pages = strtoull(argv[3], NULL, 0);
	packed = strcmp(argv[4], "plain");
	if (argc > 5)
		broken = argv[5];

	add_info(pages);
	if (packed)
		add_packed(pages);
	else
		add_plain(pages);
	if (has("short"))
		stream_pages--;
	write_stream();
	sign(packed);

	print_extent();
	printf("\n");
	free(stream);
	return 0;
}
