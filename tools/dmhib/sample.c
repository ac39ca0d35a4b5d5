// SPDX-License-Identifier: GPL-2.0-only
/*
 * How well does what is in memory compress?
 *
 * /proc/kpageflags says which page frames are in use, /proc/kcore holds their
 * contents. As an image would be, they are taken 32 at a time in the order of
 * their numbers, packed, and rounded up to whole pages; but only some of them,
 * spread evenly. Pages of zeros are counted aside: since 6.6 they take no space in
 * an image, and before that next to none. What is behind them is packed together with
 * what is before them, as in an image: neighbours resemble each other.
 *
 * Free pages that a CPU keeps for itself look like pages of the kernel's own that
 * have no flags either. How many they are is known: that part of all such pages
 * is not counted.
 *
 * Root only, and not under lockdown: it is good to know, and not needed.
 */
#include "sample.h"
#include "sysroot.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#define CHUNK_PAGES	32
#define CHUNKS_MAX	1024
/* So far it is looked for what completes a chunk */
#define AHEAD_PAGES	(8 * CHUNK_PAGES)
#define SEGMENTS_MAX	256

/* In a page's number: it has no flags at all */
#define BLANK		(1U << 31)

#define BIT(n)		(1ULL << (n))

/* Bits of /proc/kpageflags */
#define FLAG_DIRTY	BIT(4)
#define FLAG_LRU	BIT(5)
#define FLAG_BUDDY	BIT(10)
#define FLAG_MMAP	BIT(11)
#define FLAG_ANON	BIT(12)
#define FLAG_SWAPBACKED	BIT(14)
#define FLAG_HWPOISON	BIT(19)
#define FLAG_NOPAGE	BIT(20)
#define FLAG_OFFLINE	BIT(23)

struct sampler {
	int flags_fd;
	int core_fd;
	Elf64_Phdr segment[SEGMENTS_MAX];
	unsigned int segments;
	size_t page_size;
	bool without_cache;
	u32 *pfn;		/* of the pages in use, and BLANK */
	u64 nr;
	u64 nr_blank;
};

static int open_file(const char *path)
{
	char full[PATH_MAX];

	return open(sysroot_path(full, sizeof(full), "%s", path), O_RDONLY | O_CLOEXEC);
}

static bool read_segments(struct sampler *s)
{
	Elf64_Ehdr eh;
	unsigned int nr;

	if (pread(s->core_fd, &eh, sizeof(eh), 0) != sizeof(eh) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_phentsize != sizeof(s->segment[0]))
		return false;
	nr = min(eh.e_phnum, SEGMENTS_MAX);
	if (pread(s->core_fd, s->segment, nr * sizeof(s->segment[0]), eh.e_phoff) !=
	    (ssize_t)(nr * sizeof(s->segment[0])))
		return false;
	s->segments = nr;
	return true;
}

static bool wanted(const struct sampler *s, u64 flags)
{
	if (flags & (FLAG_BUDDY | FLAG_HWPOISON | FLAG_NOPAGE | FLAG_OFFLINE))
		return false;
	/* Clean page cache that nobody maps: it is dropped where memory is short */
	return !s->without_cache || !(flags & FLAG_LRU) ||
	       flags & (FLAG_DIRTY | FLAG_MMAP | FLAG_ANON | FLAG_SWAPBACKED);
}

static bool read_flags(struct sampler *s)
{
	static u64 flags[8192];
	u64 pfn = 0, cap = 0;
	ssize_t n;

	while ((n = pread(s->flags_fd, flags, sizeof(flags), pfn * sizeof(u64))) > 0) {
		const u64 nr = n / sizeof(u64);

		for (u64 i = 0; i < nr; i++, pfn++) {
			if (!wanted(s, flags[i]) || pfn >= BLANK)
				continue;
			if (s->nr == cap) {
				cap = cap ? 2 * cap : 1 << 16;
				s->pfn = reallocarray(s->pfn, cap, sizeof(*s->pfn));
				if (!s->pfn)
					return false;
			}
			s->pfn[s->nr++] = pfn | (flags[i] ? 0 : BLANK);
			s->nr_blank += !flags[i];
		}
		if (n % sizeof(u64))
			break;
	}
	return s->nr;
}

static bool read_page(const struct sampler *s, u64 pfn, u8 *to)
{
	const u64 at = pfn * s->page_size;

	for (unsigned int i = 0; i < s->segments; i++) {
		const Elf64_Phdr *ph = &s->segment[i];

		if (ph->p_type != PT_LOAD || at < ph->p_paddr ||
		    at - ph->p_paddr >= ph->p_filesz ||
		    ph->p_filesz - (at - ph->p_paddr) < s->page_size)
			continue;
		return pread(s->core_fd, to, s->page_size, ph->p_offset + (at - ph->p_paddr)) ==
		       (ssize_t)s->page_size;
	}
	return false;
}

