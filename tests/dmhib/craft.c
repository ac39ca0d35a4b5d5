// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes regions that are wrong in one chosen way, with right checksums.
 *
 *	craft set FILE A|B FIELD=VALUE...	change fields of one copy
 *	craft faults FILE			the changes to try, and what each
 *						should be called
 *	craft image FILE BLOCK:LENGTH:FLAGS...	a committed image with this map,
 *						whatever it is
 *	craft sign FILE BLOCK:LENGTH:FLAGS...	the same, named by the header page
 *						that is there
 *	craft sums FILE				give the committed image checksums
 *	craft scramble FILE SEED		random bytes, right checksums
 */
#include "dm-hibswap-log.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define FIELD(f) { #f, offsetof(struct hibswap_super_disk, f), \
		   sizeof(((struct hibswap_super_disk *)0)->f) }

static const struct field {
	const char *name;
	size_t offset;
	size_t bytes;
} fields[] = {
	FIELD(version), FIELD(feature_compat), FIELD(feature_incompat), FIELD(generation),
	FIELD(state), FIELD(page_size), FIELD(region_start), FIELD(region_sectors),
	FIELD(data_start), FIELD(data_sectors), FIELD(window_sectors), FIELD(log_start),
	FIELD(log_sectors), FIELD(map_start[0]), FIELD(map_start[1]), FIELD(map_sectors),
	FIELD(map_extents), FIELD(map_place), FIELD(map_crc), FIELD(log_blocks),
	FIELD(in_place_blocks), FIELD(header_crc), FIELD(reserved0), FIELD(reserved1[0]),
	FIELD(reserved1[3751]), FIELD(sum_blocks), FIELD(sum_crc), FIELD(reserved2),
	FIELD(log_dirty),
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))
#define CHECK(cond) do { if (!(cond)) fail(#cond); } while (0)

static u8 block[2][HIBSWAP_BLOCK_SIZE] __attribute__((aligned(8)));
static struct hibswap_super sb[2];
static int err[2];
static int fd;

static void fail(const char *what)
{
	fprintf(stderr, "craft: failed: %s\n", what);
	exit(1);
}

static void load(const char *path)
{
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	for (int i = 0; i < 2; i++) {
		CHECK(pread(fd, block[i], HIBSWAP_BLOCK_SIZE, hibswap_super_sector(0, i) * 512) ==
		      HIBSWAP_BLOCK_SIZE);
		err[i] = hibswap_super_decode(&sb[i], block[i], i, NULL);
	}
}

static void store(int copy)
{
	struct hibswap_super_disk *d = (void *)block[copy];

	d->crc = 0;
	d->crc = cpu_to_le32(hibswap_crc(0, d, sizeof(*d)));
	CHECK(pwrite(fd, d, sizeof(*d), hibswap_super_sector(0, copy) * 512) == sizeof(*d));
}

static void put(int copy, const struct field *f, u64 value)
{
	for (size_t i = 0; i < f->bytes; i++)
		block[copy][f->offset + i] = value >> (8 * i);
}

static void set(int copy, const char *assignment)
{
	const char *eq = strchr(assignment, '=');

	CHECK(eq);
	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (strlen(fields[i].name) != (size_t)(eq - assignment) ||
		    strncmp(fields[i].name, assignment, eq - assignment))
			continue;
		put(copy, &fields[i], strtoull(eq + 1, NULL, 0));
		return;
	}
	fail(assignment);
}

static void fault(const char *field, u64 value, const char *what)
{
	printf("%s=%" PRIu64 "\t%s\n", field, value, what);
}

