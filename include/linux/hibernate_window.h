/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The image window: pages of a swap device which swap never uses, kept for the
 * hibernation image. They lie behind the swap area:
 *
 *	block device	| header | swap ...                | window ...      |
 *			0                          data_sectors <= start
 *
 * A window as large as the image makes hibernation independent of how full
 * swap is. Either the device's driver says that there is one, or swapon leaves
 * the end of the area out, for hibernate=reserve.
 */
#ifndef _LINUX_HIBERNATE_WINDOW_H
#define _LINUX_HIBERNATE_WINDOW_H

#include <linux/list.h>
#include <linux/types.h>

struct swap_info_struct;
union swap_header;

/* all in 512-byte sectors of the block device */
struct hibernate_window {
	sector_t data_sectors;	/* what swap may use, from sector 0 */
	sector_t start;		/* first sector of the window, >= data_sectors */
	sector_t nr_sectors;	/* length of the window, may be 0 */
};

/*
 * There may be several for a device, as while a dm table is replaced. The one
 * that was registered last and whose query() does not say -ENODEV is believed.
 */
struct hibernate_window_provider {
	struct list_head list;
	dev_t dev;		/* the block device whose end is the window */
	/*
	 * May sleep, no I/O; called under the registry's mutex. 0 or -errno;
	 * -ENODEV if this device has no window, then hibernate=reserve may
	 * make one.
	 */
	int (*query)(struct hibernate_window_provider *p, struct hibernate_window *w);
};

#ifdef CONFIG_HIBERNATION
int hibernate_window_register(struct hibernate_window_provider *p);
void hibernate_window_unregister(struct hibernate_window_provider *p);

/* For swapon: how many of the area's pages swap may use */
unsigned long hibernate_window_swapon(struct swap_info_struct *si,
				      const union swap_header *header,
				      unsigned long maxpages, unsigned long align);
#else
static inline int hibernate_window_register(struct hibernate_window_provider *p)
{
	return 0;
}

static inline void hibernate_window_unregister(struct hibernate_window_provider *p)
{
}

static inline unsigned long
hibernate_window_swapon(struct swap_info_struct *si, const union swap_header *header,
			unsigned long maxpages, unsigned long align)
{
	return maxpages;
}
#endif

#endif
