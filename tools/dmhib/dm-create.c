// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making and removing the mapped device, through libdevmapper.
 *
 * Where udev runs, the steps that it reacts to are done under a cookie, so
 * that /dev/mapper/NAME is there (or gone) when dmhib returns. Where it does
 * not, as in many an initramfs, libdevmapper makes the node itself.
 */
#include "dm.h"
#include "inuse.h"
#include "kmsg.h"

#include <libdevmapper.h>
#include <unistd.h>

/* The udev rules react to this one: wait for them */
static int run_with_udev(struct dm_task *t)
{
	uint32_t cookie = 0;
	int ok = 1, err = 0;

	if (dm_udev_get_sync_support())
		ok = dm_task_set_cookie(t, &cookie, 0);
	if (ok)
		ok = dm_task_run(t);
	if (!ok)
		err = dm_task_get_errno(t) ? -dm_task_get_errno(t) : -EIO;
	if (cookie)
		dm_udev_wait(cookie);
	else
		dm_task_update_nodes();
	return err;
}

static int create_empty(const char *name, const char *uuid, bool readonly)
{
	struct dm_task *t = dm_task_create(DM_DEVICE_CREATE);
	int err = 0;

	if (!t)
		return -ENOMEM;
	if (!dm_task_set_name(t, name) || !dm_task_set_uuid(t, uuid) ||
	    (readonly && !dm_task_set_ro(t)))
		err = -EINVAL;
	else if (!dm_task_run(t))
		err = dm_task_get_errno(t) ? -dm_task_get_errno(t) : -EIO;
	dm_task_destroy(t);
	return err;
}

static int load(const char *name, u64 sectors, const char *args, bool readonly)
{
	struct dm_task *t = dm_task_create(DM_DEVICE_RELOAD);
	int err = 0;

	if (!t)
		return -ENOMEM;
	if (!dm_task_set_name(t, name) || (readonly && !dm_task_set_ro(t)) ||
	    !dm_task_add_target(t, 0, sectors, DM_TARGET, args))
		err = -EINVAL;
	else if (!dm_task_run(t))
		err = dm_task_get_errno(t) ? -dm_task_get_errno(t) : -EIO;
	dm_task_destroy(t);
	return err;
}

static int resume(const char *name)
{
	struct dm_task *t = dm_task_create(DM_DEVICE_RESUME);
	int err = -ENOMEM;

	if (!t)
		return err;
	if (dm_task_set_name(t, name))
		err = run_with_udev(t);
	dm_task_destroy(t);
	return err;
}

/**
 * dm_create - make a mapped device with one hibswap target
 * @name: its name, free a moment ago
 * @uuid: its DM_UUID
 * @sectors: its length
 * @args: the target's arguments
 * @readonly: the table is
 * @below: the device that it lies on, for messages
 *
 * In single steps: done in one, libdevmapper forgets why it failed.
 *
 * Return: an exit code.
 */
int dm_create(const char *name, const char *uuid, u64 sectors, const char *args,
	      bool readonly, dev_t below)
{
	int err, kmsg = kmsg_begin();

	msg_debug("table: 0 %llu %s %s", (unsigned long long)sectors, DM_TARGET, args);
	err = create_empty(name, uuid, readonly);
	if (err) {
		msg_err("cannot create /dev/mapper/%s: %s", name, strerror(-err));
		/* The name was free, so another device has this UUID */
		if (err == -EBUSY)
			msg_more("a mapped device with this UUID exists already");
		goto out;
	}
	err = load(name, sectors, args, readonly);
	if (!err)
		err = resume(name);
	if (!err) {
		if (kmsg >= 0)
			close(kmsg);
		return E_OK;
	}
	/* EBUSY is the target's, for a region in use, or dm's, for the device */
	msg_err("the kernel does not open it: %s", strerror(-err));
	if (err == -EBUSY)
		inuse_say(below);
	kmsg_say(kmsg, "device-mapper");
	kmsg = -1;
	dm_remove(name, false);
out:
	if (kmsg >= 0)
		close(kmsg);
	return err == -ENOMEM ? dm_no_memory() : exit_from_errno(err);
}

/* libdevmapper takes the node away also of a device that is to stay a while */
static void keep_node(const char *name)
{
	struct mapped m;

	if (!dm_find(name, &m) && m.exists)
		dm_mknodes(name);
}

/**
 * dm_remove - remove a mapped device
 * @name: its name
 * @deferred: when it is in use, then as soon as it is no more
 *
 * Return: an exit code.
 */
int dm_remove(const char *name, bool deferred)
{
	struct dm_task *t = dm_task_create(DM_DEVICE_REMOVE);
	int err;

	if (!t)
		return dm_no_memory();
	/* udev has a short look at everything: try again for a while */
	if (!dm_task_set_name(t, name) ||
	    !(deferred ? dm_task_deferred_remove(t) : dm_task_retry_remove(t)))
		err = -EINVAL;
	else
		err = run_with_udev(t);
	dm_task_destroy(t);
	if (err)
		msg_err("cannot remove /dev/mapper/%s: %s", name, strerror(-err));
	else if (deferred)
		keep_node(name);
	return exit_from_errno(err);
}
