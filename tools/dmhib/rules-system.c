// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules about what lies around: systemd, which has an opinion of its own, and
 * encryption below.
 */
#include "check.h"
#include "sysroot.h"

#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

/**
 * rule_systemd_space - would logind refuse?
 *
 * It compares Active(anon) with 98 % of what /proc/swaps says is free, and
 * knows nothing of a window, nor of compression.
 */
enum outcome rule_systemd_space(const struct facts *f, struct finding *out)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];
	u64 room;

	if (!f->systemd)
		return ok(out, "there is no systemd");
	if (f->swap < 0 || !f->mem_known)
		return ok(out, "could not be judged without swap on it");
	room = f->swaps[f->swap].free / 100 * 98;
	if (f->mem.active_anon <= room)
		return ok(out, "%s in use, %s free", size_text(f->mem.active_anon, a),
			  size_text(room, b));
	found(out, CHECK_FAIL, "systemd-space", "systemd wants %s of free swap (Active(anon)), and sees %s",
	      size_text(f->mem.active_anon, a), size_text(room, b));
	return remedy(out, CHECK_FAIL, "larger data (dmhib resize), or SYSTEMD_BYPASS_HIBERNATION_MEMORY_CHECK=1 for systemd-logind and systemd-hibernate");
}

/* The last word counts, as systemd reads it; drop-ins are not looked at */
static bool sleep_conf_forbids(void)
{
	FILE *f = sysroot_open("/etc/systemd/sleep.conf");
	bool no = false;
	char line[256], value[16];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " AllowHibernation = %15s", value) == 1)
			no = !strcmp(value, "no") || !strcmp(value, "false") ||
			     !strcmp(value, "off") || !strcmp(value, "0");
	if (f)
		fclose(f);
	return no;
}

/** rule_systemd_allows - has somebody told it not to? */
enum outcome rule_systemd_allows(const struct facts *f, struct finding *out)
{
	char path[PATH_MAX], link[PATH_MAX];
	ssize_t n;

	if (!f->systemd)
		return ok(out, "there is no systemd");
	if (sleep_conf_forbids()) {
		found(out, CHECK_FAIL, "systemd-forbidden", "/etc/systemd/sleep.conf has AllowHibernation=no");
		return remedy(out, CHECK_FAIL, "take it out");
	}
	n = readlink(sysroot_path(path, sizeof(path), "/etc/systemd/system/hibernate.target"), link,
		     sizeof(link) - 1);
	if (n > 0 && !strncmp(link, "/dev/null", n)) {
		found(out, CHECK_FAIL, "systemd-masked", "hibernate.target is masked");
		return remedy(out, CHECK_FAIL, "systemctl unmask hibernate.target");
	}
	return ok(out, "systemd is not told to refuse");
}

struct crypt {
	struct block dev;
	bool plain;
	bool random;
};

/* "name device key options": a key from /dev/urandom is another at each boot */
static bool random_key(const char *name)
{
	FILE *f = sysroot_open("/etc/crypttab");
	char line[512], n[128], dev[256], key[128];
	bool found_it = false;

	while (f && !found_it && fgets(line, sizeof(line), f))
		found_it = sscanf(line, "%127s %255s %127s", n, dev, key) == 3 && *n != '#' &&
			   !strcmp(n, name) &&
			   (!strcmp(key, "/dev/urandom") || !strcmp(key, "/dev/random"));
	if (f)
		fclose(f);
	return found_it;
}

static bool look_below(const struct block *b, void *arg)
{
	struct crypt *c = arg;

	if (strncmp(b->dm_uuid, "CRYPT-", 6))
		return false;
	c->random = random_key(b->dm_name);
	c->plain = !strncmp(b->dm_uuid, "CRYPT-PLAIN-", 12);
	if (c->random || c->plain)
		c->dev = *b;
	return c->random;
}

/**
 * volatile_key - does a device lie on encryption with a random key, or is it that?
 * @name: the kernel's name of the device
 * @which: set to the mapping, DM_NAME
 * @len: of @which
 */
bool volatile_key(const char *name, char *which, size_t len)
{
	struct crypt c = {};
	struct block self;

	if (!(block_get(name, &self) && look_below(&self, &c)))
		block_each_below(name, look_below, &c);
	if (c.random)
		snprintf(which, len, "%s", c.dev.dm_name);
	return c.random;
}

/** rule_encryption - an image below a key that is lost is lost */
enum outcome rule_encryption(const struct facts *f, struct finding *out)
{
	struct crypt c = {};

	block_each_below(f->dev.name, look_below, &c);
	if (c.random) {
		found(out, CHECK_FAIL, "volatile-key", "%s below has a random key: after the power is off nobody can read the image",
		      c.dev.dm_name);
		return remedy(out, CHECK_FAIL, "use LUKS (cryptsetup luksFormat) instead of /dev/urandom in /etc/crypttab");
	}
	if (*c.dev.name) {
		found(out, CHECK_WARN, "plain-encryption", "%s below is plain dm-crypt: is its key the same at every boot?",
		      c.dev.dm_name);
		return remedy(out, CHECK_WARN, "use LUKS, which notices a wrong key");
	}
	return ok(out, "no encryption with a passing key below");
}
