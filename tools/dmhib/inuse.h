/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who uses a block device?
 */
#ifndef DMHIB_INUSE_H
#define DMHIB_INUSE_H

#include "dmhib.h"

bool inuse_swap(dev_t rdev, char *name, size_t len);
unsigned int inuse_say(dev_t rdev);

#endif /* DMHIB_INUSE_H */
