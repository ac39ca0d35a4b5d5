// SPDX-License-Identifier: GPL-2.0-only
/*
 * usnap - hibernation from user space, through /dev/snapshot
 *
 * What a suspend program does with the snapshot device's ioctls, and a little
 * more, so that the target below is tried: the image goes into slots of a swap
 * area, either with O_DIRECT or through the page cache, with checksums of its
 * own over every page, so that whatever comes back wrong is seen.
 *
 * On the device:
 *
 *	header page	swap's own, signed ULSUSPEND, with our fields in front
 *			of the two signatures
 *	map pages	a chain; each names up to 509 pages and their checksums
 *	image pages	as read from /dev/snapshot
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <linux/types.h>
#include <linux/suspend_ioctls.h>

#define PAGE		4096U
#define RUN		64U		/* pages in one request, at most */
#define MAP_ENTRIES	509U
#define SAVED_RUNS	8U
#define SIGNATURE	"ULSUSPEND"	/* ten bytes with its NUL */
#define MAGIC		"USNAP 1"

/* Exit codes */
enum {
	GOOD = 0,
	FAILED = 1,
	NO_IMAGE = 2,
	BAD_IMAGE = 3,
	NO_RESTORE = 4,
};

struct map_page {
	uint64_t next;			/* page number; 0: the last one */
	uint64_t serial;
	uint32_t nr;
	uint32_t crc;			/* with this field as 0 */
	struct {
		uint32_t page;
		uint32_t crc;
	} entry[MAP_ENTRIES];
};

struct header {
	uint8_t swap[PAGE - 20 - 40];
	char magic[8];
	uint64_t serial;
	uint64_t first_map;		/* page number */
	uint64_t pages;
	uint32_t spare;
	uint32_t crc;			/* from magic to here, of the image */
	char orig_sig[10];
	char sig[10];
} __attribute__((packed));

_Static_assert(sizeof(struct map_page) == PAGE, "map page");
_Static_assert(sizeof(struct header) == PAGE, "header page");

static struct {
	bool buffered;
	bool power_off;
	bool platform;
	bool s2ram;
	bool sign;
	bool rewrite;
	bool late;
	bool hold;
	unsigned int attempts;
} opt = { .power_off = true, .sign = true, .attempts = 1 };

static int snapshot = -1;
static int device = -1;

/* For O_DIRECT, and in memory before anything is frozen */
static uint8_t buf[RUN * PAGE] __attribute__((aligned(4096)));
static uint8_t garbage[RUN * PAGE] __attribute__((aligned(4096)));
static uint8_t saved[SAVED_RUNS][RUN * PAGE] __attribute__((aligned(4096)));
static struct map_page map __attribute__((aligned(4096)));
static struct header head __attribute__((aligned(4096)));
static struct header before __attribute__((aligned(4096)));

static void usage(FILE *to)
{
	fputs("usage: usnap suspend DEVICE [option...]   image into the swap area, power off\n"
	      "       usnap resume DEVICE [option...]    does not return if it succeeds\n"
	      "       usnap avail DEVICE                 KiB that the kernel says are for an image\n"
	      "\n"
	      "  --direct         with O_DIRECT (default)\n"
	      "  --buffered       through the page cache, and fsync\n"
	      "suspend:\n"
	      "  --attempts N     first N-1 that are aborted: odd ones half written, even ones\n"
	      "                   written, signed and un-signed again\n"
	      "  --rewrite        write garbage into some of the pages first\n"
	      "  --late           write the last map page behind the signature\n"
	      "  --platform       power off through the platform (ACPI S4)\n"
	      "  --s2ram          suspend to RAM instead; woken, un-sign and go on\n"
	      "  --no-sign        power off without a signature\n"
	      "  --no-power-off   leave the image signed, and the machine running\n"
	      "resume:\n"
	      "  --hold           load half of the image, then stop: SIGUSR1 tries to restore\n"
	      "                   that, which fails, and stops again\n"
	      "\n"
	      "exit status: suspend: 0 resumed, or never off; resume: 2 there is no image, 3 it is\n"
	      "damaged, 4 the kernel refuses it; 1 other errors\n", to);
}

static void say(const char *text)
{
	printf("usnap: %s\n", text);
	fflush(stdout);
}

