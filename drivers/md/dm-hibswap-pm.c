// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the PM core tells a hibswap target, and when.
 *
 * Notifiers open and close the phases; tasks run then and I/O is possible. The
 * callbacks of a platform device come while everything is frozen: FREEZE and
 * QUIESCE call .freeze, THAW and RECOVER call .thaw, RESTORE calls .restore.
 * A failed snapshot ends in .restore, and so does a failed platform power-off
 * in the kernel that wrote the image; a failed restore ends in .thaw. So none
 * of them proves anything, and none of them does I/O: disks may be asleep.
 */
#include "dm-hibswap.h"

#include <linux/notifier.h>
#include <linux/platform_device.h>
#include <linux/suspend.h>

bool hibswap_prepare_open;
bool hibswap_restore_open;

static struct platform_device *hibswap_pdev;

static int pm_prepare(void)
{
	struct hibswap_region *r, *undo;
	int err = 0;

	/* Refuse before anything is dropped */
	list_for_each_entry(r, &hibswap_regions, node) {
		if (r->manual) {
			DMERR("%s: hibernation refused: \"image begin\" is active",
			      dm_device_name(r->md));
			return -EBUSY;
		}
	}
	list_for_each_entry(r, &hibswap_regions, node) {
		if (!r->ti)
			continue;
		err = hibswap_region_prepare(r);
		if (err)
			break;
	}
	if (!err) {
		WRITE_ONCE(hibswap_prepare_open, true);
		return 0;
	}
	/* Our own veto gets no PM_POST_HIBERNATION */
	list_for_each_entry(undo, &hibswap_regions, node) {
		if (undo == r)
			break;
		if (undo->ti)
			hibswap_region_unprepare(undo);
	}
	return err;
}

static void pm_post(void)
{
	struct hibswap_region *r;

	WRITE_ONCE(hibswap_prepare_open, false);
	list_for_each_entry(r, &hibswap_regions, node)
		if (r->ti)
			hibswap_region_post(r);
}

static void pm_post_restore(void)
{
	struct hibswap_region *r;

	WRITE_ONCE(hibswap_restore_open, false);
	list_for_each_entry(r, &hibswap_regions, node) {
		bool lost;

		spin_lock(&r->lock);
		if (r->state == HIBSWAP_ARMED && !r->manual)
			r->state = HIBSWAP_IDLE;
		if (r->state == HIBSWAP_IDLE)
			r->was_unsigned = false;
		lost = r->state == HIBSWAP_RESUMABLE && r->was_unsigned && !r->dropped;
		if (lost)
			r->dropped = true;
		spin_unlock(&r->lock);
		if (lost) {
			DMWARN("%s: image dropped, not resumed; its map stays until a write",
			       dm_device_name(r->md));
			hibswap_event(r, HIBSWAP_EVENT_DROPPED);
		}
	}
}

static int hibswap_pm_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	int err = 0;

	mutex_lock(&hibswap_lock);
	switch (event) {
	case PM_HIBERNATION_PREPARE:
		err = pm_prepare();
		break;
	case PM_POST_HIBERNATION:
		pm_post();
		break;
	case PM_RESTORE_PREPARE:
		WRITE_ONCE(hibswap_restore_open, true);
		break;
	case PM_POST_RESTORE:
		pm_post_restore();
		break;
	}
	mutex_unlock(&hibswap_lock);
	return notifier_from_errno(err);
}

static struct notifier_block hibswap_pm_nb = {
	.notifier_call = hibswap_pm_notify,
};

/* Nothing of ours may be under way when the snapshot is taken: it would run twice */
static bool region_is_busy(struct hibswap_region *r)
{
	if (dm_suspended(r->ti)) {
		DMERR("%s: hibernation refused: the device is suspended",
		      dm_device_name(r->md));
		return true;
	}
	if (READ_ONCE(r->nr_deferred) || atomic_read(&r->in_flight)) {
		DMERR("%s: hibernation refused: writes are under way", dm_device_name(r->md));
		return true;
	}
	/* An image was dropped since PREPARE, which had left its map's memory alone */
	if (r->state == HIBSWAP_IDLE && !r->log.cap && !r->read_only) {
		DMERR("%s: hibernation refused: no memory for a map", dm_device_name(r->md));
		return true;
	}
	return false;
}

