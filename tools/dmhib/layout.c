// SPDX-License-Identifier: GPL-2.0-only
/*
 * Laying a region out: what format and resize share.
 */
#include "layout.h"
#include "describe.h"
#include "sig.h"

#include <inttypes.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* Less data is no swap area worth having, and a typing error for certain */
#define DATA_LEAST_SECTORS	MIB_SECTORS

/** layout_page_sectors - lengths of data are multiples of what the target calls a page */
u64 layout_page_sectors(void)
{
	return max((u64)sysconf(_SC_PAGESIZE), HIBSWAP_BLOCK_SIZE) >> HIBSWAP_SECTOR_SHIFT;
}

/**
 * layout_round - a size as a number of sectors, rounded up
 * @bytes: the size
 * @align: sectors to round up to
 */
u64 layout_round(u64 bytes, u64 align)
{
	return ((bytes >> HIBSWAP_SECTOR_SHIFT) + !!(bytes & 511) + align - 1) / align * align;
}

/** layout_options - do the options about the maps go together? An exit code */
int layout_options(void)
{
	if (!opts.map_extents || !opts.ram)
		return E_OK;
	msg_err("--map-extents and --ram say the same: give one of them");
	return E_PARAM;
}

/**
 * layout_extents - how many extents does a map need?
 * @ram: set to the memory that they are made for, 0 if a number was given
 * @extents: set to their number
 *
 * Return: an exit code.
 */
int layout_extents(u64 *ram, u64 *extents)
{
	struct sysinfo si;

	*ram = 0;
	if (opts.map_extents) {
		*extents = opts.map_extents;
		return E_OK;
	}
	*ram = opts.ram;
	if (!*ram) {
		if (sysinfo(&si)) {
			msg_err("cannot tell how much memory there is: use --ram");
			return E_DEVICE;
		}
		*ram = (u64)si.totalram * si.mem_unit;
	}
	*extents = hibswap_default_extents(*ram >> HIBSWAP_BLOCK_SHIFT);
	return E_OK;
}

/**
 * layout_data - is there room for data?
 * @dev: the device
 * @geom: region and data_start are set
 * @end: where the data will end, sectors
 *
 * Return: an exit code.
 */
int layout_data(const struct dev *dev, const struct hibswap_geom *geom, u64 end)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];

	if (geom->data_start < end && end - geom->data_start >= DATA_LEAST_SECTORS)
		return E_OK;
	msg_err("a region of %s leaves no room for swap on %s, which has %s",
		sectors_text(geom->region_sectors, a), dev->path,
		sectors_text(dev->sectors, b));
	return E_DEVICE;
}

/**
 * layout_init - lay the region out, and say why it cannot be
 * @geom: areas are read, the places in the region set
 * @extents: what each map has to hold
 *
 * Return: an exit code.
 */
int layout_init(struct hibswap_geom *geom, u64 extents)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];
	struct hibswap_fault fault = {};
	int err;

	err = hibswap_geom_init(geom, extents, &fault);
	if (!err)
		return E_OK;
	if (err == -ENOSPC) {
		msg_err("a region of %s is too small: superblocks, two maps of %" PRIu64
			" extents and the shortest log need %s",
			sectors_text(geom->region_sectors, a), extents,
			sectors_text((fault.limit + MIB_SECTORS - 1) / MIB_SECTORS * MIB_SECTORS,
				     b));
		msg_more("and the log has to hold the whole image: make it much larger than that");
		return E_PARAM;
	}
	/* The log is laid out by then: all else was in order */
	if (geom->log_sectors && geom->window_sectors > geom->log_sectors) {
		msg_err("a window of %s is larger than the log, which has %s",
			sectors_text(geom->window_sectors, a), sectors_text(geom->log_sectors, b));
		msg_more("make the region larger or the window smaller");
		return E_PARAM;
	}
	msg_err("%s: %" PRIu64 " is not possible, the limit is %" PRIu64, fault.what,
		fault.value, fault.limit);
	return E_PARAM;
}

/**
 * layout_wipe_signatures - old signatures at the new start of the data
 * @dev: device, held exclusively
 * @geom: where the data are
 *
 * Something may lie there that the raw device does not show, and the mapped
 * device would: the data of an earlier layout, or a page of an image.
 *
 * Return: an exit code.
 */
int layout_wipe_signatures(const struct dev *dev, const struct hibswap_geom *geom)
{
	bool dummy;
	int n = sig_wipe(dev, geom->data_start, geom->data_sectors, &dummy);

	if (n < 0)
		return E_DEVICE;
	if (n)
		msg_warn("%d old signature%s at the new start of the data wiped", n,
			 n == 1 ? "" : "s");
	return E_OK;
}

/**
 * layout_table - the line that dmsetup takes
 * @dev: device
 * @geom: its layout
 * @buf: gets it
 * @len: of @buf
 */
void layout_table(const struct dev *dev, const struct hibswap_geom *geom, char *buf, size_t len)
{
	snprintf(buf, len, "0 %" PRIu64 " hibswap %s %" PRIu64 " %" PRIu64 " %" PRIu64,
		 geom->data_sectors, dev->path, geom->data_start, geom->region_start,
		 geom->region_sectors);
}

/**
 * layout_print - a layout in words
 * @g: the layout
 * @ram: memory that the maps are made for, 0 if that is not known
 */
void layout_print(const struct hibswap_geom *g, u64 ram)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];

	printf("  region  %10s  sectors %" PRIu64 " to %" PRIu64 "\n",
	       sectors_text(g->region_sectors, a), g->region_start,
	       g->region_start + g->region_sectors - 1);
	printf("  log     %10s  the largest image\n", sectors_text(g->log_sectors, a));
	printf("  maps    %10s  2 of %s, %" PRIu64 " extents each",
	       sectors_text(2 * g->map_sectors, a), sectors_text(g->map_sectors, b),
	       hibswap_map_extents_max(g));
	if (ram)
		printf(", for %s of memory", size_text(ram, b));
	printf("\n  data    %10s  sectors %" PRIu64 " to %" PRIu64 ", for swap\n",
	       sectors_text(g->data_sectors, a), g->data_start,
	       g->data_start + g->data_sectors - 1);
	if (g->window_sectors)
		printf("  window  %10s  behind the data, for images only\n",
		       sectors_text(g->window_sectors, a));
}

/**
 * layout_json - a layout for scripts
 * @dev: device
 * @sb: what was written to it
 * @table: the line that dmsetup takes
 */
struct json_object *layout_json(const struct dev *dev, const struct hibswap_super *sb,
				const char *table)
{
	struct json_object *obj = json_object_new_object();
	char uuid[UUID_TEXT];

	jadd_str(obj, "device", dev->path);
	jadd_str(obj, "uuid", uuid_text(sb->uuid, uuid));
	json_object_object_add(obj, "geometry", geom_json(&sb->geom));
	jadd_str(obj, "table", table);
	return obj;
}
