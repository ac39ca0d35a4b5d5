/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How well does what is in memory compress?
 */
#ifndef DMHIB_SAMPLE_H
#define DMHIB_SAMPLE_H

#include "dmhib.h"

/**
 * struct sample - what was found
 * @bytes: memory that was looked at
 * @others: pages in use that are not of zeros, bytes
 * @zeros: how many permille of those in use are
 * @zero_cost: what is left of those, permille
 * @permille: what is left of the others, packed as an image is
 */
struct sample {
	u64 bytes;
	u64 others;
	unsigned int zeros;
	unsigned int zero_cost;
	unsigned int permille;
};

int sample_memory(bool without_cache, u64 kept, struct sample *s);

/* packed.c */
size_t packed_length(const u8 *data, size_t len);

#endif /* DMHIB_SAMPLE_H */
