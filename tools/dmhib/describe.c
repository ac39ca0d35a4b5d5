// SPDX-License-Identifier: GPL-2.0-only
/*
 * Superblocks and faults in words and in JSON.
 */
#include "describe.h"
#include "sig.h"

#include <inttypes.h>
#include <uuid/uuid.h>

/**
 * fault_code - a stable name for what is wrong, for scripts
 * @err: as from the decoders
 */
const char *fault_code(int err)
{
	switch (err) {
	case 0:
		return "ok";
	case -ENODATA:
		return "blank";
	case -EMEDIUMTYPE:
		return "foreign";
	case -EBADMSG:
		return "checksum";
	case -EPROTONOSUPPORT:
		return "unsupported";
	case -EINVAL:
		return "out-of-range";
	default:
		return "unreadable";
	}
}

/**
 * fault_text - what is wrong, in words
 * @err: as from the decoders
 * @fault: as from them
 * @buf: FAULT_TEXT bytes
 *
 * Return: @buf.
 */
const char *fault_text(int err, const struct hibswap_fault *fault, char *buf)
{
	const char *what = fault->what ? fault->what : "unknown fault";
	const char *fmt;

	switch (err) {
	case 0:
		return "valid";
	case -ENODATA:
		return "reads as zeros";
	case -EMEDIUMTYPE:
		return "is not a hibswap superblock";
	case -EPROTONOSUPPORT:
		if (!strcmp(what, "version"))
			fmt = "unknown %s %" PRIu64 ": this dmhib knows version %" PRIu64;
		else
			fmt = "unknown %s bits: has 0x%" PRIx64 ", this dmhib knows 0x%" PRIx64;
		break;
	case -EBADMSG:
		fmt = "wrong checksum (%s): 0x%08" PRIx64 " where 0x%08" PRIx64 " was expected";
		break;
	case -EINVAL:
		fmt = "%s out of range: %" PRIu64 ", expected or limit %" PRIu64;
		break;
	default:
		snprintf(buf, FAULT_TEXT, "%s: %s", what, strerror(-err));
		return buf;
	}
	snprintf(buf, FAULT_TEXT, fmt, what, fault->value, fault->limit);
	return buf;
}

/**
 * copy_fault_text - what is wrong with a superblock copy
 * @copy: the copy
 * @buf: FAULT_TEXT bytes
 *
 * Return: @buf or a constant string.
 */
const char *copy_fault_text(const struct meta_copy *copy, char *buf)
{
	if (!copy->io_err)
		return fault_text(copy->err, &copy->fault, buf);
	return fault_text(copy->io_err, &copy->fault, buf);
}

/**
 * meta_complain - say why there is no superblock to work with
 * @dev: the device
 * @meta: none of its copies counts
 *
 * Return: the exit code.
 */
int meta_complain(const struct dev *dev, const struct meta *meta)
{
	char text[FAULT_TEXT];
	int rc;

	switch (meta->which) {
	case -ENODATA:
		msg_err("%s has no hibswap superblock: it reads as zeros there", dev->path);
		msg_more("\"dmhib format %s --region-size SIZE\" makes one", dev->path);
		return E_NOSUPER;
	case -EMEDIUMTYPE:
		msg_err("%s has no hibswap superblock", dev->path);
		sig_say(dev, 0, 0);
		return E_NOSUPER;
	case -EIO:
		msg_err("cannot read the superblocks of %s", dev->path);
		rc = E_DEVICE;
		break;
	default:
		msg_err("no superblock of %s can be used", dev->path);
		rc = E_BADSUPER;
		break;
	}
	for (int i = 0; i < 2; i++)
		msg_more("copy %c at sector %" PRIu64 ": %s", 'A' + i, meta->copy[i].sector,
			 copy_fault_text(&meta->copy[i], text));
	return rc;
}

/**
 * meta_belongs - does a superblock belong to the device it was found on?
 * @dev: the device
 * @geom: decoded geometry
 * @region_start: where the superblock was looked for, sectors
 *
 * Return: an exit code.
 */
int meta_belongs(const struct dev *dev, const struct hibswap_geom *geom, u64 region_start)
{
	struct hibswap_fault fault = {};

	return meta_fits(dev, geom, region_start, &fault) ? meta_stranger(dev, &fault) : E_OK;
}

/**
 * meta_stranger - say that a superblock does not belong to a device
 * @dev: the device
 * @fault: from meta_fits()
 *
 * Return: the exit code.
 */
int meta_stranger(const struct dev *dev, const struct hibswap_fault *fault)
{
	msg_err("the superblock does not belong to %s: its %s is %" PRIu64
		", the device says %" PRIu64 " (sectors)",
		dev->path, fault->what, fault->value, fault->limit);
	/* Only the data are cut off, which may be swap alone */
	if (!strcmp(fault->what, META_DATA_END))
		msg_err("if %s has become smaller, \"dmhib resize %s\" fits the data into it; they then need mkswap",
			dev->path, dev->path);
	return E_BADSUPER;
}

