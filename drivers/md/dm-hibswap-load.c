// SPDX-License-Identifier: GPL-2.0-only
/*
 * An image that is on disk is taken in: RESUMABLE.
 */
#include "dm-hibswap.h"

#include <linux/mm.h>
#include <linux/vmalloc.h>

/* A map is loaded while the device is suspended: never wait for swap */
#define HIBSWAP_GFP_LOAD	(GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY)

/**
 * hibswap_header_names_image - was the superblock's image signed with this header page?
 * @r: region, mutex held
 * @sb: superblock
 *
 * Return: 1 if so, 0 if not, or the I/O error.
 */
int hibswap_header_names_image(struct hibswap_region *r, const struct hibswap_super *sb)
{
	int err;

	if (sb->image.page_size != PAGE_SIZE)
		return 0;
	err = hibswap_meta_read_header(r, r->page);
	if (err)
		return err;
	return hibswap_crc(0, r->page, PAGE_SIZE) == sb->image.header_crc;
}

static int region_load_sums(struct hibswap_region *r, const struct hibswap_super *sb,
			    struct hibswap_sums **sums, struct hibswap_fault *fault)
{
	/* As for extents: not more than this machine's image can have blocks */
	if (sb->image.sum_blocks <= (u64)totalram_pages() * HIBSWAP_PAGE_BLOCKS)
		*sums = hibswap_sums_alloc(sb->image.sum_blocks, HIBSWAP_GFP_LOAD);
	if (!*sums) {
		fault->what = "no memory for the checksums, blocks";
		fault->value = sb->image.sum_blocks;
		return -ENOMEM;
	}
	return hibswap_meta_read_sums(r, sb, (*sums)->crc, fault);
}

/**
 * hibswap_load - load the map of a committed superblock: RESUMABLE
 * @r: region, mutex held
 * @sb: superblock
 * @fault: set to why not
 *
 * Return: 0; -EBADMSG or -EINVAL if the map is damaged; -ENOMEM; the I/O error.
 */
int hibswap_load(struct hibswap_region *r, const struct hibswap_super *sb,
		 struct hibswap_fault *fault)
{
	const u64 room = sb->geom.log_sectors / HIBSWAP_BLOCK_SECTORS;
	const u64 nr = sb->image.extents;
	struct hibswap_extent *ext, *out, *spare = NULL;
	struct hibswap_sums *sums = NULL;
	struct hibswap_log log;
	void *scratch;
	int err;

	fault->what = "no memory for the map, extents";
	fault->value = nr;
	/* More than an image of this machine can have; also keeps sizes in size_t */
	if (nr > (u64)totalram_pages() * HIBSWAP_PAGE_BLOCKS)
		return -ENOMEM;
	ext = __vmalloc(nr * sizeof(*ext), HIBSWAP_GFP_LOAD);
	if (!ext)
		return -ENOMEM;
	hibswap_log_init(&log, ext, nr, room);
	err = hibswap_meta_read_map(r, sb, &log, fault);
	if (!err && sb->image.sum_blocks)
		err = region_load_sums(r, sb, &sums, fault);
	if (err)
		goto out_free;

	if (hibswap_log_index(&log) == -EEXIST) {
		out = __vmalloc(2 * nr * sizeof(*out), HIBSWAP_GFP_LOAD);
		scratch = __vmalloc(hibswap_log_resolve_scratch(nr), HIBSWAP_GFP_LOAD);
		err = out && scratch ? hibswap_log_resolve(&log, scratch, out, 2 * nr) : -ENOMEM;
		vfree(scratch);
		if (err) {
			vfree(out);
			fault->what = "no memory to sort the map, extents";
			fault->value = nr;
			goto out_free;
		}
		spare = ext;
	}
	spin_lock(&r->lock);
	swap(r->log, log);
	swap(r->sums, sums);
	r->cursor = 0;
	r->state = HIBSWAP_RESUMABLE;
	r->dropped = false;
	spin_unlock(&r->lock);
	hibswap_sums_put(sums);
	vfree(spare);
	vfree(log.ext);
	return 0;

out_free:
	hibswap_sums_put(sums);
	vfree(ext);
	return err;
}

/**
 * hibswap_enter_blind - there may be an image, but its map cannot be had
 * @r: region, mutex held, IDLE
 * @what: keeps it from being loaded
 * @err: with this error
 *
 * Nothing is written, the first write still invalidates, and a restore finds
 * every address missing.
 */
void hibswap_enter_blind(struct hibswap_region *r, const char *what, int err)
{
	DMWARN("%s: an image may be here, but %s: error %d: it cannot be resumed now",
	       dm_device_name(r->md), what, err);
	spin_lock(&r->lock);
	r->state = HIBSWAP_RESUMABLE;
	spin_unlock(&r->lock);
}