static bool since_6_6(void)
{
	unsigned int major = 0, minor = 0;

	return sscanf(sysroot_kernel(), "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 6));
}

/* Of pages with flags, and of those without */
struct tally {
	u64 looked;
	u64 zeros;
	u64 tried;		/* to pack them */
	u64 packed;
	u8 *buf;
	unsigned int pages;	/* in it */
};

/* A length stands in front of it, and it ends with a page */
static void pack(const struct sampler *s, struct tally *t)
{
	if (t->pages)
		t->packed += (packed_length(t->buf, t->pages * s->page_size) + 8 +
			      s->page_size - 1) / s->page_size;
	t->tried += t->pages;
	t->pages = 0;
}

/* @count: it is one of those that stand for all; the others complete what is packed */
static void look(const struct sampler *s, struct tally *t, u64 pfn, bool count)
{
	u8 *page = t->buf + t->pages * s->page_size;
	bool zero;

	if (!read_page(s, pfn, page))
		return;
	zero = hibswap_is_zero(page, s->page_size);
	if (count) {
		t->looked++;
		t->zeros += zero;
	}
	if (!zero && ++t->pages == CHUNK_PAGES)
		pack(s, t);
}

/* From what was looked at to all of it, @pages of a kind */
static void sum_up(const struct tally *t, u64 pages, u64 *zeros, u64 *others, u64 *packed)
{
	u64 some;

	if (!t->looked)
		return;
	some = pages * (t->looked - t->zeros) / t->looked;
	*zeros += pages * t->zeros / t->looked;
	*others += some;
	*packed += t->tried ? some * t->packed / t->tried : 0;
}

static int conclude(const struct sampler *s, const struct tally *t, u64 kept,
		    struct sample *out)
{
	u64 zeros = 0, others = 0, packed = 0;

	if (!t[0].looked && !t[1].looked)
		return -EIO;
	sum_up(&t[0], s->nr - s->nr_blank, &zeros, &others, &packed);
	sum_up(&t[1], s->nr_blank - min(s->nr_blank, kept), &zeros, &others, &packed);
	out->bytes = (t[0].looked + t[1].looked) * s->page_size;
	out->others = others * s->page_size;
	out->zeros = zeros + others ? zeros * 1000 / (zeros + others) : 0;
	out->zero_cost = since_6_6() ? 0 : 1000 / CHUNK_PAGES;
	out->permille = others ? (packed * 1000 + others - 1) / others : 0;
	return 0;
}

/* Of each stretch the same number of pages, whatever they hold; and what goes with them */
static void look_at_stretch(const struct sampler *s, struct tally *t, u64 from, u64 end)
{
	u64 i;

	for (i = from; i < min(from + CHUNK_PAGES, end); i++)
		look(s, &t[!!(s->pfn[i] & BLANK)], s->pfn[i] & ~BLANK, true);
	end = min(end, i + AHEAD_PAGES);
	for (; i < end && (t[0].pages || t[1].pages); i++) {
		struct tally *of = &t[!!(s->pfn[i] & BLANK)];

		if (of->pages)
			look(s, of, s->pfn[i] & ~BLANK, false);
	}
}

static int measure(const struct sampler *s, u64 kept, struct sample *out)
{
	const u64 stretch = max(s->nr / CHUNK_PAGES / CHUNKS_MAX, 1) * CHUNK_PAGES;
	struct tally t[2] = {};
	int err = -ENOMEM;

	t[0].buf = malloc(CHUNK_PAGES * s->page_size);
	t[1].buf = malloc(CHUNK_PAGES * s->page_size);
	if (t[0].buf && t[1].buf) {
		for (u64 at = 0; at < s->nr; at += stretch)
			look_at_stretch(s, t, at, min(at + stretch, s->nr));
		pack(s, &t[0]);
		pack(s, &t[1]);
		err = conclude(s, t, kept, out);
	}
	free(t[0].buf);
	free(t[1].buf);
	return err;
}

/**
 * sample_memory - look at some of memory
 * @without_cache: not at what the kernel would drop
 * @kept: pages that are free, but look as if they were not
 * @out: filled in
 *
 * Return: 0 or a negative errno.
 */
int sample_memory(bool without_cache, u64 kept, struct sample *out)
{
	struct sampler s = {
		.page_size = sysconf(_SC_PAGESIZE),
		.without_cache = without_cache,
	};
	int err = -EACCES;

	s.flags_fd = open_file("/proc/kpageflags");
	s.core_fd = open_file("/proc/kcore");
	if (s.flags_fd >= 0 && s.core_fd >= 0) {
		err = -EIO;
		if (read_segments(&s) && read_flags(&s))
			err = measure(&s, kept, out);
	}
	free(s.pfn);
	if (s.flags_fd >= 0)
		close(s.flags_fd);
	if (s.core_fd >= 0)
		close(s.core_fd);
	if (err)
		msg_debug("memory cannot be looked at: %s", strerror(-err));
	return err;
}
