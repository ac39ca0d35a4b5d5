// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table goes live: the constructor's look, and .resume.
 */
#include "dm-hibswap.h"

#include <linux/mm.h>
#include <linux/random.h>
#include <linux/uuid.h>

static char *super_error(int err, const struct hibswap_fault *fault)
{
	switch (err) {
	case -EPROTONOSUPPORT:
		if (fault->what && !strcmp(fault->what, "version"))
			return "Superblock has an unknown version";
		return "Superblock has an unknown incompatible feature";
	case -EMEDIUMTYPE:
		return "Region holds foreign data, not a hibswap superblock";
	case -EBADMSG:
		return "No undamaged superblock";
	case -EINVAL:
		return "Superblock has a field out of range";
	case -ENODATA:
		return "Region is not formatted and not blank";
	default:
		return "Cannot read the superblocks";
	}
}

/* What a first activation would write, or why it would not */
static int region_layout(struct hibswap_region *r, const struct hibswap_geom *areas,
			 struct hibswap_geom *geom, struct hibswap_fault *fault)
{
	u64 ram_blocks = (u64)totalram_pages() * HIBSWAP_PAGE_BLOCKS;

	*geom = *areas;
	return hibswap_geom_init(geom, hibswap_default_extents(ram_blocks), fault);
}

/* Both the constructor's look and the activation's */
static int region_examine(struct hibswap_region *r, const struct hibswap_geom *areas,
			  bool read_only, struct hibswap_super *sb, char **error)
{
	struct hibswap_fault fault = {};
	struct hibswap_geom geom;
	int err;

	err = hibswap_meta_read_super(r, sb, &fault);
	if (err == -ENODATA) {
		err = region_layout(r, areas, &geom, &fault);
		if (err) {
			*error = "region_sectors: region is too small";
			DMERR("%s: region of %llu sectors is too small, least is %llu",
			      dm_device_name(r->md), fault.value, fault.limit);
			return err;
		}
		err = hibswap_meta_is_blank(r, &geom);
		if (err < 0) {
			*error = "Cannot read the region";
			return err;
		}
		if (!err) {
			*error = super_error(-ENODATA, &fault);
			return -EINVAL;
		}
		if (read_only) {
			*error = "Region is not formatted, and the table is read-only";
			return -EROFS;
		}
		return -ENODATA;
	}
	if (err) {
		*error = super_error(err, &fault);
		hibswap_super_complain(r, err, &fault);
		return err;
	}
	err = hibswap_geom_match(&sb->geom, areas, &fault);
	if (err) {
		*error = "Superblock disagrees with the table line";
		DMERR("%s: %s: superblock says %llu, table line %llu", dm_device_name(r->md),
		      fault.what, fault.value, fault.limit);
	}
	return err;
}

/**
 * hibswap_region_check - would activation work? Reads only.
 * @r: region
 * @areas: from the table line
 * @read_only: of the table
 * @error: why not
 *
 * Context: hibswap_lock held, may sleep.
 * Return: 0 or a negative errno.
 */
int hibswap_region_check(struct hibswap_region *r, const struct hibswap_geom *areas,
			 bool read_only, char **error)
{
	struct hibswap_super sb;
	int err = 0;

	mutex_lock(&r->mutex);
	/* With an image under way the disk is the image's; sb is current */
	if (r->activated && r->state != HIBSWAP_IDLE) {
		err = hibswap_geom_match(&r->sb.geom, areas, NULL);
		if (err)
			*error = "Superblock disagrees with the table line";
	} else {
		err = region_examine(r, areas, read_only, &sb, error);
		if (err == -ENODATA)
			err = 0;
	}
	mutex_unlock(&r->mutex);
	return err;
}

static int region_format(struct hibswap_region *r, const struct hibswap_geom *areas,
			 struct hibswap_super *sb)
{
	struct hibswap_fault fault = {};
	int err, i;

