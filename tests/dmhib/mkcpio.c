// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes an initramfs to standard output.
 *
 *	mkcpio PACKER NAME...
 *
 * A plain archive with microcode in front, zeros, then one with the names, packed
 * by PACKER ("none", or a program that is called with -c).
 */
#include "dm-hibswap-port.h"

#include <stdio.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Archives begin at whole sectors, so this is right for alignment in each */
static size_t written;
static FILE *out;

static void fail(const char *what)
{
	fprintf(stderr, "mkcpio: failed: %s\n", what);
	exit(1);
}

static void fill(int byte, size_t nr)
{
	written += nr;
	while (nr--)
		fputc(byte, out);
}

static void pad(size_t align)
{
	fill(0, -written & (align - 1));
}

static void entry(const char *name, int byte, size_t size)
{
	const u32 head[] = { 1, 0100644, 0, 0, 1, 0, size, 0, 0, 0, 0, strlen(name) + 1, 0 };

	written += fprintf(out, "070701");
	for (size_t i = 0; i < ARRAY_SIZE(head); i++)
		written += fprintf(out, "%08X", head[i]);
	written += fprintf(out, "%s", name);
	fill(0, 1);
	pad(4);
	fill(byte, size);
	pad(4);
}

static void end(void)
{
	entry("TRAILER!!!", 0, 0);
	pad(512);
}

int main(int argc, char **argv)
{
	char *command;

	if (argc < 2)
		return 2;
	out = stdout;
	entry("kernel/x86/microcode/GenuineIntel.bin", 1, 1000);
	end();
	fill(0, 1024);
	/* The packer writes to the same place, behind this */
	if (fflush(stdout))
		fail("write");
	if (strcmp(argv[1], "none")) {
		if (asprintf(&command, "%s -c", argv[1]) < 0)
			fail("memory");
		out = popen(command, "w");
		if (!out)
			fail(command);
		free(command);
	}
	for (int i = 2; i < argc; i++)
		entry(argv[i], 'x', strlen(argv[i]) * 97 % 5000);
	end();
	if (fflush(out) || ferror(out))
		fail("write");
	if (out != stdout && pclose(out))
		fail(argv[1]);
	return 0;
}
