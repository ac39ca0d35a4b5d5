// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target's status line, as dmhib reads it. Input: the line.
 *
 * Held against a regular expression, and against the line that the values make
 * when they are printed as the kernel prints them. And the other way round: the
 * input taken for values makes a line which has to be read as these.
 */
#include <regex.h>

#include "fuzz.h"
#include "status-parse.h"

#define NUMBER	"(0|[1-9][0-9]*)"
#define WORD	"[a-z_]+"

/* What every status line is, whatever a newer target has added behind it */
static const char shape[] =
	"^" WORD " " NUMBER " " NUMBER "/" NUMBER " " NUMBER " " NUMBER " " NUMBER " "
	NUMBER " " NUMBER " " NUMBER "( [^[:cntrl:][:space:]]+)*$";

static bool has_shape(const char *line)
{
	static regex_t regex;
	static bool ready;

	if (!ready) {
		FUZZ_CHECK(!regcomp(&regex, shape, REG_EXTENDED | REG_NOSUB));
		ready = true;
	}
	return !regexec(&regex, line, 0, NULL, 0);
}

static int print(char *text, size_t size, const struct hibswap_status *st, unsigned int notes)
{
	return snprintf(text, size, "%s %ju %ju/%ju %ju %ju %ju %ju %ju %u",
			hibswap_status_state_name(st->state), (uintmax_t)st->generation,
			(uintmax_t)st->log_used, (uintmax_t)st->log_sectors,
			(uintmax_t)st->extents, (uintmax_t)st->image_bytes,
			(uintmax_t)st->in_place_bytes, (uintmax_t)st->requests_in,
			(uintmax_t)st->requests_out, notes);
}

static void check_accepted(const char *line, const struct hibswap_status *st)
{
	unsigned int notes = __builtin_popcount(st->notes) + st->unknown_notes, i;
	const char *rest;
	char text[512];
	int len;

	len = print(text, sizeof(text), st, notes);
	FUZZ_CHECK(!strncmp(line, text, len));
	FUZZ_CHECK(st->log_used <= st->log_sectors);
	FUZZ_CHECK(st->in_place_bytes <= st->image_bytes);
	/* So many words follow, and behind them only what is newer */
	rest = line + len;
	for (i = 0; i < notes; i++) {
		FUZZ_CHECK(*rest == ' ');
		rest += 1 + strcspn(rest + 1, " ");
	}
	FUZZ_CHECK(!*rest || *rest == ' ');
	FUZZ_CHECK(!st->more || *rest);
	for (i = 0; i < HIBSWAP_STATUS_NOTES; i++)
		if (st->notes & 1U << i)
			FUZZ_CHECK(strstr(line + len, hibswap_status_note_name(i)));
}

/* @data taken for the values */
static void check_printed(const u8 *data)
{
	struct hibswap_status want = {
		.state = data[0] % (STATUS_RESUMABLE + 1),
		.generation = ref_get(data, 1, 8),
		.log_used = ref_get(data, 9, 4),
		.log_sectors = ref_get(data, 9, 8),
		.extents = ref_get(data, 2, 7),
		.in_place_bytes = ref_get(data, 17, 6),
		.image_bytes = ref_get(data, 17, 8),
		.requests_in = ref_get(data, 5, 5),
		.requests_out = ref_get(data, 11, 3),
		.notes = data[4] % (1 << HIBSWAP_STATUS_NOTES),
	}, got;
	char text[512], again[512];
	unsigned int i;
	int len, bare;

	bare = len = print(text, sizeof(text), &want, __builtin_popcount(want.notes));
	for (i = 0; i < HIBSWAP_STATUS_NOTES; i++)
		if (want.notes & 1U << i)
			len += snprintf(text + len, sizeof(text) - len, " %s",
					hibswap_status_note_name(i));
	FUZZ_CHECK(!hibswap_status_parse(text, &got));
	FUZZ_CHECK(got.notes == want.notes && !got.unknown_notes && !got.more);
	FUZZ_CHECK(print(again, sizeof(again), &got, __builtin_popcount(got.notes)) == bare);
	FUZZ_CHECK(!memcmp(text, again, bare));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *line = malloc(size + 1);
	struct hibswap_status st;
	int err;

	if (!line)
		return 0;
	memcpy(line, data, size);
	line[size] = '\0';
	memset(&st, 0xa5, sizeof(st));
	err = hibswap_status_parse(line, &st);
	FUZZ_CHECK(!err || err == -EINVAL);
	if (!err) {
		FUZZ_CHECK(has_shape(line));
		check_accepted(line, &st);
	}
	free(line);
	if (size >= 25)
		check_printed(data);
	return 0;
}

size_t fuzz_seed(unsigned int nr, u8 *data)
{
	static const char * const seeds[] = {
		"idle 2 0/126464 0 0 0 0 0 0",
		"idle 2 0/126464 0 0 0 0 0 1 read_only",
		"armed 4 0/126464 0 0 0 0 0 1 manual",
		"image 4 8/126464 1 4096 0 1 1 0",
		"committed 5 126464/126464 17 64753664 4096 985 985 2 manual unsigned",
		"resumable 18446744073709551615 8/8 1 8192 4096 0 0 3 dropped unsigned failed",
		"idle 2 0/126464 0 0 0 0 0 1 shiny",
		"idle 2 0/126464 0 0 0 0 0 0 17 4/5",
	};

	return fuzz_seed_text(seeds, sizeof(seeds) / sizeof(seeds[0]), nr, data);
}
