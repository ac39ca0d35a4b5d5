// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who uses a block device? "Device or resource busy" helps nobody. Everything
 * here is for messages: the kernel decides, and may know of users that /proc
 * and sysfs do not show.
 */
#include "inuse.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PROCESSES_MAX	5	/* named; more are of no use */

/* /proc writes blanks in names as \040 and the like */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' &&
		    s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0');
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

static bool is_device(const char *path, dev_t rdev)
{
	struct stat st;

	return !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == rdev;
}

/**
 * inuse_swap - is it an active swap area?
 * @rdev: the device
 * @name: gets the name /proc/swaps has for it, may be NULL
 * @len: of @name
 */
bool inuse_swap(dev_t rdev, char *name, size_t len)
{
	FILE *f = fopen("/proc/swaps", "re");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	if (!f)
		return false;
	while (!found && getline(&line, &size, f) > 0) {
		line[strcspn(line, " \t\n")] = '\0';
		unescape(line);
		if (line[0] != '/' || !is_device(line, rdev))
			continue;
		found = true;
		if (name)
			snprintf(name, len, "%s", line);
	}
	free(line);
	fclose(f);
	return found;
}

static unsigned int say_mounts(dev_t rdev)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	unsigned int found = 0;
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return 0;
	/* "36 35 98:0 /root /mnt rw,noatime master:1 - ext4 /dev/sda1 rw" */
	while (getline(&line, &size, f) > 0) {
		unsigned int maj, mnr;
		char *where, *source, *rest;

		if (sscanf(line, "%*d %*d %u:%u", &maj, &mnr) != 2)
			continue;
		rest = strstr(line, " - ");
		if (!rest)
			continue;
		*rest = '\0';
		strtok(line, " ");
		for (int i = 0; i < 3; i++)
			strtok(NULL, " ");
		where = strtok(NULL, " ");
		strtok(rest + 3, " ");
		source = strtok(NULL, " ");
		if (!where || !source)
			continue;
		unescape(source);
		/* btrfs and the like have a device number of their own */
		if (makedev(maj, mnr) != rdev &&
		    (source[0] != '/' || !is_device(source, rdev)))
			continue;
		unescape(where);
		msg_more("it is mounted on %s", where);
		found++;
	}
	free(line);
	fclose(f);
	return found;
}

static bool read_word(const char *path, char *buf, size_t len)
{
	FILE *f = fopen(path, "re");
	bool ok;

	if (!f)
		return false;
	ok = fgets(buf, len, f);
	fclose(f);
	if (ok)
		buf[strcspn(buf, "\n")] = '\0';
	return ok;
}

static unsigned int say_holders(dev_t rdev)
{
	char path[PATH_MAX], name[256];
	unsigned int found = 0;
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/holders", major(rdev), minor(rdev));
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/class/block/%s/dm/name", d->d_name);
		if (read_word(path, name, sizeof(name)))
			msg_more("device %s (/dev/mapper/%s) is on it", d->d_name, name);
		else
			msg_more("device %s is on it", d->d_name);
		found++;
	}
	closedir(dir);
	return found;
}

static unsigned int say_process(const char *pid, dev_t rdev)
{
	char path[PATH_MAX], comm[64];
	struct dirent *d;
	DIR *dir;
	bool has = false;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!has && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, d->d_name);
		has = is_device(path, rdev);
	}
	closedir(dir);
	if (!has)
		return 0;
	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	if (!read_word(path, comm, sizeof(comm)))
		comm[0] = '\0';
	msg_more("process %s (%s) has it open", pid, comm);
	return 1;
}

static unsigned int say_processes(dev_t rdev)
{
	DIR *dir = opendir("/proc");
	unsigned int found = 0;
	struct dirent *d;

	if (!dir)
		return 0;
	while (found < PROCESSES_MAX && (d = readdir(dir)))
		if (isdigit((unsigned char)d->d_name[0]) && atoi(d->d_name) != getpid())
			found += say_process(d->d_name, rdev);
	closedir(dir);
	return found;
}

static unsigned int say_one(dev_t rdev)
{
	unsigned int found = 0;
	char name[PATH_MAX];

	if (inuse_swap(rdev, name, sizeof(name))) {
		msg_more("swap is active on it: \"swapoff %s\"", name);
		found++;
	}
	found += say_mounts(rdev);
	found += say_holders(rdev);
	return found;
}

/* A disk is in use when one of its partitions is */
static unsigned int say_partitions(dev_t rdev)
{
	char path[PATH_MAX], disk[64], text[32];
	unsigned int found = 0, maj, mnr;
	struct dirent *d;
	DIR *dir;

	snprintf(disk, sizeof(disk), "/sys/dev/block/%u:%u", major(rdev), minor(rdev));
	dir = opendir(disk);
	if (!dir)
		return 0;
	while ((d = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/partition", disk, d->d_name);
		if (d->d_name[0] == '.' || access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s/%s/dev", disk, d->d_name);
		if (!read_word(path, text, sizeof(text)) ||
		    sscanf(text, "%u:%u", &maj, &mnr) != 2)
			continue;
		if (say_one(makedev(maj, mnr))) {
			msg_more("(that was its partition %s)", d->d_name);
			found++;
		}
	}
	closedir(dir);
	return found;
}

/**
 * inuse_say - name the users of a device, a line each
 * @rdev: the device; 0 does nothing
 *
 * Return: how many were found.
 */
unsigned int inuse_say(dev_t rdev)
{
	unsigned int found;

	if (!rdev)
		return 0;
	found = say_one(rdev);
	found += say_partitions(rdev);
	/* A holder of another kind keeps it open somehow: look last */
	if (!found)
		found = say_processes(rdev);
	return found;
}
