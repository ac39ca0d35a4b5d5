// SPDX-License-Identifier: GPL-2.0-only
/*
 * memhold - hold memory whose every page can be checked later
 *
 * Fills anonymous memory, a file in tmpfs and anonymous memory that is paged
 * out to swap, each page with contents of its own, and stays alive in the
 * background. After a resume `memhold verify` has it compare every page.
 */

#include "pages.h"
#include <getopt.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

struct area {
	const char *name;
	uint64_t seed;
	size_t pages;
	uint8_t *base;		/* NULL: in the file */
	int fd;
};

static const char *dir = "/run/memhold";
static bool plain;

static void usage(FILE *to)
{
	fputs("usage: memhold hold [option...]      fill memory, then stay in the background\n"
	      "       memhold verify [-d DIR]       compare every page held; status 1 if any\n"
	      "                                     differs\n"
	      "       memhold drop [-d DIR]         let go\n"
	      "\n"
	      "  -a, --anon SIZE    anonymous memory that stays in RAM\n"
	      "  -f, --file SIZE    a file in tmpfs (DIR/file)\n"
	      "  -s, --swap SIZE    anonymous memory that is paged out; fails if less than\n"
	      "                     90 % of it is in swap in the end\n"
	      "  -c, --compressible contents that compress well (else random ones)\n"
	      "  -l, --lock         keep --anon from being swapped (mlock)\n"
	      "  -S, --seed N       (1)\n"
	      "  -d, --dir DIR      for the socket and the file (/run/memhold)\n"
	      "\n"
	      "SIZE is in MiB, or has a letter K, M, G.\n", to);
}

static void make_address(struct sockaddr_un *sa)
{
	memset(sa, 0, sizeof(*sa));
	sa->sun_family = AF_UNIX;
	if (snprintf(sa->sun_path, sizeof(sa->sun_path), "%s/socket", dir) >=
	    (int)sizeof(sa->sun_path)) {
		fprintf(stderr, "memhold: %s is too long\n", dir);
		exit(2);
	}
}

static void fill_file(struct area *a)
{
	static uint8_t buf[64 * PAGE];
	size_t i, j, n;
	char path[4096];

	snprintf(path, sizeof(path), "%s/file", dir);
	a->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (a->fd < 0)
		fail(path);
	for (i = 0; i < a->pages; i += n) {
		n = a->pages - i < 64 ? a->pages - i : 64;
		for (j = 0; j < n; j++)
			page_fill(buf + j * PAGE, a->seed, i + j, plain);
		if (write(a->fd, buf, n * PAGE) != (ssize_t)(n * PAGE))
			fail("write to tmpfs");
	}
}

static void fill_area(struct area *a)
{
	size_t i;

	a->base = anonymous(a->pages * PAGE);
	for (i = 0; i < a->pages; i++)
		page_fill(a->base + i * PAGE, a->seed, i, plain);
}

/* In pieces, so that RAM never has to hold all of it. */
static size_t fill_swapped(struct area *a)
{
	size_t i, j, n, out = 0;

	a->base = anonymous(a->pages * PAGE);
	for (i = 0; i < a->pages; i += n) {
		n = a->pages - i < 4096 ? a->pages - i : 4096;
		for (j = 0; j < n; j++)
			page_fill(a->base + (i + j) * PAGE, a->seed, i + j, plain);
		out += page_out(a->base + i * PAGE, n);
	}
	return out;
}

static size_t check_area(FILE *to, const struct area *a)
{
	static uint8_t buf[PAGE];
	size_t i, bad = 0, swapped = a->base ? pages_swapped(a->base, a->pages) : 0;

	for (i = 0; i < a->pages; i++) {
		const uint8_t *page = a->base + i * PAGE;

		if (!a->base) {
			if (pread(a->fd, buf, PAGE, i * PAGE) != (ssize_t)PAGE)
				memset(buf, 0xee, PAGE);
			page = buf;
		}
		if (page_good(page, a->seed, i, plain))
			continue;
		if (bad++ < 8) {
			uint64_t w[2];

			memcpy(w, page, sizeof(w));
			fprintf(to, "%s: page %zu differs: %016llx %016llx, not %016llx %016llx\n",
				a->name, i, (unsigned long long)w[0], (unsigned long long)w[1],
				(unsigned long long)page_word(a->seed, i, 0, plain),
				(unsigned long long)page_word(a->seed, i, 1, plain));
		}
	}
	fprintf(to, "%s: %zu pages, %zu were in swap, %zu differ\n", a->name, a->pages,
		swapped, bad);
	return bad;
}

