// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which block device does a line of hibswaptab(5) mean?
 *
 * A region's UUID is looked for on the block devices that the kernel has, one by
 * one. udev's link is not asked: of a disk and its copy it names the one that came
 * last, an old one may point to another region, and many an initramfs has none.
 *
 * A region on a mirror is seen on each half of it, too, and one below LUKS or
 * LVM never is: of those found the one counts that lies on the others.
 */
#include "find.h"
#include "region-peek.h"
#include "sig.h"
#include "stack.h"
#include "sysroot.h"

#include <blkid/blkid.h>
#include <time.h>
#include <unistd.h>
#include <uuid/uuid.h>

#define FOUND_MAX	64	/* with all paths to a disk */
#define POLL_MS		200
#define SCAN_MS		2000	/* libblkid reads a lot of each disk, UUID= some of all */

struct hunt {
	uuid_t uuid;
	u64 region_start;
	struct block found[FOUND_MAX];
	unsigned int nr;
};

static bool has_uuid(const char *path, const struct hunt *h)
{
	struct hibswap_super sb;
	char full[PATH_MAX];

	sysroot_path(full, sizeof(full), "%s", path);
	return !region_peek(full, h->region_start, &sb) && !memcmp(sb.uuid, h->uuid, 16);
}

/* A read would wait until it goes on */
static bool suspended(const struct block *b)
{
	char path[PATH_MAX];
	u64 value;

	snprintf(path, sizeof(path), "/sys/class/block/%s/dm/suspended", b->name);
	return sysroot_u64(path, &value) && value;
}

static bool look_at(const struct block *b, void *arg)
{
	struct hunt *h = arg;
	char path[PATH_MAX];

	/* A drive without a medium, a loop device without a file */
	if (!b->sectors || !strncmp(b->name, "sr", 2) || !strncmp(b->name, "fd", 2))
		return false;
	if (suspended(b))
		return false;
	snprintf(path, sizeof(path), "/dev/%s", b->name);
	for (char *p = path; *p; p++)
		if (*p == '!')
			*p = '/';
	if (has_uuid(path, h))
		h->found[h->nr++] = *b;
	return h->nr == FOUND_MAX;
}

/* Those that another one lies on are halves of a mirror, or paths to a disk */
static void keep_topmost(struct hunt *h)
{
	for (unsigned int i = 0; i < h->nr;) {
		bool below = false;

		for (unsigned int j = 0; j < h->nr && !below; j++)
			below = j != i && block_is_below(h->found[j].name, h->found[i].name);
		if (below)
			h->found[i] = h->found[--h->nr];
		else
			i++;
	}
}

/* /dev/mapper/NAME is only there where udev or libdevmapper made it */
static void name_of(const struct block *b, char *path, size_t len)
{
	block_path(b, path, len);
	if (!sysroot_exists(path))
		snprintf(path, len, "/dev/%s", b->name);
}

/*
 * Half a mirror has the region, too, where the array's own superblock is at the end.
 * Stopped, nothing lies on it that would count instead.
 */
static bool is_member(const char *path)
{
	static const char suffix[] = "_member";
	struct sig_id id;
	struct dev dev;
	size_t n;

	/* A made-up machine has nothing that libblkid could look at */
	if (sysroot_faked() || dev_open(&dev, path, 0))
		return false;
	if (sig_identify(&dev, &id))
		*id.type = '\0';
	dev_close(&dev);
	n = strlen(id.type);
	return n >= sizeof(suffix) && !strcmp(id.type + n - (sizeof(suffix) - 1), suffix);
}

