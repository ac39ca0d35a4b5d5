// SPDX-License-Identifier: GPL-2.0-only
/*
 * The swap header in the data's first page.
 *
 *	0 boot block | 1024 version, last page, bad pages, UUID, label, list | signature
 *
 * The signature is the page's last 10 bytes. A hibernation puts its own there
 * and leaves the rest alone, but for a few words of its own in front of it; the
 * last of them is the signature that was there.
 */
#include "swaphdr.h"

#define SIG_LEN		10
#define AT_VERSION	1024
#define AT_LAST_PAGE	1028
#define AT_BAD_PAGES	1032
#define AT_BAD_LIST	1536
/* What a hibernation has put in front of its signature, and the one before */
#define SWSUSP_WORDS	(SIG_LEN + 4 + 8 + 4 + 4)

static u32 word(const void *page, unsigned int at)
{
	u32 v;

	memcpy(&v, (const u8 *)page + at, sizeof(v));
	return v;
}

static void put_word(void *page, unsigned int at, u32 v)
{
	memcpy((u8 *)page + at, &v, sizeof(v));
}

/**
 * swaphdr_read - read and understand the header page
 * @dev: device
 * @sector: where the data start
 * @page_size: of the kernel that uses the swap area
 * @page: at least @page_size bytes, from dev_buf(); gets the page
 * @hdr: filled in if there is a header of this machine's byte order
 *
 * Return: 1 if there is one, 0 if there is none, a negative errno.
 */
int swaphdr_read(const struct dev *dev, u64 sector, u32 page_size, void *page,
		 struct swaphdr *hdr)
{
	int err = dev_read(dev, sector, page_size >> HIBSWAP_SECTOR_SHIFT, page);

	*hdr = (struct swaphdr){};
	if (err)
		return err;
	if (word(page, AT_VERSION) != 1 || !word(page, AT_LAST_PAGE) ||
	    hibswap_is_zero((u8 *)page + page_size - SIG_LEN, SIG_LEN))
		return 0;
	hdr->pages = hibswap_header_pages(page);
	hdr->bad_pages = word(page, AT_BAD_PAGES);
	hdr->signed_off = !hibswap_header_is_swap(page, page_size);
	return 1;
}

/**
 * swaphdr_unsign - take a hibernation's signature off
 * @page: header page that swaphdr_read() has found good
 * @page_size: its size
 */
void swaphdr_unsign(void *page, u32 page_size)
{
	u8 *end = (u8 *)page + page_size;

	if (hibswap_header_is_swap(page, page_size))
		return;
	memset(end - SIG_LEN - SWSUSP_WORDS, 0, SWSUSP_WORDS);
	memcpy(end - SIG_LEN, "SWAPSPACE2", SIG_LEN);
}

/**
 * swaphdr_resize - the same swap area, UUID and label, with another length
 * @page: header page that swaphdr_read() has found good
 * @page_size: its size
 * @pages: the new length, header page included
 *
 * Without its list of bad pages: those pages have other numbers now.
 */
void swaphdr_resize(void *page, u32 page_size, u64 pages)
{
	swaphdr_unsign(page, page_size);
	put_word(page, AT_LAST_PAGE, min(pages - 1, 0xffffffffULL));
	put_word(page, AT_BAD_PAGES, 0);
	memset((u8 *)page + AT_BAD_LIST, 0, page_size - AT_BAD_LIST - SIG_LEN);
}