static void serve(int sock, struct area *areas, int n)
{
	for (;;) {
		int c = accept(sock, NULL, NULL), i;
		size_t bad = 0;
		char what = 0;
		FILE *to;

		if (c < 0)
			continue;
		if (read(c, &what, 1) != 1) {
			close(c);
			continue;
		}
		to = fdopen(c, "w");
		if (what == 'v') {
			for (i = 0; i < n; i++)
				if (areas[i].pages)
					bad += check_area(to, &areas[i]);
			fprintf(to, "%s\n", bad ? "MISMATCH" : "verified");
		}
		fclose(to);
		if (what == 'q')
			exit(0);
	}
}

static int hold(struct area *areas, int n, bool lock)
{
	size_t out = 0, total = 0;
	struct sockaddr_un sa;
	int sock, ready[2], i;
	char c;

	if (mkdir(dir, 0700) && errno != EEXIST)
		fail(dir);
	make_address(&sa);
	unlink(sa.sun_path);
	sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (sock < 0 || bind(sock, (struct sockaddr *)&sa, sizeof(sa)) || listen(sock, 4) ||
	    pipe2(ready, O_CLOEXEC))
		fail("memhold: socket");

	/* Memory belongs to the process that stays. */
	switch (fork()) {
	case -1:
		fail("fork");
	case 0:
		break;
	default:
		close(ready[1]);
		return read(ready[0], &c, 1) == 1 && c == 'r' ? 0 : 1;
	}
	setsid();
	close(ready[0]);
	no_huge_pages();

	/* Swapped memory first: what is filled later is less likely to push
	 * out what should stay.
	 */
	if (areas[2].pages) {
		out = fill_swapped(&areas[2]);
		printf("memhold: %zu of %zu pages in swap\n", out, areas[2].pages);
		if (out * 10 < areas[2].pages * 9) {
			fprintf(stderr, "memhold: less than 90 %% went to swap\n");
			exit(1);
		}
	}
	if (areas[0].pages) {
		fill_area(&areas[0]);
		if (lock && mlock(areas[0].base, areas[0].pages * PAGE))
			fail("mlock");
	}
	if (areas[1].pages)
		fill_file(&areas[1]);
	if (areas[2].pages)
		out = pages_swapped(areas[2].base, areas[2].pages);
	for (i = 0; i < n; i++)
		total += areas[i].pages;
	printf("memhold: holding %zu MiB, %zu MiB of it in swap\n", total * PAGE / MIB,
	       out * PAGE / MIB);
	now_in_background(ready[1]);
	signal(SIGPIPE, SIG_IGN);
	serve(sock, areas, n);
	return 0;
}

static int talk(char what)
{
	struct sockaddr_un sa;
	char line[512], last[512] = "";
	FILE *from;
	int s;

	make_address(&sa);
	s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0 || connect(s, (struct sockaddr *)&sa, sizeof(sa)) || write(s, &what, 1) != 1)
		fail("memhold: no memory is held");
	from = fdopen(s, "r");
	while (from && fgets(line, sizeof(line), from)) {
		printf("memhold: %s", line);
		strcpy(last, line);
	}
	return what == 'q' || !strcmp(last, "verified\n") ? 0 : 1;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "anon", required_argument, NULL, 'a' },
		{ "file", required_argument, NULL, 'f' },
		{ "swap", required_argument, NULL, 's' },
		{ "compressible", no_argument, NULL, 'c' },
		{ "lock", no_argument, NULL, 'l' },
		{ "seed", required_argument, NULL, 'S' },
		{ "dir", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct area areas[3] = { { .name = "anon" }, { .name = "file" }, { .name = "swap" } };
	unsigned long seed = 1;
	bool lock = false;
	const char *verb;
	int c, i;

	while ((c = getopt_long(argc, argv, "a:f:s:clS:d:h", options, NULL)) != -1) {
		switch (c) {
		case 'a':
			areas[0].pages = parse_size(optarg) / PAGE;
			break;
		case 'f':
			areas[1].pages = parse_size(optarg) / PAGE;
			break;
		case 's':
			areas[2].pages = parse_size(optarg) / PAGE;
			break;
		case 'c':
			plain = true;
			break;
		case 'l':
			lock = true;
			break;
		case 'S':
			seed = strtoul(optarg, NULL, 0);
			break;
		case 'd':
			dir = optarg;
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
	for (i = 0; i < 3; i++)
		areas[i].seed = seed * 4 + i;

	verb = argv[optind];
	if (!strcmp(verb, "hold"))
		return hold(areas, 3, lock);
	if (!strcmp(verb, "verify"))
		return talk('v');
	if (!strcmp(verb, "drop"))
		return talk('q');
	usage(stderr);
	return 2;
}
