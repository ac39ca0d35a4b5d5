// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sizes as people write and read them.
 */
#include "sizes.h"

#include <inttypes.h>
#include <stdio.h>

#define SECTOR_SHIFT	9

static const char units[] = "KMGTPE";

/* Digits only: strtoull() also takes blanks, signs and other bases */
static int digits_parse(const char *text, u64 *value, const char **end)
{
	const char *p = text;
	u64 v = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (u64)(*p - '0'), &v))
			return -ERANGE;
	if (p == text)
		return -EINVAL;
	*value = v;
	*end = p;
	return 0;
}

/**
 * number_parse - a plain decimal number
 * @text: all of it
 * @value: set on success
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int number_parse(const char *text, u64 *value)
{
	const char *end;
	u64 v;
	int err = digits_parse(text, &v, &end);

	if (err)
		return err;
	if (*end)
		return -EINVAL;
	*value = v;
	return 0;
}

/**
 * size_parse - a size with an optional unit
 * @text: digits, then nothing for bytes, s for sectors of 512 bytes, or K, M,
 *	G, T, P, E (also KiB ...) for powers of 1024
 * @bytes: set on success
 *
 * KB and the like are refused: half of the world means 1000 by it.
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int size_parse(const char *text, u64 *bytes)
{
	unsigned int shift;
	const char *unit, *end;
	u64 v;
	int err = digits_parse(text, &v, &end);

	if (err)
		return err;
	if (!*end) {
		shift = 0;
	} else if (!strcmp(end, "s")) {
		shift = SECTOR_SHIFT;
	} else {
		unit = strchr(units, *end >= 'a' && *end <= 'z' ? *end - 'a' + 'A' : *end);
		if (!unit || (end[1] && strcmp(end + 1, "iB")))
			return -EINVAL;
		shift = 10 * (unit - units + 1);
	}
	if (shift && v >> (64 - shift))
		return -ERANGE;
	*bytes = v << shift;
	return 0;
}

/**
 * size_text - a size for people
 * @bytes: the size
 * @buf: SIZE_TEXT bytes
 *
 * Exact where a unit divides the size, else with one decimal.
 *
 * Return: @buf.
 */
const char *size_text(u64 bytes, char *buf)
{
	int u = -1;

	while (u < 5 && bytes >> (10 * (u + 2)))
		u++;
	if (u < 0) {
		snprintf(buf, SIZE_TEXT, "%" PRIu64 " B", bytes);
	} else {
		unsigned int shift = 10 * (u + 1);
		u64 whole = bytes >> shift;
		u64 rest = bytes & ((1ULL << shift) - 1);

		if (rest)
			snprintf(buf, SIZE_TEXT, "%" PRIu64 ".%" PRIu64 " %ciB", whole,
				 (rest >> (shift - 10)) * 10 >> 10, units[u]);
		else
			snprintf(buf, SIZE_TEXT, "%" PRIu64 " %ciB", whole, units[u]);
	}
	return buf;
}

/**
 * sectors_text - as size_text(), of a number of sectors
 * @sectors: any number, also a hostile one
 * @buf: SIZE_TEXT bytes
 *
 * Return: @buf.
 */
const char *sectors_text(u64 sectors, char *buf)
{
	if (sectors >> (64 - SECTOR_SHIFT)) {
		snprintf(buf, SIZE_TEXT, "impossible");
		return buf;
	}
	return size_text(sectors << SECTOR_SHIFT, buf);
}
