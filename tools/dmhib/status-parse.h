/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The target's status line.
 */
#ifndef DMHIB_STATUS_PARSE_H
#define DMHIB_STATUS_PARSE_H

#include "dm-hibswap-port.h"

enum hibswap_status_state {
	STATUS_IDLE,
	STATUS_ARMED,
	STATUS_IMAGE,
	STATUS_COMMITTED,
	STATUS_RESUMABLE,
};

enum hibswap_status_note {
	NOTE_MANUAL = 1 << 0,
	NOTE_DROPPED = 1 << 1,
	NOTE_UNSIGNED = 1 << 2,
	NOTE_FAILED = 1 << 3,
	NOTE_READ_ONLY = 1 << 4,
	NOTE_ERASING = 1 << 5,
};

enum hibswap_status_mode {
	MODE_UNKNOWN,		/* a target that does not say */
	MODE_RW,
	MODE_RO,
	MODE_FAIL,
};

/**
 * struct hibswap_status - the line, taken apart
 * @state: what the target is doing
 * @generation: of the superblock
 * @log_used: sectors of the log in use
 * @log_sectors: ... of so many
 * @extents: of the image's map
 * @image_bytes: length of the image
 * @in_place_bytes: of which outside the region
 * @requests_in: writes the image came in
 * @requests_out: writes the disk got for it
 * @notes: NOTE_*
 * @mode: MODE_*; if it is not MODE_UNKNOWN, there are also
 * @checked_bytes: how much of the image has checksums
 * @log_dirty: sectors of the log that may hold what was in memory
 * @unknown_notes: how many we do not know: the target is newer
 * @more: there are more fields than we know: the target is newer
 */
struct hibswap_status {
	enum hibswap_status_state state;
	u64 generation;
	u64 log_used;
	u64 log_sectors;
	u64 extents;
	u64 image_bytes;
	u64 in_place_bytes;
	u64 requests_in;
	u64 requests_out;
	unsigned int notes;
	enum hibswap_status_mode mode;
	u64 checked_bytes;
	u64 log_dirty;
	unsigned int unknown_notes;
	bool more;
};

int hibswap_status_parse(const char *line, struct hibswap_status *st);
const char *hibswap_status_state_name(enum hibswap_status_state state);
const char *hibswap_status_note_name(unsigned int bit);
const char *hibswap_status_mode_name(enum hibswap_status_mode mode);

#define HIBSWAP_STATUS_NOTES	6

#endif /* DMHIB_STATUS_PARSE_H */