static void fail(const char *what) __attribute__((noreturn));
static void fail(const char *what)
{
	printf("usnap: %s: %s\n", what, strerror(errno));
	fflush(stdout);
	/* Closes the snapshot device: the kernel cleans up and thaws */
	exit(FAILED);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* CRC-32 (IEEE), eight bytes at a time */
static uint32_t crc_table[8][256];

static void crc_init(void)
{
	for (unsigned int i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
		crc_table[0][i] = c;
	}
	for (unsigned int i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			crc_table[k][i] = crc_table[k - 1][i] >> 8 ^
					  crc_table[0][crc_table[k - 1][i] & 0xff];
}

static uint32_t crc32(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t crc = ~0U;

	for (; len >= 8; len -= 8, p += 8) {
		uint32_t a, b;

		memcpy(&a, p, 4);
		memcpy(&b, p + 4, 4);
		a ^= crc;
		crc = crc_table[7][a & 0xff] ^ crc_table[6][a >> 8 & 0xff] ^
		      crc_table[5][a >> 16 & 0xff] ^ crc_table[4][a >> 24] ^
		      crc_table[3][b & 0xff] ^ crc_table[2][b >> 8 & 0xff] ^
		      crc_table[1][b >> 16 & 0xff] ^ crc_table[0][b >> 24];
	}
	while (len--)
		crc = crc >> 8 ^ crc_table[0][(crc ^ *p++) & 0xff];
	return ~crc;
}

static uint32_t map_crc(struct map_page *m)
{
	uint32_t was = m->crc, crc;

	m->crc = 0;
	crc = crc32(m, PAGE);
	m->crc = was;
	return crc;
}

static uint32_t header_crc(const struct header *h)
{
	const size_t from = offsetof(struct header, magic);

	return crc32((const uint8_t *)h + from, offsetof(struct header, crc) - from);
}

/* ------------------------------------------------------------- the device */

static int put(const void *data, uint32_t page, unsigned int pages)
{
	ssize_t want = (ssize_t)pages * PAGE;
	ssize_t n = pwrite(device, data, want, (off_t)page * PAGE);

	if (n != want) {
		if (n >= 0)
			errno = EIO;
		printf("usnap: write of %u pages at page %u: %s\n", pages, page, strerror(errno));
		return -1;
	}
	return 0;
}

static int get(void *data, uint32_t page, unsigned int pages)
{
	ssize_t want = (ssize_t)pages * PAGE;
	ssize_t n = pread(device, data, want, (off_t)page * PAGE);

	if (n != want) {
		if (n >= 0)
			errno = EIO;
		printf("usnap: read of %u pages at page %u: %s\n", pages, page, strerror(errno));
		return -1;
	}
	return 0;
}

/* What is in the page cache has to go out, or a second write would replace it */
static int push_out(uint32_t page, unsigned int pages)
{
	if (!opt.buffered)
		return 0;
	return sync_file_range(device, (off_t)page * PAGE, (off_t)pages * PAGE,
			       SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
			       SYNC_FILE_RANGE_WAIT_AFTER);
}

static int put_garbage(uint32_t page, unsigned int pages)
{
	return put(garbage, page, pages) || push_out(page, pages) ? -1 : 0;
}

static int durable(void)
{
	if (!fsync(device))
		return 0;
	printf("usnap: fsync: %s\n", strerror(errno));
	return -1;
}

static void open_device(const char *name)
{
	device = open(name, O_RDWR | O_CLOEXEC | (opt.buffered ? 0 : O_DIRECT));
	if (device < 0)
		fail(name);
}

/* ---------------------------------------------------------------- suspend */

struct image {
	uint64_t serial;
	uint32_t pages;
	uint32_t maps;
	uint32_t *slot;			/* pages, then maps */
	uint32_t *crc;
};

static int get_slots(struct image *im)
{
	for (uint32_t i = 0; i < im->pages + im->maps; i++) {
		__kernel_loff_t offset = 0;

		if (ioctl(snapshot, SNAPSHOT_ALLOC_SWAP_PAGE, &offset)) {
			printf("usnap: no slot %u of %u: %s\n", i, im->pages + im->maps,
			       strerror(errno));
			return -1;
		}
		im->slot[i] = offset / PAGE;
	}
	return 0;
}

/* The map page @at of the chain */
static int put_map(struct image *im, uint32_t at)
{
	uint32_t first = at * MAP_ENTRIES;

	memset(&map, 0, sizeof(map));
	map.next = at + 1 < im->maps ? im->slot[im->pages + at + 1] : 0;
	map.serial = im->serial;
	map.nr = im->pages - first < MAP_ENTRIES ? im->pages - first : MAP_ENTRIES;
	for (uint32_t i = 0; i < map.nr; i++) {
		map.entry[i].page = im->slot[first + i];
		map.entry[i].crc = im->crc[first + i];
	}
	map.crc = map_crc(&map);
	if (opt.rewrite && at % 2 == 0 && put_garbage(im->slot[im->pages + at], 1))
		return -1;
	return put(&map, im->slot[im->pages + at], 1);
}

/* All pages, or half of them, read from the kernel and written in runs */
static int put_pages(struct image *im, uint32_t count)
{
	uint32_t keep_page[SAVED_RUNS], runs = 0, done = 0;
	unsigned int keep_len[SAVED_RUNS], kept = 0, n;

	while (done < count) {
		for (n = 0; n < RUN && done + n < count; n++) {
			if (n && im->slot[done + n] != im->slot[done + n - 1] + 1)
				break;
			if (read(snapshot, buf + n * PAGE, PAGE) != PAGE) {
				printf("usnap: no image page %u of %u: %s\n", done + n,
				       im->pages, strerror(errno));
				return -1;
			}
			im->crc[done + n] = crc32(buf + n * PAGE, PAGE);
		}
		if (opt.rewrite && runs % 5 == 2 && put_garbage(im->slot[done], n))
			return -1;
		if (opt.rewrite && runs % 16 == 7 && kept < SAVED_RUNS) {
			/* Right only when all the others are written */
			memcpy(saved[kept], buf, n * PAGE);
			keep_page[kept] = im->slot[done];
			keep_len[kept++] = n;
			if (put_garbage(im->slot[done], n))
				return -1;
		} else if (put(buf, im->slot[done], n)) {
			return -1;
		}
		done += n;
		runs++;
	}
	while (kept--)
		if (put(saved[kept], keep_page[kept], keep_len[kept]))
			return -1;
	if (count == im->pages && read(snapshot, buf, PAGE) != 0) {
		say("the kernel has more pages than it said");
		return -1;
	}
	printf("usnap: %u of %u pages written in %u runs\n", count, im->pages, runs);
	return 0;
}

static int put_signature(const struct image *im)
{
	if (get(&head, 0, 1))
		return -1;
	before = head;
	if (memcmp(head.sig, "SWAPSPACE2", 10)) {
		say("no swap signature in the first page");
		return -1;
	}
	memcpy(head.magic, MAGIC, 8);
	head.serial = im->serial;
	head.first_map = im->slot[im->pages];
	head.pages = im->pages;
	head.spare = 0;
	head.crc = header_crc(&head);
	memcpy(head.orig_sig, head.sig, 10);
	memcpy(head.sig, SIGNATURE, 10);
	return put(&head, 0, 1) || durable() ? -1 : 0;
}

static int write_image(bool half, bool sign)
{
	__kernel_loff_t size = 0;
	struct image im = {};
	double began = now();
	int err = -1;

	if (ioctl(snapshot, SNAPSHOT_GET_IMAGE_SIZE, &size))
		fail("SNAPSHOT_GET_IMAGE_SIZE");
	im.pages = size / PAGE;
	im.maps = (im.pages + MAP_ENTRIES - 1) / MAP_ENTRIES;
	im.slot = calloc(im.pages + im.maps, sizeof(*im.slot));
	im.crc = calloc(im.pages, sizeof(*im.crc));
	if (!im.slot || !im.crc)
		fail("memory");
	if (getrandom(&im.serial, sizeof(im.serial), 0) != sizeof(im.serial))
		fail("getrandom");
	if (get_slots(&im))
		goto out;
	printf("usnap: %u slots in %.1f s\n", im.pages + im.maps, now() - began);
	if (put_pages(&im, half ? im.pages / 2 : im.pages))
		goto out;
	if (half) {
		err = durable();
		goto out;
	}
	for (uint32_t i = 0; i < im.maps - opt.late; i++)
		if (put_map(&im, i))
			goto out;
	if (durable())
		goto out;
	if (sign) {
		if (put_signature(&im))
			goto out;
		say("signed");
	}
	if (opt.late && (put_map(&im, im.maps - 1) || durable()))
		goto out;
	printf("usnap: %u MiB in %.1f s\n", im.pages / 256, now() - began);
	err = 0;
out:
	fflush(stdout);
	free(im.slot);
	free(im.crc);
	return err;
}

static void switch_off(void)
{
	say("power off");
	if (opt.platform && ioctl(snapshot, SNAPSHOT_POWER_OFF, 0))
		printf("usnap: SNAPSHOT_POWER_OFF: %s\n", strerror(errno));
	reboot(RB_POWER_OFF);
	fail("reboot");
}

/* Back to where another attempt can begin */
static void forget_image(void)
{
	if (ioctl(snapshot, SNAPSHOT_FREE, 0))
		fail("SNAPSHOT_FREE");
	if (ioctl(snapshot, SNAPSHOT_FREE_SWAP_PAGES, 0))
		fail("SNAPSHOT_FREE_SWAP_PAGES");
	if (ioctl(snapshot, SNAPSHOT_UNFREEZE, 0))
		fail("SNAPSHOT_UNFREEZE");
}

static int one_attempt(unsigned int attempt)
{
	bool last = attempt == opt.attempts;
	bool half = !last && attempt % 2;
	bool sign = last ? opt.sign : !half;
	int in_suspend = -1;

	if (ioctl(snapshot, SNAPSHOT_FREEZE, 0))
		fail("SNAPSHOT_FREEZE");
	if (ioctl(snapshot, SNAPSHOT_CREATE_IMAGE, &in_suspend))
		fail("SNAPSHOT_CREATE_IMAGE");
	if (!in_suspend) {
		forget_image();
		close(snapshot);
		say("resumed");
		return GOOD;
	}
	printf("usnap: attempt %u of %u: snapshot taken\n", attempt, opt.attempts);
	if (write_image(half, sign)) {
		say("image not written");
		return FAILED;
	}
	if (last && opt.s2ram) {
		if (ioctl(snapshot, SNAPSHOT_S2RAM, 0))
			fail("SNAPSHOT_S2RAM");
		say("woken");
	} else if (last && opt.power_off) {
		switch_off();
	} else if (last) {
		say("not powered off");
		return GOOD;
	}
	if (sign && (put(&before, 0, 1) || durable()))
		return FAILED;
	forget_image();
	if (last) {
		close(snapshot);
		return GOOD;
	}
	printf("usnap: attempt %u aborted\n", attempt);
	fflush(stdout);
	sleep(1);
	return -1;
}

/* The snapshot device, for an image in the swap area @name, which is opened too */
static void open_snapshot(const char *name)
{
	struct resume_swap_area area = {};
	struct stat st;

	if (stat(name, &st))
		fail(name);
	if (!S_ISBLK(st.st_mode)) {
		errno = ENOTBLK;
		fail(name);
	}
	open_device(name);
	snapshot = open("/dev/snapshot", O_RDONLY | O_CLOEXEC);
	if (snapshot < 0)
		fail("/dev/snapshot");
	area.dev = (minor(st.st_rdev) & 0xff) | major(st.st_rdev) << 8 |
		   (minor(st.st_rdev) & ~0xffU) << 12;
	if (ioctl(snapshot, SNAPSHOT_SET_SWAP_AREA, &area))
		fail("SNAPSHOT_SET_SWAP_AREA");
}

static int avail(const char *name)
{
	uint64_t bytes;

	open_snapshot(name);
	if (ioctl(snapshot, SNAPSHOT_AVAIL_SWAP_SIZE, &bytes))
		fail("SNAPSHOT_AVAIL_SWAP_SIZE");
	printf("%llu\n", (unsigned long long)bytes / 1024);
	return GOOD;
}

static int suspend(const char *name)
{
	int status;

	open_snapshot(name);
	if (opt.platform && ioctl(snapshot, SNAPSHOT_PLATFORM_SUPPORT, 1))
		fail("SNAPSHOT_PLATFORM_SUPPORT");
	for (unsigned int attempt = 1;; attempt++) {
		status = one_attempt(attempt);
		if (status >= 0)
			return status;
	}
}

/* ----------------------------------------------------------------- resume */

/* The pages of one map page into the kernel; at most @left of them */
static int load_pages(uint64_t left)
{
	uint32_t nr = map.nr < left ? map.nr : left;

	for (uint32_t i = 0; i < nr; ) {
		unsigned int n = 1;

		while (n < RUN && i + n < nr && map.entry[i + n].page == map.entry[i].page + n)
			n++;
		if (get(buf, map.entry[i].page, n))
			return -1;
		for (unsigned int k = 0; k < n; k++, i++) {
			uint32_t crc = crc32(buf + k * PAGE, PAGE);

			if (crc != map.entry[i].crc) {
				printf("usnap: page %u: checksum %08x, should be %08x\n",
				       map.entry[i].page, crc, map.entry[i].crc);
				return -1;
			}
			if (write(snapshot, buf + k * PAGE, PAGE) != PAGE) {
				printf("usnap: /dev/snapshot: %s\n", strerror(errno));
				return -1;
			}
		}
	}
	return nr;
}

static int load_image(uint64_t want)
{
	uint64_t at = head.first_map, done = 0;

	while (done < want) {
		int n;

		if (!at) {
			say("the map ends early");
			return -1;
		}
		if (get(&map, at, 1))
			return -1;
		if (map.crc != map_crc(&map) || map.serial != head.serial ||
		    !map.nr || map.nr > MAP_ENTRIES) {
			printf("usnap: map page %llu is damaged or another image's\n",
			       (unsigned long long)at);
			return -1;
		}
		n = load_pages(want - done);
		if (n < 0)
			return -1;
		done += n;
		at = map.next;
	}
	return 0;
}

static void wake(int sig)
{
	(void)sig;
}

static int restore(void)
{
	int status = NO_RESTORE;

	if (ioctl(snapshot, SNAPSHOT_FREEZE, 0)) {
		printf("usnap: SNAPSHOT_FREEZE: %s\n", strerror(errno));
		return status;
	}
	if (ioctl(snapshot, SNAPSHOT_ATOMIC_RESTORE, 0))
		printf("usnap: SNAPSHOT_ATOMIC_RESTORE: %s\n", strerror(errno));
	ioctl(snapshot, SNAPSHOT_UNFREEZE, 0);
	say("not restored");
	return status;
}

/* As the kernel does: the signature goes before anything is read */
static int take_up(void)
{
	if (get(&head, 0, 1))
		return FAILED;
	if (memcmp(head.sig, SIGNATURE, 10)) {
		say("no image");
		return NO_IMAGE;
	}
	before = head;
	memcpy(before.sig, head.orig_sig, 10);
	memset(before.magic, 0, offsetof(struct header, sig) - offsetof(struct header, magic));
	if (put(&before, 0, 1) || durable())
		return FAILED;
	if (memcmp(head.magic, MAGIC, 8) || head.crc != header_crc(&head)) {
		say("header: not our image");
		return BAD_IMAGE;
	}
	return GOOD;
}

static int resume(const char *name)
{
	struct sigaction sa = { .sa_handler = wake };
	double began = now();
	int status;

	open_device(name);
	sigaction(SIGUSR1, &sa, NULL);
	snapshot = open("/dev/snapshot", O_WRONLY | O_CLOEXEC);
	if (snapshot < 0)
		fail("/dev/snapshot");
	status = take_up();
	if (status)
		return status;
	if (load_image(opt.hold ? head.pages / 2 : head.pages)) {
		say("image damaged, not resumed");
		return BAD_IMAGE;
	}
	printf("usnap: %llu MiB read in %.1f s\n", (unsigned long long)head.pages / 256,
	       now() - began);
	fflush(stdout);
	if (!opt.hold)
		return restore();
	for (;;) {
		say("holding");
		pause();
		restore();
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "direct", no_argument, NULL, 'd' },
		{ "buffered", no_argument, NULL, 'b' },
		{ "attempts", required_argument, NULL, 'a' },
		{ "rewrite", no_argument, NULL, 'r' },
		{ "late", no_argument, NULL, 'l' },
		{ "platform", no_argument, NULL, 'p' },
		{ "s2ram", no_argument, NULL, 's' },
		{ "no-sign", no_argument, NULL, 'S' },
		{ "no-power-off", no_argument, NULL, 'P' },
		{ "hold", no_argument, NULL, 'H' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			opt.buffered = false;
			break;
		case 'b':
			opt.buffered = true;
			break;
		case 'a':
			opt.attempts = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			opt.rewrite = true;
			break;
		case 'l':
			opt.late = true;
			break;
		case 'p':
			opt.platform = true;
			break;
		case 's':
			opt.s2ram = true;
			break;
		case 'S':
			opt.sign = false;
			break;
		case 'P':
			opt.power_off = false;
			break;
		case 'H':
			opt.hold = true;
			break;
		case 'h':
			usage(stdout);
			return GOOD;
		default:
			usage(stderr);
			return FAILED;
		}
	}
	if (optind != argc - 2 || !opt.attempts) {
		usage(stderr);
		return FAILED;
	}
	if (sysconf(_SC_PAGESIZE) != PAGE) {
		say("only for pages of 4096 bytes");
		return FAILED;
	}
	crc_init();
	memset(garbage, 0xa5, sizeof(garbage));
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		fail("mlockall");
	if (!strcmp(argv[optind], "suspend"))
		return suspend(argv[optind + 1]);
	if (!strcmp(argv[optind], "resume"))
		return resume(argv[optind + 1]);
	if (!strcmp(argv[optind], "avail"))
		return avail(argv[optind + 1]);
	usage(stderr);
	return FAILED;
}
