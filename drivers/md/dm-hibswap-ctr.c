// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table line: every argument is looked at before anything is done, and
 * what is wrong with one is said by its name.
 */
#include "dm-hibswap.h"

#include <linux/slab.h>

static int parse_sectors(struct dm_target *ti, const char *arg, u64 *value, char *error)
{
	/* kstrtoull() takes a sign and any base; a table line has neither */
	if (*arg < '0' || *arg > '9' || kstrtou64(arg, 10, value)) {
		ti->error = error;
		return -EINVAL;
	}
	return 0;
}

/* In the order in which the table line shows them */
static const struct {
	const char *name;
	unsigned int bit;
} features[] = {
	{ "no_checksum", HIBSWAP_NO_CHECKSUM },
	{ "discard", HIBSWAP_DISCARD },
	{ "wipe", HIBSWAP_WIPE },
};

/**
 * hibswap_feature_name - the feature arguments one after the other
 * @set: of these
 * @nr: 0 for the first one
 *
 * Return: its name, or NULL behind the last one.
 */
const char *hibswap_feature_name(unsigned int set, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(features); i++)
		if (set & features[i].bit && !nr--)
			return features[i].name;
	return NULL;
}

static int parse_feature(struct dm_target *ti, const char *arg, unsigned int *set)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (strcasecmp(arg, features[i].name))
			continue;
		if (*set & features[i].bit) {
			ti->error = "Feature argument given twice";
			return -EINVAL;
		}
		*set |= features[i].bit;
		return 0;
	}
	ti->error = "Unknown feature argument";
	DMERR("unknown feature argument \"%s\"", arg);
	return -EINVAL;
}

static int parse_features(struct dm_target *ti, unsigned int argc, char **argv,
			  unsigned int *set)
{
	static const struct dm_arg args[] = {
		{ 0, ARRAY_SIZE(features), "Invalid number of feature arguments" },
	};
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	unsigned int nr;

	if (!argc)
		return 0;
	if (dm_read_arg_group(args, &as, &nr, &ti->error))
		return -EINVAL;
	while (nr--)
		if (parse_feature(ti, dm_shift_arg(&as), set))
			return -EINVAL;
	if (as.argc) {
		ti->error = "More arguments than the number of features says";
		return -EINVAL;
	}
	return 0;
}

