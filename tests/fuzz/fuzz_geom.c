// SPDX-License-Identifier: GPL-2.0-only
/*
 * Geometry. Input: five areas, a number of extents, five fields that a hostile
 * superblock would bring, options; 8 bytes each.
 */
#include "fuzz.h"

#define OPT_TAME	1	/* of a size that disks have */
#define OPT_BEHIND	2	/* data right behind the region */

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct hibswap_fault fault = {};
	struct hibswap_geom g, hostile;
	const char *wrong;
	u64 v[12], extents;
	unsigned int i;
	int err;

	if (size < sizeof(v))
		return 0;
	for (i = 0; i < 12; i++)
		v[i] = ref_get(data, 8 * i, 8);
	if (v[11] & OPT_TAME)
		for (i = 0; i < 6; i++)
			v[i] &= i == 1 ? 0xffffff : 0xffffff8;
	if (v[11] & OPT_BEHIND)
		v[2] = (v[0] + v[1] + 7) & ~7ULL;
	memset(&g, 0xa5, sizeof(g));
	g.region_start = v[0];
	g.region_sectors = v[1];
	g.data_start = v[2];
	g.data_sectors = v[3];
	g.window_sectors = v[4];
	extents = v[5];

	/* As a superblock would have it: accepted only if all promises are kept */
	hostile = g;
	hostile.log_start = v[6];
	hostile.log_sectors = v[7];
	hostile.map_start[0] = v[8];
	hostile.map_start[1] = v[9];
	hostile.map_sectors = v[10];
	err = hibswap_geom_check(&hostile, &fault);
	FUZZ_CHECK(!err == !fault.what && !err == !ref_geom_wrong(&hostile));

	fault.what = NULL;
	err = hibswap_geom_init(&g, extents, &fault);
	FUZZ_CHECK(!err == !fault.what);
	if (!err) {
		wrong = ref_geom_wrong(&g);
		if (wrong)
			fprintf(stderr, "geometry: %s\n", wrong);
		FUZZ_CHECK(!wrong);
		FUZZ_CHECK(hibswap_map_extents_max(&g) >= extents);
		FUZZ_CHECK(!hibswap_geom_check(&g, NULL));
		FUZZ_CHECK(!hibswap_geom_match(&g, &g, NULL));
		/* Places inside the region that are not ours */
		hostile = g;
		*(v[10] & 1 ? &hostile.log_start : v[10] & 2 ? &hostile.log_sectors :
		  v[10] & 4 ? &hostile.map_sectors : &hostile.map_start[v[10] >> 3 & 1]) += v[6];
		FUZZ_CHECK(!hibswap_geom_check(&hostile, NULL) == !v[6]);
	} else if (err == -ENOSPC) {
		/* The size that it asks for must do, unless data is in the way */
		FUZZ_CHECK(fault.value == g.region_sectors && fault.limit > fault.value);
		g.region_sectors = fault.limit;
		err = hibswap_geom_init(&g, extents, &fault);
		FUZZ_CHECK(!err || err == -EINVAL);
		if (!err) {
			FUZZ_CHECK(!ref_geom_wrong(&g));
			g.region_sectors--;
			FUZZ_CHECK(hibswap_geom_init(&g, extents, &fault) == -ENOSPC);
		}
	} else {
		FUZZ_CHECK(err == -EINVAL);
	}
	return 0;
}

size_t fuzz_seed(unsigned int nr, u8 *data)
{
	static const u64 seeds[][12] = {
		{ 0, 8192, 8192, 8, 0, 0, 4096, 8192 - 16 - 4096, 8192 - 16, 8192 - 8, 8, 0 },
		{ 2048, 0x40005, 0x100000, 0x200000, 0x20000, 1024,
		  6144, 0x3efc0, 0x407c0, 0x407e0, 0x20, 0 },
		{ 1 << 20, 8192, 2048, (1 << 20) - 2048, 0, 0 },
		{ (1ULL << 43) - 8192, 8192, 2048, 8, 4080, 0 },
		{ 0, 1ULL << 42, 1ULL << 42, 8, 0, 1ULL << 38 },
		{ 0, 100, 8192, 8, 8, 5000, 0, 0, 0, 0, 0, OPT_TAME | OPT_BEHIND },
		{ 0x12345678, 0x87654321, 0, 800, 80, 500, 8, 0, 0, 0, 4, OPT_TAME | OPT_BEHIND },
	};
	unsigned int i;

	if (nr >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	for (i = 0; i < 12; i++)
		ref_put(data, 8 * i, 8, seeds[nr][i]);
	return 96;
}