static void faults(void)
{
	const u64 most = HIBSWAP_BLOCKS_MAX * HIBSWAP_BLOCK_SECTORS;
	int c = hibswap_super_choose(err, sb);
	const struct hibswap_geom *g = &sb[c].geom;
	const u64 extents = hibswap_map_extents_max(g);

	CHECK(c >= 0 && g->window_sectors);
	fault("version", 0, "version");
	fault("version", 2, "version");
	fault("version", 0xffffffff, "version");
	fault("feature_incompat", 1, "feature_incompat");
	fault("feature_incompat", 1ULL << 63, "feature_incompat");
	fault("generation", sb[c].generation + 1, "generation parity");
	if (c)
		fault("generation", ~0ULL, "generation");
	fault("state", 0, "state");
	fault("state", 3, "state");
	fault("state", 0xffffffff, "state");
	fault("page_size", 0, "page_size");
	fault("page_size", 2048, "page_size");
	fault("page_size", 12288, "page_size");
	fault("page_size", 131072, "page_size");
	fault("page_size", 0x80000000, "page_size");
	fault("region_start", most, "region_start");
	fault("region_start", ~0ULL, "region_start");
	fault("region_start", 1, "region_start alignment");
	fault("region_start", 8, "data and region overlap");
	fault("region_sectors", most + 1, "region_sectors");
	fault("region_sectors", ~0ULL, "region_sectors");
	fault("region_sectors", g->region_sectors + 8, "data and region overlap");
	fault("region_sectors", g->region_sectors - 8, "log_sectors");
	fault("region_sectors", 0, "map_sectors");
	fault("region_sectors", 2048, "map_sectors");
	fault("data_start", 0, "data_start");
	fault("data_start", 2040, "data_start");
	fault("data_start", most, "data_start");
	fault("data_start", ~0ULL, "data_start");
	fault("data_start", g->data_start + 1, "data_start alignment");
	fault("data_start", g->data_start - 8, "data and region overlap");
	fault("data_sectors", 0, "data_sectors");
	fault("data_sectors", most, "data_sectors");
	fault("data_sectors", ~0ULL, "data_sectors");
	fault("data_sectors", g->data_sectors - 1, "window alignment");
	fault("window_sectors", most, "window_sectors");
	fault("window_sectors", ~0ULL, "window_sectors");
	fault("window_sectors", g->window_sectors + 1, "window alignment");
	fault("log_start", 0, "log_start");
	fault("log_start", g->log_start + 8, "log_start");
	fault("log_start", ~0ULL, "log_start");
	fault("log_sectors", 0, "log_sectors");
	fault("log_sectors", g->log_sectors + 8, "log_sectors");
	fault("log_sectors", ~0ULL, "log_sectors");
	fault("map_start[0]", 0, "map_start[0]");
	fault("map_start[0]", g->map_start[1], "map_start[0]");
	fault("map_start[0]", ~0ULL, "map_start[0]");
	fault("map_start[1]", 0, "map_start[1]");
	fault("map_start[1]", g->map_start[0], "map_start[1]");
	fault("map_start[1]", ~0ULL, "map_start[1]");
	fault("map_sectors", 0, "map_sectors");
	fault("map_sectors", 1, "map_sectors");
	fault("map_sectors", g->region_sectors, "map_sectors");
	fault("map_sectors", g->region_sectors / 2, "map_sectors");
	fault("map_sectors", ~7ULL, "map_sectors");
	fault("map_sectors", g->map_sectors + 8, "log_sectors");
	fault("reserved0", 1, "reserved bytes");
	fault("reserved1[0]", 1, "reserved bytes");
	fault("reserved1[3751]", 1, "reserved bytes");
	if (sb[c].state == HIBSWAP_COMMITTED) {
		fault("map_extents", 0, "map_extents");
		fault("map_extents", extents + 1, "map_extents");
		fault("map_extents", ~0ULL, "map_extents");
		fault("map_place", 2, "map_place");
		fault("map_place", 0xffffffff, "map_place");
		fault("log_blocks", g->log_sectors / 8 + 1, "log_blocks");
		fault("log_blocks", ~0ULL, "log_blocks");
		fault("in_place_blocks", HIBSWAP_BLOCKS_MAX + 1, "in_place_blocks");
		fault("in_place_blocks", ~0ULL, "in_place_blocks");
		return;
	}
	fault("map_extents", 1, "image fields without an image");
	fault("map_place", 1, "image fields without an image");
	fault("map_crc", 1, "image fields without an image");
	fault("log_blocks", 1, "image fields without an image");
	fault("in_place_blocks", 1, "image fields without an image");
	fault("header_crc", 1, "image fields without an image");
}

static void image(bool sign, int nr, char **extents)
{
	int c = hibswap_super_choose(err, sb);
	struct hibswap_extent_disk *map;
	u8 page[4096] = {};
	struct hibswap_super next;

	CHECK(c >= 0);
	next = sb[c];
	next.generation++;
	next.state = HIBSWAP_COMMITTED;
	next.image = (struct hibswap_image){ .extents = nr, .page_size = 4096, .map_place = 1 };
	map = calloc(nr + 1, sizeof(*map));
	CHECK(map);
	for (int i = 0; i < nr; i++) {
		u64 from, len;
		u32 flags;

		CHECK(sscanf(extents[i], "%" SCNu64 ":%" SCNu64 ":%" SCNu32, &from, &len,
			     &flags) == 3);
		map[i].block = cpu_to_le64(from);
		map[i].blocks = cpu_to_le32(len);
		map[i].flags = cpu_to_le32(flags);
		if (flags & HIBSWAP_EXTENT_IN_PLACE)
			next.image.in_place_blocks += len;
		else
			next.image.log_blocks += len;
	}
	next.image.map_crc = hibswap_crc(0, map, nr * sizeof(*map));
	CHECK(pwrite(fd, map, nr * sizeof(*map), next.geom.map_start[1] * 512) ==
	      (ssize_t)(nr * sizeof(*map)));
	free(map);

	if (sign)
		memcpy(page + sizeof(page) - 10, "S1SUSPEND\0", 10);
	else
		CHECK(pread(fd, page, sizeof(page), next.geom.data_start * 512) == sizeof(page));
	next.image.header_crc = hibswap_crc(0, page, sizeof(page));
	CHECK(pwrite(fd, page, sizeof(page), next.geom.data_start * 512) == sizeof(page));

	c = hibswap_super_copy(next.generation);
	memmove(next.past_images + 1, next.past_images,
		sizeof(next.past_images) - sizeof(next.past_images[0]));
	next.past_images[0] = (next.image.log_blocks + next.image.in_place_blocks) * 4096;
	hibswap_super_encode(&next, block[c]);
	store(c);
}

