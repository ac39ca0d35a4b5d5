/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the hibswap target share.
 *
 * Units: "sector" is 512 bytes, "block" 4096, "page" PAGE_SIZE.
 *
 * Locks, in the order they are taken:
 *
 *	hibswap_lock	the list of regions, the PM phases, region->ti. Held over
 *			activation and the PM notifiers. The worker never takes
 *			it: while it has a bio, dm keeps the table that ti is of.
 *	region->mutex	metadata I/O, commits, transitions that need I/O. Nothing
 *			that may wait for swap happens under it: memory is
 *			allocated before (or with GFP_NOIO).
 *	region->lock	state, flags, log, deferred bios: what .map looks at. A
 *			spinlock; never held over a copy or an allocation.
 *
 * The registry of windows has a mutex of its own, between hibswap_lock (a window
 * comes or goes) and region->lock (hibernation asks for it).
 */
#ifndef DM_HIBSWAP_H
#define DM_HIBSWAP_H

#include <linux/bio.h>
#include <linux/device-mapper.h>
#include <linux/freezer.h>
#include <linux/hibernate_window.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "dm-hibswap-format.h"
#include "dm-hibswap-log.h"

#define DM_MSG_PREFIX "hibswap"

/* The map is read and written in pieces of this many bytes */
#define HIBSWAP_MAP_BUF_SIZE	(256 * 1024)

#define HIBSWAP_PAGE_SECTORS	(PAGE_SIZE >> SECTOR_SHIFT)
#define HIBSWAP_PAGE_BLOCKS	(PAGE_SIZE >> HIBSWAP_BLOCK_SHIFT)

/*
 *	           activation finds an image
 *	IDLE ------------------------------------> RESUMABLE
 *	 |  ^ <------------------------------------  |
 *	 |  |        first write, discard, PREPARE
 *	 |  |
 *	 |  +--- .freeze, PM_POST_HIBERNATION, image given up ---+
 *	 v                                                       |
 *	ARMED --first image write--> IMAGE --header page--> COMMITTED
 *	(.thaw)                              signed
 */

/**
 * enum hibswap_state - what a region is doing
 * @HIBSWAP_IDLE: data passes through, no image is wanted here
 * @HIBSWAP_ARMED: a snapshot may have been taken; the first image write
 *	starts an image
 * @HIBSWAP_IMAGE: this kernel writes an image
 * @HIBSWAP_COMMITTED_STATE: map and superblock are on stable storage
 * @HIBSWAP_RESUMABLE: activation found a committed image that the header page
 *	still names
 */
enum hibswap_state {
	HIBSWAP_IDLE,
	HIBSWAP_ARMED,
	HIBSWAP_IMAGE,
	HIBSWAP_COMMITTED_STATE,
	HIBSWAP_RESUMABLE,
};

/* Feature arguments, bits */
#define HIBSWAP_NO_CHECKSUM	1U	/* images are written without */
#define HIBSWAP_DISCARD		2U	/* the log, when an image is over */
#define HIBSWAP_WIPE		4U	/* overwrite it with zeros */

/*
 * Checksums of an image's blocks, by position: see struct hibswap_extent. I/O
 * under way holds a reference, so that the map can be dropped meanwhile.
 */
struct hibswap_sums {
	struct rcu_head rcu;
	refcount_t refs;
	u64 nr;				/* how many blocks have one */
	u32 crc[];
};

/* What user space is told, in this order if it comes late */
enum hibswap_event {
	HIBSWAP_EVENT_FAILED,
	HIBSWAP_EVENT_COMMITTED,
	HIBSWAP_EVENT_RESUMED,
	HIBSWAP_EVENT_STALE,
	HIBSWAP_EVENT_DROPPED,
	HIBSWAP_EVENT_ERASED,
};

/* An image that this kernel was resumed from; generation 0 if there is none */
struct hibswap_resumed {
	u64 generation;
	u64 log_blocks;
	u64 in_place_blocks;
};

/*
 * All that is known of a region.
 *
 * Outlives tables: a reload hands it from the old table to the new one.
 */
struct hibswap_region {
	/* Set at birth */
	struct list_head node;
	struct mapped_device *md;
	struct block_device *bdev;
	struct dm_io_client *io;
	void *block;			/* the bytes of a superblock */
	void *page;			/* a header page */
	void *map_buf;			/* a piece of the map, vmalloc */

	/* hibswap_lock */
	unsigned int users;
	struct dm_target *ti;		/* of the live table, or NULL */
	bool offered;			/* window is listed */
	struct hibernate_window_provider window;

