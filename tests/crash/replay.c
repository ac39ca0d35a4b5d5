// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay - every disk that a power cut could have left, and what boots from it
 *
 * Reads what QEMU's blklogwrites filter has taken down of one or more boots,
 * and goes through it entry by entry. After each it looks at all crash states
 * of that moment (disk.h): everything has arrived; nothing since the last
 * flush; all but one, each in turn; one alone; by lot; the last one torn at
 * every sector, with and without the others. For each it works out what the
 * next boot does (boot.h), and holds that against the promise:
 *
 *	- what is resumed is the memory that was saved, to the last sector;
 *	- once durable, an image is there until somebody takes its signature;
 *	- once taken, it never comes back;
 *	- otherwise the machine boots and swap is usable;
 *	- a committed superblock never vouches for a map that is not there.
 */
#include <getopt.h>
#include <stdio.h>

#include "boot.h"
#include "picks.h"

enum wrong {
	WRONG_MEMORY,
	WRONG_AGAIN,
	LOST,
	UNUSABLE,
	BAD_MAP,
	NR_WRONG,
};

static const char * const wrong_texts[NR_WRONG] = {
	[WRONG_MEMORY] = "wrong memory would be resumed",
	[WRONG_AGAIN] = "an image that is used up would be resumed again",
	[LOST] = "a committed image is lost",
	[UNUSABLE] = "no swap",
	[BAD_MAP] = "a committed superblock over a map that is not there",
};

static struct wlog log_;
static struct disk disk;
static struct booter booter = { .d = &disk };
static struct picks picks;
static const struct state all = { .kind = STATE_ALL };
static const struct state none = { .kind = STATE_NONE };

/* What the log has shown so far */
static bool drops_allowed;
static unsigned int boot_nr = 1;
static u64 newest_image;	/* highest generation that was committed */
static u64 wanted;		/* durable generation that must not be lost; 0: none */
static u64 used_up;		/* highest generation whose signature was taken away */
static u32 used_up_at;		/* by this entry */

static u64 seed = 1, lots = 4;
static u64 nr_states, nr_outcomes[NR_OUTCOMES], nr_wrong[NR_WRONG], nr_images;

static void complain(enum wrong wrong, const struct state *st, const struct boot *b)
{
	char name[64];

	/* The first few of a kind say it all */
	if (nr_wrong[wrong]++ >= 5)
		return;
	state_print(&disk, st, name, sizeof(name));
	printf("complaint: %s: state %s, boot %u, outcome %s, generation %llu\n",
	       wrong_texts[wrong], name, boot_nr, outcome_names[b->outcome],
	       (unsigned long long)b->generation);
}

/* One crash state against the promise */
static struct boot visit(const struct state *st)
{
	struct boot b = boot_next(&booter, st);

	nr_states++;
	nr_outcomes[b.outcome]++;
	if (b.outcome == BOOT_WRONG)
		complain(WRONG_MEMORY, st, &b);
	else if (b.outcome == BOOT_UNUSABLE)
		complain(UNUSABLE, st, &b);
	/* Until its next request the one who takes it may still lose it */
	else if (b.outcome == BOOT_RESUMES && b.generation <= used_up && disk.nr > used_up_at)
		complain(WRONG_AGAIN, st, &b);
	if (b.bad_map)
		complain(BAD_MAP, st, &b);
	if (wanted && b.outcome != BOOT_RESUMES)
		complain(LOST, st, &b);
	pick(&picks, &booter, st, &b, boot_nr);
	return b;
}

static void visit_all(void)
{
	const struct wlog_entry *e = &disk.log->e[disk.nr];
	u32 pending = disk.nr - disk.flushed, v;
	struct boot b;
	u64 k;

	b = visit(&all);
	if (!pending) {
		if (b.outcome == BOOT_RESUMES && b.generation > used_up)
			wanted = b.generation;
		return;
	}
	b = visit(&none);
	if (b.outcome == BOOT_RESUMES && b.generation > used_up)
		wanted = b.generation;
	for (k = 1; k < e->nr; k++) {
		visit(&(struct state){ STATE_TORN, k });
		if (pending > 1)
			visit(&(struct state){ STATE_LONE_TORN, k });
	}
	if (pending == 1)
		return;
	for (v = disk.flushed + 1; v <= disk.nr; v++) {
		visit(&(struct state){ STATE_DROP, v });
		visit(&(struct state){ STATE_ONLY, v });
	}
	for (k = 0; pending > 2 && k < lots; k++)
		visit(&(struct state){ STATE_RANDOM, seed + k });
}

