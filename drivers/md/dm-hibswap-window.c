// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window, offered to hibernation.
 *
 *	logical | data: what swap may use | window: only an image |
 *
 * Swap does not know of the window. Hibernation asks who has one on the
 * device that it is about to write to, and takes its slots from there first.
 * It asks each time and remembers nothing, since tables come and go; so a
 * region is listed while a table over it is live, under the mapped device's
 * number, and the answer is made up when the question comes.
 *
 * What is written to the window has no other place than the log. An image
 * fills the window before it takes slots of the data, so the log suffices if
 * no more is offered than it can take now.
 */
#include "dm-hibswap.h"

#include <linux/blkdev.h>

/* Sectors of the log that an image written from now on would find free */
static u64 log_left_locked(struct hibswap_region *r)
{
	switch (r->state) {
	case HIBSWAP_IDLE:
		/* No image goes to the log now; it is too late for this one */
		if (hibswap_image_phase(r))
			return 0;
		return r->geom.log_sectors;
	case HIBSWAP_ARMED:
		return r->geom.log_sectors;
	case HIBSWAP_IMAGE:
	case HIBSWAP_COMMITTED_STATE:
		/* Behind what lies in place, or is over, nothing is appended */
		if (r->log.in_place || r->was_unsigned)
			return 0;
		return (r->log.room - r->log.used) * HIBSWAP_BLOCK_SECTORS;
	case HIBSWAP_RESUMABLE:
		break;
	}
	return 0;
}

/* Under the registry's mutex: takes no lock of ours but the spinlock */
static int window_query(struct hibernate_window_provider *p, struct hibernate_window *w)
{
	struct hibswap_region *r = container_of(p, struct hibswap_region, window);
	u64 shown = get_capacity(dm_disk(r->md));
	u64 data = r->geom.data_sectors;
	u64 nr;

	/* A table as long as the data shows no window: swap may give one */
	if (!r->geom.window_sectors || shown <= data)
		return -ENODEV;

	spin_lock(&r->lock);
	nr = READ_ONCE(r->read_only) || READ_ONCE(r->failed) ? 0 :
		min(r->geom.window_sectors, log_left_locked(r));
	spin_unlock(&r->lock);

	*w = (struct hibernate_window){
		.data_sectors = data,
		.start = data,
		.nr_sectors = min(nr, shown - data),
	};
	return 0;
}

/**
 * hibswap_window_offer - a table over this region is live
 * @r: region, activated
 *
 * Takes the place of the region that the mapped device had before: its old
 * table is still to be destroyed. May be called again.
 *
 * Context: hibswap_lock held, may sleep.
 */
void hibswap_window_offer(struct hibswap_region *r)
{
	struct hibswap_region *old;
	int err;

	list_for_each_entry(old, &hibswap_regions, node)
		if (old != r && old->md == r->md)
			hibswap_window_withdraw(old);
	if (r->offered)
		return;
	r->window.dev = disk_devt(dm_disk(r->md));
	r->window.query = window_query;
	err = hibernate_window_register(&r->window);
	if (err)
		DMWARN("%s: hibernation will not use the window: error %d",
		       dm_device_name(r->md), err);
	r->offered = !err;
}

/**
 * hibswap_window_withdraw - no table over this region is live
 * @r: region
 *
 * Nobody asks any more when this returns. May be called again.
 *
 * Context: hibswap_lock held, may sleep.
 */
void hibswap_window_withdraw(struct hibswap_region *r)
{
	if (r->offered)
		hibernate_window_unregister(&r->window);
	r->offered = false;
}