/* One checksum for each block, in the order of the map, behind the map */
static void sums(void)
{
	int c = hibswap_super_choose(err, sb);
	const struct hibswap_geom *g = &sb[c].geom;
	struct hibswap_image *im = &sb[c].image;
	const u64 map_at = g->map_start[im->map_place] * 512;
	u64 at = map_at + (im->extents * 16 + 4095) / 4096 * 4096;
	u64 pos = 0;

	CHECK(c >= 0 && sb[c].state == HIBSWAP_COMMITTED);
	im->sum_crc = 0;
	for (u64 i = 0; i < im->extents; i++) {
		struct hibswap_extent_disk e;

		CHECK(pread(fd, &e, sizeof(e), map_at + i * sizeof(e)) == sizeof(e));
		for (u64 k = 0; k < le32_to_cpu(e.blocks); k++, pos++, at += 4) {
			u64 from = e.flags ? g->data_start * 512 + (le64_to_cpu(e.block) + k) * 4096 :
					     g->log_start * 512 + pos * 4096;
			u8 data[4096];
			__le32 crc;

			CHECK(pread(fd, data, sizeof(data), from) == sizeof(data));
			crc = cpu_to_le32(hibswap_crc(0, data, sizeof(data)));
			CHECK(pwrite(fd, &crc, sizeof(crc), at) == sizeof(crc));
			im->sum_crc = hibswap_crc(im->sum_crc, &crc, sizeof(crc));
		}
	}
	im->sum_blocks = pos;
	hibswap_super_encode(&sb[c], block[c]);
	store(c);
}

static u64 rnd_state;

static u64 rnd(u64 below)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return rnd_state % below;
}

static u64 odd_value(u64 old)
{
	switch (rnd(6)) {
	case 0:
		return 0;
	case 1:
		return ~0ULL >> rnd(64);
	case 2:
		return old + 8;
	case 3:
		return old - 8;
	case 4:
		return old << 1;
	default:
		return rnd_state;
	}
}

/* Fields more often than bytes: most of the block has to be zero */
static void scramble(u64 seed)
{
	int c = hibswap_super_choose(err, sb);
	u64 map[2 * 64];

	CHECK(c >= 0);
	rnd_state = seed * 0x9e3779b97f4a7c15ULL + 1;
	for (u64 n = rnd(3); n; n--) {
		const struct field *f = &fields[rnd(NR_FIELDS)];
		u64 old = 0;

		memcpy(&old, block[c] + f->offset, f->bytes);
		put(c, f, odd_value(le64_to_cpu(old)));
	}
	if (!rnd(4))
		block[c][rnd(HIBSWAP_BLOCK_SIZE)] ^= 1 << rnd(8);
	if (sb[c].state == HIBSWAP_COMMITTED && sb[c].image.extents <= 64) {
		const u64 at = sb[c].geom.map_start[sb[c].image.map_place] * 512;
		const size_t len = sb[c].image.extents * 16;
		u64 word;
		u32 crc;

		CHECK(pread(fd, map, len, at) == (ssize_t)len);
		for (u64 n = rnd(4); n; n--) {
			word = rnd(len / 8);
			map[word] = odd_value(map[word]);
		}
		CHECK(pwrite(fd, map, len, at) == (ssize_t)len);
		crc = hibswap_crc(0, map, len);
		if (rnd(8))
			memcpy(block[c] + offsetof(struct hibswap_super_disk, map_crc), &crc, 4);
	}
	store(c);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	load(argv[2]);
	if (!strcmp(argv[1], "set") && argc > 3) {
		int c = argv[3][0] == 'B';

		for (int i = 4; i < argc; i++)
			set(c, argv[i]);
		store(c);
	} else if (!strcmp(argv[1], "faults")) {
		faults();
	} else if (!strcmp(argv[1], "image") || !strcmp(argv[1], "sign")) {
		image(argv[1][0] == 'i', argc - 3, argv + 3);
	} else if (!strcmp(argv[1], "sums")) {
		sums();
	} else if (!strcmp(argv[1], "scramble") && argc == 4) {
		scramble(strtoull(argv[3], NULL, 0));
	} else {
		return 2;
	}
	return 0;
}
