// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mapped device, through libdevmapper.
 *
 * Where udev runs, the steps that it reacts to are done under a cookie, so
 * that /dev/mapper/NAME is there (or gone) when dmhib returns. Where it does
 * not, as in many an initramfs, libdevmapper makes the node itself.
 */
#include "dm.h"
#include "inuse.h"
#include "kmsg.h"

#include <libdevmapper.h>
#include <stdarg.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* libdevmapper's own words are for --debug: ours name the thing */
static void log_line(int level, const char *file, int line, int dm_errno, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	(void)file;
	(void)line;
	(void)dm_errno;
	/* The low bits are the level; 7 is its own debugging */
	if (!opts.debug || (level & 7) > 6)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	msg_debug("libdevmapper: %s", text);
}

/**
 * dm_start - set the library up, see whether the kernel answers
 *
 * Return: an exit code.
 */
int dm_start(void)
{
	char version[64];

	dm_log_with_errno_init(log_line);
	dm_udev_set_sync_support(1);
	if (dm_driver_version(version, sizeof(version))) {
		msg_debug("device-mapper %s, udev synchronisation %s", version,
			  dm_udev_get_sync_support() ? "on" : "off");
		return E_OK;
	}
	if (geteuid()) {
		msg_err("cannot talk to device-mapper: this needs root");
		return E_PERM;
	}
	msg_err("cannot talk to device-mapper: \"modprobe dm_mod\"");
	return E_NOTARGET;
}

/**
 * dm_name_check - is it a name for a mapped device?
 * @name: may be given as /dev/mapper/NAME; set to the name alone
 *
 * Return: an exit code.
 */
int dm_name_check(const char **name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789#+-.:=@_";
	static const char dir[] = "/dev/mapper/";
	const char *n = *name;

	if (!strncmp(n, dir, sizeof(dir) - 1))
		n += sizeof(dir) - 1;
	if (!*n || n[strspn(n, good)] || !strcmp(n, ".") || !strcmp(n, "..") ||
	    !strcmp(n, "control") || strlen(n) > DM_NAME_MAX) {
		msg_err("\"%s\" cannot be the name of a mapped device", *name);
		msg_more("up to %d letters, digits and #+-.:=@_", DM_NAME_MAX);
		return E_PARAM;
	}
	*name = n;
	return E_OK;
}

static int no_memory(void)
{
	msg_err("out of memory");
	return E_MEM;
}

/* A task for a device, run; NULL and *err if it fails */
static struct dm_task *task_run(int type, const char *name, int *err)
{
	struct dm_task *t = dm_task_create(type);

	*err = 0;
	if (t && dm_task_set_name(t, name) && dm_task_run(t))
		return t;
	*err = t && dm_task_get_errno(t) ? -dm_task_get_errno(t) : -EIO;
	if (t)
		dm_task_destroy(t);
	return NULL;
}

/**
 * dm_find - is there a mapped device of this name?
 * @name: its name
 * @m: filled in, without the table
 *
 * Return: an exit code; E_OK also if there is none.
 */
int dm_find(const char *name, struct mapped *m)
{
	struct dm_task *t;
	struct dm_info info;
	const char *uuid;
	int err;

	memset(m, 0, sizeof(*m));
	snprintf(m->path, sizeof(m->path), "%s/%s", dm_dir(), name);
	t = task_run(DM_DEVICE_INFO, name, &err);
	if (!t || !dm_task_get_info(t, &info)) {
		msg_err("cannot ask device-mapper for %s: %s", name, strerror(-err));
		if (t)
			dm_task_destroy(t);
		return exit_from_errno(err);
	}
	m->exists = info.exists;
	if (info.exists) {
		uuid = dm_task_get_uuid(t);
		snprintf(m->uuid, sizeof(m->uuid), "%s", uuid ? uuid : "");
		m->rdev = makedev(info.major, info.minor);
		m->open_count = info.open_count;
		m->readonly = info.read_only;
		m->suspended = info.suspended;
		m->deferred = info.deferred_remove;
	}
	dm_task_destroy(t);
	return E_OK;
}

static int get_target(const char *name, int type, struct mapped *m, char *buf, size_t len)
{
	u64 start, sectors;
	char *target = NULL, *params = NULL;
	struct dm_task *t;
	void *next;
	int err;

	t = task_run(type, name, &err);
	if (!t)
		return err;
	next = dm_get_next_target(t, NULL, &start, &sectors, &target, &params);
	m->target[0] = '\0';
	buf[0] = '\0';
	if (!next && !start && target) {
		m->sectors = sectors;
		snprintf(m->target, sizeof(m->target), "%s", target);
		snprintf(buf, len, "%s", params ? params : "");
	}
	dm_task_destroy(t);
	return 0;
}

/**
 * dm_find_table - as dm_find(), with table and status
 * @name: its name
 * @m: filled in
 *
 * Return: an exit code.
 */
int dm_find_table(const char *name, struct mapped *m)
{
	int rc = dm_find(name, m), err;

	if (rc || !m->exists)
		return rc;
	err = get_target(name, DM_DEVICE_TABLE, m, m->table, sizeof(m->table));
	if (!err)
		err = get_target(name, DM_DEVICE_STATUS, m, m->status, sizeof(m->status));
	if (err)
		msg_err("cannot read the table of %s: %s", m->path, strerror(-err));
	return exit_from_errno(err);
}

/* Also makes the kernel ask for the module */
static bool have_target(void)
{
	struct dm_task *t;
	bool ok;
	int err;

	t = task_run(DM_DEVICE_GET_TARGET_VERSION, DM_TARGET, &err);
	ok = t;
	if (t)
		dm_task_destroy(t);
	return ok;
}

/**
 * dm_need_target - see to it that the kernel has the target
 *
 * Return: an exit code.
 */
int dm_need_target(void)
{
	if (have_target())
		return E_OK;
	msg_err("the kernel has no hibswap target: \"modprobe dm-hibswap-mod\"");
	return E_NOTARGET;
}

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
	return err == -ENOMEM ? no_memory() : exit_from_errno(err);
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
		return no_memory();
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
