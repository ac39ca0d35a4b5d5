/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dmhib setup: from a swap partition to a machine that hibernates.
 */
#ifndef DMHIB_SETUP_H
#define DMHIB_SETUP_H

#include "changes.h"
#include "commands.h"
#include "dev.h"
#include "manifest.h"

#define SETUP_NAME	"hib"
#define KERNEL_CMDLINE	"/etc/kernel/cmdline"

enum device_kind {
	DEVICE_BLANK,	/* nothing that libblkid knows */
	DEVICE_SWAP,
	DEVICE_REGION,	/* ours */
	DEVICE_OTHER,	/* something else, and --force was given */
};

/**
 * struct setup - what there is, and what it is to be
 * @name: of the mapped device
 * @mapped: /dev/mapper/NAME
 * @device: as it was named
 * @rdev: its number, 0 for a regular file
 * @kind: what is on it
 * @sectors: its length
 * @partuuid: of the partition, or empty
 * @partlabel: the same
 * @swap_uuid: of the swap area on the raw device, also an earlier one
 * @swap_label: the same
 * @region_uuid: of the region, which may be still to be made
 * @region_bytes: its size
 * @window_bytes: of the window, 0 for none
 * @data_sectors: what is left for swap
 * @is_open: the mapped device is there
 * @has_swap: there is a swap area on the data
 * @raw_active: swap is on the raw device
 * @active: swap is on the mapped device
 * @swap_options: of fstab, for swapon, or empty
 * @m: what an earlier run has done
 * @files: to be changed
 * @before: to be run before that
 * @after: and afterwards
 * @notes: to be told
 * @nr_notes: how many
 */
struct setup {
	const char *name;
	char mapped[128];
	const char *device;
	dev_t rdev;
	enum device_kind kind;
	u64 sectors;
	char partuuid[64];
	char partlabel[128];
	char swap_uuid[40];
	char swap_label[64];
	char region_uuid[40];
	u64 region_bytes;
	u64 window_bytes;
	u64 data_sectors;
	bool is_open;
	bool has_swap;
	bool raw_active;
	bool active;
	char swap_options[256];
	struct manifest m;
	struct changes files;
	struct commands before;
	struct commands after;
	char *notes[16];
	unsigned int nr_notes;
};

/* setup-device.c, setup-size.c */
int setup_look(struct setup *s);
int setup_size(struct setup *s);
bool setup_window_counts(const struct setup *s);
bool setup_means_device(const struct setup *s, const char *spec);

/* edit-*.c: plan changes of files */
int edit_fstab(struct setup *s);
int edit_tab(struct setup *s);
int edit_initramfs(struct setup *s);
int edit_boot(struct setup *s);
int edit_systemd(struct setup *s);
char *cmdline_without_resume(const char *line, size_t len);
bool has_systemd_boot(void);

/* setup-after.c: commands that make what was edited count */
void setup_rebuild(struct commands *c);
bool root_command(const char *name);

/* setup.c, setup-undo.c */
void setup_note(struct setup *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int setup_undo(const char *name);

#endif /* DMHIB_SETUP_H */
