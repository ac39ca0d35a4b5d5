// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mapped device, through libdevmapper: what there is, and messages to it.
 * dm-create.c makes it and removes it.
 */
#include "dm.h"

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
 * dm_answers - set the library up, see whether the kernel answers
 *
 * Return: whether it does.
 */
bool dm_answers(void)
{
	char version[64];

	dm_log_with_errno_init(log_line);
	dm_udev_set_sync_support(1);
	if (!dm_driver_version(version, sizeof(version)))
		return false;
	msg_debug("device-mapper %s, udev synchronisation %s", version,
		  dm_udev_get_sync_support() ? "on" : "off");
	return true;
}

/**
 * dm_start - as dm_answers(), and say why not
 *
 * Return: an exit code.
 */
int dm_start(void)
{
	if (dm_answers())
		return E_OK;
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
	static const char dir[] = "/dev/mapper/";
	const char *n = *name;

	if (!strncmp(n, dir, sizeof(dir) - 1))
		n += sizeof(dir) - 1;
	if (!mapped_name_ok(n)) {
		msg_err("\"%s\" cannot be the name of a mapped device", *name);
		msg_more("up to %d letters, digits and #+-.:=@_, not beginning with -", DM_NAME_MAX);
		return E_PARAM;
	}
	*name = n;
	return E_OK;
}

/** dm_no_memory - say so; the exit code */
int dm_no_memory(void)
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

static bool is_ours(const char *name)
{
	struct mapped m;

	return !get_target(name, DM_DEVICE_TABLE, &m, m.table, sizeof(m.table)) &&
	       !strcmp(m.target, DM_TARGET);
}

/**
 * dm_list - the names of all hibswap devices
 * @names: set to an array; it and every name are to be freed
 * @nr: set to how many there are
 *
 * Return: an exit code.
 */
int dm_list(char ***names, unsigned int *nr)
{
	struct dm_task *t = dm_task_create(DM_DEVICE_LIST);
	struct dm_names *n;
	unsigned int next = 0;
	char *copy;

	*names = NULL;
	*nr = 0;
	if (!t)
		return dm_no_memory();
	n = dm_task_run(t) ? dm_task_get_names(t) : NULL;
	if (!n) {
		msg_err("cannot ask device-mapper for its devices: %s",
			strerror(dm_task_get_errno(t)));
		dm_task_destroy(t);
		return E_DEVICE;
	}
	/* Without any device there is one entry, without a number */
	do {
		n = (void *)((char *)n + next);
		next = n->next;
		if (!n->dev || !is_ours(n->name))
			continue;
		*names = reallocarray(*names, *nr + 1, sizeof(**names));
		copy = strdup(n->name);
		if (!*names || !copy)
			exit(dm_no_memory());
		(*names)[(*nr)++] = copy;
	} while (next);
	dm_task_destroy(t);
	return E_OK;
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

/**
 * dm_message - send a message to the target
 * @name: the mapped device
 * @text: the message
 *
 * Return: 0 or a negative errno.
 */
int dm_message(const char *name, const char *text)
{
	struct dm_task *t = dm_task_create(DM_DEVICE_TARGET_MSG);
	int err = 0;

	if (!t)
		return -ENOMEM;
	if (!dm_task_set_name(t, name) || !dm_task_set_sector(t, 0) ||
	    !dm_task_set_message(t, text))
		err = -EINVAL;
	else if (!dm_task_run(t))
		err = dm_task_get_errno(t) ? -dm_task_get_errno(t) : -EIO;
	dm_task_destroy(t);
	return err;
}
