// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long would LZO make this? Nothing is written: matches are looked for in
 * the same way as the kernel's default compressor does, and their codes' lengths
 * added up.
 *
 * A piece of up to 48 KiB is looked through with a table of the places where
 * four bytes were seen last. Where nothing matches, the steps become longer. A
 * code is 2 to 4 bytes for a match, by its distance and length, and 1 or 2 for
 * a run of bytes between matches, up to 3 of which need none.
 */
#include "sample.h"

#define PIECE		49152
#define TABLE_BITS	13
#define MATCH_MIN	4
#define LIMIT		20	/* nothing is looked for so near to the end */

static u32 four(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* A number that does not fit its code goes on in bytes of 255 */
static size_t more(size_t value, size_t fits)
{
	return value <= fits ? 0 : (value - fits - 1) / 255 + 1;
}

static size_t plain_code(size_t len)
{
	return len <= 3 ? len : 1 + more(len, 18) + len;
}

static size_t match_code(size_t distance, size_t len)
{
	if (len <= 8 && distance <= 2048)
		return 2;
	return 3 + more(len, distance <= 16384 ? 33 : 9);
}

static size_t match_length(const u8 *a, const u8 *b, const u8 *end)
{
	size_t n = MATCH_MIN;

	while (b + n < end && a[n] == b[n])
		n++;
	return n;
}

static size_t piece(const u8 *data, size_t len)
{
	static u16 table[1 << TABLE_BITS];
	const u8 *p = data, *plain = data, *end = data + len;
	size_t sum = 0;

	memset(table, 0, sizeof(table));
	while (len > LIMIT && p < end - LIMIT) {
		const u32 slot = four(p) * 0x1824429dU >> (32 - TABLE_BITS);
		const u8 *seen = data + table[slot];
		size_t n;

		table[slot] = p - data;
		if (seen >= p || four(seen) != four(p)) {
			p += 1 + ((p - plain) >> 5);
			continue;
		}
		n = match_length(seen, p, end - LIMIT > p + MATCH_MIN ? end - LIMIT : p + MATCH_MIN);
		sum += plain_code(p - plain) + match_code(p - seen, n);
		p += n;
		plain = p;
	}
	return sum + plain_code(end - plain);
}

/**
 * packed_length - how long LZO would make it
 * @data: the bytes
 * @len: how many
 */
size_t packed_length(const u8 *data, size_t len)
{
	size_t sum = 3;	/* the end's code */

	for (size_t at = 0; at < len; at += PIECE)
		sum += piece(data + at, len - at < PIECE ? len - at : PIECE);
	return sum;
}
