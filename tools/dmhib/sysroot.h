/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files below /proc, /sys, /etc and /boot, or of a made-up machine's.
 */
#ifndef DMHIB_SYSROOT_H
#define DMHIB_SYSROOT_H

#include "dmhib.h"

bool sysroot_faked(void);
const char *sysroot_path(char *buf, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
FILE *sysroot_open(const char *path);
bool sysroot_exists(const char *path);
bool sysroot_line(const char *path, char *buf, size_t len);
bool sysroot_u64(const char *path, u64 *value);
const char *sysroot_kernel(void);
bool cmdline_word(const char *name, char *value, size_t len);

#endif /* DMHIB_SYSROOT_H */
