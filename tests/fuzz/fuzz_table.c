// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table line: the constructor itself, compiled against shim.h. Input: one
 * byte of options, what fails by another, the device's size and the target's
 * length (8 bytes each), then the arguments as dmsetup would be given them.
 *
 * What is refused must be explained and leave nothing behind; what is accepted
 * must be what the line says, and lie inside the device.
 */
#include <stdarg.h>

#include "fuzz.h"
#include "dm-hibswap.h"

#define OPT_BIG_BLOCKS	1	/* logical blocks of 4096 bytes; with HUGE 65536 */
#define OPT_HUGE_BLOCKS	2
#define OPT_READ_ONLY	4
#define OPT_TAME	8	/* device and target of a size that there is */
#define OPT_RO_DEVICE	16

#define FAIL_NO_DEVICE	1
#define FAIL_BUSY	2
#define FAIL_OVERLAP	4
#define FAIL_CHECK	8
#define FAIL_WINDOW	16	/* the superblock has a window */
#define FAIL_MEMORY	32

#define LINE_AT		18
#define ARGS_MAX	64

struct task_struct init_task;
struct mutex hibswap_lock;

static struct block_device bdev;
static struct dm_dev dm_dev = { .bdev = &bdev };
static struct hibswap_region region;
static unsigned int devices, regions, failing;

/* ---------------------------------------------------- the rest of the kernel */

void shim_log(const char *fmt, ...)
{
	static char text[8192];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
}

void *shim_zalloc(size_t size)
{
	return failing & FAIL_MEMORY ? NULL : calloc(1, size);
}

int shim_kstrtou64(const char *s, unsigned int base, u64 *value)
{
	u64 v = 0;

	FUZZ_CHECK(base == 10);
	s += *s == '+';
	if (!*s)
		return -EINVAL;
	for (; *s && !(*s == '\n' && !s[1]); s++) {
		if (*s < '0' || *s > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (u64)(*s - '0'), &v))
			return -ERANGE;
	}
	*value = v;
	return 0;
}

int dm_get_device(struct dm_target *ti, const char *path, blk_mode_t mode,
		  struct dm_dev **result)
{
	FUZZ_CHECK(path && mode == ti->table->mode);
	if (failing & FAIL_NO_DEVICE)
		return -ENODEV;
	devices++;
	*result = &dm_dev;
	return 0;
}

void dm_put_device(struct dm_target *ti, struct dm_dev *d)
{
	FUZZ_CHECK(ti && d == &dm_dev && devices == 1);
	devices--;
}

int dm_read_arg(const struct dm_arg *arg, struct dm_arg_set *as, unsigned int *value,
		char **error)
{
	char dummy;

	if (!as->argc || sscanf(*as->argv, "%u%c", value, &dummy) != 1 ||
	    *value < arg->min || *value > arg->max) {
		/* The kernel takes the argument even if it is wrong */
		dm_shift_arg(as);
		*error = arg->error;
		return -EINVAL;
	}
	dm_shift_arg(as);
	return 0;
}

int dm_read_arg_group(const struct dm_arg *arg, struct dm_arg_set *as, unsigned int *value,
		      char **error)
{
	int err = dm_read_arg(arg, as, value, error);

	if (!err && as->argc < *value) {
		*error = arg->error;
		err = -EINVAL;
	}
	return err;
}

const char *dm_shift_arg(struct dm_arg_set *as)
{
	if (!as->argc)
		return NULL;
	as->argc--;
	return *as->argv++;
}

void dm_consume_args(struct dm_arg_set *as, unsigned int nr)
{
	FUZZ_CHECK(nr <= as->argc);
	as->argc -= nr;
	as->argv += nr;
}

/* ------------------------------------------------------ the rest of the target */

u64 hibswap_region_data_sectors(struct dm_target *ti, struct block_device *dev,
				const struct hibswap_geom *areas)
{
	FUZZ_CHECK(areas->region_start < dev->sectors);
	return failing & FAIL_WINDOW && ti->len > 8 ? (ti->len / 2) & ~7ULL : ti->len;
}