	memset(sb, 0, sizeof(*sb));
	err = region_layout(r, areas, &sb->geom, &fault);
	if (err)
		return err;
	sb->version = HIBSWAP_VERSION;
	sb->state = HIBSWAP_EMPTY;
	sb->image.page_size = PAGE_SIZE;
	hibswap_set_log_dirty(sb, 0);
	generate_random_uuid(sb->uuid);
	/* Copy B, then copy A */
	for (i = 1; i <= 2; i++) {
		sb->generation = i;
		err = hibswap_meta_write_super(r, sb);
		if (err)
			return err;
	}
	DMINFO("%s: region formatted: %llu MiB of log, maps of %llu extents",
	       dm_device_name(r->md), sb->geom.log_sectors >> 11,
	       hibswap_map_extents_max(&sb->geom));
	return 0;
}

static void region_activate_image(struct hibswap_region *r, const struct hibswap_super *sb)
{
	struct hibswap_fault fault = {};
	int named, err;

	named = hibswap_header_names_image(r, sb);
	if (named < 0) {
		hibswap_enter_blind(r, "the header page cannot be read", named);
		return;
	}
	if (named) {
		err = hibswap_load(r, sb, &fault);
		if (!err) {
			DMINFO("%s: image of %llu MiB found, generation %llu",
			       dm_device_name(r->md),
			       (sb->image.log_blocks + sb->image.in_place_blocks) >> 8,
			       sb->generation);
			return;
		}
		if (err != -EBADMSG && err != -EINVAL) {
			hibswap_enter_blind(r, fault.what, err);
			return;
		}
		DMWARN("%s: stale image, generation %llu: %s: found %llu, expected or limit %llu",
		       dm_device_name(r->md), sb->generation, fault.what, fault.value,
		       fault.limit);
	} else if (sb->image.page_size != PAGE_SIZE) {
		DMWARN("%s: stale image, generation %llu: written with pages of %u bytes",
		       dm_device_name(r->md), sb->generation, sb->image.page_size);
	} else {
		DMWARN("%s: stale image dropped, generation %llu: the header page does not name it",
		       dm_device_name(r->md), sb->generation);
	}
	/* If that fails the first write tries again */
	if (r->read_only || hibswap_invalidate(r)) {
		spin_lock(&r->lock);
		r->state = HIBSWAP_RESUMABLE;
		spin_unlock(&r->lock);
	}
	hibswap_event(r, HIBSWAP_EVENT_STALE);
}

/**
 * hibswap_region_activate - a table goes live
 * @r: region
 * @ti: the table's target
 * @ht: its table line
 * @read_only: nothing may be written
 *
 * Formats a blank region, loads the map of an image that the header page
 * names, drops one that it does not. A region on which something is going on
 * is left alone: the old table's destructor is still to come.
 *
 * Context: hibswap_lock held, device suspended, may sleep.
 * Return: 0 or a negative errno.
 */
int hibswap_region_activate(struct hibswap_region *r, struct dm_target *ti,
			    const struct hibswap_target *ht, bool read_only)
{
	const struct hibswap_geom *areas = &ht->areas;
	unsigned int noio = memalloc_noio_save();
	char *error = NULL;
	struct hibswap_super sb;
	int err = 0;

	mutex_lock(&r->mutex);
	if (r->ti != ti)
		WRITE_ONCE(r->failed, false);
	/* Even if this fails: then it is this table that is suspended */
	r->ti = ti;
	r->read_only = read_only;
	r->features = ht->features;
	if (r->state != HIBSWAP_IDLE || r->manual || r->log.cap)
		goto out;
	err = region_examine(r, areas, read_only, &sb, &error);
	if (err == -ENODATA)
		err = region_format(r, areas, &sb);
	if (err) {
		DMERR("%s: cannot activate: %s (error %d)", dm_device_name(r->md),
		      error ? error : "format failed", err);
		goto out;
	}
	r->sb = sb;
	spin_lock(&r->lock);
	r->geom = sb.geom;
	hibswap_log_init(&r->log, NULL, 0, sb.geom.log_sectors / HIBSWAP_BLOCK_SECTORS);
	spin_unlock(&r->lock);
	r->activated = true;
	if (sb.state == HIBSWAP_COMMITTED)
		region_activate_image(r, &sb);
	else if (r->unsure)
		hibswap_enter_blind(r, "a superblock cannot be read", -EIO);
out:
	mutex_unlock(&r->mutex);
	if (!err && hibswap_prepare_open && !r->log.cap)
		err = hibswap_region_prepare(r);
	if (!err)
		hibswap_window_offer(r);
	memalloc_noio_restore(noio);
	return err;
}