/**
 * uuid_text - a UUID in its usual form
 * @uuid: 16 bytes
 * @buf: UUID_TEXT bytes
 *
 * Return: @buf.
 */
const char *uuid_text(const u8 *uuid, char *buf)
{
	uuid_unparse_lower(uuid, buf);
	return buf;
}

/**
 * state_text - a superblock's state in one word
 * @state: HIBSWAP_EMPTY or HIBSWAP_COMMITTED
 */
const char *state_text(u32 state)
{
	return state == HIBSWAP_COMMITTED ? "committed" : "empty";
}

/** jadd_u64 - add a number to a JSON object */
void jadd_u64(struct json_object *obj, const char *key, u64 value)
{
	json_object_object_add(obj, key, json_object_new_uint64(value));
}

/* Bytes of the character at @p, at least 1; 0 if it is none of UTF-8 (RFC 3629) */
static size_t utf8_len(const unsigned char *p)
{
	const size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 :
			 *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Written longer than needed, a surrogate, or beyond the last one */
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) ||
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90))
		return 0;
	return n;
}

/* JSON is UTF-8, and names in files and on disks are any bytes */
static void utf8_only(char *text)
{
	unsigned char *p = (unsigned char *)text;

	while (*p) {
		const size_t n = utf8_len(p);

		if (!n)
			*p = '?';
		p += n ? n : 1;
	}
}

/** jadd_str - add a string, or null, to a JSON object; ? for what is not UTF-8 */
void jadd_str(struct json_object *obj, const char *key, const char *value)
{
	struct json_object *string = NULL;
	char *text = value ? strdup(value) : NULL;

	if (text) {
		utf8_only(text);
		string = json_object_new_string(text);
	}
	free(text);
	json_object_object_add(obj, key, string);
}

/** jadd_bool - add a truth to a JSON object */
void jadd_bool(struct json_object *obj, const char *key, bool value)
{
	json_object_object_add(obj, key, json_object_new_boolean(value));
}

/**
 * fault_json - what is wrong, as an object, or null if nothing is
 * @err: as from the decoders
 * @fault: as from them
 */
struct json_object *fault_json(int err, const struct hibswap_fault *fault)
{
	struct json_object *obj;
	char text[FAULT_TEXT];

	if (!err)
		return NULL;
	obj = json_object_new_object();
	jadd_str(obj, "code", fault_code(err));
	jadd_str(obj, "field", fault->what);
	jadd_u64(obj, "found", fault->value);
	jadd_u64(obj, "expected", fault->limit);
	jadd_str(obj, "text", fault_text(err, fault, text));
	return obj;
}

/**
 * geom_json - a geometry, in sectors
 * @g: the geometry
 */
struct json_object *geom_json(const struct hibswap_geom *g)
{
	struct json_object *obj = json_object_new_object(), *maps = json_object_new_array();

	jadd_u64(obj, "region_start", g->region_start);
	jadd_u64(obj, "region_sectors", g->region_sectors);
	jadd_u64(obj, "data_start", g->data_start);
	jadd_u64(obj, "data_sectors", g->data_sectors);
	jadd_u64(obj, "window_sectors", g->window_sectors);
	jadd_u64(obj, "log_start", g->log_start);
	jadd_u64(obj, "log_sectors", g->log_sectors);
	json_object_array_add(maps, json_object_new_uint64(g->map_start[0]));
	json_object_array_add(maps, json_object_new_uint64(g->map_start[1]));
	json_object_object_add(obj, "map_start", maps);
	jadd_u64(obj, "map_sectors", g->map_sectors);
	jadd_u64(obj, "map_extents_max", hibswap_map_extents_max(g));
	return obj;
}

/**
 * json_print - print an object to standard output and free it
 * @obj: the object
 */
void json_print(struct json_object *obj)
{
	puts(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY |
						 JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(obj);
}

/**
 * region_open - open a device that has to have a superblock
 * @dev: to be opened
 * @meta: filled in
 * @path: the device
 * @flags: as for dev_open()
 *
 * The region starts where --region-start says. region_close() both, unless it
 * fails, which has been said then.
 *
 * Return: an exit code.
 */
int region_open(struct dev *dev, struct meta *meta, const char *path, unsigned int flags)
{
	int rc;

	rc = dev_open(dev, path, flags);
	if (rc)
		return rc;
	meta_read(dev, opts.region_start >> HIBSWAP_SECTOR_SHIFT, meta);
	if (meta->which >= 0)
		return E_OK;
	rc = meta_complain(dev, meta);
	region_close(dev, meta);
	return rc;
}

/**
 * region_close - undo region_open()
 * @dev: the device
 * @meta: its superblocks
 */
void region_close(struct dev *dev, struct meta *meta)
{
	meta_free(meta);
	dev_close(dev);
}