/* Whether the last ten bytes of the header page are a swap area's */
static bool plain(u32 version)
{
	u64 s = booter.data_start + 7;
	const u8 *sig = disk_content(&disk, version, s) + 502;

	return !memcmp(sig, "SWAPSPACE2", 10) || !memcmp(sig, "SWAP-SPACE", 10);
}

static void use_up(u64 generation)
{
	used_up = max(used_up, generation);
	used_up_at = disk.nr;
	wanted = 0;
}

/* What the entry that has just been completed means, if everything arrives */
static void watch(void)
{
	const struct wlog_entry *e = &disk.log->e[disk.nr];
	const struct hibswap_super *sb = boot_super(&booter, &all);
	u64 s = booter.data_start + 7;

	image_follow(&disk, booter.images);
	if (sb && sb->state == HIBSWAP_COMMITTED && !image_find(booter.images, sb->generation)) {
		booter.images = image_learn(&disk, sb, booter.images);
		newest_image = max(newest_image, sb->generation);
		nr_images++;
	}
	if (drops_allowed && wanted && sb && sb->state == HIBSWAP_EMPTY)
		use_up(newest_image);
	if (e->nr && s >= e->sector && s - e->sector < e->nr) {
		if (plain(disk.nr) && !plain(e->prev[s - e->sector]))
			use_up(newest_image);
	}
	/* From when mkswap's page is durable there has to be one */
	if (disk.nr == disk.flushed)
		booter.has_swap |= plain(disk.cur[s]);
}

/* Off it goes: what is not durable now, a disk without power may forget */
static void power_off(void)
{
	struct boot b = boot_next(&booter, &all), less = boot_next(&booter, &none);

	if (b.outcome == BOOT_RESUMES && less.outcome != BOOT_RESUMES)
		complain(LOST, &none, &less);
}

static void replay(void)
{
	/* There may be an image on the disk already: entry 0 brings it */
	watch();
	visit_all();
	while (disk.nr + 1 < disk.log->nr) {
		bool off = disk.log->e[disk.nr + 1].flags & WLOG_BOOT;

		if (off)
			power_off();
		disk_next(&disk);
		watch();
		visit_all();
		boot_nr += off;
	}
}

/* As if the target did not flush before it writes a superblock */
static void forget_flushes(void)
{
	const u64 a = hibswap_super_sector(booter.region_start, 0);
	const u64 b = hibswap_super_sector(booter.region_start, 1);
	u32 i;

	for (i = 1; i + 1 < log_.nr; i++) {
		const struct wlog_entry *next = &log_.e[i + 1];

		if (next->nr && (next->sector == a || next->sector == b))
			log_.e[i].flags &= ~(u64)WLOG_FLUSH;
	}
}

static int make(const char *name, const char *path)
{
	struct state st;
	u32 nr;

	if (state_parse(name, &st, &nr) || nr >= log_.nr) {
		fprintf(stderr, "replay: no state '%s'\n", name);
		return 2;
	}
	while (disk.nr < nr)
		disk_next(&disk);
	return disk_write_out(&disk, &st, path) ? 2 : 0;
}

static void number(const char *key, u64 value)
{
	printf("%s=%llu\n", key, (unsigned long long)value);
}

static void field(const char *key, u64 value)
{
	printf(" %s=%llu", key, (unsigned long long)value);
}

