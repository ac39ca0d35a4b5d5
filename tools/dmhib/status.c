// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib status: what a mapped device is doing.
 */
#include "describe.h"
#include "inuse.h"
#include "mapping.h"

#include <inttypes.h>

static const char *state_words(const struct hibswap_status *st)
{
	switch (st->state) {
	case STATUS_IDLE:
		return "no image here, none wanted";
	case STATUS_ARMED:
		return "waiting for an image";
	case STATUS_IMAGE:
		return "an image is being written";
	case STATUS_COMMITTED:
		return "an image is complete and on stable storage";
	case STATUS_RESUMABLE:
		return st->notes & NOTE_DROPPED ? "there is an image, which can be read but not resumed" :
						  "there is an image to resume from";
	}
	return "";
}

static const char *note_words(unsigned int bit)
{
	static const char * const words[HIBSWAP_STATUS_NOTES] = {
		"\"message image begin\" is active",
		"the image was dropped; its map stays until something is written",
		"the hibernation signature has been taken away",
		"a write of the image has failed",
		"the table is read-only: no image can be written",
		"the log is being erased",
	};

	return words[bit];
}

static void print_json(const char *name, const struct mapping *a, bool swap)
{
	struct json_object *obj = json_object_new_object(), *table, *status, *notes;
	const struct hibswap_status *st = &a->st;

	jadd_str(obj, "name", name);
	jadd_str(obj, "path", a->m.path);
	jadd_bool(obj, "active", a->m.exists);
	if (!a->m.exists) {
		json_print(obj);
		return;
	}
	jadd_str(obj, "dm_uuid", a->m.uuid);
	jadd_u64(obj, "open_count", a->m.open_count);
	jadd_bool(obj, "read_only", a->m.readonly);
	jadd_bool(obj, "suspended", a->m.suspended);
	jadd_bool(obj, "deferred_remove", a->m.deferred);
	jadd_bool(obj, "swap", swap);

	table = json_object_new_object();
	jadd_str(table, "device", a->below);
	jadd_u64(table, "sectors", a->m.sectors);
	jadd_u64(table, "data_start", a->data_start);
	jadd_u64(table, "region_start", a->region_start);
	jadd_u64(table, "region_sectors", a->region_sectors);
	json_object_object_add(obj, "table", table);

	status = json_object_new_object();
	jadd_str(status, "state", hibswap_status_state_name(st->state));
	jadd_u64(status, "generation", st->generation);
	jadd_u64(status, "log_used_sectors", st->log_used);
	jadd_u64(status, "log_sectors", st->log_sectors);
	jadd_u64(status, "extents", st->extents);
	jadd_u64(status, "image_bytes", st->image_bytes);
	jadd_u64(status, "in_place_bytes", st->in_place_bytes);
	jadd_u64(status, "requests_in", st->requests_in);
	jadd_u64(status, "requests_out", st->requests_out);
	notes = json_object_new_array();
	for (unsigned int i = 0; i < HIBSWAP_STATUS_NOTES; i++)
		if (st->notes & 1U << i)
			json_object_array_add(notes,
				json_object_new_string(hibswap_status_note_name(i)));
	json_object_object_add(status, "notes", notes);
	if (st->mode != MODE_UNKNOWN) {
		jadd_str(status, "mode", hibswap_status_mode_name(st->mode));
		jadd_u64(status, "checked_bytes", st->checked_bytes);
		jadd_u64(status, "log_dirty_sectors", st->log_dirty);
	}
	json_object_object_add(obj, "status", status);
	json_print(obj);
}

static void print_words(const struct mapping *a, bool swap)
{
	const struct hibswap_status *st = &a->st;
	char x[SIZE_TEXT], y[SIZE_TEXT];

	printf("%s is active%s.\n", a->m.path, swap ? " and swap is on it" :
	       a->m.open_count ? " and is in use" : "");
	printf("  device:      %s\n", a->below);
	printf("  data:        %s from sector %" PRIu64 "%s\n", sectors_text(a->m.sectors, x),
	       a->data_start, a->m.readonly ? ", read-only" : "");
	printf("  region:      %s from sector %" PRIu64 "\n", sectors_text(a->region_sectors, x),
	       a->region_start);
	printf("  state:       %s: %s\n", hibswap_status_state_name(st->state),
	       state_words(st));
	printf("  generation:  %" PRIu64 "\n", st->generation);
	printf("  log:         %s used of %s\n", sectors_text(st->log_used, x),
	       sectors_text(st->log_sectors, y));
	if (st->image_bytes) {
		printf("  image:       %s in %" PRIu64 " extents\n", size_text(st->image_bytes, x),
		       st->extents);
		if (st->in_place_bytes)
			printf("  outside:     %s of it did not fit into the region\n",
			       size_text(st->in_place_bytes, x));
	}
	if (st->image_bytes && st->mode != MODE_UNKNOWN)
		printf("  checksums:   of %s\n", size_text(st->checked_bytes, x));
	if (st->notes & NOTE_ERASING)
		printf("  to erase:    %s of the log\n", sectors_text(st->log_dirty, x));
	if (st->mode == MODE_FAIL)
		printf("  mode:        fail: metadata could not be written, so no image will be: see the kernel log\n");
	if (st->requests_in)
		printf("  requests:    %" PRIu64 " came in, %" PRIu64 " went to the disk\n",
		       st->requests_in, st->requests_out);
	for (unsigned int i = 0; i < HIBSWAP_STATUS_NOTES; i++)
		if (st->notes & 1U << i)
			printf("  note:        %s\n", note_words(i));
	if (a->m.suspended)
		printf("  note:        the device is suspended\n");
	if (a->m.deferred)
		printf("  note:        it will be closed when it is no longer in use\n");
	if (st->more || st->unknown_notes)
		printf("  note:        the target is newer than this dmhib: \"dmsetup status\" says more\n");
}

/** verb_status - explain what /dev/mapper/NAME is doing */
int verb_status(int argc, char **argv)
{
	const char *name = argv[0];
	struct mapping a = {};
	bool swap;
	int rc;

	(void)argc;
	rc = dm_name_check(&name);
	if (!rc)
		rc = dm_start();
	if (!rc)
		rc = mapping_find(name, &a);
	if (rc)
		return rc;
	if (!a.m.exists) {
		if (opts.json)
			print_json(name, &a, false);
		else
			printf("%s is not active.\n", a.m.path);
		return E_DEVICE;
	}
	if (strcmp(a.m.target, DM_TARGET)) {
		msg_err("%s is not a hibswap device", a.m.path);
		return E_PARAM;
	}
	msg_debug("status: %s", a.m.status);
	if (!a.known) {
		msg_err("cannot make sense of what the target says of %s", a.m.path);
		msg_more("table: %s", a.m.table);
		msg_more("status: %s", a.m.status);
		return E_NOTARGET;
	}
	swap = inuse_swap(a.m.rdev, NULL, 0);
	if (opts.json)
		print_json(name, &a, swap);
	else
		print_words(&a, swap);
	return E_OK;
}
