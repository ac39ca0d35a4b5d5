// SPDX-License-Identifier: GPL-2.0-only
/*
 * What user space is told: that an image has come or gone, and fail mode.
 */
#include "dm-hibswap.h"

#include <linux/kobject.h>

/**
 * hibswap_event_work - send what waits
 * @work: the region's event_work
 *
 * On a freezable workqueue: there is nobody to tell before tasks are thawed.
 */
void hibswap_event_work(struct work_struct *work)
{
	struct hibswap_region *r = container_of(work, struct hibswap_region, event_work);
	static const char * const names[] = {
		[HIBSWAP_EVENT_FAILED] = "HIBSWAP_MODE=fail",
		[HIBSWAP_EVENT_COMMITTED] = "HIBSWAP_IMAGE=committed",
		[HIBSWAP_EVENT_RESUMED] = "HIBSWAP_IMAGE=resumed",
		[HIBSWAP_EVENT_STALE] = "HIBSWAP_IMAGE=stale",
		[HIBSWAP_EVENT_DROPPED] = "HIBSWAP_IMAGE=dropped",
		[HIBSWAP_EVENT_ERASED] = "HIBSWAP_LOG=erased",
	};
	unsigned long events;
	unsigned int i;

	spin_lock(&r->lock);
	events = r->events;
	r->events = 0;
	spin_unlock(&r->lock);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char text[40];
		char *env[2] = { text };

		if (!(events & BIT(i)))
			continue;
		strscpy(text, names[i], sizeof(text));
		kobject_uevent_env(&disk_to_dev(dm_disk(r->md))->kobj, KOBJ_CHANGE, env);
	}
	mutex_lock(&hibswap_lock);
	if (events && r->ti)
		dm_table_event(r->ti->table);
	mutex_unlock(&hibswap_lock);
}

/**
 * hibswap_event - tell user space that an image has come or gone
 * @r: region
 * @event: which; several that wait are sent in the order of the enumeration
 *
 * Does not wait, and allocates nothing here.
 *
 * Context: process, any lock but region->lock.
 */
void hibswap_event(struct hibswap_region *r, enum hibswap_event event)
{
	spin_lock(&r->lock);
	r->events |= BIT(event);
	spin_unlock(&r->lock);
	queue_work(system_freezable_wq, &r->event_work);
}

/**
 * hibswap_fail - metadata cannot be written: no more images
 * @r: region, mutex held
 * @sector: where on the device below
 * @err: the error
 *
 * Until a table is loaded anew. Swap goes on, and an image that is there can be
 * read and can be taken back.
 */
void hibswap_fail(struct hibswap_region *r, u64 sector, int err)
{
	DMERR_LIMIT("%s: metadata cannot be written at sector %llu: error %d%s",
		    dm_device_name(r->md), sector, err,
		    r->failed ? "" : ": no more images until the table is reloaded");
	if (r->failed)
		return;
	WRITE_ONCE(r->failed, true);
	hibswap_event(r, HIBSWAP_EVENT_FAILED);
}
