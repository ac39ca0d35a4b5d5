// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes recognisable blocks to a device and looks for them again.
 *
 * Every 4 KiB block is filled from a seed and its own address, so that a block
 * which is found in the wrong place, or is older than it should be, is noticed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 4096

static int usage(void)
{
	fputs("usage: blkpat write DEVICE FIRST BLOCKS SEED [STRIDE [IO]]   O_DIRECT\n"
	      "       blkpat bwrite DEVICE FIRST BLOCKS SEED              buffered, fsync\n"
	      "       blkpat check DEVICE FIRST BLOCKS SEED [STRIDE [IO]]\n"
	      "       blkpat header DEVICE SIGNATURE [PIECE]\n"
	      "       blkpat signature DEVICE\n"
	      "       blkpat sector DEVICE SECTOR      write 512 zero bytes, O_DIRECT\n"
	      "FIRST, BLOCKS, STRIDE and IO count blocks of 4 KiB; IO is how many go in one\n"
	      "request (1). SEED 0 stands for zeros. header changes the signature of the\n"
	      "first page as the kernel does, written in pieces of PIECE bytes (4096).\n", stderr);
	return 2;
}

static void fill(uint8_t *p, uint64_t block, uint64_t seed)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15ULL + block, *w = (uint64_t *)p;

	for (int i = 0; i < BLOCK / 8; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		w[i] = seed ? x + block : 0;
	}
}

static int fail(const char *what, uint64_t block)
{
	fprintf(stderr, "blkpat: %s at block %llu: %s\n", what, (unsigned long long)block,
		strerror(errno));
	return 1;
}

static int transfer(const char *verb, int fd, uint64_t first, uint64_t blocks,
		    uint64_t seed, uint64_t stride, uint64_t io)
{
	uint8_t *buf, want[BLOCK];
	uint64_t differ = 0;

	if (posix_memalign((void **)&buf, BLOCK, io * BLOCK))
		return fail("memory", io);
	for (uint64_t done = 0; done < blocks; done += io) {
		uint64_t at = first + done * stride;
		uint64_t n = blocks - done < io ? blocks - done : io;

		if (!strcmp(verb, "check")) {
			if (pread(fd, buf, n * BLOCK, at * BLOCK) != (ssize_t)(n * BLOCK))
				return fail("read", at);
			for (uint64_t i = 0; i < n; i++) {
				fill(want, at + i, seed);
				if (!memcmp(want, buf + i * BLOCK, BLOCK))
					continue;
				if (!differ++)
					fprintf(stderr, "blkpat: block %llu differs\n",
						(unsigned long long)(at + i));
			}
		} else {
			for (uint64_t i = 0; i < n; i++)
				fill(buf + i * BLOCK, at + i, seed);
			if (pwrite(fd, buf, n * BLOCK, at * BLOCK) != (ssize_t)(n * BLOCK))
				return fail("write", at);
		}
	}
	if (differ)
		fprintf(stderr, "blkpat: %llu of %llu blocks differ\n",
			(unsigned long long)differ, (unsigned long long)blocks);
	return differ ? 1 : 0;
}

static int header(const char *dev, const char *sig, size_t piece)
{
	int fd = open(dev, O_RDWR | O_DIRECT);
	uint8_t *buf;

	if (fd < 0 || posix_memalign((void **)&buf, BLOCK, BLOCK))
		return fail(dev, 0);
	if (pread(fd, buf, BLOCK, 0) != BLOCK)
		return fail("read", 0);
	if (!sig) {
		printf("%.10s\n", buf + BLOCK - 10);
		return 0;
	}
	/* As the kernel signs: swap's signature is kept in front */
	if (!memcmp(buf + BLOCK - 10, "SWAPSPACE2", 10))
		memcpy(buf + BLOCK - 20, buf + BLOCK - 10, 10);
	memset(buf + BLOCK - 10, 0, 10);
	memcpy(buf + BLOCK - 10, sig, strnlen(sig, 10));
	for (size_t at = 0; at < BLOCK; at += piece)
		if (pwrite(fd, buf + at, piece, at) != (ssize_t)piece)
			return fail("write", 0);
	return 0;
}

static int sector(const char *dev, uint64_t at)
{
	int fd = open(dev, O_WRONLY | O_DIRECT);
	void *buf;

	if (fd < 0 || posix_memalign(&buf, BLOCK, BLOCK))
		return fail(dev, 0);
	memset(buf, 0, 512);
	if (pwrite(fd, buf, 512, at * 512) != 512)
		return fail("write of a sector", at / 8);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t n[6] = { 0, 0, 0, 0, 1, 1 };
	int fd, flags, err;

	if (argc == 3 && !strcmp(argv[1], "signature"))
		return header(argv[2], NULL, BLOCK);
	if (argc == 4 && !strcmp(argv[1], "sector"))
		return sector(argv[2], strtoull(argv[3], NULL, 0));
	if (argc >= 4 && !strcmp(argv[1], "header"))
		return header(argv[2], argv[3], argc > 4 ? strtoul(argv[4], NULL, 0) : BLOCK);
	if (argc < 6 || argc > 8)
		return usage();
	for (int i = 3; i < argc; i++)
		n[i - 2] = strtoull(argv[i], NULL, 0);
	if (!strcmp(argv[1], "check"))
		flags = O_RDONLY | O_DIRECT;
	else if (!strcmp(argv[1], "write"))
		flags = O_WRONLY | O_DIRECT;
	else if (!strcmp(argv[1], "bwrite"))
		flags = O_WRONLY;
	else
		return usage();
	fd = open(argv[2], flags);
	if (fd < 0)
		return fail(argv[2], 0);
	err = transfer(argv[1], fd, n[1], n[2], n[3], n[4], n[5] ? n[5] : 1);
	if (!err && flags != (O_RDONLY | O_DIRECT) && fsync(fd))
		err = fail("fsync", 0);
	return err;
}
