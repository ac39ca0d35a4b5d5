/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What drivers/md/dm-hibswap-ctr.c and the header that it shares with the rest
 * of the target need of the kernel, for user space. Types which only that
 * header names are empty. fuzz_table.c plays the rest of the kernel.
 */
#ifndef HIBSWAP_FUZZ_SHIM_H
#define HIBSWAP_FUZZ_SHIM_H

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#include "dm-hibswap-user.h"

#define GFP_KERNEL	0
#define PAGE_SIZE	4096UL
#define SECTOR_SHIFT	9
#define SECTOR_SIZE	512

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BIT(n)			(1UL << (n))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define likely(x)		(x)
#define unlikely(x)		(x)
#define __printf(fmt, first)	__attribute__((format(printf, fmt, first)))
#define kstrtou64		shim_kstrtou64
#define kzalloc_obj(obj, gfp)	shim_zalloc(sizeof(obj))
#define kfree(p)		free(p)
#define DMERR(...)		shim_log(__VA_ARGS__)
#define DMWARN(...)		shim_log(__VA_ARGS__)
#define DMINFO(...)		shim_log(__VA_ARGS__)

#define MAX_ERRNO		4095
#define ERR_PTR(err)		((void *)(intptr_t)(err))
#define PTR_ERR(p)		((intptr_t)(p))
#define IS_ERR(p)		((uintptr_t)(p) >= (uintptr_t)-MAX_ERRNO)
#define IS_ERR_OR_NULL(p)	(!(p) || IS_ERR(p))

typedef unsigned int blk_opf_t, blk_mode_t, gfp_t;
typedef u8 blk_status_t;
typedef u64 sector_t;
typedef struct { int counter; } atomic_t, refcount_t;
typedef struct { int unused; } spinlock_t, wait_queue_head_t;

#define BLK_OPEN_READ	1U
#define BLK_OPEN_WRITE	2U

struct list_head { struct list_head *next, *prev; };
struct rcu_head { int unused; };
struct work_struct { int unused; };
struct delayed_work { int unused; };
struct workqueue_struct { int unused; };
struct completion { int unused; };
struct bio_list { int unused; };
struct bvec_iter { int unused; };
struct bio { int unused; };
struct hibernate_window_provider { int unused; };
struct dm_io_client;
struct mapped_device;

struct task_struct { int unused; };
extern struct task_struct init_task;
static inline bool freezing(struct task_struct *p)
{
	return p->unused;
}

struct mutex { int held; };
static inline void mutex_lock(struct mutex *m)
{
	assert(!m->held);
	m->held = 1;
}

static inline void mutex_unlock(struct mutex *m)
{
	assert(m->held);
	m->held = 0;
}

struct block_device {
	u64 sectors;
	unsigned int lbs;
	bool read_only;
};

static inline u64 bdev_nr_sectors(const struct block_device *bdev)
{
	return bdev->sectors;
}

static inline unsigned int bdev_logical_block_size(const struct block_device *bdev)
{
	return bdev->lbs;
}

static inline bool bdev_read_only(const struct block_device *bdev)
{
	return bdev->read_only;
}

struct dm_dev { struct block_device *bdev; };
struct dm_table { blk_mode_t mode; };

struct dm_target {
	struct dm_table *table;
	u64 begin;
	u64 len;
	unsigned int num_flush_bios;
	unsigned int num_discard_bios;
	unsigned int num_write_zeroes_bios;
	unsigned int per_io_data_size;
	void *private;
	char *error;
	bool flush_supported;
	bool discards_supported;
	bool limit_swap_bios;
};

struct dm_arg_set {
	unsigned int argc;
	char **argv;
};

struct dm_arg {
	unsigned int min;
	unsigned int max;
	char *error;
};

static inline blk_mode_t dm_table_get_mode(const struct dm_table *t)
{
	return t->mode;
}

void *shim_zalloc(size_t size);
void shim_log(const char *fmt, ...) __printf(1, 2);
int shim_kstrtou64(const char *s, unsigned int base, u64 *value);
int dm_get_device(struct dm_target *ti, const char *path, blk_mode_t mode,
		  struct dm_dev **result);
void dm_put_device(struct dm_target *ti, struct dm_dev *d);
int dm_read_arg(const struct dm_arg *arg, struct dm_arg_set *as, unsigned int *value,
		char **error);
int dm_read_arg_group(const struct dm_arg *arg, struct dm_arg_set *as, unsigned int *value,
		      char **error);
const char *dm_shift_arg(struct dm_arg_set *as);
void dm_consume_args(struct dm_arg_set *as, unsigned int nr);

#endif /* HIBSWAP_FUZZ_SHIM_H */
