/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signatures of others, as libblkid knows them.
 */
#ifndef DMHIB_SIG_H
#define DMHIB_SIG_H

#include "dev.h"

/**
 * struct sig_id - what is on a device, and which partition it is
 * @type: as libblkid calls it, empty if there is nothing
 * @uuid: of that
 * @label: of that
 * @partuuid: of the partition, empty if it is none
 * @partlabel: the same
 */
struct sig_id {
	char type[32];
	char uuid[40];
	char label[64];
	char partuuid[64];
	char partlabel[128];
};

int sig_identify(const struct dev *dev, struct sig_id *id);
int sig_say(const struct dev *dev, u64 start, u64 sectors);
int sig_wipe(const struct dev *dev, u64 start, u64 sectors, bool *had_table);

#endif /* DMHIB_SIG_H */
