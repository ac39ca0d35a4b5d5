// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib probe: is this a region? For udev, which asks of each block device.
 */
#include "describe.h"
#include "region-peek.h"

#include <blkid/blkid.h>
#include <inttypes.h>

static const char *state_word(const struct hibswap_super *sb)
{
	return sb->state == HIBSWAP_COMMITTED ? "committed" : "idle";
}

/* As udev's own builtin has it for what it knows */
static void print_udev(const struct hibswap_super *sb)
{
	char uuid[UUID_TEXT], safe[4 * UUID_TEXT] = "";

	uuid_text(sb->uuid, uuid);
	blkid_encode_string(uuid, safe, sizeof(safe));
	printf("ID_FS_TYPE=hibswap\nID_FS_USAGE=other\nID_FS_VERSION=%u\n", sb->version);
	printf("ID_FS_UUID=%s\nID_FS_UUID_ENC=%s\n", uuid, safe);
	printf("ID_HIBSWAP_STATE=%s\n", state_word(sb));
}

static void print_json(const char *path, const struct hibswap_super *sb)
{
	struct json_object *obj = json_object_new_object();
	char uuid[UUID_TEXT];

	jadd_str(obj, "device", path);
	jadd_str(obj, "uuid", uuid_text(sb->uuid, uuid));
	jadd_u64(obj, "version", sb->version);
	jadd_str(obj, "state", state_word(sb));
	jadd_u64(obj, "generation", sb->generation);
	json_object_object_add(obj, "geometry", geom_json(&sb->geom));
	json_print(obj);
}

/** verb_probe - is there a region? */
int verb_probe(int argc, char **argv)
{
	const char *path = argv[0];
	struct hibswap_super sb;
	char uuid[UUID_TEXT];
	int err;

	(void)argc;
	if (opts.udev && opts.json) {
		msg_err("--udev and --json are two forms of one answer: give one of them");
		return E_PARAM;
	}
	err = region_peek(path, opts.region_start >> HIBSWAP_SECTOR_SHIFT, &sb);
	switch (err) {
	case 0:
		break;
	case -ENODATA:
	case -EMEDIUMTYPE:
		return E_NOSUPER;
	case -EBADMSG:
	case -EPROTONOSUPPORT:
	case -EINVAL:
		msg_verbose("%s has a superblock that cannot be used: \"dmhib dump %s\" says why",
			    path, path);
		return E_BADSUPER;
	case -EIO:
		/* Too short for a superblock, or broken */
		return E_NOSUPER;
	default:
		msg_err("cannot open %s: %s", path, strerror(-err));
		return exit_from_errno(err);
	}
	if (opts.udev)
		print_udev(&sb);
	else if (opts.json)
		print_json(path, &sb);
	else
		printf("%s: hibswap region, version %u, UUID %s, %s\n", path, sb.version,
		       uuid_text(sb.uuid, uuid), state_word(&sb));
	return E_OK;
}