	/* mutex; status looks at some of it without */
	struct mutex mutex;
	struct hibswap_super sb;	/* as last read or written */
	struct hibswap_super copies[2];	/* scratch: too large for a stack */
	bool activated;			/* sb and geom are real */
	bool read_only;
	bool failed;			/* a metadata write has failed: no more images */
	unsigned int features;		/* of the live table */
	bool erasing;			/* the log is being erased: erase_left counts */
	u64 erase_left;			/* blocks, from the log's beginning on */
	u64 erase_maps;			/* sectors of the map places, likewise */
	u64 erase_recorded;		/* what the superblock says of that */
	bool unsure;			/* a copy could not be read last time */
	u64 ours;			/* the generation this kernel has committed, or 0 */
	bool event_committed;		/* to be told when somebody can listen */
	unsigned int takeback_s;	/* an image is taken back after so long, or 0 */
	struct hibswap_resumed resumed;	/* to be told when all is settled */

	/* lock */
	spinlock_t lock;
	enum hibswap_state state;
	struct hibswap_geom geom;
	struct hibswap_log log;
	struct hibswap_sums *sums;	/* of log's blocks, or NULL */
	u64 log_high;			/* blocks of the log that may hold contents */
	u64 cursor;
	bool manual;			/* between "image begin" and "end" */
	bool barrier;			/* image I/O waits: a commit, or a sort */
	bool stale_below;		/* a committed superblock vouches for the log */
	bool was_unsigned;		/* header page lost a signature that was no swap's */
	bool dropped;			/* image was taken up and not resumed */
	blk_status_t image_error;
	struct bio_list deferred;
	unsigned int nr_deferred;	/* queued or in the worker */
	u64 bios_in;
	u64 requests_base;
	u64 requests_out;
	unsigned long events;		/* bits of enum hibswap_event, not sent yet */

	atomic_t in_flight;		/* image writes at the device */
	wait_queue_head_t wait;
	struct work_struct work;
	struct work_struct event_work;
	struct work_struct erase_work;
	struct delayed_work takeback_work;
	bool held;			/* the device is suspended: no I/O of our own */
};

/* One table line */
struct hibswap_target {
	struct hibswap_region *region;
	struct dm_dev *dev;
	unsigned int features;
	struct hibswap_geom areas;	/* as in the table line; data_sectors is ti->len */
};

/**
 * struct hibswap_io - per bio
 * @tracked: counted in in_flight; a commit waits for it
 * @sums: set for a read that is to be checked; a reference
 * @pos: position in the image of its first block
 * @sector: where that is on the mapped device
 * @iter: of the data, as it was before the read
 * @region: for @work
 * @work: to check it in
 */
struct hibswap_io {
	bool tracked;
	struct hibswap_sums *sums;
	u64 pos;
	u64 sector;
	struct bvec_iter iter;
	struct hibswap_region *region;
	struct work_struct work;
};

/* Phases of the PM core that concern all regions; under hibswap_lock */
extern struct mutex hibswap_lock;
extern struct list_head hibswap_regions;
extern bool hibswap_prepare_open;	/* PM_HIBERNATION_PREPARE .. POST, read locklessly */
extern bool hibswap_restore_open;	/* PM_RESTORE_PREPARE .. POST, likewise */
extern struct workqueue_struct *hibswap_wq;

/* dm-hibswap-region.c */
struct hibswap_region *hibswap_region_get(struct dm_target *ti, struct block_device *bdev,
					  const struct hibswap_geom *areas);
u64 hibswap_region_data_sectors(struct dm_target *ti, struct block_device *bdev,
				const struct hibswap_geom *areas);
struct hibswap_region *hibswap_region_put(struct hibswap_region *r, struct dm_target *ti);
void hibswap_region_destroy(struct hibswap_region *r);

/* dm-hibswap-activate.c */
int hibswap_region_check(struct hibswap_region *r, const struct hibswap_geom *areas,
			 bool read_only, char **error);
int hibswap_region_activate(struct hibswap_region *r, struct dm_target *ti,
			    const struct hibswap_target *ht, bool read_only);

/* dm-hibswap-phase.c */
int hibswap_region_settle(struct hibswap_region *r);
bool hibswap_tell_resumed(struct hibswap_region *r);
int hibswap_region_prepare(struct hibswap_region *r);
void hibswap_region_unprepare(struct hibswap_region *r);
void hibswap_region_post(struct hibswap_region *r);

/* dm-hibswap-takeback.c */
void hibswap_takeback_later(struct hibswap_region *r, int err);
void hibswap_takeback_now(struct hibswap_region *r);
void hibswap_takeback_hold(struct hibswap_region *r);
void hibswap_takeback_release(struct hibswap_region *r);
void hibswap_takeback_work(struct work_struct *work);

/* dm-hibswap-manual.c */
int hibswap_region_begin(struct hibswap_region *r);
int hibswap_region_end(struct hibswap_region *r);
int hibswap_region_discard(struct hibswap_region *r);

