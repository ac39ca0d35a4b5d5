/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signatures of others, as libblkid knows them.
 */
#ifndef DMHIB_SIG_H
#define DMHIB_SIG_H

#include "dev.h"

int sig_say(const struct dev *dev, u64 start, u64 sectors);
int sig_wipe(const struct dev *dev, u64 start, u64 sectors, bool *had_table);

#endif /* DMHIB_SIG_H */
