// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib size: how large should the region be? With the arithmetic.
 */
#include "describe.h"
#include "forecast.h"

#include <inttypes.h>
#include <stdarg.h>

/* Past images were of past days */
#define PAST_PERCENT	25

struct past {
	unsigned int nr;
	u64 largest;
};

struct answer {
	struct memory m;
	bool sampled;
	struct sample sample;
	struct parts largest;
	struct parts target;
	struct parts now;
	enum reason why;
	bool have_device;
	struct hibswap_geom geom;
	struct past past;
	u64 for_largest;
	u64 for_target;
	u64 for_past;
};

static int read_device(const char *path, struct answer *a)
{
	const struct hibswap_super *sb;
	struct meta meta;
	struct dev dev;
	int rc;

	rc = region_open(&dev, &meta, path, 0);
	if (rc)
		return rc;
	sb = meta_super(&meta);
	a->have_device = true;
	a->geom = sb->geom;
	for (int i = 0; i < HIBSWAP_PAST_IMAGES && sb->past_images[i]; i++) {
		a->past.nr++;
		a->past.largest = max(a->past.largest, sb->past_images[i]);
	}
	region_close(&dev, &meta);
	return E_OK;
}

/* A hostile superblock may say that an image was of 16 EiB */
static u64 past_with_margin(const struct answer *a)
{
	const u64 most = a->largest.sum;

	return a->past.largest >= most ? most :
	       min(a->past.largest + a->past.largest / 100 * PAST_PERCENT, most);
}

static void reckon(struct answer *a)
{
	const u64 ram = a->m.total;

	forecast_largest(&a->m, &a->largest);
	forecast_target(&a->m, &a->target);
	if (a->m.now)
		a->sampled = forecast_sampled(&a->m, &a->sample, &a->why, &a->now);
	a->for_largest = region_for(ram, a->largest.sum);
	a->for_target = region_for(ram, a->target.sum);
	a->for_past = a->past.nr ? region_for(ram, past_with_margin(a)) : 0;
}

/* ---- words ---- */

