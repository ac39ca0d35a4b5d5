// SPDX-License-Identifier: GPL-2.0-only
/*
 * imgruns - where on the disk is a hibernation image?
 *
 * Follows an image of the kernel's own writer (kernel/power/swap.c; the same
 * layout on 6.1, 6.12 and 7.3) through a raw disk file, while the machine is
 * off, and counts the contiguous stretches of pages it lies in.
 */

#define _GNU_SOURCE
#include "imgruns.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE		4096UL
#define MAP_ENTRIES	(PAGE / sizeof(uint64_t) - 1)
#define SIGNATURE	"S1SUSPEND"

/* The end of struct swsusp_header, which fills its page and is packed. */
struct swsusp_tail {
	uint32_t hw_sig;
	uint32_t crc32;
	uint64_t image;		/* first swap map page, in pages */
	uint32_t flags;
	char orig_sig[10];
	char sig[10];
} __attribute__((packed));

struct swap_map_page {
	uint64_t entries[MAP_ENTRIES];
	uint64_t next_swap;
};

static uint64_t *places;	/* of every page, in the order of the image */
static size_t nr, room;

static void usage(FILE *to)
{
	fputs("usage: imgruns [option...] FILE\n"
	      "\n"
	      "FILE is a raw disk. Prints data_pages, map_pages, runs (disjoint contiguous\n"
	      "stretches of pages on the disk that the image lies in), breaks (how often the\n"
	      "next page in image order is not the next on the disk), first and last (bytes).\n"
	      "\n"
	      "  -a, --at BYTES      where the swap area starts (0)\n"
	      "  -m, --map SPEC      where logical pages lie: BYTES, so far into the file (as\n"
	      "                      --at); hibswap:SECTOR, in the region that starts there\n"
	      "  -u, --unsigned      go on though the header has no signature (any more)\n"
	      "\n"
	      "Status 1: no image there.\n", to);
}

/* The default translation: a swap area in one piece. */
static uint64_t identity(void *data, uint64_t page)
{
	return *(uint64_t *)data + page * PAGE;
}

/* --map BYTES, or what the other object file of this program makes of it. */
static bool set_up(const char *spec, int fd, uint64_t at, struct translation *tr)
{
	static uint64_t base;
	char *end;

	base = strtoull(spec, &end, 0);
	if (!*end && end != spec) {
		tr->translate = identity;
		tr->data = &base;
		return true;
	}
#ifdef IMGRUNS_HAVE_TRANSLATION
	return imgruns_translation(spec, fd, at, tr);
#else
	(void)fd;
	(void)at;
	return false;
#endif
}

static void add(uint64_t where)
{
	if (nr == room) {
		room = room ? room * 2 : 65536;
		places = realloc(places, room * sizeof(*places));
		if (!places) {
			perror("imgruns");
			exit(2);
		}
	}
	places[nr++] = where;
}

static int by_place(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void get(int fd, void *page, uint64_t where, const char *what)
{
	ssize_t n = pread(fd, page, PAGE, where);

	if (n != (ssize_t)PAGE) {
		fprintf(stderr, "imgruns: cannot read the %s at %llu: %s\n", what,
			(unsigned long long)where, n < 0 ? strerror(errno) : "end of file");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "at", required_argument, NULL, 'a' },
		{ "map", required_argument, NULL, 'm' },
		{ "unsigned", no_argument, NULL, 'u' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	size_t data = 0, maps = 0, runs = 0, breaks = 0, i;
	uint64_t at = 0, next, where;
	struct translation tr = { .translate = identity, .data = &at };
	struct swsusp_tail tail;
	struct swap_map_page map;
	const char *spec = NULL;
	bool unsigned_too = false;
	uint8_t page[PAGE];
	int c, fd;

	while ((c = getopt_long(argc, argv, "a:m:uh", options, NULL)) != -1) {
		switch (c) {
		case 'a':
			at = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			spec = optarg;
			break;
		case 'u':
			unsigned_too = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind != argc - 1) {
		usage(stderr);
		return 2;
	}
	fd = open(argv[optind], O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "imgruns: %s: %s\n", argv[optind], strerror(errno));
		return 2;
	}
	/* The header page is never translated: it stays in its place. */
	if (spec && !set_up(spec, fd, at, &tr)) {
		fprintf(stderr, "imgruns: no translation '%s'\n", spec);
		return 2;
	}

	get(fd, page, at, "header page");
	memcpy(&tail, page + PAGE - sizeof(tail), sizeof(tail));
	if (memcmp(tail.sig, SIGNATURE, 10) && !unsigned_too) {
		fprintf(stderr, "imgruns: no hibernation signature at %llu\n",
			(unsigned long long)at);
		return 1;
	}
	for (next = tail.image; next; next = map.next_swap) {
		where = tr.translate(tr.data, next);
		if (where == UINT64_MAX) {
			fprintf(stderr, "imgruns: map page %llu is not in the map\n",
				(unsigned long long)next);
			return 1;
		}
		get(fd, &map, where, "map page");
		add(where);
		if (++maps > (1UL << 22)) {
			fprintf(stderr, "imgruns: the map pages form a loop\n");
			return 1;
		}
		for (i = 0; i < MAP_ENTRIES && map.entries[i]; i++) {
			where = tr.translate(tr.data, map.entries[i]);
			if (where == UINT64_MAX) {
				fprintf(stderr, "imgruns: page %llu is not in the map\n",
					(unsigned long long)map.entries[i]);
				return 1;
			}
			add(where);
			data++;
		}
	}
	if (!data) {
		fprintf(stderr, "imgruns: an empty image\n");
		return 1;
	}
	for (i = 1; i < nr; i++)
		breaks += places[i] != places[i - 1] + PAGE;
	qsort(places, nr, sizeof(*places), by_place);
	for (i = 0; i < nr; i++) {
		if (i && places[i] == places[i - 1]) {
			fprintf(stderr, "imgruns: two pages in one place, %llu\n",
				(unsigned long long)places[i]);
			return 1;
		}
		runs += !i || places[i] != places[i - 1] + PAGE;
	}
	printf("data_pages=%zu\nmap_pages=%zu\nruns=%zu\nbreaks=%zu\nfirst=%llu\nlast=%llu\nflags=%u\n",
	       data, maps, runs, breaks, (unsigned long long)places[0],
	       (unsigned long long)places[nr - 1], tail.flags);
	return 0;
}

