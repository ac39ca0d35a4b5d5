// SPDX-License-Identifier: GPL-2.0-only
/*
 * CRC32C (Castagnoli, reflected) for user space, in the calling convention of
 * the kernel's crc32c(): no inversion at either end.
 */
#include "dm-hibswap-user.h"

u32 crc32c(u32 crc, const void *data, size_t len)
{
	static u32 table[256];
	static bool ready;
	const u8 *p = data;

	if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
		for (u32 i = 0; i < 256; i++) {
			u32 c = i;

			for (int k = 0; k < 8; k++)
				c = c & 1 ? c >> 1 ^ 0x82f63b78 : c >> 1;
			table[i] = c;
		}
		__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	}
	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
	return crc;
}