static void line(const char *what, u64 bytes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void line(const char *what, u64 bytes, const char *fmt, ...)
{
	char size[SIZE_TEXT];
	va_list ap;

	printf("  %-24s%12s", what, size_text(bytes, size));
	if (fmt) {
		printf("  ");
		va_start(ap, fmt);
		vprintf(fmt, ap);
		va_end(ap);
	}
	printf("\n");
}

static void now_words(const struct answer *a)
{
	printf("An image now\n");
	line("in use", memory_in_use(&a->m), "of which %" PRIu64 " MiB page cache can be dropped",
	     a->m.file >> 20);
	line("saved", a->now.pages, "%s", reason_text(a->why));
	if (a->now.saves)
		line("- compressed away", a->now.packing, "%" PRIu64
		     " MiB looked at: %u.%u %% zeros, of the rest %u.%u %% are left",
		     a->sample.bytes >> 20, a->sample.zeros / 10, a->sample.zeros % 10,
		     a->sample.permille / 10, a->sample.permille % 10);
	else if (a->now.packing)
		line("+ packing", a->now.packing, a->sampled ? "it does not compress" :
		     "if it does not compress: memory could not be looked at");
	line("+ lists", a->now.lists, "of page frames and of slots");
	line("+ margin", a->now.margin, "memory changes");
	line("= at most", a->now.sum, NULL);
}

static void parts_words(const struct answer *a, const struct parts *p, u64 region)
{
	line("memory", p->pages, NULL);
	line("+ lists", p->lists, "of page frames and of slots, 0.4 %%");
	if (p->packing)
		line("+ packing", p->packing, "what does not compress grows from 32 pages to 35");
	line("+ superblocks", region_superblocks(), NULL);
	line("+ maps", region_maps(a->m.total), "2, of 16 bytes for each 4 KiB of 9/16 of memory");
	line("= region", region, "rounded up to 1 MiB");
}

static void device_words(const struct answer *a)
{
	const u64 log = a->geom.log_sectors << HIBSWAP_SECTOR_SHIFT;
	char size[SIZE_TEXT];

	printf("The region that is there\n");
	line("region", a->geom.region_sectors << HIBSWAP_SECTOR_SHIFT, "its log has %s",
	     size_text(log, size));
	if (a->past.nr)
		line("largest past image", a->past.largest, "of the last %u", a->past.nr);
	if (log >= a->largest.sum)
		printf("  It holds every image.\n");
	else if (log >= a->target.sum)
		printf("  It holds what the kernel aims at, but not every image.\n");
	else
		printf("  It is too small for an image of image_size that does not compress.\n");
	if (log < a->largest.sum)
		printf("  What does not fit is written to where swap is: slowly, but it is saved.\n");
}

static void print_words(const struct answer *a)
{
	char size[SIZE_TEXT];

	printf("Memory\n");
	line(a->m.now ? "of this machine" : "of the machine", a->m.total, NULL);
	line("image_size", a->m.image_size, "%s", a->m.image_size_set ?
	     "/sys/power/image_size: what the kernel aims at" :
	     "the kernel's default, 2/5 of memory: what it aims at");
	if (a->m.now)
		now_words(a);
	printf("The largest image: half of memory\n");
	parts_words(a, &a->largest, a->for_largest);
	printf("An image of image_size\n");
	parts_words(a, &a->target, a->for_target);
	if (a->past.nr)
		line("past images + 25 %", a->for_past, "a region for the largest of the last %u",
		     a->past.nr);
	if (a->have_device)
		device_words(a);
	printf("\nRecommended: --region-size %" PRIu64 "M (%s). It holds every image.\n",
	       a->for_largest >> 20, size_text(a->for_largest, size));
	printf("An unmodified kernel needs as much free swap as the image is large, too.\n");
}

/* ---- JSON ---- */

static struct json_object *parts_json(const struct parts *p)
{
	struct json_object *obj = json_object_new_object();

	jadd_u64(obj, "memory_bytes", p->pages);
	jadd_u64(obj, "lists_bytes", p->lists);
	jadd_u64(obj, "packing_bytes", p->packing);
	jadd_bool(obj, "packing_saves", p->saves);
	jadd_u64(obj, "margin_bytes", p->margin);
	jadd_u64(obj, "image_bytes", p->sum);
	return obj;
}

static struct json_object *now_json(const struct answer *a)
{
	struct json_object *obj;

	if (!a->m.now)
		return NULL;
	obj = parts_json(&a->now);
	jadd_u64(obj, "in_use_bytes", memory_in_use(&a->m));
	jadd_str(obj, "reason", reason_code(a->why));
	json_object_object_add(obj, "sampled_bytes", a->sampled ?
			       json_object_new_uint64(a->sample.bytes) : NULL);
	json_object_object_add(obj, "zero_permille", a->sampled ?
			       json_object_new_uint64(a->sample.zeros) : NULL);
	json_object_object_add(obj, "compressed_permille", a->sampled ?
			       json_object_new_uint64(a->sample.permille) : NULL);
	return obj;
}

static struct json_object *device_json(const struct answer *a)
{
	const u64 log = a->geom.log_sectors << HIBSWAP_SECTOR_SHIFT;
	struct json_object *obj;

	if (!a->have_device)
		return NULL;
	obj = json_object_new_object();
	jadd_u64(obj, "region_bytes", a->geom.region_sectors << HIBSWAP_SECTOR_SHIFT);
	jadd_u64(obj, "log_bytes", log);
	jadd_u64(obj, "past_images", a->past.nr);
	jadd_u64(obj, "largest_past_bytes", a->past.largest);
	jadd_bool(obj, "holds_largest", log >= a->largest.sum);
	jadd_bool(obj, "holds_target", log >= a->target.sum);
	json_object_object_add(obj, "holds_now", a->m.now ?
			       json_object_new_boolean(log >= a->now.sum) : NULL);
	return obj;
}

static void print_json(const struct answer *a)
{
	struct json_object *obj = json_object_new_object(), *region;

	jadd_u64(obj, "ram_bytes", a->m.total);
	jadd_bool(obj, "this_machine", a->m.now);
	jadd_u64(obj, "page_size", a->m.page_size);
	jadd_u64(obj, "image_size_bytes", a->m.image_size);
	jadd_bool(obj, "compressed", a->m.compressed);
	json_object_object_add(obj, "now", now_json(a));
	json_object_object_add(obj, "largest", parts_json(&a->largest));
	json_object_object_add(obj, "target", parts_json(&a->target));
	region = json_object_new_object();
	jadd_u64(region, "superblocks_bytes", region_superblocks());
	jadd_u64(region, "maps_bytes", region_maps(a->m.total));
	jadd_u64(region, "recommended_bytes", a->for_largest);
	jadd_u64(region, "target_bytes", a->for_target);
	json_object_object_add(region, "past_bytes", a->for_past ?
			       json_object_new_uint64(a->for_past) : NULL);
	json_object_object_add(obj, "region", region);
	json_object_object_add(obj, "device", device_json(a));
	json_print(obj);
}

/** verb_size - say how large the region should be, and why */
int verb_size(int argc, char **argv)
{
	struct answer a = {};
	int rc;

	if (opts.ram >> 50) {
		msg_err("--ram: so much memory has no machine");
		return E_PARAM;
	}
	if (opts.ram) {
		memory_plan(&a.m, opts.ram);
	} else if (memory_read(&a.m)) {
		msg_err("cannot tell how much memory there is: use --ram");
		return E_DEVICE;
	}
	rc = argc ? read_device(argv[0], &a) : E_OK;
	if (rc)
		return rc;
	reckon(&a);
	if (opts.json)
		print_json(&a);
	else
		print_words(&a);
	return E_OK;
}