static int by_uuid(const struct tab_entry *e, char *path, size_t len, char *why)
{
	struct hunt h = { .region_start = e->region_start >> HIBSWAP_SECTOR_SHIFT };

	if (uuid_parse(e->value, h.uuid))
		return -EINVAL;
	block_each(look_at, &h);
	keep_topmost(&h);
	if (h.nr > 1) {
		snprintf(why, FIND_WHY, "%s is on /dev/%.64s and on /dev/%.64s: is one a copy of the other? Name the device by PARTUUID= or by path",
			 e->spec, h.found[0].name, h.found[1].name);
		return -ENOTUNIQ;
	}
	if (!h.nr) {
		snprintf(why, FIND_WHY, "no block device has a hibswap region of %s", e->spec);
		return -ENODEV;
	}
	name_of(&h.found[0], path, len);
	if (is_member(path)) {
		snprintf(why, FIND_WHY, "%s is on %.128s, a part of an array that is not assembled",
			 e->spec, path);
		return -ENODEV;
	}
	return 0;
}

static u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* Partitions by what libblkid reads of the disks, where udev has made no link */
static char *scan(const struct tab_entry *e)
{
	static const struct tab_entry *who;
	static u64 last;

	/* A made-up machine has nothing that libblkid could look at */
	if (sysroot_faked() || (who == e && now_ms() - last < SCAN_MS))
		return NULL;
	who = e;
	last = now_ms();
	return blkid_evaluate_tag(e->kind == TAB_BY_PARTUUID ? "PARTUUID" : "PARTLABEL", e->value,
				  NULL);
}

static int by_partition(const struct tab_entry *e, char *path, size_t len, char *why)
{
	char link[PATH_MAX], *dev;
	struct block b;

	tab_spec_link(e, link, sizeof(link));
	if (sysroot_exists(link)) {
		if (block_by_path(link, &b))
			name_of(&b, path, len);
		else
			snprintf(path, len, "%s", link);
		return 0;
	}
	dev = scan(e);
	if (!dev) {
		snprintf(why, FIND_WHY, "no partition has %s", e->spec);
		return -ENODEV;
	}
	snprintf(path, len, "%s", dev);
	free(dev);
	return 0;
}

/**
 * find_device - the block device that is meant
 * @e: the line
 * @path: gets it
 * @len: of @path
 * @why: FIND_WHY bytes; why there is none
 *
 * Return: 0; -ENODEV if there is none now; -ENOTUNIQ if there are several.
 */
int find_device(const struct tab_entry *e, char *path, size_t len, char *why)
{
	*why = '\0';
	switch (e->kind) {
	case TAB_BY_UUID:
		return by_uuid(e, path, len, why);
	case TAB_BY_PARTUUID:
	case TAB_BY_PARTLABEL:
		return by_partition(e, path, len, why);
	case TAB_BY_PATH:
		break;
	}
	snprintf(path, len, "%s", e->value);
	if (sysroot_exists(path))
		return 0;
	snprintf(why, FIND_WHY, "%s does not exist", e->spec);
	return -ENODEV;
}

/**
 * find_wait - as find_device(), but disks may take their time to appear
 * @e: the line
 * @seconds: how long to wait
 * @path: gets the device
 * @len: of @path
 *
 * Return: an exit code.
 */
int find_wait(const struct tab_entry *e, u64 seconds, char *path, size_t len)
{
	const u64 start = now_ms(), pause = e->kind == TAB_BY_UUID ? SCAN_MS : POLL_MS;
	char why[FIND_WHY];
	bool said = false;
	int err;

	while ((err = find_device(e, path, len, why)) == -ENODEV) {
		const u64 gone = now_ms() - start;

		if (seconds != WAIT_FOREVER && gone >= seconds * 1000)
			break;
		if (!said)
			msg_verbose("%s: waiting for %s", e->name, e->spec);
		said = true;
		/* The last look is when the time is over */
		if (seconds == WAIT_FOREVER || seconds * 1000 - gone > pause)
			usleep(pause * 1000);
		else
			usleep((seconds * 1000 - gone) * 1000);
	}
	if (!err)
		return E_OK;
	msg_err("%s: %s", e->name, why);
	if (err == -ENODEV && seconds)
		msg_more("it did not appear within %llu seconds", (unsigned long long)seconds);
	return E_DEVICE;
}
