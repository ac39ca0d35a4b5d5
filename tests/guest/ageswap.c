// SPDX-License-Identifier: GPL-2.0-only
/*
 * ageswap - give a swap area the holes of long use
 *
 * Fills the area with pages of its own and frees some of them, chosen by
 * their place in the area, so that the pattern is exact whatever order the
 * kernel gave the slots out in. Stays alive with the rest.
 */

#include "pages.h"
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define CHUNK		(16 * MIB / PAGE)
#define CLUSTER		512UL
#define MAX_CHUNKS	16384

struct chunk {
	uint8_t *base;
	size_t pages;
};

static struct chunk chunks[MAX_CHUNKS];
static size_t nr_chunks;
static size_t slots;			/* in the area */
static uint8_t *held;			/* one bit per slot: we are in it */
static uint8_t *wanted_free;		/* one bit per slot: the pattern frees it */

static bool bit(const uint8_t *map, size_t n)
{
	return map[n / 8] >> (n % 8) & 1;
}

static void set_bit(uint8_t *map, size_t n)
{
	map[n / 8] |= 1 << (n % 8);
}

static void usage(FILE *to)
{
	fputs("usage: ageswap [option...]\n"
	      "\n"
	      "Fills the first swap area and frees slots in a pattern; then stays in the\n"
	      "background, holding the others, until it is killed.\n"
	      "\n"
	      "  -H, --hole SIZE  holes of this size, as far apart as they are long (4K)\n"
	      "  -r, --random N   holes and gaps of 1 to 16 pages, mixed with seed N\n"
	      "  -l, --leave SIZE leave that much of the area alone (0)\n"
	      "  -q, --quit       free everything at the end\n"
	      "\n"
	      "Prints one line of KEY=VALUE pairs: slots, held, free, holes (stretches of\n"
	      "slots it does not hold), clusters (of 512 slots), open_clusters (those in\n"
	      "which it holds nothing), seconds.\n", to);
}

/* Size and use of the first swap area, in pages. */
static void read_area(size_t *size, size_t *used)
{
	char line[512], name[256];
	unsigned long long s = 0, u = 0;
	FILE *f = fopen("/proc/swaps", "r");

	if (!f || !fgets(line, sizeof(line), f) || !fgets(line, sizeof(line), f) ||
	    sscanf(line, "%255s %*s %llu %llu", name, &s, &u) != 3) {
		fprintf(stderr, "ageswap: no swap area\n");
		exit(1);
	}
	fclose(f);
	*size = s * 1024 / PAGE;
	*used = u * 1024 / PAGE;
}

static uint64_t random_state;

static unsigned int random_length(void)
{
	random_state += 0x9e3779b97f4a7c15ULL;
	return 1 + page_word(random_state >> 40, random_state & 0xffffff, 0, false) % 16;
}

static void make_pattern(size_t hole, bool mixed, size_t nr)
{
	size_t i = 0, n;
	bool freed = false;

	while (i < nr) {
		n = mixed ? random_length() : hole;
		for (; n && i < nr; n--, i++)
			if (freed)
				set_bit(wanted_free, i);
		freed = !freed;
	}
}

static void fill(size_t leave)
{
	size_t size, used, want, got = 0, i, out;

	read_area(&size, &used);
	want = size - used > leave ? size - used - leave : 0;
	while (got < want && nr_chunks < MAX_CHUNKS) {
		struct chunk *c = &chunks[nr_chunks++];

		c->pages = want - got < CHUNK ? want - got : CHUNK;
		c->base = anonymous(c->pages * PAGE);
		/* One word is enough to be no page of zeroes. */
		for (i = 0; i < c->pages; i++)
			*(uint64_t *)(c->base + i * PAGE) = got + i + 1;
		out = page_out(c->base, c->pages);
		got += out;
		if (out < c->pages) {
			/* The area is full, or as good as. */
			read_area(&size, &used);
			if (size - used < leave + CHUNK / 4)
				break;
		}
	}
}

