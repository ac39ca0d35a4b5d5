// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib setup --undo: all as it was before.
 *
 * A file that was changed since is not overwritten: there are three texts then,
 * and only a person knows which parts of them are wanted. The device is looked
 * at again, too: only a region with the UUID that setup has given it goes, and
 * a swap area is only made where that was, or where setup was stopped in between. A
 * region that was there before setup stays, as it is and open if it is.
 */
#include "setup.h"
#include "dm.h"
#include "find.h"
#include "inuse.h"
#include "region-peek.h"
#include "sig.h"
#include "sysroot.h"

#include <sys/stat.h>
#include <uuid/uuid.h>

/* What is on the device */
enum found {
	FOUND_NOTHING,	/* there is none, or it holds something that setup knows nothing of */
	FOUND_REGION,	/* ours */
	FOUND_SWAP,	/* as it was before setup */
	FOUND_BLANK,	/* neither */
};

struct undo {
	struct manifest m;
	char device[PATH_MAX];
	enum found found;
	struct changes files;
	struct commands before;
	struct commands after;
};

/*
 * What a file is to be. Without KERNEL_CMDLINE kernel-install takes what the kernel was
 * booted with, resume= and all: what setup has made of that stays, without ours.
 */
static char *wanted(const struct kept *k)
{
	if (!k->was.old && k->made && !strcmp(k->was.path, KERNEL_CMDLINE))
		return cmdline_without_resume(k->made, strlen(k->made));
	return k->was.old ? need_memory(strdup(k->was.old)) : NULL;
}

/* One file: as it was already, as setup has made it, or neither */
static int plan_file(struct undo *u, const struct kept *k, unsigned int nr)
{
	struct change *c;
	char *now, *text;
	int rc = root_read(k->was.path, &now);

	if (rc)
		return rc;
	text = wanted(k);
	if (text_same(now, text))
		goto out;
	if (!text_same(now, k->was.old) && (k->mixed || !text_same(now, k->made)) && !opts.force) {
		msg_err("%s was changed by somebody else %s", k->was.path,
			k->mixed ? "between two runs of dmhib setup" : "since dmhib setup");
		msg_more("as it was:    %s/setup-%s/%u.was%s", MANIFEST_DIR, u->m.name, nr,
			 k->was.old ? "" : " (it did not exist)");
		msg_more("as setup made it: %s/setup-%s/%u.made", MANIFEST_DIR, u->m.name, nr);
		msg_more("mend it by hand, so that it is %s, or use --force to have it as it was",
			 k->mixed ? "as it was, with what is to stay added afterwards" : "one of them");
		rc = E_REFUSED;
		goto out;
	}
	rc = change_add(&u->files, k->was.path, text);
	text = NULL;
	if (!rc && k->was.old) {
		c = &u->files.list[u->files.nr - 1];
		c->mode = k->was.mode;
		c->uid = k->was.uid;
		c->gid = k->was.gid;
	}
out:
	free(text);
	free(now);
	return rc;
}

static int find_spec(struct undo *u, const char *tag, const char *value, char *why)
{
	struct tab_entry e = {};

	snprintf(e.spec, sizeof(e.spec), "%s=%s", tag, value);
	if (tab_spec_parse(e.spec, &e.kind, &e.value)) {
		snprintf(why, FIND_WHY, "%s cannot be understood", e.spec);
		return -EINVAL;
	}
	return find_device(&e, u->device, sizeof(u->device), why);
}

/*
 * Disks may have other names by now: a partition is known by its PARTUUID alone.
 * What is found by name has to show that it is the one that is meant.
 */
static int find(struct undo *u)
{
	char why[FIND_WHY] = "";
	int err;

	snprintf(u->device, sizeof(u->device), "%s", u->m.device);
	if (opts.root)
		return E_OK;
	if (*u->m.partuuid) {
		err = find_spec(u, "PARTUUID", u->m.partuuid, why);
	} else {
		err = *u->m.region_uuid ? find_spec(u, "UUID", u->m.region_uuid, why) : -ENODEV;
		if (err && err != -ENOTUNIQ) {
			snprintf(u->device, sizeof(u->device), "%s", u->m.device);
			err = 0;
		}
	}
	if (!err)
		return E_OK;
	u->device[0] = '\0';
	if (opts.force)
		return E_OK;
	msg_err("%s, which was %s: %s", u->m.name, u->m.device, why);
	msg_more("connect that disk, or use --force to take back the changes of files alone");
	return E_DEVICE;
}

static bool is_our_region(const struct undo *u)
{
	struct hibswap_super sb;
	char uuid[40];

	if (region_peek(u->device, 0, &sb))
		return false;
	uuid_unparse_lower(sb.uuid, uuid);
	return !strcmp(uuid, u->m.region_uuid);
}

static bool is_swap(const char *type)
{
	return !strcmp(type, "swap") || !strcmp(type, "swsuspend");
}

static enum found look(const struct undo *u)
{
	enum found found = FOUND_NOTHING;
	struct sig_id id;
	struct dev dev;

	if (!*u->device)
		return FOUND_NOTHING;
	if (is_our_region(u))
		return FOUND_REGION;
	if (dev_open(&dev, u->device, 0))
		return FOUND_NOTHING;
	if (!sig_identify(&dev, &id)) {
		if (!*id.type)
			found = FOUND_BLANK;
		else if (u->m.was_swap && is_swap(id.type) && !strcmp(id.uuid, u->m.swap_uuid))
			found = FOUND_SWAP;
	}
	dev_close(&dev);
	return found;
}

/* Setup, or undoing, may have been stopped when one was gone and the other not there */
static bool half_done(const struct undo *u)
{
	return u->found == FOUND_BLANK && !u->m.complete && !u->m.had_region;
}

