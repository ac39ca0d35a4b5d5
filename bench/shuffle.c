// SPDX-License-Identifier: GPL-2.0-only
/*
 * shuffle - an empty swap area whose free clusters are in disorder
 *
 * Fills the area and frees it again, one cluster at a time, in an order drawn
 * from a seed. That is the order in which swap gives the clusters out from
 * then on: long use leaves such a list, even where nothing is swapped now.
 */

#include "../tests/guest/pages.h"
#include <sched.h>

#define CHUNK	(16 * MIB / PAGE)
#define CLUSTER	512UL

static uint8_t **page_in;	/* by slot; NULL: not ours */
static size_t slots;

/* Size of the first swap area and what is free of it, in pages. */
static size_t read_area(size_t *free_pages)
{
	unsigned long long size = 0, used = 0;
	char line[512];
	FILE *f = fopen("/proc/swaps", "r");

	if (!f || !fgets(line, sizeof(line), f) || !fgets(line, sizeof(line), f) ||
	    sscanf(line, "%*s %*s %llu %llu", &size, &used) != 2) {
		fprintf(stderr, "shuffle: no swap area\n");
		exit(1);
	}
	fclose(f);
	*free_pages = (size - used) * 1024 / PAGE;
	return size * 1024 / PAGE;
}

static void take_down(uint8_t *base, size_t pages)
{
	static uint64_t map[CHUNK];
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t i, slot;

	if (fd < 0 || pread(fd, map, pages * 8, (uintptr_t)base / PAGE * 8) != (ssize_t)(pages * 8))
		fail("/proc/self/pagemap");
	close(fd);
	for (i = 0; i < pages; i++) {
		slot = map[i] >> 5 & ((1ULL << 50) - 1);
		/* 5 bits of type: the first area has type 0 */
		if (map[i] >> 62 & 1 && !(map[i] & 31) && slot < slots)
			page_in[slot] = base + i * PAGE;
	}
}

static void fill(void)
{
	size_t left, n, i, out;
	uint8_t *base;

	for (read_area(&left); left; read_area(&left)) {
		n = left < CHUNK ? left : CHUNK;
		base = anonymous(n * PAGE);
		/* One word is enough to be no page of zeroes. */
		for (i = 0; i < n; i++)
			*(uint64_t *)(base + i * PAGE) = i + 1;
		out = page_out(base, n);
		take_down(base, n);
		if (out < n)	/* full, or as good as */
			break;
	}
}

static size_t release(size_t cluster)
{
	size_t slot = cluster * CLUSTER, end = slot + CLUSTER, start, n = 0;

	if (end > slots)
		end = slots;
	while (slot < end) {
		if (!page_in[slot]) {
			slot++;
			continue;
		}
		start = slot++;
		while (slot < end && page_in[slot] == page_in[slot - 1] + PAGE)
			slot++;
		if (madvise(page_in[start], (slot - start) * PAGE, MADV_DONTNEED))
			fail("MADV_DONTNEED");
		n += slot - start;
	}
	return n;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	size_t clusters, i, j, t, *order, freed = 0, left;
	cpu_set_t cpus;

	/* One CPU: slots come from per-CPU places. */
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	no_huge_pages();

	slots = read_area(&left) + 1;	/* the header page has slot 0 */
	clusters = (slots + CLUSTER - 1) / CLUSTER;
	page_in = calloc(slots, sizeof(*page_in));
	order = calloc(clusters, sizeof(*order));
	if (!page_in || !order)
		fail("calloc");
	fill();
	for (i = 0; i < clusters; i++)
		order[i] = i;
	for (i = clusters - 1; i; i--) {
		j = page_word(seed, i, 0, false) % (i + 1);
		t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
	for (i = 0; i < clusters; i++)
		freed += release(order[i]);
	printf("shuffle: slots=%zu freed=%zu clusters=%zu\n", slots, freed, clusters);
	if (freed * 10 < slots * 9) {
		fprintf(stderr, "shuffle: less than 90 %% of the area was filled\n");
		return 1;
	}
	return 0;
}
