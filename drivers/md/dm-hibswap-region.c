// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions: their list, birth and death. What happens to them in between is in
 * dm-hibswap-activate.c, -phase.c and -manual.c.
 */
#include "dm-hibswap.h"

#include <linux/dm-io.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

/* The list of regions and the PM phases: see dm-hibswap.h */
DEFINE_MUTEX(hibswap_lock);
LIST_HEAD(hibswap_regions);

/* Where an area lies on the whole disk, so that partitions can be compared */
static bool areas_overlap(u64 a, u64 a_len, u64 b, u64 b_len)
{
	return a < b + b_len && b < a + a_len;
}

static bool geoms_collide(const struct hibswap_region *r, struct block_device *bdev,
			  const struct hibswap_geom *areas)
{
	const struct hibswap_geom *g = &r->geom;
	u64 base = get_start_sect(r->bdev), other = get_start_sect(bdev);
	u64 r_start = base + g->region_start, d_start = base + g->data_start;
	u64 a_region = other + areas->region_start, a_data = other + areas->data_start;

	if (r->bdev->bd_disk != bdev->bd_disk)
		return false;
	return areas_overlap(r_start, g->region_sectors, a_region, areas->region_sectors) ||
	       areas_overlap(r_start, g->region_sectors, a_data, areas->data_sectors) ||
	       areas_overlap(d_start, g->data_sectors, a_region, areas->region_sectors) ||
	       areas_overlap(d_start, g->data_sectors, a_data, areas->data_sectors);
}

static void region_free(struct hibswap_region *r)
{
	if (!IS_ERR_OR_NULL(r->io))
		dm_io_client_destroy(r->io);
	hibswap_sums_put(r->sums);
	vfree(r->log.ext);
	vfree(r->map_buf);
	kfree(r->page);
	kfree(r->block);
	kfree(r);
}

static struct hibswap_region *region_alloc(void)
{
	struct hibswap_region *r = kzalloc_obj(*r, GFP_KERNEL);

	if (!r)
		return NULL;
	mutex_init(&r->mutex);
	spin_lock_init(&r->lock);
	bio_list_init(&r->deferred);
	init_waitqueue_head(&r->wait);
	INIT_WORK(&r->work, hibswap_work);
	INIT_WORK(&r->event_work, hibswap_event_work);
	INIT_WORK(&r->erase_work, hibswap_erase_work);
	INIT_DELAYED_WORK(&r->takeback_work, hibswap_takeback_work);
	r->block = kmalloc(HIBSWAP_BLOCK_SIZE, GFP_KERNEL);
	r->page = kmalloc(PAGE_SIZE, GFP_KERNEL);
	r->map_buf = vmalloc(HIBSWAP_MAP_BUF_SIZE);
	r->io = dm_io_client_create();
	if (!r->block || !r->page || !r->map_buf || IS_ERR(r->io)) {
		region_free(r);
		return NULL;
	}
	return r;
}

/**
 * hibswap_region_get - find or make the region of a table line
 * @ti: target under construction
 * @bdev: the device below
 * @areas: from the table line, checked
 *
 * Context: hibswap_lock held, may sleep.
 * Return: the region; -EBUSY if another mapped device uses it, or any of the
 * same sectors; -ETXTBSY if an image is in the way of a new layout; -ENOMEM.
 */
struct hibswap_region *hibswap_region_get(struct dm_target *ti, struct block_device *bdev,
					  const struct hibswap_geom *areas)
{
	struct mapped_device *md = dm_table_get_md(ti->table);
	struct hibswap_region *r, *found = NULL;

	list_for_each_entry(r, &hibswap_regions, node) {
		if (!geoms_collide(r, bdev, areas))
			continue;
		if (r->md != md) {
			DMERR("%s: region or data overlap those of %s", dm_device_name(md),
			      dm_device_name(r->md));
			return ERR_PTR(-EBUSY);
		}
		if (r->bdev == bdev && r->geom.region_start == areas->region_start &&
		    r->geom.region_sectors == areas->region_sectors &&
		    r->geom.data_start == areas->data_start)
			found = r;
		else if (r->state != HIBSWAP_IDLE)
			return ERR_PTR(-ETXTBSY);
	}
	if (!found) {
		found = region_alloc();
		if (!found)
			return ERR_PTR(-ENOMEM);
		found->md = md;
		found->bdev = bdev;
		found->geom = *areas;
		list_add_tail(&found->node, &hibswap_regions);
	}
	found->users++;
	return found;
}

/**
 * hibswap_region_data_sectors - length of the data behind a table's length
 * @ti: target under construction
 * @bdev: the device below
 * @areas: from the table line; data_sectors is ti->len
 *
 * Return: the superblock's data_sectors, if ti->len is that and the window;
 * ti->len otherwise, whatever is wrong with it.
 */
u64 hibswap_region_data_sectors(struct dm_target *ti, struct block_device *bdev,
				const struct hibswap_geom *areas)
{
	struct hibswap_region *r = region_alloc();
	struct hibswap_super sb;
	u64 sectors = ti->len;

	if (!r)
		return sectors;
	r->md = dm_table_get_md(ti->table);
	r->bdev = bdev;
	r->geom = *areas;
	if (areas->region_sectors >= HIBSWAP_SUPER_GAP + HIBSWAP_BLOCK_SECTORS &&
	    !hibswap_meta_read_super(r, &sb, NULL) &&
	    ti->len == sb.geom.data_sectors + sb.geom.window_sectors)
		sectors = sb.geom.data_sectors;
	region_free(r);
	return sectors;
}

/**
 * hibswap_region_put - a table line goes away
 * @r: its region
 * @ti: its target
 *
 * Writes nothing: a newer table may be live already.
 *
 * Context: hibswap_lock held.
 * Return: the region if this was its last user, to be destroyed without the
 * lock; NULL otherwise.
 */
struct hibswap_region *hibswap_region_put(struct hibswap_region *r, struct dm_target *ti)
{
	if (r->ti == ti) {
		r->ti = NULL;
		hibswap_window_withdraw(r);
	}
	if (--r->users)
		return NULL;
	list_del(&r->node);
	return r;
}

/**
 * hibswap_region_destroy - free a region that is in nobody's use
 * @r: what hibswap_region_put() returned, may be NULL
 *
 * Context: no lock held, may sleep.
 */
void hibswap_region_destroy(struct hibswap_region *r)
{
	if (!r)
		return;
	/* dm has waited for all bios; the worker may still be on its way out */
	flush_work(&r->work);
	cancel_delayed_work_sync(&r->takeback_work);
	cancel_work_sync(&r->erase_work);
	cancel_work_sync(&r->event_work);
	region_free(r);
}
