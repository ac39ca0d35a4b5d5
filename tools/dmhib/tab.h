/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hibswaptab(5): which devices are opened at boot. No I/O, no messages, so that
 * dmhib, the generator and a fuzzer share it.
 */
#ifndef DMHIB_TAB_H
#define DMHIB_TAB_H

#include "dm-hibswap-port.h"
#include "names.h"

#define TAB_PATH	"/etc/hibswaptab"
#define TAB_TIMEOUT	90		/* seconds, unless timeout= says otherwise */
#define TAB_SPEC_MAX	255
#define TAB_FILE_MAX	(1U << 20)	/* a larger file is not one of these */
#define TAB_ERROR_MAX	200

enum tab_kind { TAB_BY_PATH, TAB_BY_UUID, TAB_BY_PARTUUID, TAB_BY_PARTLABEL };

/**
 * struct tab_entry - a line
 * @line: its number
 * @name: of the mapped device
 * @spec: the device, as it is written
 * @kind: how that names it
 * @value: what is behind the = in @spec, or all of it
 * @window: map the window, too
 * @discard: give the region back to the device when an image is done with
 * @wipe: overwrite it then
 * @nofail: boot does not wait for it
 * @noauto: only opened by name
 * @netdev: it needs the network
 * @initrd: meant for the initramfs, too
 * @region_start: bytes
 * @timeout: seconds to wait for the device, 0 for ever
 */
struct tab_entry {
	unsigned int line;
	char name[MAPPED_NAME_MAX + 1];
	char spec[TAB_SPEC_MAX + 1];
	enum tab_kind kind;
	const char *value;
	bool window;
	bool discard;
	bool wipe;
	bool nofail;
	bool noauto;
	bool netdev;
	bool initrd;
	u64 region_start;
	u64 timeout;
};

/**
 * struct tab_error - a line that cannot be used
 * @line: its number
 * @text: why, fit for a terminal
 */
struct tab_error {
	unsigned int line;
	char text[TAB_ERROR_MAX];
};

/**
 * struct tab - a file
 * @entries: the lines that can be used; each is allocated on its own
 * @nr: how many
 * @errors: those that cannot
 * @nr_errors: how many
 */
struct tab {
	struct tab_entry **entries;
	unsigned int nr;
	struct tab_error *errors;
	unsigned int nr_errors;
};

int tab_parse(struct tab *tab, const char *buf, size_t len);
void tab_free(struct tab *tab);
const struct tab_entry *tab_find(const struct tab *tab, const char *name);
int tab_spec_parse(const char *spec, enum tab_kind *kind, const char **value);
const char *tab_spec_link(const struct tab_entry *e, char *buf, size_t len);

#endif /* DMHIB_TAB_H */
