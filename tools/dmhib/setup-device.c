// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is the device that setup is to use, and how far has an earlier run come?
 */
#include "setup.h"
#include "check.h"
#include "describe.h"
#include "dm.h"
#include "inuse.h"
#include "sig.h"
#include "swaphdr.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <uuid/uuid.h>

static bool same_text(const char *a, const char *b)
{
	return *a && !strcasecmp(a, b);
}

/* As /dev/disk/by-... and as TAG=..., with what is behind that */
static const char *tag_value(const char *spec, const char *tag, const char *dir)
{
	const size_t n = strlen(tag), m = strlen(dir);

	if (!strncmp(spec, tag, n))
		return spec + n;
	return strncmp(spec, dir, m) ? NULL : spec + m;
}

/**
 * setup_means_device - does a name mean the raw device?
 * @s: the setup
 * @spec: as in fstab(5)
 *
 * What was its UUID before it was formatted counts, too.
 */
bool setup_means_device(const struct setup *s, const char *spec)
{
	const char *v;
	struct stat st;

	v = tag_value(spec, "UUID=", "/dev/disk/by-uuid/");
	if (v)
		return same_text(s->swap_uuid, v) || same_text(s->m.swap_uuid, v);
	v = tag_value(spec, "LABEL=", "/dev/disk/by-label/");
	if (v)
		return (*v && !strcmp(s->swap_label, v)) || (*v && !strcmp(s->m.swap_label, v));
	v = tag_value(spec, "PARTUUID=", "/dev/disk/by-partuuid/");
	if (v)
		return same_text(s->partuuid, v);
	v = tag_value(spec, "PARTLABEL=", "/dev/disk/by-partlabel/");
	if (v)
		return *v && !strcmp(s->partlabel, v);
	if (!strcmp(spec, s->device))
		return true;
	/* Another machine's /dev is not this one's */
	return !opts.root && s->rdev && *spec == '/' && !stat(spec, &st) &&
	       S_ISBLK(st.st_mode) && st.st_rdev == s->rdev;
}

static int look_at_region(struct setup *s, const struct dev *dev, const struct hibswap_super *sb)
{
	void *page = dev_buf(SWAPHDR_MAX);
	struct swaphdr hdr;

	s->kind = DEVICE_REGION;
	uuid_unparse_lower(sb->uuid, s->region_uuid);
	s->region_bytes = sb->geom.region_sectors << HIBSWAP_SECTOR_SHIFT;
	s->window_bytes = sb->geom.window_sectors << HIBSWAP_SECTOR_SHIFT;
	s->data_sectors = sb->geom.data_sectors;
	s->has_swap = swaphdr_read(dev, sb->geom.data_start, sb->image.page_size, page, &hdr) > 0;
	free(page);
	return meta_belongs(dev, &sb->geom, 0);
}

static int look_at_others(struct setup *s, const struct dev *dev, const struct sig_id *id)
{
	if (!strcmp(id->type, "swap") || !strcmp(id->type, "swsuspend")) {
		s->kind = DEVICE_SWAP;
		snprintf(s->swap_uuid, sizeof(s->swap_uuid), "%s", id->uuid);
		snprintf(s->swap_label, sizeof(s->swap_label), "%s", id->label);
		if (!strcmp(id->type, "swap") || opts.force)
			return E_OK;
		msg_err("%s holds a hibernation image that was not resumed: boot it once, or use --force to lose it",
			s->device);
		return E_REFUSED;
	}
	s->kind = *id->type ? DEVICE_OTHER : DEVICE_BLANK;
	if (!*id->type || opts.force)
		return E_OK;
	msg_err("%s is neither swap nor empty: is it the right partition?", s->device);
	sig_say(dev, 0, 0);
	msg_more("--force takes it nevertheless; what is on it is lost");
	return E_REFUSED;
}

static int look_inside(struct setup *s, const struct dev *dev)
{
	struct sig_id id;
	struct meta meta;
	int rc;

	if (sig_identify(dev, &id))
		return E_DEVICE;
	snprintf(s->partuuid, sizeof(s->partuuid), "%s", id.partuuid);
	snprintf(s->partlabel, sizeof(s->partlabel), "%s", id.partlabel);
	meta_read(dev, 0, &meta);
	if (meta_super(&meta)) {
		rc = look_at_region(s, dev, meta_super(&meta));
	} else if (meta_ours(&meta) && !opts.force) {
		rc = meta_complain(dev, &meta);
		msg_more("--force formats it anew");
	} else {
		rc = look_at_others(s, dev, &id);
		/* What libblkid does not know, format does */
		if (meta_ours(&meta) && s->kind == DEVICE_BLANK)
			s->kind = DEVICE_OTHER;
	}
	meta_free(&meta);
	return rc;
}

/* What runs on this machine; below another root nothing does */
static int look_at_mapping(struct setup *s)
{
	char number[32];
	struct mapped m;
	int rc;

	s->raw_active = inuse_swap(s->rdev, NULL, 0);
	rc = dm_start();
	if (!rc)
		rc = dm_find_table(s->name, &m);
	if (rc)
		return rc;
	if (!m.exists)
		return dm_need_target();
	snprintf(number, sizeof(number), "%u:%u ", major(s->rdev), minor(s->rdev));
	if (strcmp(m.target, DM_TARGET) || strncmp(m.table, number, strlen(number))) {
		msg_err("%s exists already, and is not on %s: choose another name", m.path, s->device);
		return E_BUSY;
	}
	s->is_open = true;
	s->active = inuse_swap(m.rdev, NULL, 0);
	return E_OK;
}

/* An image below a key that changes at each boot is lost */
static int look_below(const struct setup *s)
{
	char number[32], which[128];
	struct block b;

	snprintf(number, sizeof(number), "%u:%u", major(s->rdev), minor(s->rdev));
	if (!block_by_number(number, &b) || !volatile_key(b.name, which, sizeof(which)))
		return E_OK;
	msg_err("%s is encrypted with a random key (%s in /etc/crypttab): no image could be read after a boot",
		s->device, which);
	msg_more("use LUKS instead: cryptsetup luksFormat, and a key or passphrase in /etc/crypttab");
	return E_REFUSED;
}

static int same_device(const struct setup *s)
{
	const struct manifest *m = &s->m;

	if (!*m->device || !strcmp(m->device, s->device) || same_text(m->partuuid, s->partuuid) ||
	    (s->kind == DEVICE_REGION && !strcmp(m->region_uuid, s->region_uuid)))
		return E_OK;
	msg_err("%s was set up on %s: \"dmhib setup --undo %s\" first, or choose another name",
		s->name, m->device, s->name);
	return E_BUSY;
}

/**
 * setup_look - find out what there is
 * @s: name, device and manifest are set
 *
 * Return: an exit code.
 */
int setup_look(struct setup *s)
{
	struct dev dev;
	int rc = dev_open(&dev, s->device, opts.root ? 0 : DEV_BLOCK);

	if (rc)
		return rc;
	s->rdev = dev.rdev;
	s->sectors = dev.sectors;
	rc = look_inside(s, &dev);
	dev_close(&dev);
	if (!rc)
		rc = same_device(s);
	if (!rc && !opts.root)
		rc = look_below(s);
	if (!rc && !opts.root)
		rc = look_at_mapping(s);
	if (!rc && s->kind != DEVICE_REGION) {
		uuid_t uuid;

		if (*s->m.region_uuid) {
			snprintf(s->region_uuid, sizeof(s->region_uuid), "%s", s->m.region_uuid);
		} else {
			uuid_generate(uuid);
			uuid_unparse_lower(uuid, s->region_uuid);
		}
	}
	return rc;
}
