// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the memory of a made-up machine: ROOT/proc/kcore and kpageflags.
 *
 *	mkkcore ROOT PAGES FREE KIND [CACHE]
 *
 * PAGES pages, of which the first FREE are free and the last CACHE clean page
 * cache of random bytes, the others of a KIND: zero, random, text, or half (text
 * and random in turn).
 */
#include "dm-hibswap-port.h"

#include <fcntl.h>
#include <linux/elf.h>
#include <linux/kernel-page-flags.h>
#include <stdio.h>
#include <unistd.h>

#define PAGE		4096
#define MEMORY		PAGE		/* where it begins in kcore */
#define STATE		624		/* of the generator */
#define WORDS		1000		/* more than a page is long */
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define CHECK(cond)	do { if (!(cond)) fail(#cond); } while (0)

static const char * const words[] = {
	"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta",
};

static u32 state[STATE];
static int drawn;

static void fail(const char *what)
{
	fprintf(stderr, "mkkcore: failed: %s\n", what);
	exit(1);
}

/*
 * The Mersenne Twister (MT19937) with the seed { 1 }, so that the pages are the
 * same everywhere: the limits in size.sh are for these.
 */
static u32 mixed(int i)
{
	return state[i - 1] ^ state[i - 1] >> 30;
}

static void seed(void)
{
	int i;

	state[0] = 19650218;
	for (i = 1; i < STATE; i++)
		state[i] = mixed(i) * 1812433253 + i;
	for (i = 1; i < STATE; i++)
		state[i] = (state[i] ^ mixed(i) * 1664525) + 1;
	state[0] = state[STATE - 1];
	state[1] = (state[1] ^ mixed(1) * 1664525) + 1;
	for (i = 2; i < STATE; i++)
		state[i] = (state[i] ^ mixed(i) * 1566083941) - i;
	state[0] = state[STATE - 1];
	state[1] = (state[1] ^ mixed(1) * 1566083941) - 1;
	state[0] = 0x80000000;
	drawn = STATE;
}

static u32 rnd(void)
{
	u32 v;

	if (drawn == STATE) {
		for (int i = 0; i < STATE; i++) {
			v = (state[i] & 0x80000000) | (state[(i + 1) % STATE] & 0x7fffffff);
			state[i] = state[(i + 397) % STATE] ^ v >> 1 ^ (v & 1 ? 0x9908b0df : 0);
		}
		drawn = 0;
	}
	v = state[drawn++];
	v ^= v >> 11;
	v ^= v << 7 & 0x9d2c5680;
	v ^= v << 15 & 0xefc60000;
	return v ^ v >> 18;
}

static void random_page(u8 *page)
{
	for (int i = 0; i < PAGE; i += 4) {
		u32 v = cpu_to_le32(rnd());

		memcpy(page + i, &v, sizeof(v));
	}
}

static void text_page(u8 *page)
{
	char text[WORDS * sizeof("epsilon") + 1];
	size_t len = 0;

	for (int i = 0; i < WORDS; i++) {
		u32 word;

		do {
			word = rnd() >> 28;
		} while (word >= ARRAY_SIZE(words));
		len += sprintf(text + len, "%s ", words[word]);
	}
	CHECK(len > PAGE);
	memcpy(page, text, PAGE);
}

static int create(const char *root, const char *name)
{
	char path[4096];
	int fd;

	CHECK(snprintf(path, sizeof(path), "%s/proc/%s", root, name) < (int)sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		fail(path);
	return fd;
}

static struct elf64_phdr segment(u64 paddr, u64 offset, u64 size)
{
	return (struct elf64_phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X, .p_offset = offset,
		.p_vaddr = 0xffff888000000000, .p_paddr = paddr, .p_filesz = size,
		.p_memsz = size,
	};
}

/* Memory begins at 0, in two pieces; before them a segment of other addresses */
static void headers(int fd, u64 pages, u64 first)
{
	struct {
		struct elf64_hdr file;
		struct elf64_phdr segment[3];
	} h = {
		.file = {
			.e_ident = {
				ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
				ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
			},
			.e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_phoff = sizeof(h.file), .e_ehsize = sizeof(h.file),
			.e_phentsize = sizeof(h.segment[0]), .e_phnum = 3,
		},
		.segment = {
			segment(~0ULL, MEMORY, PAGE),
			segment(first * PAGE, MEMORY, (pages - first) * PAGE),
			segment(0, MEMORY + (pages - first) * PAGE, first * PAGE),
		},
	};

	CHECK(pwrite(fd, &h, sizeof(h), 0) == sizeof(h));
}

int main(int argc, char **argv)
{
	long pages, first, unused, cache;
	int kcore, flags;
	const char *kind;

	if (argc < 5 || argc > 6)
		return 2;
	pages = strtol(argv[2], NULL, 0);
	unused = strtol(argv[3], NULL, 0);
	kind = argv[4];
	cache = argc > 5 ? strtol(argv[5], NULL, 0) : 0;
	first = pages / 3;
	flags = create(argv[1], "kpageflags");
	kcore = create(argv[1], "kcore");
	headers(kcore, pages, first);
	seed();
	for (long n = 0; n < pages; n++) {
		const long at = n < first ? pages - first + n : n - first;
		const bool cached = n >= pages - cache;
		u64 flag = 1 << KPF_LRU;
		u8 page[PAGE] = {};

		if (cached || !strcmp(kind, "random") || (!strcmp(kind, "half") && n % 64 < 32))
			random_page(page);
		else if (strcmp(kind, "zero"))
			text_page(page);
		CHECK(pwrite(kcore, page, PAGE, MEMORY + at * PAGE) == PAGE);

		if (n < unused)
			flag = 1 << KPF_BUDDY;
		else if (!cached)
			flag |= 1 << KPF_ANON;
		CHECK(pwrite(flags, &flag, sizeof(flag), n * sizeof(flag)) == sizeof(flag));
	}
	return 0;
}