static int hibswap_pm_freeze(struct device *dev)
{
	struct hibswap_region *r;
	int err = 0;

	mutex_lock(&hibswap_lock);
	list_for_each_entry(r, &hibswap_regions, node) {
		if (hibswap_prepare_open && r->ti && r->activated && region_is_busy(r)) {
			err = -EBUSY;
			break;
		}
		spin_lock(&r->lock);
		if (r->state != HIBSWAP_RESUMABLE && !r->manual)
			r->state = HIBSWAP_IDLE;
		spin_unlock(&r->lock);
	}
	mutex_unlock(&hibswap_lock);
	return err;
}

static int hibswap_pm_thaw(struct device *dev)
{
	struct hibswap_region *r;

	mutex_lock(&hibswap_lock);
	list_for_each_entry(r, &hibswap_regions, node) {
		spin_lock(&r->lock);
		/* What a failed restore was reading is not an image to go on with */
		if (hibswap_prepare_open && r->ti && !r->read_only &&
		    r->state == HIBSWAP_IDLE && r->log.cap) {
			hibswap_log_reset(&r->log);
			r->was_unsigned = false;
			r->state = HIBSWAP_ARMED;
		}
		spin_unlock(&r->lock);
	}
	mutex_unlock(&hibswap_lock);
	return 0;
}

/* An image nobody signed, and the machine is going off: say why it will be lost */
static void warn_unsigned(void)
{
	struct hibswap_region *r;

	/* Tables may still come and go at an ordinary shutdown: then look away */
	if (!mutex_trylock(&hibswap_lock))
		return;
	list_for_each_entry(r, &hibswap_regions, node)
		if (r->state == HIBSWAP_IMAGE && !r->manual && r->log.nr)
			DMERR("%s: image lost: nothing has signed the first page of this device",
			      dm_device_name(r->md));
	mutex_unlock(&hibswap_lock);
}

static int hibswap_pm_poweroff(struct device *dev)
{
	warn_unsigned();
	return 0;
}

/* Disks are still there. After a boot it would be too late to take an image back */
static void take_back(void)
{
	struct hibswap_region *r;

	if (!mutex_trylock(&hibswap_lock))
		return;
	list_for_each_entry(r, &hibswap_regions, node)
		hibswap_takeback_now(r);
	mutex_unlock(&hibswap_lock);
}

static void hibswap_shutdown(struct platform_device *pdev)
{
	take_back();
	warn_unsigned();
}

static const struct dev_pm_ops hibswap_pm_ops = {
	.freeze = hibswap_pm_freeze,
	.thaw = hibswap_pm_thaw,
	.poweroff = hibswap_pm_poweroff,
};

static struct platform_driver hibswap_driver = {
	.shutdown = hibswap_shutdown,
	.driver = {
		.name = "hibswap",
		.pm = pm_sleep_ptr(&hibswap_pm_ops),
		/* Without the callbacks images would be lost: no unbinding */
		.suppress_bind_attrs = true,
	},
};

/* A driver is bound, and so gets its callbacks, only if it can probe */
static int hibswap_probe(struct platform_device *pdev)
{
	return 0;
}

/**
 * hibswap_pm_init - listen to the PM core
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int hibswap_pm_init(void)
{
	int err;

	hibswap_pdev = platform_create_bundle(&hibswap_driver, hibswap_probe, NULL, 0, NULL, 0);
	if (IS_ERR(hibswap_pdev))
		return PTR_ERR(hibswap_pdev);
	err = register_pm_notifier(&hibswap_pm_nb);
	if (err) {
		platform_device_unregister(hibswap_pdev);
		platform_driver_unregister(&hibswap_driver);
	}
	return err;
}

/**
 * hibswap_pm_exit - stop listening
 *
 * Context: may sleep.
 */
void hibswap_pm_exit(void)
{
	unregister_pm_notifier(&hibswap_pm_nb);
	platform_device_unregister(hibswap_pdev);
	platform_driver_unregister(&hibswap_driver);
}
