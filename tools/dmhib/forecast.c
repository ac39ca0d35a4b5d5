// SPDX-License-Identifier: GPL-2.0-only
/*
 * How large will an image be?
 *
 * swsusp saves every page that is in use and not free. If that is more than
 * image_size, it first frees page cache and swaps out until it is not; what it
 * cannot free is saved nevertheless, up to half of memory, since the other half
 * has to hold the copy. Added are a list of page frames and one of slots, 8
 * bytes a page each.
 *
 * A compressed image is packed 32 pages at a time into whole pages. What does
 * not compress becomes longer: the kernel reckons with 1/16 and some bytes, 35
 * pages for 32. With that an image can be larger than the memory that it holds.
 */
#include "forecast.h"
#include "sysroot.h"

#include <inttypes.h>
#include <unistd.h>

#define CHUNK_PAGES		32
#define CHUNK_WORST		35
/* Entries of a page frame list and of a list of slots */
#define LIST_BYTES		16
/* For what happens between this minute and the snapshot */
#define MARGIN_PERCENT		10

struct field {
	const char *name;
	u64 *value;
};

static u64 pages_up(const struct memory *m, u64 bytes)
{
	return (bytes + m->page_size - 1) / m->page_size;
}

/* "MemTotal:        16318480 kB" */
static bool read_meminfo(struct field *fields, unsigned int nr)
{
	FILE *f = sysroot_open("/proc/meminfo");
	unsigned int found = 0;
	char line[256];

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');
		u64 kib;

		if (!colon || sscanf(colon + 1, "%" SCNu64, &kib) != 1)
			continue;
		*colon = '\0';
		for (unsigned int i = 0; i < nr; i++) {
			if (strcmp(line, fields[i].name))
				continue;
			*fields[i].value = kib << 10;
			found++;
		}
	}
	fclose(f);
	return found == nr;
}

/*
 * MemTotal lacks what the kernel took for itself at boot, and an image does not.
 * Free pages that a CPU keeps for itself are in no count of free ones, but are
 * given back before the snapshot.
 */
static void read_zones(struct memory *m)
{
	FILE *f = sysroot_open("/proc/zoneinfo");
	u64 present = 0, kept = 0, pages;
	char line[256];

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " present %" SCNu64, &pages) == 1)
			present += pages;
		else if (sscanf(line, " count: %" SCNu64, &pages) == 1)
			kept += pages;
	}
	fclose(f);
	m->total = max(m->total, present * m->page_size);
	m->kept = kept * m->page_size;
}

/* The kernel's default */
static u64 default_image_size(u64 ram)
{
	return ram / 5 * 2;
}

static bool nocompress(void)
{
	char value[64];

	return cmdline_word("hibernate", value, sizeof(value)) && strstr(value, "nocompress");
}

/**
 * memory_read - look at this machine
 * @m: filled in
 *
 * Return: 0 or -EIO.
 */
int memory_read(struct memory *m)
{
	u64 active_file, inactive_file, inactive_anon, reclaimable, dirty, mapped;
	struct field fields[] = {
		{ "MemTotal", &m->total }, { "MemFree", &m->free },
		{ "Active(anon)", &m->active_anon }, { "Inactive(anon)", &inactive_anon },
		{ "Active(file)", &active_file }, { "Inactive(file)", &inactive_file },
		{ "SReclaimable", &reclaimable }, { "SwapFree", &m->swap_free },
		{ "Dirty", &dirty }, { "Mapped", &mapped },
	};

	*m = (struct memory){ .page_size = sysconf(_SC_PAGESIZE), .now = true };
	if (!read_meminfo(fields, sizeof(fields) / sizeof(fields[0])))
		return -EIO;
	read_zones(m);
	m->anon = m->active_anon + inactive_anon;
	m->file = active_file + inactive_file + reclaimable;
	/* What is mapped comes back at once, what is dirty is written first */
	m->file -= min(m->file, max(mapped, dirty));
	m->image_size_set = sysroot_u64("/sys/power/image_size", &m->image_size);
	if (!m->image_size_set)
		m->image_size = default_image_size(m->total);
	m->compressed = !nocompress();
	return 0;
}

/**
 * memory_plan - another machine
 * @m: filled in
 * @ram: its memory, bytes
 */
void memory_plan(struct memory *m, u64 ram)
{
	*m = (struct memory){ .page_size = sysconf(_SC_PAGESIZE), .total = ram };
	m->image_size = default_image_size(ram);
	m->compressed = true;
}

/** memory_in_use - what an image of everything would save */
u64 memory_in_use(const struct memory *m)
{
	return m->total - min(m->total, m->free + m->kept);
}

/**
 * forecast_pages - an image of so much memory, at worst
 * @m: the machine
 * @bytes: memory that is saved
 * @p: filled in
 */
void forecast_pages(const struct memory *m, u64 bytes, struct parts *p)
{
	const u64 pages = pages_up(m, bytes);

	*p = (struct parts){ .pages = pages * m->page_size };
	/* And the first page of the image, of the lists, and one for luck */
	p->lists = pages_up(m, pages * LIST_BYTES) * m->page_size + 3 * m->page_size;
	if (m->compressed)
		p->packing = (pages + CHUNK_PAGES - 1) / CHUNK_PAGES *
			     (CHUNK_WORST - CHUNK_PAGES) * m->page_size;
	p->sum = p->pages + p->lists + p->packing;
}