/* Which argument do the pure checks complain about? */
static char *area_error(const struct hibswap_fault *fault)
{
	static const struct {
		const char *what;
		char *error;
	} errors[] = {
		{ "region_start", "region_start: out of range" },
		{ "region_sectors", "region_sectors: too small, or out of range" },
		{ "data_start", "data_start: below 1 MiB, or out of range" },
		{ "data_sectors", "Target length: out of range" },
		{ "region_start alignment", "region_start: not a multiple of 8 sectors" },
		{ "data_start alignment", "data_start: not a multiple of 8 sectors" },
		{ "data and region overlap", "data_start: data and region overlap" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (!strcmp(errors[i].what, fault->what))
			return errors[i].error;
	return "Invalid geometry";
}

static int check_region(struct dm_target *ti, struct block_device *bdev,
			const struct hibswap_geom *areas)
{
	const u64 device = bdev_nr_sectors(bdev);
	/* Both are powers of two */
	const u64 rest = max_t(u64, HIBSWAP_PAGE_SECTORS,
			       bdev_logical_block_size(bdev) >> SECTOR_SHIFT) - 1;

	if (bdev_logical_block_size(bdev) > HIBSWAP_BLOCK_SIZE)
		ti->error = "dev: logical blocks larger than 4096 bytes are not supported";
	else if (areas->region_start >= device)
		ti->error = "region_start: behind the end of the device";
	else if (areas->region_sectors > device - areas->region_start)
		ti->error = "region_sectors: region ends behind the device";
	else if (areas->data_start >= device)
		ti->error = "data_start: behind the end of the device";
	else if (areas->data_start & rest)
		ti->error = "data_start: not aligned to pages and logical blocks";
	else if (areas->region_start & rest)
		ti->error = "region_start: not aligned to pages and logical blocks";
	else if (areas->region_sectors & rest)
		ti->error = "region_sectors: not a multiple of pages and logical blocks";
	else
		return 0;
	return -EINVAL;
}

static int check_data(struct dm_target *ti, struct block_device *bdev,
		      const struct hibswap_geom *areas)
{
	struct hibswap_geom geom = *areas;
	struct hibswap_fault fault = {};

	/* Whether there is room for this machine's maps comes with formatting */
	if (hibswap_geom_init(&geom, 0, &fault))
		ti->error = area_error(&fault);
	else if (areas->data_sectors > bdev_nr_sectors(bdev) - areas->data_start)
		ti->error = "Target length: data ends behind the device";
	else if (areas->data_sectors < HIBSWAP_PAGE_SECTORS)
		ti->error = "Target length: shorter than a header page";
	else
		return 0;
	return -EINVAL;
}

/**
 * hibswap_table_is_read_only - is nothing to be written?
 * @ti: target
 * @bdev: the device below
 *
 * Return: whether the table was loaded read-only, or the device below is.
 */
bool hibswap_table_is_read_only(struct dm_target *ti, struct block_device *bdev)
{
	return !(dm_table_get_mode(ti->table) & BLK_OPEN_WRITE) || bdev_read_only(bdev);
}

/* Find the region and see whether activation would work; writes nothing */
static int attach(struct dm_target *ti, struct hibswap_target *ht)
{
	struct block_device *bdev = ht->dev->bdev;
	struct hibswap_region *r, *unused = NULL;
	int err;

	err = check_region(ti, bdev, &ht->areas);
	if (err)
		return err;
	/* The table's length may include the window, which is nowhere below */
	ht->areas.data_sectors = hibswap_region_data_sectors(ti, bdev, &ht->areas);
	err = check_data(ti, bdev, &ht->areas);
	if (err)
		return err;

	mutex_lock(&hibswap_lock);
	r = hibswap_region_get(ti, bdev, &ht->areas);
	if (IS_ERR(r)) {
		ti->error = PTR_ERR(r) == -EBUSY ?
			"Region or data are in use by another device" :
			PTR_ERR(r) == -ETXTBSY ?
			"Region or data overlap those of the live table, which has an image" :
			"Cannot allocate region";
		err = PTR_ERR(r);
		goto out;
	}
	err = hibswap_region_check(r, &ht->areas, hibswap_table_is_read_only(ti, bdev),
				   &ti->error);
	if (err)
		unused = hibswap_region_put(r, ti);
	else
		ht->region = r;
out:
	mutex_unlock(&hibswap_lock);
	hibswap_region_destroy(unused);
	return err;
}

/**
 * hibswap_ctr - .ctr of the target
 * @ti: target
 * @argc: number of arguments
 * @argv: <dev> <data_start> <region_start> <region_sectors>
 *	[<#features> <feature>...]
 *
 * Return: 0, or a negative errno with ti->error naming the argument.
 */
int hibswap_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct hibswap_geom areas = { .data_sectors = ti->len };
	unsigned int set = 0;
	struct hibswap_target *ht;
	int err;

	if (argc < 4) {
		ti->error = "Need <dev> <data_start> <region_start> <region_sectors>";
		return -EINVAL;
	}
	err = parse_sectors(ti, argv[1], &areas.data_start, "data_start: not a number") ?:
	      parse_sectors(ti, argv[2], &areas.region_start, "region_start: not a number") ?:
	      parse_sectors(ti, argv[3], &areas.region_sectors, "region_sectors: not a number") ?:
	      parse_features(ti, argc - 4, argv + 4, &set);
	if (err)
		return err;

	ht = kzalloc_obj(*ht, GFP_KERNEL);
	if (!ht) {
		ti->error = "Cannot allocate target";
		return -ENOMEM;
	}
	err = dm_get_device(ti, argv[0], dm_table_get_mode(ti->table), &ht->dev);
	if (err) {
		ti->error = "dev: device lookup failed";
		goto out_free;
	}
	ht->areas = areas;
	ht->features = set;
	err = attach(ti, ht);
	if (err)
		goto out_put;

	ti->num_flush_bios = 1;
	ti->num_discard_bios = 1;
	ti->num_write_zeroes_bios = 1;
	ti->per_io_data_size = sizeof(struct hibswap_io);
	ti->private = ht;
	return 0;

out_put:
	dm_put_device(ti, ht->dev);
out_free:
	kfree(ht);
	return err;
}

/**
 * hibswap_dtr - .dtr of the target
 * @ti: target
 */
void hibswap_dtr(struct dm_target *ti)
{
	struct hibswap_target *ht = ti->private;
	struct hibswap_region *unused;

	mutex_lock(&hibswap_lock);
	unused = hibswap_region_put(ht->region, ti);
	mutex_unlock(&hibswap_lock);
	hibswap_region_destroy(unused);
	dm_put_device(ti, ht->dev);
	kfree(ht);
}
