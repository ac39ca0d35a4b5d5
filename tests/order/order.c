// SPDX-License-Identifier: GPL-2.0-only
/*
 * order - does a disk's log of writes keep the order a hibernation promises?
 *
 * Reads what QEMU's blklogwrites filter has recorded of a swap area that starts at
 * the disk's first sector:
 *
 *   hibernate:  data ... | flush | header page with the signature | flush
 *               and nothing is written after the signature.
 *   resume:     header page without the signature | flush, before anything else
 *               is written.
 *
 * The guest's FUA comes as a write and a flush where the virtual disk has none, so
 * either will do.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC		0x6a736677736872ULL
#define SECTOR		512
#define PAGE		4096
#define SIGNATURE	"S1SUSPEND"

enum { LOG_FLUSH = 1, LOG_FUA = 2, LOG_DISCARD = 4, LOG_MARK = 8 };

struct log_super {
	uint64_t magic, version, nr_entries;
	uint32_t sectorsize;
} __attribute__((packed));

struct log_entry {
	uint64_t sector, nr_sectors, flags, data_len;
} __attribute__((packed));

enum kind { OTHER, PLAIN, SIGNED };

struct event {
	bool flush, fua, write;
	enum kind kind;
	uint64_t sector, bytes;
};

static struct event *events;
static size_t nr, room;

static int bad(const char *text)
{
	printf("order: %s\n", text);
	return 1;
}

/* The header page's signature, if these bytes from that sector on hold its end */
static enum kind kind_of(uint64_t sector, const uint8_t *data, uint64_t len)
{
	uint64_t from = PAGE - 10, at = sector * SECTOR;

	if (at > from || at + len < PAGE)
		return OTHER;
	return memcmp(data + from - at, SIGNATURE, sizeof(SIGNATURE) - 1) ? PLAIN : SIGNED;
}

static int read_log(const char *name)
{
	static uint8_t pad[SECTOR];
	struct log_super super;
	struct log_entry e;
	uint8_t *data = NULL;
	uint64_t i, len, size = 0;
	FILE *f = fopen(name, "r");

	if (!f || fread(&super, sizeof(super), 1, f) != 1 || super.magic != MAGIC ||
	    super.version != 1 || super.sectorsize != SECTOR) {
		fprintf(stderr, "order: %s is no log of 512-byte sectors\n", name);
		return 2;
	}
	fseek(f, SECTOR, SEEK_SET);
	for (i = 0; i < super.nr_entries; i++) {
		if (fread(&e, sizeof(e), 1, f) != 1 ||
		    fread(pad, SECTOR - sizeof(e), 1, f) != 1)
			goto shorter;
		len = e.flags & (LOG_DISCARD | LOG_MARK) ? 0 : e.nr_sectors * SECTOR;
		if (len > size) {
			size = len;
			data = realloc(data, size);
			if (!data)
				goto shorter;
		}
		if (len && fread(data, len, 1, f) != 1)
			goto shorter;
		if (nr == room) {
			room = room ? 2 * room : 4096;
			events = realloc(events, room * sizeof(*events));
			if (!events)
				goto shorter;
		}
		events[nr++] = (struct event) {
			.flush = e.flags & LOG_FLUSH,
			.fua = e.flags & LOG_FUA,
			.write = len,
			.kind = len ? kind_of(e.sector, data, len) : OTHER,
			.sector = e.sector,
			.bytes = len,
		};
	}
	free(data);
	fclose(f);
	return 0;
shorter:
	fprintf(stderr, "order: %s ends in entry %" PRIu64 " of %" PRIu64 "\n", name, i,
		super.nr_entries);
	return 2;
}

/* Is what write @i brought on the medium before the next write after it? */
static bool made_durable(size_t i)
{
	if (events[i].fua)
		return true;
	for (i++; i < nr && !events[i].write; i++)
		if (events[i].flush)
			return true;
	return i < nr && events[i].flush;
}

static int hibernated(void)
{
	uint64_t bytes = 0, pages = 0;
	size_t i, mark = nr, last = nr;
	bool flushed = false;

	for (i = 0; i < nr; i++) {
		if (!events[i].write)
			continue;
		last = i;
		if (events[i].kind == SIGNED)
			mark = i;
	}
	if (mark == nr)
		return bad("no signature was written");
	if (mark != last) {
		printf("order: sector %" PRIu64 " was written after the signature\n",
		       events[last].sector);
		return 1;
	}
	for (i = mark; i-- > 0 && !events[i].write; )
		flushed |= events[i].flush;
	if (!flushed && !events[mark].flush)
		return bad("no flush between the image and the signature");
	if (!made_durable(mark))
		return bad("no flush after the signature");
	for (i = 0; i < mark; i++)
		bytes += events[i].bytes;
	pages = bytes / PAGE;
	if (pages < 10000)
		return bad("that was no image");
	printf("order: %" PRIu64 " pages, flush, signature, flush, nothing else\n", pages);
	return 0;
}

static int resumed(void)
{
	size_t i;

	for (i = 0; i < nr && !events[i].write; i++)
		;
	if (i == nr)
		return bad("nothing was written");
	if (events[i].kind != PLAIN) {
		printf("order: the first write is to sector %" PRIu64 ", not the header's un-signing\n",
		       events[i].sector);
		return 1;
	}
	if (!made_durable(i))
		return bad("no flush after the signature was taken away");
	printf("order: signature gone, flush, then the rest\n");
	return 0;
}

int main(int argc, char **argv)
{
	int rc;

	if (argc != 3 || (strcmp(argv[1], "hibernate") && strcmp(argv[1], "resume"))) {
		fputs("usage: order hibernate|resume LOG     status 1: not that order\n", stderr);
		return 2;
	}
	rc = read_log(argv[2]);
	if (rc)
		return rc;
	return argv[1][0] == 'h' ? hibernated() : resumed();
}