/* Takes down the slots we are in, or frees those the pattern wants free. */
static size_t walk(bool release)
{
	static uint64_t map[CHUNK];
	size_t k, i, start, n = 0, slot;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail("/proc/self/pagemap");
	for (k = 0; k < nr_chunks; k++) {
		struct chunk *c = &chunks[k];

		if (pread(fd, map, c->pages * 8, (uintptr_t)c->base / PAGE * 8) !=
		    (ssize_t)(c->pages * 8))
			fail("read pagemap");
		for (i = 0, start = 0; i <= c->pages; i++) {
			bool out = false;

			if (i < c->pages && map[i] >> 62 & 1) {
				slot = map[i] >> 5 & ((1ULL << 50) - 1);
				/* 5 bits of type: the first area has type 0 */
				if (!(map[i] & 31) && slot < slots) {
					if (release)
						out = bit(wanted_free, slot);
					else
						set_bit(held, slot);
				}
			} else if (i < c->pages && release) {
				out = true;	/* still in RAM: of no use here */
			}
			if (!release)
				continue;
			if (out) {
				n++;
				continue;
			}
			if (i > start)
				madvise(c->base + start * PAGE, (i - start) * PAGE, MADV_DONTNEED);
			start = i + 1;
		}
	}
	close(fd);
	return n;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "hole", required_argument, NULL, 'H' },
		{ "random", required_argument, NULL, 'r' },
		{ "leave", required_argument, NULL, 'l' },
		{ "quit", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	size_t hole = 1, leave = 0, size, used, i, nr_held = 0, holes = 0, open = 0;
	bool mixed = false, quit = false, empty;
	struct timespec t0, t1;
	cpu_set_t cpus;
	int c, ready[2];
	char ok;

	while ((c = getopt_long(argc, argv, "H:r:l:qh", options, NULL)) != -1) {
		switch (c) {
		case 'H':
			hole = parse_size(optarg) / PAGE;
			break;
		case 'r':
			mixed = true;
			random_state = strtoull(optarg, NULL, 0) << 40;
			break;
		case 'l':
			leave = parse_size(optarg) / PAGE;
			break;
		case 'q':
			quit = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind != argc || !hole) {
		usage(stderr);
		return 2;
	}

	if (pipe2(ready, O_CLOEXEC))
		fail("pipe");
	switch (fork()) {
	case -1:
		fail("fork");
	case 0:
		break;
	default:
		close(ready[1]);
		return read(ready[0], &ok, 1) == 1 ? 0 : 1;
	}
	setsid();
	close(ready[0]);
	no_huge_pages();
	clock_gettime(CLOCK_MONOTONIC, &t0);

	/* One CPU: slots come from per-CPU places. */
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);

	read_area(&size, &used);
	slots = size + 1;	/* the header page has slot 0 */
	held = calloc(slots / 8 + 1, 1);
	wanted_free = calloc(slots / 8 + 1, 1);
	if (!held || !wanted_free)
		fail("calloc");
	make_pattern(hole, mixed, slots);
	fill(leave);
	walk(true);
	walk(false);
	clock_gettime(CLOCK_MONOTONIC, &t1);

	for (i = 1; i < slots; i++) {
		nr_held += bit(held, i);
		holes += !bit(held, i) && (i == 1 || bit(held, i - 1));
	}
	for (i = 0; i + CLUSTER <= slots; i += CLUSTER) {
		size_t j;

		for (empty = true, j = i; j < i + CLUSTER; j++)
			empty = empty && !bit(held, j);
		open += empty;
	}
	read_area(&size, &used);
	printf("ageswap: slots=%zu held=%zu free=%zu holes=%zu clusters=%zu open_clusters=%zu seconds=%.1f\n",
	       slots, nr_held, size - used, holes, slots / CLUSTER, open,
	       (t1.tv_sec - t0.tv_sec) + (t1.tv_nsec - t0.tv_nsec) / 1e9);
	free(held);
	free(wanted_free);
	now_in_background(ready[1]);
	while (!quit)
		pause();
	return 0;
}
