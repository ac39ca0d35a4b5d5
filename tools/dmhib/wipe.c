// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib wipe: drop the image, or everything, and overwrite what was there.
 *
 * Dropping comes first and is on stable storage before a byte of contents is
 * touched: the signature of the header page goes, then the superblocks say that
 * there is no image. A power cut leaves the image as it was, or no image.
 *
 * Zeros are written, so that the disk has them; a discard only tells it that
 * the contents are not needed, and it may return what it likes afterwards. With
 * both, zeros come first. What must not come back to life is written once more
 * after a discard.
 */
#include "describe.h"
#include "image.h"
#include "layout.h"
#include "progress.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct range {
	u64 sector;
	u64 sectors;
};

struct job {
	const struct dev *dev;
	struct meta *meta;
	struct hibswap_super sb;
	bool all;
	bool super;		/* only the superblocks go */
	struct range *ranges;
	u64 nr;
	u64 cap;
	u64 sectors;		/* sum */
	u64 discarded;		/* sectors */
};

static int failed(const struct job *job, const char *what, int err)
{
	msg_err("cannot %s of %s: %s", what, job->dev->path, strerror(-err));
	return E_DEVICE;
}

static void add_range(struct job *job, u64 sector, u64 sectors)
{
	if (job->nr == job->cap) {
		job->cap = job->cap ? 2 * job->cap : 64;
		job->ranges = reallocarray(job->ranges, job->cap, sizeof(*job->ranges));
		if (!job->ranges) {
			msg_err("out of memory");
			exit(E_MEM);
		}
	}
	job->ranges[job->nr++] = (struct range){ sector, sectors };
	job->sectors += sectors;
}

static void add_in_place(u64 nr, const struct hibswap_extent *e, void *arg)
{
	struct job *job = arg;

	(void)nr;
	/* Decode has seen to it that it lies within the data */
	if (hibswap_extent_in_place(e))
		add_range(job, job->sb.geom.data_start +
			       hibswap_extent_lba(e) * HIBSWAP_BLOCK_SECTORS,
			  hibswap_extent_len(e) * HIBSWAP_BLOCK_SECTORS);
}

/* All that an image has left: also older ones, which no superblock names */
static void plan_image(struct job *job)
{
	const struct hibswap_geom *g = &job->sb.geom;
	struct meta_map map = {};

	add_range(job, g->log_start, g->region_start + g->region_sectors - g->log_start);
	if (job->sb.state != HIBSWAP_COMMITTED || !job->sb.image.in_place_blocks)
		return;
	meta_read_map(job->dev, &job->sb, &map, add_in_place, job);
	if (map.err)
		msg_warn("the map is damaged: not all that lies outside the region can be found; \"wipe all\" gets it");
}

/* The superblocks are zeroed before, and here again with what lies beside them */
static void plan_all(struct job *job)
{
	const struct hibswap_geom *g = &job->sb.geom;

	add_range(job, g->region_start, g->region_sectors);
	add_range(job, g->data_start, g->data_sectors / HIBSWAP_BLOCK_SECTORS *
				      HIBSWAP_BLOCK_SECTORS);
}

/* The one that counts last; both say by now that there is no image */
static int drop_supers(struct job *job)
{
	const int last = hibswap_super_copy(job->sb.generation);

	for (int i = 0; i < 2; i++) {
		int err = dev_zero(job->dev, job->meta->copy[i ? last : !last].sector,
				   HIBSWAP_BLOCK_SECTORS);

		if (!err)
			err = dev_sync(job->dev);
		if (err)
			return failed(job, "clear a superblock", err);
	}
	return E_OK;
}

static int write_zeros(struct job *job, struct progress *p)
{
	const u64 chunk = DEV_CHUNK >> HIBSWAP_SECTOR_SHIFT;
	void *zeros = dev_buf(DEV_CHUNK);
	int err = 0;

	for (u64 i = 0; i < job->nr && !err; i++) {
		u64 sector = job->ranges[i].sector, left = job->ranges[i].sectors;

		while (left && !err) {
			u64 nr = min(left, chunk);

			err = dev_write(job->dev, sector, nr, zeros);
			sector += nr;
			left -= nr;
			progress_add(p, nr << HIBSWAP_SECTOR_SHIFT);
		}
	}
	if (!err)
		err = dev_sync(job->dev);
	free(zeros);
	return err;
}

static int discard_range(const struct dev *dev, u64 sector, u64 sectors)
{
	u64 range[2] = { sector << HIBSWAP_SECTOR_SHIFT, sectors << HIBSWAP_SECTOR_SHIFT };
	int rc;

	if (dev->regular)
		rc = fallocate(dev->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       range[0], range[1]);
	else
		rc = ioctl(dev->fd, BLKDISCARD, range);
	return rc ? -errno : 0;
}

