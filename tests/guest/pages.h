/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page contents that name themselves, and what the kernel says about pages.
 * Shared by memhold and ageswap.
 */
#ifndef GUEST_PAGES_H
#define GUEST_PAGES_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE		4096UL
#define WORDS		(PAGE / sizeof(uint64_t))
#define MIB		(1024UL * 1024)

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif

static void fail(const char *what) __attribute__((noreturn));
static inline void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(2);
}

/*
 * Word @i of page @index in area @seed. Random words do not compress; plain
 * ones compress well and still differ in every word of every page.
 */
static inline uint64_t page_word(uint64_t seed, uint64_t index, unsigned int i, bool plain)
{
	uint64_t x;

	if (plain)
		return (seed << 56) ^ (index << 12) ^ i;
	/* splitmix64 */
	x = (seed << 48) + (index << 9) + i;
	x = (x + 1) * 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline void page_fill(void *page, uint64_t seed, uint64_t index, bool plain)
{
	uint64_t *w = page;
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		w[i] = page_word(seed, index, i, plain);
}

static inline bool page_good(const void *page, uint64_t seed, uint64_t index, bool plain)
{
	const uint64_t *w = page;
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		if (w[i] != page_word(seed, index, i, plain))
			return false;
	return true;
}

/* Anonymous memory in single pages, never huge ones. */
static inline void *anonymous(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		fail("mmap");
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

static inline void no_huge_pages(void)
{
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/* How many of the pages at @p are in a swap area, by /proc/self/pagemap. */
static inline size_t pages_swapped(const void *p, size_t pages)
{
	static uint64_t map[4096];
	size_t i, n, done, swapped = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail("/proc/self/pagemap");
	for (done = 0; done < pages; done += n) {
		n = pages - done < 4096 ? pages - done : 4096;
		if (pread(fd, map, n * 8, ((uintptr_t)p / PAGE + done) * 8) != (ssize_t)(n * 8))
			fail("read pagemap");
		for (i = 0; i < n; i++)
			swapped += map[i] >> 62 & 1;
	}
	close(fd);
	return swapped;
}

/*
 * Pages memory out, some times over: a page under writeback, or on a per-CPU
 * list, is skipped. Returns how many pages are out.
 */
static inline size_t page_out(void *p, size_t pages)
{
	size_t out = 0;
	int tries;

	for (tries = 0; tries < 20; tries++) {
		if (madvise(p, pages * PAGE, MADV_PAGEOUT) && errno != EINTR && errno != EAGAIN)
			fail("MADV_PAGEOUT");
		out = pages_swapped(p, pages);
		if (out == pages)
			break;
		usleep(20000);
	}
	return out;
}

/*
 * Tells the parent, which waits at @ready, that all is set up, and lets go of
 * standard output, which may be a pipe that a shell reads to its end.
 */
static inline void now_in_background(int ready)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	fflush(stdout);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		fail("/dev/null");
	if (write(ready, "r", 1) != 1)
		exit(2);
	close(ready);
}

/* "64M", "2G", "4096K", or MiB without a letter; in bytes. */
static inline size_t parse_size(const char *s)
{
	char *end;
	unsigned long long n = strtoull(s, &end, 10);

	switch (*end) {
	case 'K': case 'k':
		n *= 1024;
		break;
	case 'G': case 'g':
		n *= 1024 * MIB;
		break;
	case '\0': case 'M': case 'm':
		n *= MIB;
		break;
	default:
		fprintf(stderr, "odd size '%s'\n", s);
		exit(2);
	}
	return n;
}

#endif