/** forecast_largest - the largest image that there can be */
void forecast_largest(const struct memory *m, struct parts *p)
{
	forecast_pages(m, m->total / 2, p);
}

/** forecast_target - an image of the size that the kernel aims at */
void forecast_target(const struct memory *m, struct parts *p)
{
	forecast_pages(m, min(m->image_size, m->total / 2), p);
}

/*
 * Memory that the kernel would save if it hibernated now. What the CPUs keep it
 * takes for used while it frees memory, and has back when it saves.
 */
static enum reason saved_now(const struct memory *m, u64 *bytes)
{
	const u64 in_use = memory_in_use(m) + m->kept, half = m->total / 2;
	const u64 freeable = m->file + min(m->anon, m->swap_free);
	const u64 pinned = in_use - min(in_use, freeable);
	enum reason why;

	if (in_use <= min(m->image_size, half)) {
		*bytes = in_use;
		why = WHY_FITS;
	} else if (pinned >= half || m->image_size >= half) {
		*bytes = half;
		why = WHY_HALF;
	} else {
		*bytes = max(m->image_size, pinned);
		why = pinned > m->image_size ? WHY_PINNED : WHY_SHRUNK;
	}
	*bytes -= min(*bytes, m->kept);
	return why;
}

/*
 * What compression leaves of @pages bytes. Where memory has to be freed, nobody
 * knows which pages will stay: as if those of zeros went first.
 */
static u64 packed_bytes(u64 pages, const struct sample *s)
{
	const u64 others = min(pages, s->others);

	return others / 1000 * s->permille + (pages - others) / 1000 * s->zero_cost;
}

/**
 * forecast_now - the image that this machine would write now
 * @m: the machine
 * @s: what compression leaves of memory, NULL if that is not known
 * @p: filled in
 *
 * Return: why it is as large as that.
 */
enum reason forecast_now(const struct memory *m, const struct sample *s, struct parts *p)
{
	struct parts largest;
	enum reason why;
	u64 bytes, packed;

	why = saved_now(m, &bytes);
	forecast_pages(m, bytes, p);
	if (s && m->compressed) {
		packed = packed_bytes(p->pages, s);
		p->saves = packed < p->pages;
		p->packing = p->saves ? p->pages - packed : packed - p->pages;
	}
	p->sum = p->pages + p->lists + (p->saves ? -p->packing : p->packing);
	/* Not more than there can be */
	forecast_largest(m, &largest);
	p->margin = min(p->sum / 100 * MARGIN_PERCENT, largest.sum - min(largest.sum, p->sum));
	p->sum += p->margin;
	return why;
}

/**
 * forecast_sampled - as forecast_now(), after a look at what is in memory
 * @m: the machine
 * @s: what was seen
 * @why: why the image is as large as that
 * @p: filled in
 *
 * Return: whether memory could be looked at.
 */
bool forecast_sampled(const struct memory *m, struct sample *s, enum reason *why,
		      struct parts *p)
{
	struct sample rest;
	u64 freed;

	*why = forecast_now(m, NULL, p);
	if (!m->compressed || sample_memory(false, m->kept / m->page_size, s))
		return false;
	freed = memory_in_use(m) - min(memory_in_use(m), p->pages);
	/* Page cache goes first; the more of it goes, the more what is left counts */
	if (freed && m->file && !sample_memory(true, m->kept / m->page_size, &rest)) {
		const u64 all = packed_bytes(p->pages, s), left = packed_bytes(p->pages, &rest);

		/* Only because it packs worse, so no further than that */
		if (all && left > all) {
			const u64 more = (left - all) * s->permille / all;

			s->permille += min(more, rest.permille - s->permille) *
				       min(freed, m->file) / m->file;
		}
	}
	forecast_now(m, s, p);
	return true;
}

/** reason_code - for scripts */
const char *reason_code(enum reason why)
{
	static const char * const code[] = { "fits", "shrunk", "pinned", "half" };

	return code[why];
}

/** reason_text - for people */
const char *reason_text(enum reason why)
{
	static const char * const text[] = {
		"all that is in use: less than image_size, so nothing is freed",
		"image_size: the kernel frees memory until it fits",
		"what the kernel cannot free: more than image_size",
		"half of memory: there is no room for a larger copy",
	};

	return text[why];
}

/** region_superblocks - what lies in front of the log of a region at a device's start */
u64 region_superblocks(void)
{
	return 2ULL * HIBSWAP_SUPER_GAP << HIBSWAP_SECTOR_SHIFT;
}

/** region_maps - the two places for a map on a machine with so much memory */
u64 region_maps(u64 ram)
{
	const u64 each = hibswap_default_extents(ram >> HIBSWAP_BLOCK_SHIFT) *
			 sizeof(struct hibswap_extent_disk);

	return 2 * ((each + HIBSWAP_BLOCK_SIZE - 1) & ~(u64)(HIBSWAP_BLOCK_SIZE - 1));
}

/**
 * region_for - the region that holds an image
 * @ram: memory of the machine, for the maps
 * @image: the image, bytes
 *
 * Return: bytes, a multiple of 1 MiB.
 */
u64 region_for(u64 ram, u64 image)
{
	const u64 mib = 1 << 20;

	return (region_superblocks() + image + region_maps(ram) + mib - 1) / mib * mib;
}
