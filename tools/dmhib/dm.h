/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mapped device, through libdevmapper.
 */
#ifndef DMHIB_DM_H
#define DMHIB_DM_H

#include "dmhib.h"
#include "names.h"

#define DM_TARGET	"hibswap"
#define DM_NAME_MAX	MAPPED_NAME_MAX

/**
 * struct mapped - a mapped device
 * @exists: there is one of this name
 * @path: /dev/mapper/NAME
 * @uuid: its DM_UUID
 * @rdev: its device number
 * @open_count: how many have it open
 * @readonly: it is
 * @suspended: it is
 * @deferred: it will be removed when the last one closes it
 * @sectors: length of its only target
 * @target: that target's name, empty if there is none or more than one
 * @table: that target's arguments
 * @status: that target's status
 */
struct mapped {
	bool exists;
	char path[DM_NAME_MAX + 16];
	char uuid[129];
	dev_t rdev;
	unsigned int open_count;
	bool readonly;
	bool suspended;
	bool deferred;
	u64 sectors;
	char target[32];
	char table[512];
	char status[512];
};

bool dm_answers(void);
int dm_start(void);
int dm_name_check(const char **name);
int dm_find(const char *name, struct mapped *m);
int dm_find_table(const char *name, struct mapped *m);
int dm_list(char ***names, unsigned int *nr);
int dm_need_target(void);
int dm_message(const char *name, const char *text);
int dm_no_memory(void);
int dm_create(const char *name, const char *uuid, u64 sectors, const char *args,
	      bool readonly, dev_t below);
int dm_remove(const char *name, bool deferred);

#endif /* DMHIB_DM_H */
