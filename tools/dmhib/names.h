/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names: of mapped devices, and in systemd's units. No I/O, no messages.
 */
#ifndef DMHIB_NAMES_H
#define DMHIB_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define MAPPED_NAME_MAX		80	/* with UUID and prefix it still fits the kernel's limit */
#define UNIT_NAME_MAX		1100	/* four times a device's path, and an ending */

bool mapped_name_ok(const char *name);
char *unit_escape(const char *text, char *buf, size_t len);
char *unit_path_escape(const char *path, char *buf, size_t len);

#endif /* DMHIB_NAMES_H */
