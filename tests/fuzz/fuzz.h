/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fuzzer is LLVMFuzzerTestOneInput() plus seeds. It is linked with libFuzzer
 * or with main.c, which needs no more than a compiler with ASan.
 */
#ifndef HIBSWAP_FUZZ_H
#define HIBSWAP_FUZZ_H

#include <stdio.h>
#include <string.h>

#include "hibswap_ref.h"

#define FUZZ_INPUT_MAX	4200

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/*
 * Inputs to begin with: fills @data (FUZZ_INPUT_MAX bytes, zeroed) with seed
 * number @nr and returns its size, 0 if there are no more.
 */
size_t fuzz_seed(unsigned int nr, u8 *data);

/* The same where the seeds are an array of @count texts */
static inline size_t fuzz_seed_text(const char * const *seeds, unsigned int count,
				    unsigned int nr, u8 *data)
{
	if (nr >= count)
		return 0;
	memcpy(data, seeds[nr], strlen(seeds[nr]));
	return strlen(seeds[nr]);
}

#define FUZZ_CHECK(cond)							\
	do {									\
		if (!(cond)) {							\
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,	\
				__LINE__, #cond);				\
			abort();						\
		}								\
	} while (0)

#endif /* HIBSWAP_FUZZ_H */
