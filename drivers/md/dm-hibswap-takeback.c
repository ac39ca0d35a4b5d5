// SPDX-License-Identifier: GPL-2.0-only
/*
 * An image that is over and could not be taken back.
 *
 * Neither superblock could be written, nor the header page: the disk is away. The
 * first write to the device tries again, before it is carried out. But it may be long
 * until somebody writes to swap, while the file systems change on other disks; and a
 * boot in the meantime would find that image and resume it. So it is tried from time
 * to time as well, less and less often, and when device or machine are shut down.
 */
#include "dm-hibswap.h"

#include <linux/sched/mm.h>

#define FIRST_S		5
#define LAST_S		640

/* Not between a hibernation's phases: they do the same, and know more */
static bool may_take_back(const struct hibswap_region *r)
{
	return r->ti && r->activated && !r->read_only && !READ_ONCE(r->held) && !r->manual &&
	       !READ_ONCE(hibswap_prepare_open) && !READ_ONCE(hibswap_restore_open);
}

/**
 * hibswap_takeback_now - try to take it back, if there is one
 * @r: region
 *
 * Context: may sleep, region->mutex not held.
 */
void hibswap_takeback_now(struct hibswap_region *r)
{
	unsigned int noio = memalloc_noio_save();
	bool over = false, dropped = false;

	mutex_lock(&r->mutex);
	if (r->takeback_s && may_take_back(r)) {
		over = !hibswap_region_settle(r);
		dropped = over && r->state == HIBSWAP_IDLE;
		r->takeback_s = over ? 0 : min(2 * r->takeback_s, LAST_S);
	}
	mutex_unlock(&r->mutex);
	memalloc_noio_restore(noio);
	if (!over || hibswap_tell_resumed(r) || !dropped)
		return;
	DMINFO("%s: image dropped: it is taken back now", dm_device_name(r->md));
	hibswap_event(r, HIBSWAP_EVENT_DROPPED);
}

/* Again after @takeback_s, if there is something to take back; mutex held */
static void queue_next(struct hibswap_region *r)
{
	if (r->takeback_s)
		mod_delayed_work(system_freezable_wq, &r->takeback_work, r->takeback_s * HZ);
}

/**
 * hibswap_takeback_work - try to take it back, and again later
 * @work: the region's takeback_work
 *
 * On a freezable workqueue, and cancelled while the device is suspended.
 */
void hibswap_takeback_work(struct work_struct *work)
{
	struct hibswap_region *r = container_of(to_delayed_work(work), struct hibswap_region,
						takeback_work);

	hibswap_takeback_now(r);
	mutex_lock(&r->mutex);
	queue_next(r);
	mutex_unlock(&r->mutex);
}

/**
 * hibswap_takeback_later - an image is over, and could not be taken back
 * @r: region, mutex held, IDLE
 * @err: why
 *
 * Leaves RESUMABLE without a map, as after a boot on such a disk.
 */
void hibswap_takeback_later(struct hibswap_region *r, int err)
{
	hibswap_enter_blind(r, "it could not be taken back", err);
	r->takeback_s = FIRST_S;
	queue_next(r);
}

/**
 * hibswap_takeback_hold - the device is being suspended: leave the disk alone
 * @r: region, with @held set
 *
 * Context: may sleep, no lock held.
 */
void hibswap_takeback_hold(struct hibswap_region *r)
{
	cancel_delayed_work_sync(&r->takeback_work);
}

/**
 * hibswap_takeback_release - the device has been resumed
 * @r: region, with @held clear
 *
 * Context: may sleep.
 */
void hibswap_takeback_release(struct hibswap_region *r)
{
	mutex_lock(&r->mutex);
	queue_next(r);
	mutex_unlock(&r->mutex);
}