/* dm-hibswap-load.c */
int hibswap_header_names_image(struct hibswap_region *r, const struct hibswap_super *sb);
int hibswap_load(struct hibswap_region *r, const struct hibswap_super *sb,
		 struct hibswap_fault *fault);
void hibswap_enter_blind(struct hibswap_region *r, const char *what, int err);

/* dm-hibswap-drop.c */
int hibswap_invalidate(struct hibswap_region *r);
void hibswap_drop_map(struct hibswap_region *r);
void hibswap_release_log(struct hibswap_region *r);
void hibswap_index_map(struct hibswap_region *r);

/* dm-hibswap-event.c */
void hibswap_event(struct hibswap_region *r, enum hibswap_event event);
void hibswap_event_work(struct work_struct *work);
void hibswap_fail(struct hibswap_region *r, u64 sector, int err);

/* dm-hibswap-meta.c */
int hibswap_meta_io(struct hibswap_region *r, blk_opf_t opf, u64 sector,
		    u64 sectors, void *buf);
int hibswap_meta_flush(struct hibswap_region *r);
int hibswap_meta_bio(struct hibswap_region *r, blk_opf_t opf, u64 sector,
		     u64 sectors, struct bio *bio);
int hibswap_meta_read_super(struct hibswap_region *r, struct hibswap_super *sb,
			    struct hibswap_fault *fault);
void hibswap_super_complain(struct hibswap_region *r, int err,
			    const struct hibswap_fault *fault);
int hibswap_meta_write_super(struct hibswap_region *r, const struct hibswap_super *sb);
int hibswap_meta_read_header(struct hibswap_region *r, void *page);
int hibswap_meta_read_map(struct hibswap_region *r, const struct hibswap_super *sb,
			  struct hibswap_log *log, struct hibswap_fault *fault);
int hibswap_meta_write_map(struct hibswap_region *r, unsigned int place, u32 *crc);
int hibswap_meta_read_sums(struct hibswap_region *r, const struct hibswap_super *sb,
			   u32 *sums, struct hibswap_fault *fault);
int hibswap_meta_write_sums(struct hibswap_region *r, struct hibswap_super *sb,
			    const u32 *sums);
int hibswap_meta_is_blank(struct hibswap_region *r, const struct hibswap_geom *geom);

/* dm-hibswap-ctr.c */
const char *hibswap_feature_name(unsigned int set, unsigned int nr);
int hibswap_ctr(struct dm_target *ti, unsigned int argc, char **argv);
void hibswap_dtr(struct dm_target *ti);
bool hibswap_table_is_read_only(struct dm_target *ti, struct block_device *bdev);

/* Are kernel threads frozen for a sleep, or does an admin play hibernation? */
static inline bool hibswap_image_phase(const struct hibswap_region *r)
{
	return READ_ONCE(r->manual) || unlikely(freezing(&init_task));
}

/* Is it somebody else's region now? By what reading the superblocks said */
static inline bool hibswap_is_foreign(int err)
{
	return err == -EPROTONOSUPPORT || err == -EMEDIUMTYPE || err == -ENODATA;
}

/* dm-hibswap-image.c */
int hibswap_map(struct dm_target *ti, struct bio *bio);
int hibswap_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error);
void hibswap_work(struct work_struct *work);
u64 hibswap_device_requests(struct hibswap_region *r);

/* dm-hibswap-sum.c */
struct hibswap_sums *hibswap_sums_alloc(u64 nr, gfp_t gfp);
void hibswap_sums_put(struct hibswap_sums *sums);
void hibswap_sums_write(struct hibswap_sums *sums, u64 pos, struct bio *bio, u64 sectors);
bool hibswap_sums_match(const struct hibswap_sums *sums, u64 pos, const void *block);
void hibswap_sums_copy(struct bio *bio, const void *from);
void hibswap_sums_complain(struct hibswap_region *r, u64 sector, u64 device);
int hibswap_sums_end_read(struct hibswap_region *r, struct bio *bio, blk_status_t *error);

/* dm-hibswap-erase.c */
int hibswap_erase_mark(struct hibswap_region *r);
void hibswap_erase_kick(struct hibswap_region *r);
void hibswap_erase_hold(struct hibswap_region *r);
void hibswap_erase_release(struct hibswap_region *r);
void hibswap_erase_work(struct work_struct *work);
int hibswap_erase_init(void);
void hibswap_erase_exit(void);

/* dm-hibswap-commit.c */
int hibswap_commit(struct hibswap_region *r, u32 header_crc);
void hibswap_header_write(struct hibswap_region *r, struct bio *bio);

/* dm-hibswap-window.c */
void hibswap_window_offer(struct hibswap_region *r);
void hibswap_window_withdraw(struct hibswap_region *r);

/* dm-hibswap-pm.c */
int hibswap_pm_init(void);
void hibswap_pm_exit(void);

#endif /* DM_HIBSWAP_H */
