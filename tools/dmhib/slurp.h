/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole files.
 */
#ifndef DMHIB_SLURP_H
#define DMHIB_SLURP_H

#include <limits.h>
#include <stddef.h>

int slurp(const char *path, size_t most, char **text, size_t *len);

#endif /* DMHIB_SLURP_H */
