/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes and numbers as people write and read them. No I/O, no messages.
 */
#ifndef DMHIB_SIZES_H
#define DMHIB_SIZES_H

#include "dm-hibswap-port.h"

#define SIZE_TEXT	48

int size_parse(const char *text, u64 *bytes);
int number_parse(const char *text, u64 *value);
const char *size_text(u64 bytes, char *buf);
const char *sectors_text(u64 sectors, char *buf);

#endif /* DMHIB_SIZES_H */
