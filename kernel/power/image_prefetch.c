// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the image while memory for it is still being prepared.
 *
 * prepare_image() allocates a page for every page of the image, which takes its
 * time, and until it is done the disk has nothing to do: where a page of the image
 * belongs is only known when all of them are allocated. What is known at once is
 * whether a page is safe, that is, not the place of any page of the image. So the
 * next pages of the image are read into safe pages as they turn up:
 *
 *	prepare_image()				snapshot_write_next()
 *	  safe page found			  frame of the image page ...
 *	    image_prefetch_give()  -- FIFO -->	    image_prefetch_take()
 *	      read page n of the image		      held: copy it there, and the
 *						        safe page is free again
 *						      not held: it stays in the safe
 *						        page, as one more pbe
 *
 * The balance of pages is the same as without: a safe page ends up either on the
 * list of safe pages or where it would have been taken from that list for.
 *
 * The FIFO is outside of the pages, since these are being read into. All of this
 * is called by the one task that loads the image.
 */

#include <linux/gfp.h>
#include <linux/mm.h>

#include "image_io.h"
#include "image_map_read.h"
#include "image_prefetch.h"

#define PREFETCH_NODE_PAGES	(PAGE_SIZE / sizeof(void *) - 1)

struct prefetch_node {
	struct prefetch_node *next;
	void *page[PREFETCH_NODE_PAGES];
};

static struct {
	struct swap_map_handle *handle;
	struct hib_bio_batch *hb;
	struct prefetch_node *head, *tail;
	unsigned int head_pos, tail_pos;
	bool waited;
} pf;

/**
 * image_prefetch_start() - from now on, pages may be read ahead
 * @handle: where to read them
 * @hb: batch for it
 *
 * @handle stands at the image's data when image_prefetch_give() is called for
 * the first time, and nothing else reads from it before image_prefetch_take() has
 * returned NULL. Both stay until image_prefetch_stop().
 */
void image_prefetch_start(struct swap_map_handle *handle,
			  struct hib_bio_batch *hb)
{
	pf.handle = handle;
	pf.hb = hb;
	pf.waited = false;
}

static bool prefetch_reserve(void)
{
	struct prefetch_node *node;

	if (pf.tail && pf.tail_pos < PREFETCH_NODE_PAGES)
		return true;

	node = (void *)__get_free_page(GFP_NOIO | __GFP_NOWARN | __GFP_NORETRY);
	if (!node)
		return false;

	node->next = NULL;
	if (pf.tail)
		pf.tail->next = node;
	else
		pf.head = node;
	pf.tail = node;
	pf.tail_pos = 0;

	return true;
}

/**
 * image_prefetch_give() - read the next page of the image into a safe page
 * @page: the safe page
 *
 * If as much is in flight as may be, the answer is no: it is not waited for.
 *
 * Return: whether it is taken; it comes back by image_prefetch_take().
 * Context: May sleep.
 */
bool image_prefetch_give(void *page)
{
	if (!pf.handle || hib_batch_busy(pf.hb) || !prefetch_reserve())
		return false;

	/* At the image's end, or after an error: whoever reads next will see it. */
	if (swap_read_page(pf.handle, page, pf.hb))
		return false;

	pf.tail->page[pf.tail_pos++] = page;
	return true;
}

/**
 * image_prefetch_take() - get the next page of the image that was read ahead
 *
 * Return: the page, NULL if there is none any more, or an ERR_PTR().
 * Context: Sleeps until it is read.
 */
void *image_prefetch_take(void)
{
	struct prefetch_node *node = pf.head;
	void *page;
	int error;

	if (!node)
		return NULL;

	if (!pf.waited) {
		error = hib_wait_io(pf.hb);
		if (error)
			return ERR_PTR(error);
		pf.waited = true;
	}

	if (node == pf.tail && pf.head_pos == pf.tail_pos)
		page = NULL;
	else
		page = node->page[pf.head_pos++];

	if (!page || pf.head_pos == PREFETCH_NODE_PAGES) {
		pf.head = node->next;
		pf.head_pos = 0;
		if (!pf.head)
			pf.tail = NULL;
		free_page((unsigned long)node);
	}

	return page;
}

/**
 * image_prefetch_drain() - wait, so that the pages given may be freed
 *
 * Context: Sleeps.
 */
void image_prefetch_drain(void)
{
	if (pf.handle)
		hib_wait_io(pf.hb);
}

/**
 * image_prefetch_stop() - forget what was not taken; the pages are not freed
 */
void image_prefetch_stop(void)
{
	struct prefetch_node *node;

	while ((node = pf.head)) {
		pf.head = node->next;
		free_page((unsigned long)node);
	}
	pf.tail = NULL;
	pf.head_pos = 0;
	pf.tail_pos = 0;
	pf.handle = NULL;
	pf.hb = NULL;
}
