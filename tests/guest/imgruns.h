/* SPDX-License-Identifier: GPL-2.0-only */
/* How imgruns finds the place on the disk of a page of the swap device. */
#ifndef IMGRUNS_H
#define IMGRUNS_H

#include <stdbool.h>
#include <stdint.h>

struct translation {
	/*
	 * The byte offset in the raw file of logical page @page (never 0, the
	 * header page), or UINT64_MAX if there is none.
	 */
	uint64_t (*translate)(void *data, uint64_t page);
	void *data;
};

/*
 * Sets up what --map @spec asks for, for the raw file @fd whose swap area
 * starts at byte @at. Returns false if @spec makes no sense.
 */
bool imgruns_translation(const char *spec, int fd, uint64_t at, struct translation *tr);

#endif