/* Files that name a device which is not as they were would make no swap of it */
static int check_device(struct undo *u)
{
	u->found = look(u);
	if (opts.root || opts.force || u->found == FOUND_REGION || u->found == FOUND_SWAP ||
	    half_done(u) || (!u->m.was_swap && !u->m.had_region && !u->m.complete))
		return E_OK;
	msg_err("%s has %s the hibernation region %s%s%s: is it another disk by now?", u->device,
		u->m.had_region ? "no longer" : "neither", u->m.region_uuid,
		u->m.had_region ? "" : *u->m.swap_uuid ? " nor the swap area that it was, " :
							 " nor what it was",
		u->m.swap_uuid);
	msg_more("nothing was changed; --force takes back the changes of files nevertheless, and makes swap of the device if it is empty");
	return E_DEVICE;
}

/* Below another root the device is as it was: only a person has run the commands */
static int plan_device(struct undo *u)
{
	char mapped[128];
	struct command *cmd;
	struct mapped m = {};
	const bool region = u->found == FOUND_REGION;
	int rc = E_OK;

	if (u->m.had_region)
		return E_OK;
	snprintf(mapped, sizeof(mapped), "/dev/mapper/%s", u->m.name);
	if (!opts.root && dm_answers())
		rc = dm_find_table(u->m.name, &m);
	if (rc)
		return rc;
	if (m.exists && !strcmp(m.target, DM_TARGET)) {
		if (inuse_swap(m.rdev, NULL, 0))
			command_add(&u->before, "swapoff", mapped, NULL);
		command_add(&u->before, "dmhib", "-q", "close", u->m.name, NULL);
	}
	if (region)
		command_add(&u->before, "dmhib", "-q", "wipe", u->device, "super", NULL);
	if (!u->m.was_swap ||
	    !(region || half_done(u) || (u->found == FOUND_BLANK && opts.force)))
		return E_OK;
	cmd = command_add(&u->before, "mkswap", NULL);
	if (*u->m.swap_uuid) {
		command_word(cmd, "-U");
		command_word(cmd, u->m.swap_uuid);
	}
	if (*u->m.swap_label) {
		command_word(cmd, "-L");
		command_word(cmd, u->m.swap_label);
	}
	command_word(cmd, u->device);
	return E_OK;
}

static void plan_after(struct undo *u)
{
	if (!opts.root && sysroot_exists("/run/systemd/system"))
		command_add(&u->after, "systemctl", "daemon-reload", NULL);
	if (!opts.root && u->m.was_swap && *u->device)
		command_add(&u->after, "swapon", u->device, NULL)->optional = true;
	setup_rebuild(&u->after);
}

static int plan(struct undo *u)
{
	int rc = find(u);

	if (!rc)
		rc = check_device(u);
	/* All that is in the way is told at once */
	for (unsigned int i = 0; i < u->m.nr; i++) {
		int one = plan_file(u, &u->m.files[i], i);

		if (!rc)
			rc = one;
	}
	if (!rc)
		rc = plan_device(u);
	if (!rc)
		plan_after(u);
	return rc;
}

static int carry_out(struct undo *u)
{
	int rc = changes_check(&u->files);

	/* From here on a blank device is one of ours */
	if (!rc && u->m.complete) {
		u->m.complete = false;
		rc = manifest_write(&u->m);
	}
	if (rc) {
		msg_more("nothing was changed");
		return rc;
	}
	rc = commands_run(&u->before, 0);
	for (unsigned int i = 0; i < u->files.nr && !rc; i++)
		rc = change_write(&u->files.list[i]);
	if (!rc)
		rc = commands_run(&u->after, 0);
	if (!rc)
		rc = manifest_remove(&u->m);
	if (rc)
		msg_more("it is undone so far; give the same command again to go on from there");
	return rc;
}

static int undo(struct undo *u)
{
	int rc = plan(u);

	if (rc)
		return rc;
	if (u->files.nr)
		printf("Files%s%s:\n", opts.root ? " below " : "", opts.root ? opts.root : "");
	rc = changes_show(&u->files);
	printf("\nCommands%s:\n", opts.root ? ", for whoever makes that system" : "");
	commands_show(&u->before);
	if (u->before.nr && u->files.nr)
		printf("  (the files)\n");
	commands_show(&u->after);
	printf("\n");
	fflush(stdout);
	if (rc || opts.dry_run)
		return rc;
	if (!msg_confirm("This will %s%s, and change the files above.",
			 u->found == FOUND_REGION && !u->m.had_region ?
			 "take the hibernation region off " : "take back what setup has done with ",
			 u->m.device))
		return E_REFUSED;
	rc = carry_out(u);
	if (!rc && !opts.root && u->found == FOUND_NOTHING)
		printf("Undone, but for %s, which was not touched.\n", u->m.device);
	else if (!rc && u->m.had_region)
		printf("Undone: %s had its region before setup, and keeps it, with the swap behind it.\n",
		       u->device);
	else if (!rc)
		printf("Undone: %s is as it was.\n", u->device);
	return rc;
}

/**
 * setup_undo - take back what setup has done
 * @name: of the mapped device
 *
 * Return: an exit code.
 */
int setup_undo(const char *name)
{
	struct undo u = {};
	int rc = manifest_read(&u.m, name);

	if (!rc && !*u.m.device) {
		msg_err("%s was not set up by dmhib setup: %s/setup-%s is not there", name,
			MANIFEST_DIR, name);
		rc = E_PARAM;
	}
	if (!rc)
		rc = undo(&u);
	changes_free(&u.files);
	commands_free(&u.before);
	commands_free(&u.after);
	manifest_free(&u.m);
	return rc;
}
