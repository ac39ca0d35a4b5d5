// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is in the initramfs?
 *
 *	| cpio, plain (microcode) | zeros | ... | cpio, compressed |
 *
 * The plain parts are read here, a compressed one through the program that
 * packed it. Only names are of interest: the module's, and of anything that is
 * called after the target, which is how the hooks and scripts that make the
 * device are known.
 */
#include "initramfs.h"
#include "sysroot.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEADER_LEN	110	/* of cpio's "newc" */
#define NAME_MAX_LEN	4096

struct packer {
	const char *magic;
	size_t len;
	const char *program;
};

static const struct packer packers[] = {
	{ "\x1f\x8b", 2, "gzip" },
	{ "\x28\xb5\x2f\xfd", 4, "zstd" },
	{ "\xfd" "7zXZ", 5, "xz" },
	{ "\x02\x21\x4c\x18", 4, "lz4" },
	{ "\x04\x22\x4d\x18", 4, "lz4" },
	{ "BZh", 3, "bzip2" },
	{ "\x5d\x00\x00", 3, "xz" },
	{ "\x89LZO", 4, "lzop" },
};

static void look_at(struct initramfs *r, const char *name)
{
	const char *base = strrchr(name, '/');

	base = base ? base + 1 : name;
	if (!strncmp(base, "dm-hibswap-mod.ko", 17))
		r->module = true;
	else if (!strcmp(base, "hibswaptab"))
		r->tab = true;
	else if (!strcmp(base, "dmhib"))
		r->tool = true;
	else if (strstr(base, "hibswap"))
		r->activation = true;
}

static bool skip(FILE *f, u64 len)
{
	char buf[4096];

	while (len) {
		const size_t n = min(len, sizeof(buf));

		if (fread(buf, 1, n, f) != n)
			return false;
		len -= n;
	}
	return true;
}

static u32 hex8(const char *p)
{
	char text[9] = "";

	memcpy(text, p, 8);
	return strtoul(text, NULL, 16);
}

/* Behind the magic. Return: 1 for one more file, 0 at the end, -EIO */
static int cpio_entry(struct initramfs *r, FILE *f)
{
	char head[HEADER_LEN - 6], name[NAME_MAX_LEN];
	u32 name_len, size;

	if (fread(head, 1, sizeof(head), f) != sizeof(head))
		return -EIO;
	size = hex8(head + 48);
	name_len = hex8(head + 88);
	if (!name_len || name_len > sizeof(name) || fread(name, 1, name_len, f) != name_len ||
	    name[name_len - 1])
		return -EIO;
	/* Name and contents are padded to 4 bytes each, counted from the header */
	if (!skip(f, -(HEADER_LEN + name_len) & 3))
		return -EIO;
	if (!strcmp(name, "TRAILER!!!"))
		return 0;
	look_at(r, name);
	return skip(f, size + (-size & 3)) ? 1 : -EIO;
}

/* One archive, whose magic was read. Return: 0 or -EIO */
static int cpio_read(struct initramfs *r, FILE *f)
{
	char magic[6];
	int n;

	while ((n = cpio_entry(r, f)) > 0)
		if (fread(magic, 1, 6, f) != 6 || memcmp(magic, "07070", 5))
			return -EIO;
	return n;
}

/* Runs "PROGRAM -dc" on the rest of a file */
static int unpack(struct initramfs *r, const char *program, int fd)
{
	char magic[6];
	int pipe_fd[2], err = -EIO, status;
	pid_t pid;
	FILE *f;

	if (pipe(pipe_fd))
		return -errno;
	pid = fork();
	if (pid < 0) {
		close(pipe_fd[0]);
		close(pipe_fd[1]);
		return -errno;
	}
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(fd, STDIN_FILENO);
		dup2(pipe_fd[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(pipe_fd[0]);
		execlp(program, program, "-dc", NULL);
		_exit(127);
	}
	close(pipe_fd[1]);
	f = fdopen(pipe_fd[0], "r");
	if (f) {
		if (fread(magic, 1, 6, f) == 6 && !memcmp(magic, "07070", 5))
			err = cpio_read(r, f);
		fclose(f);
	} else {
		close(pipe_fd[0]);
	}
	/* It may end by SIGPIPE: what follows the archive's end is not read */
	waitpid(pid, &status, 0);
	return err;
}

static int read_parts(struct initramfs *r, FILE *f)
{
	char magic[6];
	int err = -EIO, c;

	for (;;) {
		off_t at;

		while (!(c = fgetc(f)))
			;
		if (c == EOF)
			return err;
		magic[0] = c;
		at = ftello(f) - 1;
		if (fread(magic + 1, 1, 5, f) != 5)
			return -EIO;
		if (!memcmp(magic, "07070", 5)) {
			err = cpio_read(r, f);
			if (err)
				return err;
			continue;
		}
		for (unsigned int i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
			if (memcmp(magic, packers[i].magic, packers[i].len))
				continue;
			msg_debug("%s: unpacked by %s from byte %lld", r->path,
				  packers[i].program, (long long)at);
			if (lseek(fileno(f), at, SEEK_SET) != at)
				return -errno;
			return unpack(r, packers[i].program, fileno(f));
		}
		return -EINVAL;
	}
}

/**
 * initramfs_read - find and read the running kernel's initramfs
 * @r: filled in
 */
void initramfs_read(struct initramfs *r)
{
	static const char * const names[] = {
		"/boot/initrd.img-%s", "/boot/initramfs-%s.img", "/boot/initrd-%s",
		"/boot/initramfs-linux.img",
	};
	FILE *f = NULL;

	memset(r, 0, sizeof(*r));
	for (unsigned int i = 0; !f && i < sizeof(names) / sizeof(names[0]); i++) {
		const char *where = strstr(names[i], "%s");

		if (where)
			snprintf(r->path, sizeof(r->path), "%.*s%s%s", (int)(where - names[i]),
				 names[i], sysroot_kernel(), where + 2);
		else
			snprintf(r->path, sizeof(r->path), "%s", names[i]);
		f = sysroot_open(r->path);
		if (!f && sysroot_exists(r->path))
			return;
	}
	if (!f) {
		r->path[0] = '\0';
		return;
	}
	r->readable = !read_parts(r, f);
	fclose(f);
}
