/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What setup has done, so that it can be undone: /var/lib/dmhib/setup-NAME.
 */
#ifndef DMHIB_MANIFEST_H
#define DMHIB_MANIFEST_H

#include "changes.h"

#define MANIFEST_DIR	"/var/lib/dmhib"

/**
 * struct kept - a file as it was, and as setup has made it
 * @was: path, text before (NULL: it did not exist), mode, owner
 * @made: text that setup wrote, NULL if it took it away
 * @mixed: a later run of setup found it changed by somebody else; @made has both
 */
struct kept {
	struct change was;
	char *made;
	bool mixed;
};

/**
 * struct manifest - all that undoing needs
 * @name: of the mapped device
 * @device: that it lies on
 * @partuuid: of its partition, or empty
 * @region_uuid: of the region
 * @had_region: that was on @device before setup: it is not setup's to take away
 * @was_swap: there was a swap area on @device
 * @swap_uuid: its UUID
 * @swap_label: its label, or empty
 * @complete: setup came to its end
 * @files: what was kept
 * @nr: how many
 */
struct manifest {
	char name[96];
	char device[256];
	char partuuid[64];
	char region_uuid[40];
	bool had_region;
	bool was_swap;
	char swap_uuid[40];
	char swap_label[64];
	bool complete;
	struct kept *files;
	unsigned int nr;
};

int manifest_read(struct manifest *m, const char *name);
int manifest_write(const struct manifest *m);
void manifest_keep(struct manifest *m, const struct change *c);
int manifest_remove(const struct manifest *m);
void manifest_free(struct manifest *m);

#endif /* DMHIB_MANIFEST_H */
