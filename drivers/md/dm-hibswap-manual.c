// SPDX-License-Identifier: GPL-2.0-only
/*
 * The messages: an image without a hibernation, and an image dropped.
 */
#include "dm-hibswap.h"

/**
 * hibswap_region_begin - "image begin": write an image without hibernating
 * @r: region
 *
 * Context: hibswap_lock held, may sleep.
 * Return: 0; -EBUSY if an image is there or under way; other errnos.
 */
int hibswap_region_begin(struct hibswap_region *r)
{
	int err;

	if (hibswap_prepare_open || r->manual || r->state != HIBSWAP_IDLE || !r->activated)
		return -EBUSY;
	if (r->read_only)
		return -EROFS;
	err = hibswap_region_prepare(r);
	if (err)
		return err;
	if (r->state != HIBSWAP_IDLE)
		return -EBUSY;
	spin_lock(&r->lock);
	r->manual = true;
	r->state = HIBSWAP_ARMED;
	spin_unlock(&r->lock);
	return 0;
}

/**
 * hibswap_region_end - "image end": what a power-off would leave
 * @r: region
 *
 * A committed image whose signature stands stays, to be found like after a
 * boot; anything else is dropped.
 *
 * Context: hibswap_lock held, may sleep.
 * Return: 0; -EINVAL if there was no "image begin".
 */
int hibswap_region_end(struct hibswap_region *r)
{
	int err = 0;
	bool keep;

	if (!r->manual)
		return -EINVAL;
	/* Writes behind the signature that are waiting belong to the image */
	flush_work(&r->work);
	mutex_lock(&r->mutex);
	spin_lock(&r->lock);
	r->barrier = true;
	spin_unlock(&r->lock);
	wait_event(r->wait, !atomic_read(&r->in_flight));
	keep = r->state == HIBSWAP_COMMITTED_STATE && !r->was_unsigned;
	if (keep)
		hibswap_index_map(r);
	spin_lock(&r->lock);
	r->manual = false;
	r->barrier = false;
	if (keep)
		r->state = HIBSWAP_RESUMABLE;
	spin_unlock(&r->lock);
	if (!keep) {
		err = hibswap_invalidate(r);
		hibswap_release_log(r);
		/* As after a hibernation */
		if (err)
			hibswap_takeback_later(r, err);
	}
	r->event_committed = false;
	mutex_unlock(&r->mutex);
	if (!err)
		hibswap_event(r, keep ? HIBSWAP_EVENT_COMMITTED : HIBSWAP_EVENT_DROPPED);
	return err;
}

/**
 * hibswap_region_discard - "discard": drop the image that is on disk
 * @r: region
 *
 * Context: hibswap_lock held, may sleep.
 * Return: 0; -EBUSY while an image is being written; the I/O error.
 */
int hibswap_region_discard(struct hibswap_region *r)
{
	bool had;
	int err;

	if (!r->activated)
		return -EINVAL;
	if (hibswap_prepare_open || r->manual)
		return -EBUSY;
	if (r->read_only)
		return -EROFS;
	mutex_lock(&r->mutex);
	had = r->state == HIBSWAP_RESUMABLE;
	err = hibswap_invalidate(r);
	if (!err)
		hibswap_drop_map(r);
	mutex_unlock(&r->mutex);
	if (!err && had) {
		DMINFO("%s: image dropped on request", dm_device_name(r->md));
		hibswap_event(r, HIBSWAP_EVENT_DROPPED);
	}
	return err;
}