struct hibswap_region *hibswap_region_get(struct dm_target *ti, struct block_device *dev,
					  const struct hibswap_geom *areas)
{
	const u64 size = dev->sectors;

	FUZZ_CHECK(hibswap_lock.held && dev == &bdev);
	/* From here on the numbers are trusted */
	FUZZ_CHECK(areas->region_start < size &&
		   areas->region_sectors <= size - areas->region_start);
	FUZZ_CHECK(areas->data_start < size && areas->data_sectors <= size - areas->data_start);
	FUZZ_CHECK(areas->data_sectors <= ti->len && areas->data_sectors >= 8);
	FUZZ_CHECK(areas->region_start + areas->region_sectors <= areas->data_start ||
		   areas->data_start + areas->data_sectors <= areas->region_start);
	FUZZ_CHECK(!((areas->region_start | areas->region_sectors | areas->data_start) & 7));
	if (failing & FAIL_BUSY)
		return ERR_PTR(failing & FAIL_OVERLAP ? -ETXTBSY : -EBUSY);
	if (failing & FAIL_OVERLAP)
		return ERR_PTR(-ENOMEM);
	regions++;
	return &region;
}

struct hibswap_region *hibswap_region_put(struct hibswap_region *r, struct dm_target *ti)
{
	FUZZ_CHECK(hibswap_lock.held && r == &region && ti && regions == 1);
	regions--;
	return r;
}

void hibswap_region_destroy(struct hibswap_region *r)
{
	FUZZ_CHECK(!hibswap_lock.held && (!r || r == &region));
}

int hibswap_region_check(struct hibswap_region *r, const struct hibswap_geom *areas,
			 bool read_only, char **error)
{
	FUZZ_CHECK(hibswap_lock.held && r == &region && areas);
	if (!(failing & FAIL_CHECK))
		return 0;
	*error = read_only ? "read-only" : "checked";
	return -EINVAL;
}

/* ------------------------------------------------------------------ the fuzzer */

/* Blanks separate, a backslash takes the next byte as it is */
static unsigned int split(char *line, char **argv)
{
	unsigned int argc = 0;
	char *out;

	while (argc < ARGS_MAX) {
		while (*line && isspace((unsigned char)*line))
			line++;
		if (!*line)
			break;
		argv[argc++] = out = line;
		while (*line && !isspace((unsigned char)*line)) {
			if (*line == '\\' && line[1])
				line++;
			*out++ = *line++;
		}
		if (*line)
			line++;
		*out = '\0';
	}
	return argc;
}

static void check_refused(const struct dm_target *ti, int err)
{
	FUZZ_CHECK(err < 0 && err >= -MAX_ERRNO);
	FUZZ_CHECK(ti->error && *ti->error && !ti->private);
	FUZZ_CHECK(!devices && !regions && !hibswap_lock.held);
}

/* Each feature that is set was asked for, and each that was asked for is set */
static void check_features(const struct hibswap_target *ht, unsigned int argc, char **argv)
{
	unsigned int asked = argc > 5 ? argc - 5 : 0, nr, i;
	const char *name;

	for (nr = 0; (name = hibswap_feature_name(ht->features, nr)); nr++) {
		for (i = 5; i < argc && strcasecmp(argv[i], name); i++)
			;
		FUZZ_CHECK(i < argc);
	}
	FUZZ_CHECK(nr == asked);
}

static void check_accepted(struct dm_target *ti, const u64 numbers[3])
{
	struct hibswap_target *ht = ti->private;

	FUZZ_CHECK(ht && devices == 1 && regions == 1 && !hibswap_lock.held);
	FUZZ_CHECK(ht->region == &region && ht->dev == &dm_dev);
	FUZZ_CHECK(ht->areas.data_start == numbers[0]);
	FUZZ_CHECK(ht->areas.region_start == numbers[1]);
	FUZZ_CHECK(ht->areas.region_sectors == numbers[2]);
	FUZZ_CHECK(bdev.lbs <= 4096);
	FUZZ_CHECK(ti->num_flush_bios == 1 && ti->num_discard_bios == 1);
	hibswap_dtr(ti);
	FUZZ_CHECK(!devices && !regions && !hibswap_lock.held);
}

