// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names: of mapped devices, and in systemd's units. No I/O, no messages.
 */
#include "names.h"

#include <stdio.h>
#include <string.h>

/**
 * mapped_name_ok - can a mapped device be called so?
 * @name: without /dev/mapper/
 *
 * What udev would write in another way into /dev/mapper is refused.
 */
bool mapped_name_ok(const char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789#+-.:=@_";

	/* Commands would take it for an option */
	return *name && *name != '-' && !name[strspn(name, good)] && strcmp(name, ".") && strcmp(name, "..") &&
	       strcmp(name, "control") && strlen(name) <= MAPPED_NAME_MAX;
}

static bool unit_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == ':' || c == '_' || c == '.';
}

/**
 * unit_escape - a string as systemd wants it between @ and the unit's ending
 * @text: the string
 * @buf: gets it
 * @len: of @buf; what does not fit is cut off
 *
 * Return: @buf.
 */
char *unit_escape(const char *text, char *buf, size_t len)
{
	char *to = buf;

	for (const char *p = text; *p && to + 5 < buf + len; p++) {
		if (*p == '/')
			*to++ = '-';
		else if (!unit_char(*p) || (*p == '.' && p == text))
			to += sprintf(to, "\\x%02x", (unsigned char)*p);
		else
			*to++ = *p;
	}
	*to = '\0';
	return buf;
}

/**
 * unit_path_escape - a path as systemd wants it in a unit's name
 * @path: absolute
 * @buf: gets it
 * @len: of @buf; what does not fit is cut off
 *
 * Return: @buf.
 */
char *unit_path_escape(const char *path, char *buf, size_t len)
{
	char plain[UNIT_NAME_MAX / 4], *to = plain;

	/* One slash between names, none at either end; "." is no name */
	for (const char *p = path; *p && to + 1 < plain + sizeof(plain); p++) {
		const bool begins = to == plain || to[-1] == '/';

		if (begins && p[0] == '.' && (p[1] == '/' || !p[1]))
			continue;
		if (*p != '/' || !begins)
			*to++ = *p;
	}
	while (to > plain && to[-1] == '/')
		to--;
	*to = '\0';
	return unit_escape(*plain ? plain : "/", buf, len);
}
