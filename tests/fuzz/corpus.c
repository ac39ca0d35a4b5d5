// SPDX-License-Identifier: GPL-2.0-only
/* Writes a fuzzer's seeds as files: what libFuzzer and main.c begin with. */
#include "fuzz.h"

int main(int argc, char **argv)
{
	static u8 data[FUZZ_INPUT_MAX];
	char name[4096];
	unsigned int nr;
	size_t size;
	FILE *f;

	if (argc != 2) {
		fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
		return 2;
	}
	for (nr = 0; ; nr++) {
		memset(data, 0, sizeof(data));
		size = fuzz_seed(nr, data);
		if (!size)
			return 0;
		snprintf(name, sizeof(name), "%s/seed-%02u", argv[1], nr);
		f = fopen(name, "wb");
		if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
			perror(name);
			return 1;
		}
	}
}