/* Plain decimal, as said by its bytes alone; the kernel lets a newline end it */
static bool number(const char *s, u64 *value)
{
	size_t len = strspn(s, "0123456789");
	char text[32];

	if (!len || (s[len] && strcmp(s + len, "\n")))
		return false;
	for (; *s == '0' && len > 1; len--)
		s++;
	*value = strtoull(s, NULL, 10);
	snprintf(text, sizeof(text), "%ju", (uintmax_t)*value);
	return strlen(text) == len && !memcmp(text, s, len);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct dm_table table = { .mode = BLK_OPEN_READ };
	struct dm_target ti = { .table = &table };
	u64 numbers[3];
	char *line, *argv[ARGS_MAX + 1] = {};
	unsigned int argc, i;
	bool right;
	int err;

	if (size < LINE_AT)
		return 0;
	failing = data[1];
	bdev.sectors = ref_get(data, 2, 8);
	ti.len = ref_get(data, 10, 8);
	if (data[0] & OPT_TAME) {
		bdev.sectors &= 0xffffffff;
		ti.len &= 0xffffff8;
	}
	bdev.lbs = data[0] & OPT_BIG_BLOCKS ? data[0] & OPT_HUGE_BLOCKS ? 65536 : 4096 : 512;
	bdev.read_only = data[0] & OPT_RO_DEVICE;
	if (!(data[0] & OPT_READ_ONLY))
		table.mode |= BLK_OPEN_WRITE;

	line = malloc(size - LINE_AT + 1);
	if (!line)
		return 0;
	memcpy(line, data + LINE_AT, size - LINE_AT);
	line[size - LINE_AT] = '\0';
	argc = split(line, argv);
	right = argc >= 4;
	for (i = 0; right && i < 3; i++)
		right = number(argv[i + 1], &numbers[i]);

	err = hibswap_ctr(&ti, argc, argv);
	if (err)
		check_refused(&ti, err);
	else
		FUZZ_CHECK(right);
	if (!err) {
		check_features(ti.private, argc, argv);
		check_accepted(&ti, numbers);
	}
	free(line);
	return 0;
}

size_t fuzz_seed(unsigned int nr, u8 *data)
{
	static const struct {
		u8 options, failing;
		u64 device, len;
		const char *line;
	} seeds[] = {
		{ 0, 0, 4194304, 2097152, "/dev/vda 1310720 0 1310720" },
		{ 0, 0, 4194304, 2097152, "/dev/vda 1310720 0 1310720 0" },
		{ 0, 0, 4194304, 2097152, "254:1 1310720 0 1310720 1 discard" },
		{ 0, 0, 4194304, 2097152, "254:1 1310720 0 1310720 2 discard wipe" },
		{ OPT_TAME, FAIL_WINDOW, 1 << 20, 393216, "/dev/sda3 131072 0 131072" },
		{ OPT_BIG_BLOCKS, 0, 1 << 20, 65536, "/dev/sda3 2048 524288 131072" },
		{ OPT_READ_ONLY, FAIL_CHECK, 1 << 20, 65536, "/dev/sda3 131072 0 131072" },
		{ OPT_TAME, FAIL_BUSY, 1 << 20, 65536, "/dev/sda3 131072 0 131072 1 x" },
		{ 0, 0, 1 << 20, 1000, "/dev/sda3 131073 8 18446744073709551615" },
		{ 0, 0, ~0ULL, ~7ULL, "a\\ b 18446744073709551608 9223372036854775808 8" },
	};

	if (nr >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	data[0] = seeds[nr].options;
	data[1] = seeds[nr].failing;
	ref_put(data, 2, 8, seeds[nr].device);
	ref_put(data, 10, 8, seeds[nr].len);
	strcpy((char *)data + LINE_AT, seeds[nr].line);
	return LINE_AT + strlen(seeds[nr].line);
}
