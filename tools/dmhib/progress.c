// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far it is, for what takes minutes. On a terminal only: a log wants none.
 */
#include "progress.h"

#include <inttypes.h>
#include <unistd.h>

#define BAR_WIDTH	30
#define SHOW_SECONDS	0.5

static double since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - from->tv_sec) + (now.tv_nsec - from->tv_nsec) / 1e9;
}

static void show(struct progress *p)
{
	const double seconds = since(&p->start);
	const u64 done = min(p->done, p->total);
	const double part = p->total ? (double)done / p->total : 1;
	const int full = part * BAR_WIDTH;
	char size[SIZE_TEXT];
	u64 left = 0;

	if (part > 0)
		left = seconds / part - seconds;
	fprintf(stderr, "\r[%.*s%*s] %5.1f %%, %s %s", full, "##############################",
		BAR_WIDTH - full, "", part * 100, size_text(done, size), p->what);
	if (seconds > 1)
		fprintf(stderr, ", %.1f MiB/s, %02" PRIu64 ":%02" PRIu64 " left",
			done / seconds / (1 << 20), left / 60, left % 60);
	/* What a longer line has left behind */
	fputs("\033[K", stderr);
	fflush(stderr);
	clock_gettime(CLOCK_MONOTONIC, &p->shown);
}

/**
 * progress_start - begin
 * @p: filled in
 * @what: "read", "written"
 * @total: bytes there are to do
 */
void progress_start(struct progress *p, const char *what, u64 total)
{
	*p = (struct progress){ .what = what, .total = total };
	p->on = isatty(STDERR_FILENO) && !opts.batch;
	clock_gettime(CLOCK_MONOTONIC, &p->start);
	p->shown = p->start;
	if (p->on)
		show(p);
}

/**
 * progress_add - so much more is done
 * @p: started
 * @bytes: how much
 */
void progress_add(struct progress *p, u64 bytes)
{
	p->done += bytes;
	if (p->on && since(&p->shown) >= SHOW_SECONDS)
		show(p);
}

/**
 * progress_end - it is over, well or not
 * @p: started
 */
void progress_end(struct progress *p)
{
	if (!p->on)
		return;
	show(p);
	fputc('\n', stderr);
}
