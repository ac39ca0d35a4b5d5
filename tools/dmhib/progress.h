/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far it is, for what takes minutes.
 */
#ifndef DMHIB_PROGRESS_H
#define DMHIB_PROGRESS_H

#include "dmhib.h"

#include <time.h>

/**
 * struct progress - a bar on the terminal
 * @what: what is done with the bytes: "read", "written"
 * @total: bytes
 * @done: bytes so far
 * @start: when it began
 * @shown: when it was last shown
 * @on: it is shown at all
 */
struct progress {
	const char *what;
	u64 total;
	u64 done;
	struct timespec start;
	struct timespec shown;
	bool on;
};

void progress_start(struct progress *p, const char *what, u64 total);
void progress_add(struct progress *p, u64 bytes);
void progress_end(struct progress *p);

#endif /* DMHIB_PROGRESS_H */
