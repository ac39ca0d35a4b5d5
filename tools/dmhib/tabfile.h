/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /etc/hibswaptab, read from the disk.
 */
#ifndef DMHIB_TABFILE_H
#define DMHIB_TABFILE_H

#include "dmhib.h"
#include "tab.h"

const char *tabfile_path(void);
int all_or_names(int argc, int most, const char *verb);
int tabfile_read(struct tab *tab);
int tabfile_each(int (*fn)(const struct tab_entry *e));
int tabfile_line(struct tab *tab, const char *name, const struct tab_entry **entry);

#endif /* DMHIB_TABFILE_H */
