/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few kernel helpers that the pure parts of dm-hibswap use, for user
 * space. Only drivers/md/dm-hibswap-port.h includes this.
 */
#ifndef DM_HIBSWAP_USER_H
#define DM_HIBSWAP_USER_H

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define cpu_to_le32(v)	htole32(v)
#define cpu_to_le64(v)	htole64(v)
#define le32_to_cpu(v)	le32toh(v)
#define le64_to_cpu(v)	le64toh(v)

#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)

static inline u64 hibswap_min(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 hibswap_max(u64 a, u64 b)
{
	return a > b ? a : b;
}

#define min(a, b)	hibswap_min(a, b)
#define max(a, b)	hibswap_max(a, b)

u32 crc32c(u32 crc, const void *data, size_t len);

static inline void hibswap_relax(void)
{
}

static inline void hibswap_sort(void *base, size_t nr, size_t size,
				int (*cmp)(const void *, const void *))
{
	if (nr)
		qsort(base, nr, size, cmp);
}

#endif /* DM_HIBSWAP_USER_H */
