/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Block devices and what they lie on, by sysfs.
 */
#ifndef DMHIB_STACK_H
#define DMHIB_STACK_H

#include "dmhib.h"

/**
 * struct block - a block device
 * @name: the kernel's, as in /sys/class/block
 * @dm_name: device-mapper's, or empty
 * @dm_uuid: device-mapper's, or empty
 * @dev: its number, "254:3"
 * @sectors: its length
 */
struct block {
	char name[64];
	char dm_name[128];
	char dm_uuid[130];
	char dev[24];
	u64 sectors;
};

/* Return: true to stop */
typedef bool (*block_fn)(const struct block *b, void *arg);

bool block_get(const char *name, struct block *b);
bool block_each(block_fn fn, void *arg);
bool block_by_number(const char *dev, struct block *b);
bool block_by_path(const char *path, struct block *b);
bool block_each_below(const char *name, block_fn fn, void *arg);
bool block_is_below(const char *name, const char *other);
const char *block_path(const struct block *b, char *buf, size_t len);

#endif /* DMHIB_STACK_H */