static int report(void)
{
	u64 wrong = 0, complete = 0;
	struct image *im;
	int i;

	for (im = booter.images; im; im = im->next) {
		complete += im->walked && !im->missing;
		printf("image:");
		field("generation", im->sb.generation);
		field("extents", im->sb.image.extents);
		field("log_blocks", im->sb.image.log_blocks);
		field("in_place_blocks", im->sb.image.in_place_blocks);
		/* What a resume of it reads, and does not find */
		field("pages", im->pages);
		field("missing", im->missing);
		printf("\n");
	}
	number("seed", seed);
	number("prefixes", disk.nr);
	number("states", nr_states);
	for (i = 0; i < NR_OUTCOMES; i++)
		number(outcome_names[i], nr_outcomes[i]);
	number("images", nr_images);
	number("complete_images", complete);
	number("wrong_memory", nr_wrong[WRONG_MEMORY] + nr_wrong[WRONG_AGAIN]);
	number("committed_images_lost", nr_wrong[LOST]);
	number("swap_unusable", nr_wrong[UNUSABLE]);
	number("bad_maps", nr_wrong[BAD_MAP]);
	for (i = 0; i < NR_WRONG; i++)
		wrong += nr_wrong[i];
	return wrong ? 1 : 0;
}

static void usage(FILE *to)
{
	fputs("replay [OPTION...] LOG...\n"
	      "LOGs are files of QEMU's blklogwrites, one for each boot, in order.\n\n"
	      "  -b, --base FILE       what was on the disk before (zeros)\n"
	      "  -z, --size SECTORS    length of the disk (the base's)\n"
	      "  -r, --region SECTOR   start of the region (0)\n"
	      "  -d, --data SECTOR     start of the data, which is the region's end\n"
	      "  -s, --seed N          for what goes by lot (1)\n"
	      "  -n, --lots N          states by lot after each entry (4)\n"
	      "  -D, --drops           images are dropped on purpose, without being un-signed\n"
	      "  -p, --picks FILE      states worth a real boot: those around each change of\n"
	      "                        superblock, map and header page, and a sample\n"
	      "  -f, --far N           size of that sample (8)\n"
	      "  -F, --forget          forget the flushes before superblocks: shows that a target\n"
	      "                        without them would be found out\n"
	      "  -m, --make STATE FILE bring FILE, a copy of the base, to that state; no more\n\n"
	      "A state is ENTRY:KIND:ARGUMENT, as complaints and picks print it. Exit status:\n"
	      "0 the promise is kept, 1 it is not, 2 trouble.\n", to);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "base", required_argument, NULL, 'b' },
		{ "size", required_argument, NULL, 'z' },
		{ "region", required_argument, NULL, 'r' },
		{ "data", required_argument, NULL, 'd' },
		{ "seed", required_argument, NULL, 's' },
		{ "lots", required_argument, NULL, 'n' },
		{ "drops", no_argument, NULL, 'D' },
		{ "picks", required_argument, NULL, 'p' },
		{ "far", required_argument, NULL, 'f' },
		{ "forget", no_argument, NULL, 'F' },
		{ "make", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	const char *base = NULL, *picks_path = NULL, *state = NULL, *path = NULL;
	u64 size = 0, far = 8;
	bool forget = false;
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt_long(argc, argv, "b:z:r:d:s:n:Dp:f:Fm:h", options, NULL)) != -1) {
		switch (c) {
		case 'b':
			base = optarg;
			break;
		case 'z':
			size = strtoull(optarg, NULL, 0);
			break;
		case 'r':
			booter.region_start = strtoull(optarg, NULL, 0);
			break;
		case 'd':
			booter.data_start = strtoull(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			lots = strtoull(optarg, NULL, 0);
			break;
		case 'D':
			drops_allowed = true;
			break;
		case 'p':
			picks_path = optarg;
			break;
		case 'f':
			far = strtoull(optarg, NULL, 0);
			break;
		case 'F':
			forget = true;
			break;
		case 'm':
			state = optarg;
			if (optind < argc)
				path = argv[optind++];
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind == argc || !booter.data_start || (state && !path)) {
		usage(stderr);
		return 2;
	}
	wlog_init(&log_);
	while (optind < argc)
		if (wlog_load(&log_, argv[optind++]))
			return 2;
	if (forget)
		forget_flushes();
	if (disk_init(&disk, &log_, base, size))
		return 2;
	if (disk.sectors < booter.data_start + 8) {
		fprintf(stderr, "replay: the disk ends before the data begins\n");
		return 2;
	}
	if (state)
		return make(state, path);
	picks_init(&picks, seed, far);
	replay();
	if (picks_path && picks_save(&picks, picks_path))
		return 2;
	return report();
}
