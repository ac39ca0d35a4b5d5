// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block devices and what they lie on, by sysfs alone: no device is opened, and
 * a made-up machine is as good as a real one.
 */
#include "stack.h"
#include "sysroot.h"

#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#define DEPTH_MAX	16

/**
 * block_get - a device by the kernel's name
 * @name: as in /sys/class/block
 * @b: filled in
 *
 * Return: whether there is one.
 */
bool block_get(const char *name, struct block *b)
{
	char path[PATH_MAX];

	memset(b, 0, sizeof(*b));
	snprintf(b->name, sizeof(b->name), "%s", name);
	snprintf(path, sizeof(path), "/sys/class/block/%s/dev", name);
	if (!sysroot_line(path, b->dev, sizeof(b->dev)))
		return false;
	snprintf(path, sizeof(path), "/sys/class/block/%s/size", name);
	sysroot_u64(path, &b->sectors);
	snprintf(path, sizeof(path), "/sys/class/block/%s/dm/name", name);
	sysroot_line(path, b->dm_name, sizeof(b->dm_name));
	snprintf(path, sizeof(path), "/sys/class/block/%s/dm/uuid", name);
	sysroot_line(path, b->dm_uuid, sizeof(b->dm_uuid));
	return true;
}

static bool each_in(const char *dir, block_fn fn, void *arg)
{
	char path[PATH_MAX];
	struct block b;
	struct dirent *d;
	bool stop = false;
	DIR *f = opendir(sysroot_path(path, sizeof(path), "%s", dir));

	if (!f)
		return false;
	while (!stop && (d = readdir(f)))
		if (d->d_name[0] != '.' && block_get(d->d_name, &b))
			stop = fn(&b, arg);
	closedir(f);
	return stop;
}

/** block_each - call @fn for each device until it says true; whether it did */
bool block_each(block_fn fn, void *arg)
{
	return each_in("/sys/class/block", fn, arg);
}

struct search {
	const char *want;
	struct block *found;
};

static bool has_number(const struct block *b, void *arg)
{
	struct search *s = arg;

	if (strcmp(b->dev, s->want))
		return false;
	*s->found = *b;
	return true;
}

static bool has_dm_name(const struct block *b, void *arg)
{
	struct search *s = arg;

	if (strcmp(b->dm_name, s->want))
		return false;
	*s->found = *b;
	return true;
}

/** block_by_number - a device by "major:minor" */
bool block_by_number(const char *dev, struct block *b)
{
	struct search s = { dev, b };

	return block_each(has_number, &s);
}

/* /dev/disk/by-uuid/X, /dev/vg/lv and the like are links to /dev/NAME */
static bool by_node(const char *path, struct block *b)
{
	static const char mapper[] = "/dev/mapper/";
	char full[PATH_MAX], link[PATH_MAX];
	struct search s = { path + sizeof(mapper) - 1, b };
	ssize_t n;

	if (!strncmp(path, mapper, sizeof(mapper) - 1))
		return block_each(has_dm_name, &s);
	n = readlink(sysroot_path(full, sizeof(full), "%s", path), link, sizeof(link) - 1);
	if (n > 0)
		link[n] = '\0';
	else
		snprintf(link, sizeof(link), "%s", path);
	return block_get(basename(link), b);
}

/* "UUID=x" */
static bool by_tag(const char *text, struct block *b)
{
	static const char * const tags[][2] = {
		{ "UUID=", "by-uuid" }, { "LABEL=", "by-label" },
		{ "PARTUUID=", "by-partuuid" }, { "PARTLABEL=", "by-partlabel" },
	};
	char path[PATH_MAX], full[PATH_MAX];

	for (unsigned int i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		const size_t n = strlen(tags[i][0]);

		if (strncmp(text, tags[i][0], n))
			continue;
		snprintf(path, sizeof(path), "/dev/disk/%s/%s", tags[i][1], text + n);
		/* Without a link there, nobody has it */
		return !access(sysroot_path(full, sizeof(full), "%s", path), F_OK) &&
		       by_node(path, b);
	}
	return false;
}

/**
 * block_by_path - a device as resume= names it
 * @path: /dev/..., UUID=..., or major:minor
 * @b: filled in
 *
 * Return: whether there is one.
 */
bool block_by_path(const char *path, struct block *b)
{
	if (!strncmp(path, "/dev/", 5))
		return by_node(path, b);
	if (strchr(path, '='))
		return by_tag(path, b);
	return block_by_number(path, b);
}

struct descent {
	block_fn fn;
	void *arg;
	int depth;
};

static bool descend(const struct block *b, void *arg)
{
	struct descent *d = arg, next = { d->fn, d->arg, d->depth + 1 };
	char path[PATH_MAX], real[PATH_MAX];

	if (d->fn(b, d->arg))
		return true;
	if (d->depth >= DEPTH_MAX)
		return false;
	snprintf(path, sizeof(path), "/sys/class/block/%s/slaves", b->name);
	if (each_in(path, descend, &next))
		return true;
	/* A partition is a directory in that of its disk */
	snprintf(path, sizeof(path), "/sys/class/block/%s/partition", b->name);
	if (sysroot_exists(path) &&
	    realpath(sysroot_path(path, sizeof(path), "/sys/class/block/%s", b->name), real)) {
		struct block disk;

		if (block_get(basename(dirname(real)), &disk))
			return descend(&disk, &next);
	}
	return false;
}

/**
 * block_each_below - all that a device lies on, itself excluded
 * @name: the device
 * @fn: called until it says true
 * @arg: for @fn
 *
 * Return: whether it did.
 */
bool block_each_below(const char *name, block_fn fn, void *arg)
{
	struct descent d = { fn, arg, 0 };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/class/block/%s/slaves", name);
	return each_in(path, descend, &d);
}

static bool has_name(const struct block *b, void *arg)
{
	return !strcmp(b->name, arg);
}

/** block_is_below - does device @name lie on device @other? */
bool block_is_below(const char *name, const char *other)
{
	return block_each_below(name, has_name, (void *)other);
}

/** block_path - what people call it */
const char *block_path(const struct block *b, char *buf, size_t len)
{
	if (*b->dm_name)
		snprintf(buf, len, "/dev/mapper/%s", b->dm_name);
	else
		snprintf(buf, len, "/dev/%s", b->name);
	return buf;
}
