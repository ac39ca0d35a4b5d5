/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are to be changed: first all of them are planned, then shown,
 * then kept, then written.
 */
#ifndef DMHIB_CHANGES_H
#define DMHIB_CHANGES_H

#include "dmhib.h"

#include <limits.h>

#define CONFIG_MAX	(1U << 20)	/* no configuration file is larger */

/**
 * struct change - a file that is to be changed
 * @path: as the system that is set up has it
 * @old: its text, NULL if it does not exist
 * @new: what it is to be, NULL if it is to go
 * @mode: its mode
 * @uid: its owner
 * @gid: its group
 */
struct change {
	char *path;
	char *old;
	char *new;
	mode_t mode;
	uid_t uid;
	gid_t gid;
};

struct changes {
	struct change *list;
	unsigned int nr;
};

const char *root_path(char *buf, size_t len, const char *path);
bool root_has(const char *path);
bool root_mentions(const char *path, const char *word);
int root_read(const char *path, char **text);

int change_add(struct changes *c, const char *path, char *text);
void changes_free(struct changes *c);
int changes_show(const struct changes *c);
int changes_check(const struct changes *c);
int change_write(const struct change *c);
int file_write(const char *path, const char *text, size_t len, mode_t mode, uid_t uid, gid_t gid);
int make_dirs(const char *path, mode_t mode);

bool text_same(const char *a, const char *b);
void *need_memory(void *p);
char *text_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* DMHIB_CHANGES_H */
