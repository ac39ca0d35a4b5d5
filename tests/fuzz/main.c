// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a fuzzer without libFuzzer: every file of a corpus, then a number of
 * seeded mutations of them, so that two runs are the same run. An input that
 * fails is left in a file which can be given as the corpus.
 */
#include <dirent.h>
#include <getopt.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define CORPUS_MAX	4096

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

struct item {
	size_t size;
	u8 *data;
};

static struct item corpus[CORPUS_MAX];
static unsigned int corpus_nr;
static u8 input[FUZZ_INPUT_MAX];
static size_t input_size;
static char crash_name[4096];

static void save_input(void)
{
	static bool done;
	FILE *f;

	if (done)
		return;
	done = true;
	f = fopen(crash_name, "wb");
	if (!f)
		return;
	fwrite(input, 1, input_size, f);
	fclose(f);
	fprintf(stderr, "the input is in %s\n", crash_name);
}

static void aborted(int sig)
{
	save_input();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void load_file(const char *name)
{
	struct item *item = &corpus[corpus_nr];
	static u8 buf[FUZZ_INPUT_MAX];
	FILE *f = fopen(name, "rb");

	if (!f) {
		perror(name);
		exit(2);
	}
	item->size = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	item->data = malloc(item->size + 1);
	if (!item->data || corpus_nr == CORPUS_MAX - 1)
		exit(2);
	memcpy(item->data, buf, item->size);
	corpus_nr++;
}

static void load(const char *name)
{
	struct dirent **entries;
	struct stat st;
	char path[4096];
	int i, nr;

	if (stat(name, &st)) {
		perror(name);
		exit(2);
	}
	if (!S_ISDIR(st.st_mode)) {
		load_file(name);
		return;
	}
	/* Sorted, so that the run does not depend on the file system */
	nr = scandir(name, &entries, NULL, alphasort);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", name, entries[i]->d_name);
		if (!stat(path, &st) && S_ISREG(st.st_mode))
			load_file(path);
		free(entries[i]);
	}
	free(entries);
}

static void run_one(void)
{
	/* Memory of its size: a step beyond the input is seen */
	u8 *copy = malloc(input_size ? input_size : 1);

	if (!copy)
		exit(2);
	memcpy(copy, input, input_size);
	LLVMFuzzerTestOneInput(copy, input_size);
	free(copy);
}

static u64 interesting(u64 *seed)
{
	static const u64 values[] = {
		0, 1, 2, 7, 8, 127, 128, 255, 2047, 2048, 4095, 4096, 65535, 65536,
		(1 << 24) - 1, 1 << 24, 0x7fffffff, 0x80000000, 0xffffffff,
		(1ULL << 40) - 1, 1ULL << 40, (1ULL << 43) - 8, 1ULL << 43, 1ULL << 63,
		~0ULL, ~7ULL,
	};

	return values[ref_below(seed, sizeof(values) / sizeof(values[0]))];
}

static size_t field(u64 *seed, size_t width)
{
	size_t at = ref_below(seed, input_size - width + 1);

	/* Most things that matter come early, and on a boundary */
	if (ref_below(seed, 2))
		at %= 330;
	if (at + width > input_size)
		at = 0;
	return ref_below(seed, 4) ? at - at % width : at;
}

static void mutate(u64 *seed)
{
	static const u8 widths[] = { 1, 2, 4, 8 };
	const struct item *other = &corpus[ref_below(seed, corpus_nr)];
	size_t width = widths[ref_below(seed, 4)], at, n;

	if (input_size < 16) {
		input_size = 16 + ref_below(seed, 100);
		for (at = 0; at < input_size; at++)
			input[at] = ref_random(seed);
		return;
	}
	at = field(seed, width);
	switch (ref_below(seed, 9)) {
	case 0:
		input[at] ^= 1 << ref_below(seed, 8);
		break;
	case 1:
		input[at] = ref_random(seed);
		break;
	case 2:
		ref_put(input, at, width, interesting(seed));
		break;
	case 3:
		ref_put(input, at, width, ref_get(input, at, width) + ref_below(seed, 35) - 17);
		break;
	case 4:
		ref_put(input, at, width, ref_random(seed) >> ref_below(seed, 64));
		break;
	case 5:		/* another place's value */
		ref_put(input, at, width, ref_get(input, field(seed, width), width));
		break;
	case 6:		/* another file's bytes, in the same place */
		n = 1 + ref_below(seed, 64);
		if (at < other->size) {
			if (n > other->size - at)
				n = other->size - at;
			memcpy(input + at, other->data + at, n);
			if (at + n > input_size)
				input_size = at + n;
		}
		break;
	case 7:		/* shorter, or longer by a copy of its end */
		n = 16 * (1 + ref_below(seed, 4));
		if (ref_below(seed, 2)) {
			if (input_size > n + 16)
				input_size -= n;
		} else if (input_size > n && input_size + n <= FUZZ_INPUT_MAX) {
			memcpy(input + input_size, input + input_size - n, n);
			input_size += n;
		}
		break;
	case 8:		/* the options */
		input[0] = ref_random(seed) & 0xf;
		break;
	}
}

static void usage(const char *self)
{
	fprintf(stderr, "usage: %s [-n INPUTS] [-t SECONDS] [-s SEED] [-o CRASH_FILE] CORPUS...\n",
		self);
	exit(2);
}

int main(int argc, char **argv)
{
	unsigned long long inputs = 0, done = 0;
	time_t end = 0;
	u64 seed = 1;
	unsigned int i;
	int opt;

	snprintf(crash_name, sizeof(crash_name), "%s.crash", argv[0]);
	while ((opt = getopt(argc, argv, "n:t:s:o:")) != -1) {
		switch (opt) {
		case 'n':
			inputs = strtoull(optarg, NULL, 0);
			break;
		case 't':
			end = time(NULL) + atoi(optarg);
			inputs = ~0ULL;
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'o':
			snprintf(crash_name, sizeof(crash_name), "%s", optarg);
			break;
		default:
			usage(argv[0]);
		}
	}
	if (optind == argc)
		usage(argv[0]);
	for (; optind < argc; optind++)
		load(argv[optind]);
	if (!corpus_nr) {
		fprintf(stderr, "%s: the corpus is empty\n", argv[0]);
		return 2;
	}
	signal(SIGABRT, aborted);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(save_input);

	for (i = 0; i < corpus_nr; i++) {
		input_size = corpus[i].size;
		memcpy(input, corpus[i].data, input_size);
		run_one();
	}
	for (; done < inputs; done++) {
		const struct item *item = &corpus[ref_below(&seed, corpus_nr)];

		if (end && !(done % 256) && time(NULL) >= end)
			break;
		input_size = item->size;
		memcpy(input, item->data, input_size);
		for (i = 1 + ref_below(&seed, 1 + ref_below(&seed, 16)); i; i--)
			mutate(&seed);
		run_one();
	}
	printf("%s: %u files and %llu mutations: nothing found\n", argv[0], corpus_nr, done);
	for (i = 0; i < corpus_nr; i++)
		free(corpus[i].data);
	return 0;
}
