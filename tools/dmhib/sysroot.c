// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files below /proc, /sys, /etc and /boot.
 *
 * For tests $DMHIB_ROOT is put in front of them all, so that every wrong setup
 * there is can be shown to check and size: a directory holds a made-up machine.
 * Of what writes only drop looks here, and writes below it.
 */
#include "sysroot.h"

#include <limits.h>
#include <stdarg.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *root(void)
{
	const char *dir = getenv("DMHIB_ROOT");

	return dir ? dir : "";
}

/** sysroot_faked - is this a made-up machine? */
bool sysroot_faked(void)
{
	return *root();
}

/**
 * sysroot_path - a path with the root in front
 * @buf: gets it
 * @len: of @buf
 * @fmt: the path, absolute
 *
 * Return: @buf.
 */
const char *sysroot_path(char *buf, size_t len, const char *fmt, ...)
{
	size_t n = snprintf(buf, len, "%s", root());
	va_list ap;

	if (n >= len)
		n = 0;
	va_start(ap, fmt);
	vsnprintf(buf + n, len - n, fmt, ap);
	va_end(ap);
	return buf;
}

/** sysroot_open - open for reading, NULL if that does not work */
FILE *sysroot_open(const char *path)
{
	char full[PATH_MAX];

	return fopen(sysroot_path(full, sizeof(full), "%s", path), "re");
}

/** sysroot_exists - is there such a file? */
bool sysroot_exists(const char *path)
{
	char full[PATH_MAX];

	return !access(sysroot_path(full, sizeof(full), "%s", path), F_OK);
}

/**
 * sysroot_line - the first line of a file
 * @path: the file
 * @buf: gets the line without its end; empty if there is none
 * @len: of @buf
 *
 * Return: whether it could be read.
 */
bool sysroot_line(const char *path, char *buf, size_t len)
{
	FILE *f = sysroot_open(path);
	bool ok = f && fgets(buf, len, f);

	if (f)
		fclose(f);
	if (!ok)
		*buf = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return ok;
}

/** sysroot_u64 - a file that holds a number */
bool sysroot_u64(const char *path, u64 *value)
{
	char text[64];

	return sysroot_line(path, text, sizeof(text)) && !number_parse(text, value);
}

/** sysroot_kernel - the running kernel's release */
const char *sysroot_kernel(void)
{
	static char release[128];
	struct utsname u;

	if (!*release && !sysroot_line("/proc/sys/kernel/osrelease", release, sizeof(release)) &&
	    !uname(&u))
		snprintf(release, sizeof(release), "%s", u.release);
	return release;
}

/**
 * cmdline_word - a word of the kernel's command line
 * @name: "resume" finds resume=VALUE, and resume alone
 * @value: gets the last one's value, may be NULL
 * @len: of @value
 *
 * Return: whether there is one.
 */
bool cmdline_word(const char *name, char *value, size_t len)
{
	const size_t n = strlen(name);
	char line[4096], *save = NULL;
	bool found = false;

	sysroot_line("/proc/cmdline", line, sizeof(line));
	for (char *w = strtok_r(line, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
		if (strncmp(w, name, n) || (w[n] && w[n] != '='))
			continue;
		found = true;
		if (value)
			snprintf(value, len, "%s", w[n] ? w + n + 1 : "");
	}
	return found;
}
