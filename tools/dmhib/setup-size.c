// SPDX-License-Identifier: GPL-2.0-only
/*
 * How large is the region going to be?
 *
 * As dmhib size recommends it, if as much is left for swap: an unmodified
 * kernel needs a free slot for each page of the image. Where that is too much,
 * a region for what the kernel aims at. Where that is, too, the arithmetic.
 */
#include "setup.h"
#include "check.h"
#include "forecast.h"
#include "layout.h"
#include "sysroot.h"

#include <inttypes.h>

struct room {
	struct memory mem;
	struct parts largest;
	struct parts target;
	u64 all;
};

static int know_memory(struct memory *m)
{
	if (opts.ram) {
		memory_plan(m, opts.ram);
		return E_OK;
	}
	if (opts.root) {
		msg_err("how much memory will that machine have? --ram or --region-size says it");
		return E_PARAM;
	}
	if (!memory_read(m))
		return E_OK;
	msg_err("cannot tell how much memory there is: use --region-size");
	return E_DEVICE;
}

/**
 * setup_window_counts - will an image go into the window?
 * @s: the setup
 *
 * Which kernel a system below another root will have nobody knows: it is believed,
 * but where tests have made up a machine.
 */
bool setup_window_counts(const struct setup *s)
{
	return s->window_bytes && ((opts.root && !sysroot_faked()) || kernel_has_window());
}

/* The window needs no slots of swap */
static bool fits(const struct setup *s, const struct room *r, const struct parts *p)
{
	const u64 region = region_for(r->mem.total, p->sum);
	const u64 data = setup_window_counts(s) ? MIB_SECTORS << HIBSWAP_SECTOR_SHIFT : p->sum;

	return region + data <= r->all;
}

static void say_parts(const struct room *r, const char *what, const struct parts *p, bool window)
{
	char a[SIZE_TEXT], b[SIZE_TEXT], c[SIZE_TEXT];
	const u64 region = region_for(r->mem.total, p->sum);

	msg_more("%s: %s of region%s%s = %s", what, size_text(region, a),
		 window ? "" : " + as much swap as the image is large, ",
		 window ? "" : size_text(p->sum, b), size_text(region + (window ? 0 : p->sum), c));
}

static int too_small(const struct setup *s, const struct room *r)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];

	msg_err("%s is too small: it has %s, for %s of memory", s->device, size_text(r->all, a),
		size_text(r->mem.total, b));
	say_parts(r, "the largest image", &r->largest, setup_window_counts(s));
	say_parts(r, "an image of image_size", &r->target, setup_window_counts(s));
	msg_more("enlarge the partition, or give --region-size: what does not fit into the region is written slowly");
	return E_DEVICE;
}

static int choose(struct setup *s)
{
	struct room r = { .all = s->sectors << HIBSWAP_SECTOR_SHIFT };
	char a[SIZE_TEXT];
	int rc = know_memory(&r.mem);

	if (rc)
		return rc;
	forecast_largest(&r.mem, &r.largest);
	forecast_target(&r.mem, &r.target);
	if (fits(s, &r, &r.largest)) {
		s->region_bytes = region_for(r.mem.total, r.largest.sum);
	} else if (fits(s, &r, &r.target)) {
		s->region_bytes = region_for(r.mem.total, r.target.sum);
		setup_note(s, "the region has %s, enough for what the kernel aims at, but not for every image: \"dmhib size\" says more",
			   size_text(s->region_bytes, a));
	} else {
		return too_small(s, &r);
	}
	return E_OK;
}

/* The region that is there stays as it is */
static int keep(const struct setup *s)
{
	char size[SIZE_TEXT];

	if (opts.region_size &&
	    layout_round(opts.region_size, MIB_SECTORS) << HIBSWAP_SECTOR_SHIFT != s->region_bytes) {
		msg_err("%s has a region of %s already: \"dmhib resize %s --region-size ...\" changes it",
			s->device, size_text(s->region_bytes, size), s->device);
		return E_PARAM;
	}
	if (opts.window_size &&
	    layout_round(opts.window_size, layout_page_sectors()) << HIBSWAP_SECTOR_SHIFT !=
	    s->window_bytes) {
		msg_err("%s has %s%s already: \"dmhib resize %s --window ...\" changes that",
			s->device, s->window_bytes ? "a window of " : "no window",
			s->window_bytes ? size_text(s->window_bytes, size) : "", s->device);
		return E_PARAM;
	}
	return E_OK;
}

/**
 * setup_size - decide how large region and window are
 * @s: the device has been looked at
 *
 * Return: an exit code.
 */
int setup_size(struct setup *s)
{
	const u64 page = layout_page_sectors();
	u64 region;

	if (s->kind == DEVICE_REGION)
		return keep(s);
	s->window_bytes = layout_round(opts.window_size, page) << HIBSWAP_SECTOR_SHIFT;
	s->region_bytes = layout_round(opts.region_size, MIB_SECTORS) << HIBSWAP_SECTOR_SHIFT;
	if (!s->region_bytes) {
		int rc = choose(s);

		if (rc)
			return rc;
	}
	region = s->region_bytes >> HIBSWAP_SECTOR_SHIFT;
	if (region >= s->sectors || s->sectors - region < MIB_SECTORS) {
		char a[SIZE_TEXT], b[SIZE_TEXT];

		msg_err("a region of %s leaves no room for swap on %s, which has %s",
			size_text(s->region_bytes, a), s->device, sectors_text(s->sectors, b));
		return E_DEVICE;
	}
	s->data_sectors = (s->sectors - region) / page * page;
	return E_OK;
}