/* In pieces: a discard of a whole disk can take minutes, and nothing is seen */
static int discard(struct job *job, struct progress *p)
{
	const u64 piece = 1ULL << (30 - HIBSWAP_SECTOR_SHIFT);

	for (u64 i = 0; i < job->nr; i++) {
		u64 sector = job->ranges[i].sector, left = job->ranges[i].sectors;

		while (left) {
			u64 nr = min(left, piece);
			int err = discard_range(job->dev, sector, nr);

			if (err)
				return err;
			sector += nr;
			left -= nr;
			job->discarded += nr;
			progress_add(p, nr << HIBSWAP_SECTOR_SHIFT);
		}
	}
	return dev_sync(job->dev);
}

static int contents(struct job *job)
{
	const u64 bytes = job->sectors << HIBSWAP_SECTOR_SHIFT;
	struct progress p;
	int err;

	if (opts.zero || !opts.discard) {
		progress_start(&p, "overwritten", bytes);
		err = write_zeros(job, &p);
		progress_end(&p);
		if (err)
			return failed(job, "overwrite the contents", err);
	}
	if (!opts.discard)
		return E_OK;
	progress_start(&p, "discarded", bytes);
	err = discard(job, &p);
	progress_end(&p);
	if (err == -EOPNOTSUPP) {
		msg_err("%s knows no discard", job->dev->path);
		if (!opts.zero)
			msg_more("the contents are still there: use --zero");
		return E_DEVICE;
	}
	return err ? failed(job, "discard the contents", err) : E_OK;
}

/* After a discard the old bytes may be back */
static int again(struct job *job)
{
	const struct hibswap_geom *g = &job->sb.geom;
	int err = 0;

	for (int i = 0; i < 2 && !err; i++)
		err = dev_zero(job->dev, job->meta->copy[i].sector, HIBSWAP_BLOCK_SECTORS);
	if (!err)
		err = dev_zero(job->dev, g->data_start,
			       min(DATA_ZERO_SECTORS, g->data_sectors / HIBSWAP_BLOCK_SECTORS *
						      HIBSWAP_BLOCK_SECTORS));
	if (!err)
		err = dev_sync(job->dev);
	return err ? failed(job, "clear the superblocks", err) : E_OK;
}

static void report(const struct job *job)
{
	const u64 bytes = job->sectors << HIBSWAP_SECTOR_SHIFT;
	char size[SIZE_TEXT];

	if (opts.json) {
		struct json_object *obj = json_object_new_object();

		jadd_str(obj, "device", job->dev->path);
		jadd_str(obj, "wiped", job->super ? "super" : job->all ? "all" : "image");
		jadd_u64(obj, "zeroed_bytes", opts.zero || !opts.discard ? bytes : 0);
		jadd_u64(obj, "discarded_bytes", job->discarded << HIBSWAP_SECTOR_SHIFT);
		json_print(obj);
		return;
	}
	if (job->super)
		printf("%s: superblocks wiped; there is no hibswap region any more.\n",
		       job->dev->path);
	else if (job->all)
		printf("%s: %s wiped; there is no hibswap region any more.\n", job->dev->path,
		       size_text(bytes, size));
	else
		printf("%s: %s wiped; no image is left, the swap area is as it was.\n",
		       job->dev->path, size_text(bytes, size));
}

static int confirm(const struct job *job)
{
	const char *what = job->super ? "the superblocks" : job->all ? "all data" : "the image log";
	const char *image = job->sb.state == HIBSWAP_COMMITTED ?
			    ", AND WITH IT A HIBERNATION IMAGE" : "";

	if (msg_confirm("This will overwrite %s on %s irrevocably%s.", what, job->dev->path,
			image))
		return E_OK;
	return E_REFUSED;
}

static int wipe(struct job *job, u64 region_start)
{
	int rc = meta_belongs(job->dev, &job->sb.geom, region_start);

	if (!rc)
		rc = confirm(job);
	if (rc)
		return rc;
	if (job->all)
		plan_all(job);
	else if (!job->super)
		plan_image(job);
	rc = image_drop(job->dev, &job->sb);
	if (!rc && (job->all || job->super))
		rc = drop_supers(job);
	if (!rc && !job->super)
		rc = contents(job);
	if (!rc && job->all)
		rc = again(job);
	if (!rc)
		report(job);
	return rc;
}

/** verb_wipe - drop and overwrite the image or everything */
int verb_wipe(int argc, char **argv)
{
	const u64 region_start = opts.region_start >> HIBSWAP_SECTOR_SHIFT;
	struct job job = {};
	struct meta meta;
	struct dev dev;
	int rc;

	(void)argc;
	job.all = !strcmp(argv[1], "all");
	job.super = !strcmp(argv[1], "super");
	if (!job.all && !job.super && strcmp(argv[1], "image")) {
		msg_err("\"%s\" is neither \"image\" nor \"all\" nor \"super\"", argv[1]);
		return E_PARAM;
	}
	if (job.super && (opts.zero || opts.discard)) {
		msg_err("wipe super is done in no other way: without --zero and --discard");
		return E_PARAM;
	}
	rc = region_open(&dev, &meta, argv[0], DEV_WRITE);
	if (rc)
		return rc;
	job.dev = &dev;
	job.meta = &meta;
	job.sb = *meta_super(&meta);
	rc = wipe(&job, region_start);
	free(job.ranges);
	region_close(&dev, &meta);
	return rc;
}
