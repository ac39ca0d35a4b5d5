// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parser of the status line: right lines, wrong lines, and random damage
 * to right ones. Built as a libFuzzer target with -DFUZZER.
 */
#include "status-parse.h"

#include <stdio.h>

#ifdef FUZZER
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct hibswap_status st;
	char *line = malloc(size + 1);

	memcpy(line, data, size);
	line[size] = '\0';
	hibswap_status_parse(line, &st);
	free(line);
	return 0;
}
#else

static const char * const good[] = {
	"idle 2 0/126464 0 0 0 0 0 0",
	"idle 2 0/126464 0 0 0 0 0 1 read_only",
	"armed 4 0/126464 0 0 0 0 0 1 manual",
	"image 4 8/126464 1 4096 0 1 1 0",
	"committed 5 126464/126464 17 64753664 4096 985 985 2 manual unsigned",
	"resumable 18446744073709551615 8/8 1 8192 4096 0 0 3 dropped unsigned failed",
	"idle 2 0/126464 0 0 0 0 0 0 rw 0 0",
	"image 4 8/126464 1 4096 0 1 1 2 manual failed fail 4096 126464",
	"idle 2 0/126464 0 0 0 0 0 2 read_only erasing ro 0 8",
	/* newer targets */
	"idle 2 0/126464 0 0 0 0 0 1 shiny",
	"idle 2 0/126464 0 0 0 0 0 0 17 4/5",
	"idle 2 0/126464 0 0 0 0 0 0 rw 0 0 x",
	"idle 2 0/126464 0 0 0 0 0 0 wo 0 0",
};

static const char * const bad[] = {
	"",
	" ",
	"idle",
	"idle ",
	"Idle 2 0/126464 0 0 0 0 0 0",
	"asleep 2 0/126464 0 0 0 0 0 0",
	"idl 2 0/126464 0 0 0 0 0 0",
	"idlee 2 0/126464 0 0 0 0 0 0",
	" idle 2 0/126464 0 0 0 0 0 0",
	"idle  2 0/126464 0 0 0 0 0 0",
	"idle 2 0/126464 0 0 0 0 0 0 ",
	"idle 2 0/126464 0 0 0 0 0 0\n",
	"idle 2 0/126464 0 0 0 0 0",
	"idle 2 0/126464 0 0 0 0 0 ",
	"idle -2 0/126464 0 0 0 0 0 0",
	"idle +2 0/126464 0 0 0 0 0 0",
	"idle 0x2 0/126464 0 0 0 0 0 0",
	"idle 02 0/126464 0 0 0 0 0 0",
	"idle 2 0 126464 0 0 0 0 0 0",
	"idle 2 0/ 126464 0 0 0 0 0 0",
	"idle 2 0/126464/1 0 0 0 0 0 0",
	"idle 18446744073709551616 0/126464 0 0 0 0 0 0",
	"idle 99999999999999999999999 0/126464 0 0 0 0 0 0",
	"idle 2 9/8 0 0 0 0 0 0",
	"idle 2 0/8 0 4096 8192 0 0 0",
	"idle 2 0/8 0 0 0 0 0 1",
	"idle 2 0/8 0 0 0 0 0 2 manual",
	"idle 2 0/8 0 0 0 0 0 2 manual manual",
	"idle 2 0/8 0 0 0 0 0 1 17",
	"idle 2 0/8 0 0 0 0 0 1  manual",
	"idle 2 0/8 0 0 0 0 0 1000000000000 manual",
	"idle 2 0/8 0 0 0 0 0 0 a  b",
	"idle 2 0/8 0 0 0 0 0 0 rw",
	"idle 2 0/8 0 0 0 0 0 0 rw 0",
	"idle 2 0/8 0 0 0 0 0 0 rw 4096 0",
	"idle 2 0/8 0 0 0 0 0 0 rw 0 9",
	"idle 2 0/8 0 0 0 0 0 0 rw x 0",
	"Fail",
	"Error",
};

#define NR(a) (sizeof(a) / sizeof((a)[0]))

static int passed, failed;

static void check(bool ok, const char *line)
{
	if (ok) {
		passed++;
	} else {
		failed++;
		printf("FAIL status line \"%s\"\n", line);
	}
}

static u32 rnd(void)
{
	static u32 x = 2463534242;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

/* What comes through must be what it claims: printed again, it is the line */
static bool same_again(const char *line, const struct hibswap_status *st)
{
	char text[512];
	int n, notes = __builtin_popcount(st->notes) + st->unknown_notes;

	n = snprintf(text, sizeof(text), "%s %llu %llu/%llu %llu %llu %llu %llu %llu %d",
		     hibswap_status_state_name(st->state), (unsigned long long)st->generation,
		     (unsigned long long)st->log_used, (unsigned long long)st->log_sectors,
		     (unsigned long long)st->extents, (unsigned long long)st->image_bytes,
		     (unsigned long long)st->in_place_bytes,
		     (unsigned long long)st->requests_in, (unsigned long long)st->requests_out,
		     notes);
	return !strncmp(line, text, n) &&
	       (notes || st->more || st->mode != MODE_UNKNOWN || !line[n]);
}

int main(void)
{
	struct hibswap_status st;
	int through = 0;

	for (size_t i = 0; i < NR(good); i++)
		check(!hibswap_status_parse(good[i], &st) && same_again(good[i], &st), good[i]);
	for (size_t i = 0; i < NR(bad); i++)
		check(hibswap_status_parse(bad[i], &st) == -EINVAL, bad[i]);

	hibswap_status_parse(good[4], &st);
	check(st.state == STATUS_COMMITTED && st.generation == 5 && st.log_used == 126464 &&
	      st.extents == 17 && st.image_bytes == 64753664 && st.in_place_bytes == 4096 &&
	      st.requests_in == 985 && st.notes == (NOTE_MANUAL | NOTE_UNSIGNED) && !st.more,
	      "values");
	hibswap_status_parse(good[7], &st);
	check(st.mode == MODE_FAIL && st.checked_bytes == 4096 && st.log_dirty == 126464 &&
	      st.notes == (NOTE_MANUAL | NOTE_FAILED) && !st.more, "mode");
	hibswap_status_parse(good[9], &st);
	check(st.unknown_notes == 1 && !st.notes && !st.more, "unknown note");
	hibswap_status_parse(good[10], &st);
	check(st.mode == MODE_UNKNOWN && st.more && !st.unknown_notes, "more fields");

	for (int i = 0; i < 300000; i++) {
		const char *from = good[rnd() % NR(good)];
		size_t len = strlen(from);
		/* Exactly as long as it is, so that a sanitizer sees an overrun */
		char *line = malloc(len + 1);

		memcpy(line, from, len + 1);
		for (u32 n = 1 + rnd() % 3; n; n--)
			line[rnd() % (len + 1)] = rnd() % 4 ? " 0/9a_"[rnd() % 6] : (char)rnd();
		line[len] = '\0';
		if (!hibswap_status_parse(line, &st)) {
			through++;
			if (!same_again(line, &st))
				check(false, line);
		}
		free(line);
	}
	check(through > 1000, "some damaged lines are right lines");
	printf("status-test: %d passed, %d failed\n", passed, failed);
	return !!failed;
}
#endif
