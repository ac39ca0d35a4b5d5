// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signatures of others, as libblkid knows them.
 *
 * libblkid reads and writes in pieces of a few bytes, which O_DIRECT forbids:
 * it gets a file descriptor of its own.
 */
#include "sig.h"

#include <blkid/blkid.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

/* A wiped signature may uncover another, of a backup for example; not for ever */
#define SIGNATURES_MAX	64

struct probe {
	blkid_probe pr;
	int fd;
	u64 start;	/* bytes */
};

/**
 * struct signature - something that libblkid has found
 * @type: ext4, LUKS, gpt, ...
 * @kind: filesystem, crypto, raid, partition table, other
 * @label: its label, fit for a terminal, or empty
 * @offset: of the magic, bytes on the device
 * @table: it is a partition table
 */
struct signature {
	const char *type;
	const char *kind;
	char label[64];
	u64 offset;
	bool table;
};

static int probe_start(struct probe *p, const struct dev *dev, u64 start, u64 sectors, bool wipe)
{
	p->start = start << HIBSWAP_SECTOR_SHIFT;
	p->pr = NULL;
	p->fd = open(dev->path, (wipe ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (p->fd < 0)
		return -errno;
	p->pr = blkid_new_probe();
	if (!p->pr ||
	    blkid_probe_set_device(p->pr, p->fd, p->start, sectors << HIBSWAP_SECTOR_SHIFT))
		return -EIO;
	blkid_probe_enable_superblocks(p->pr, 1);
	blkid_probe_set_superblocks_flags(p->pr, BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_TYPE |
						 BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL |
						 BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(p->pr, 1);
	blkid_probe_set_partitions_flags(p->pr, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
	return 0;
}

static void probe_end(struct probe *p)
{
	if (p->pr)
		blkid_free_probe(p->pr);
	if (p->fd >= 0)
		close(p->fd);
}

static void copy_label(struct signature *sig, const char *label)
{
	size_t i;

	for (i = 0; label[i] && i < sizeof(sig->label) - 1; i++)
		sig->label[i] = (unsigned char)label[i] < ' ' || label[i] == 127 ? '?' : label[i];
}

/* Return: 1 if @sig is the next one, 0 if there is none, -EIO */
static int probe_next(struct probe *p, struct signature *sig)
{
	const char *offset = NULL, *label;
	int found = blkid_do_probe(p->pr);

	if (found)
		return found == 1 ? 0 : -EIO;
	*sig = (struct signature){};
	if (!blkid_probe_lookup_value(p->pr, "TYPE", &sig->type, NULL)) {
		blkid_probe_lookup_value(p->pr, "USAGE", &sig->kind, NULL);
		if (!blkid_probe_lookup_value(p->pr, "LABEL", &label, NULL))
			copy_label(sig, label);
		blkid_probe_lookup_value(p->pr, "SBMAGIC_OFFSET", &offset, NULL);
	} else if (!blkid_probe_lookup_value(p->pr, "PTTYPE", &sig->type, NULL)) {
		sig->kind = "partition table";
		sig->table = true;
		blkid_probe_lookup_value(p->pr, "PTMAGIC_OFFSET", &offset, NULL);
	}
	if (!sig->type)
		sig->type = "unknown";
	if (!sig->kind)
		sig->kind = "other";
	sig->offset = p->start + (offset ? strtoull(offset, NULL, 10) : 0);
	return 1;
}

/**
 * sig_say - name the signatures on a device, a line each
 * @dev: device
 * @start: where to look, sectors
 * @sectors: how far, 0 for all that is left
 *
 * Return: how many there are; -EIO, also said, if they cannot be read.
 */
int sig_say(const struct dev *dev, u64 start, u64 sectors)
{
	struct signature sig;
	struct probe p;
	int n = 0, err;

	err = probe_start(&p, dev, start, sectors, false);
	while (!err && n < SIGNATURES_MAX) {
		err = probe_next(&p, &sig);
		if (err <= 0)
			break;
		err = 0;
		n++;
		msg_more("%s carries %s (%s)%s%s%s, its magic is at offset 0x%" PRIx64, dev->path,
			 sig.type, sig.kind, *sig.label ? " labelled \"" : "",
			 sig.label, *sig.label ? "\"" : "", sig.offset);
	}
	probe_end(&p);
	if (err)
		msg_err("cannot look for signatures on %s: %s", dev->path, strerror(-err));
	return err ? err : n;
}

/**
 * sig_wipe - take the signatures away, and prove that they are gone
 * @dev: device, held exclusively
 * @start: where to look, sectors
 * @sectors: how far, 0 for all that is left
 * @had_table: set if one was a partition table, else left alone
 *
 * Return: how many were wiped; a negative errno, also said.
 */
int sig_wipe(const struct dev *dev, u64 start, u64 sectors, bool *had_table)
{
	struct signature sig;
	struct probe p;
	int n = 0, err;

	err = probe_start(&p, dev, start, sectors, true);
	while (!err) {
		err = probe_next(&p, &sig);
		if (err <= 0)
			break;
		err = 0;
		if (n++ == SIGNATURES_MAX) {
			err = -ELOOP;
			break;
		}
		msg_verbose("wiping %s (%s) at offset 0x%" PRIx64, sig.type, sig.kind, sig.offset);
		if (sig.table)
			*had_table = true;
		if (blkid_do_wipe(p.pr, 0))
			err = -EIO;
	}
	/* From the page cache to the disk before anybody writes past it */
	if (!err && n && fsync(p.fd))
		err = -errno;
	probe_end(&p);
	if (err)
		msg_err("cannot wipe the signatures on %s: %s", dev->path, strerror(-err));
	return err ? err : n;
}

static void value(blkid_probe pr, const char *name, char *buf, size_t len)
{
	const char *text;

	if (blkid_probe_lookup_value(pr, name, &text, NULL))
		text = "";
	snprintf(buf, len, "%s", text);
}

/**
 * sig_identify - what is on a device, and which partition is it?
 * @dev: device
 * @id: filled in
 *
 * Return: 0, also if there is nothing, or -EIO, which has been said.
 */
int sig_identify(const struct dev *dev, struct sig_id *id)
{
	struct probe p;
	int found = -1;

	memset(id, 0, sizeof(*id));
	if (!probe_start(&p, dev, 0, 0, false)) {
		blkid_probe_set_superblocks_flags(p.pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_UUID |
							 BLKID_SUBLKS_LABEL);
		blkid_probe_set_partitions_flags(p.pr, BLKID_PARTS_ENTRY_DETAILS);
		found = blkid_do_safeprobe(p.pr);
	}
	/* -2: libblkid cannot decide between two of them */
	if (found == -2) {
		snprintf(id->type, sizeof(id->type), "several signatures");
	} else if (!found) {
		value(p.pr, "TYPE", id->type, sizeof(id->type));
		if (!*id->type)
			value(p.pr, "PTTYPE", id->type, sizeof(id->type));
		value(p.pr, "UUID", id->uuid, sizeof(id->uuid));
		value(p.pr, "LABEL", id->label, sizeof(id->label));
		value(p.pr, "PART_ENTRY_UUID", id->partuuid, sizeof(id->partuuid));
		value(p.pr, "PART_ENTRY_NAME", id->partlabel, sizeof(id->partlabel));
	}
	probe_end(&p);
	if (found >= 0 || found == -2)
		return 0;
	msg_err("cannot look for signatures on %s", dev->path);
	return -EIO;
}
