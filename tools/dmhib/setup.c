// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib setup: from a swap partition to a machine that hibernates.
 *
 * First everything is looked at and planned; what will change is shown; then
 * what undoing needs is on the disk; only then the first change is made. Each
 * step is left out if it was done already, so that the same command goes on
 * where an earlier run was stopped. In every state between the machine boots:
 * at worst without this swap area, and after a wait for it.
 */
#include "setup.h"
#include "check.h"
#include "dm.h"
#include "stack.h"
#include "sysroot.h"

#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

/** setup_note - something to be told at the end */
void setup_note(struct setup *s, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	need_memory(text);
	if (s->nr_notes < sizeof(s->notes) / sizeof(s->notes[0]))
		s->notes[s->nr_notes++] = text;
	else
		free(text);
}

static void plan_format(struct setup *s)
{
	char bytes[32];
	struct command *cmd;

	snprintf(bytes, sizeof(bytes), "%" PRIu64 "M", s->region_bytes >> 20);
	cmd = command_add(&s->before, "dmhib", "-q", "format", s->device, "--region-size", bytes,
			  "--uuid", s->region_uuid, NULL);
	if (s->window_bytes) {
		snprintf(bytes, sizeof(bytes), "%" PRIu64, s->window_bytes);
		command_word(cmd, "--window");
		command_word(cmd, bytes);
	}
	if (opts.ram) {
		snprintf(bytes, sizeof(bytes), "%" PRIu64, opts.ram);
		command_word(cmd, "--ram");
		command_word(cmd, bytes);
	}
	if (s->kind != DEVICE_BLANK)
		command_word(cmd, "--force");
}

static void plan_open(struct setup *s)
{
	struct command *cmd;

	/* As hibswaptab has it by then, so that the unit finds the same table */
	if (!opts.root) {
		command_add(&s->after, "dmhib", "-q", "open", s->name, "--wait", "10", NULL);
		return;
	}
	cmd = command_add(&s->after, "dmhib", "-q", "open", s->device, s->name, NULL);
	if (s->window_bytes)
		command_word(cmd, "--window");
}

/* A new UUID: the old one may be known to something that looks for the raw partition */
static void plan_mkswap(struct setup *s)
{
	struct command *cmd = command_add(&s->after, "mkswap", NULL);
	char kib[32];

	if (*s->swap_label) {
		command_word(cmd, "-L");
		command_word(cmd, s->swap_label);
	}
	command_word(cmd, s->mapped);
	/* The window is not for swap */
	if (s->window_bytes) {
		snprintf(kib, sizeof(kib), "%" PRIu64, s->data_sectors / 2);
		command_word(cmd, kib);
	}
}

static void plan_swapon(struct setup *s)
{
	struct command *cmd = command_add(&s->after, "swapon", NULL);

	if (*s->swap_options) {
		command_word(cmd, "-o");
		command_word(cmd, s->swap_options);
	}
	command_word(cmd, s->mapped);
}

/* Return: whether there is anything to do */
static bool plan_commands(struct setup *s)
{
	const bool format = s->kind != DEVICE_REGION;
	bool todo = format || s->files.nr || !s->has_swap || (*s->m.device && !s->m.complete);

	if (s->raw_active)
		command_add(&s->before, "swapoff", s->device, NULL);
	if (format)
		plan_format(s);
	if (!s->is_open && (format || !s->has_swap || !opts.root)) {
		plan_open(s);
		todo = true;
	}
	if (format || !s->has_swap)
		plan_mkswap(s);
	if (!opts.root && (s->files.nr || !s->m.complete) && sysroot_exists("/run/systemd/system"))
		command_add(&s->after, "systemctl", "daemon-reload", NULL);
	if (!opts.root && !s->active) {
		plan_swapon(s);
		todo = true;
	}
	if (todo && (s->files.nr || format || !s->m.complete))
		setup_rebuild(&s->after);
	return todo;
}

static int plan_files(struct setup *s)
{
	int rc = edit_fstab(s);

	if (!rc)
		rc = edit_tab(s);
	if (!rc)
		rc = edit_initramfs(s);
	if (!rc)
		rc = edit_boot(s);
	return rc ? rc : edit_systemd(s);
}

static const char *what_is_there(const struct setup *s)
{
	switch (s->kind) {
	case DEVICE_BLANK:
		return "empty";
	case DEVICE_SWAP:
		return s->raw_active ? "a swap area, in use" : "a swap area";
	case DEVICE_REGION:
		return "a hibernation region already";
	default:
		return "SOMETHING ELSE, which will be lost";
	}
}

static int show_plan(const struct setup *s)
{
	char a[SIZE_TEXT], b[SIZE_TEXT], c[SIZE_TEXT];
	int rc;

	printf("%s: %s, %s\n", s->device, sectors_text(s->sectors, a), what_is_there(s));
	printf("  region %s, swap %s%s%s, as %s\n", size_text(s->region_bytes, a),
	       sectors_text(s->data_sectors, b), s->window_bytes ? ", window " : "",
	       s->window_bytes ? size_text(s->window_bytes, c) : "", s->mapped);
	if (s->files.nr)
		printf("\nFiles%s%s:\n", opts.root ? " below " : "", opts.root ? opts.root : "");
	rc = changes_show(&s->files);
	if (s->before.nr || s->after.nr)
		printf("\nCommands%s:\n", opts.root ? ", for whoever makes that system" : "");
	commands_show(&s->before);
	if (s->before.nr && s->files.nr)
		printf("  (the files)\n");
	commands_show(&s->after);
	if (s->kind == DEVICE_SWAP)
		printf("\nThe swap area gets a new UUID: what looks for the old one would find nothing.\n");
	printf("\n");
	fflush(stdout);
	return rc;
}

static int remember(struct setup *s)
{
	struct manifest *m = &s->m;

	if (!*m->device) {
		snprintf(m->device, sizeof(m->device), "%s", s->device);
		snprintf(m->partuuid, sizeof(m->partuuid), "%s", s->partuuid);
		m->had_region = s->kind == DEVICE_REGION;
		m->was_swap = s->kind == DEVICE_SWAP;
		snprintf(m->swap_uuid, sizeof(m->swap_uuid), "%s", s->swap_uuid);
		snprintf(m->swap_label, sizeof(m->swap_label), "%s", s->swap_label);
	}
	snprintf(m->region_uuid, sizeof(m->region_uuid), "%s", s->region_uuid);
	m->complete = false;
	for (unsigned int i = 0; i < s->files.nr; i++)
		manifest_keep(m, &s->files.list[i]);
	return manifest_write(m);
}

static int carry_out(struct setup *s)
{
	int rc = changes_check(&s->files);

	/* Memory may not suffice for it, and there is nothing to undo then */
	if (!rc && s->raw_active)
		rc = command_run(&s->before.list[0]);
	if (rc) {
		msg_more("nothing was changed");
		return rc;
	}
	rc = remember(s);
	if (rc)
		return rc;
	rc = commands_run(&s->before, s->raw_active);
	for (unsigned int i = 0; i < s->files.nr && !rc; i++)
		rc = change_write(&s->files.list[i]);
	if (!rc)
		rc = commands_run(&s->after, 0);
	if (!rc) {
		s->m.complete = true;
		return manifest_write(&s->m);
	}
	msg_more("it has come so far; the machine boots as it is. When what failed is mended, give the same");
	msg_more("command again to go on from there, or \"dmhib setup --undo %s\" to have it all as it was", s->name);
	return rc;
}

static void report(const struct setup *s)
{
	for (unsigned int i = 0; i < s->nr_notes; i++)
		printf("Note: %s.\n", s->notes[i]);
	if (opts.root)
		return;
	fflush(stdout);
	check_left(s->name);
	printf("Done. After the next boot the machine hibernates into %s.\n", s->mapped);
}

static int setup(struct setup *s)
{
	int rc = manifest_read(&s->m, s->name);

	if (!rc)
		rc = setup_look(s);
	if (!rc)
		rc = setup_size(s);
	if (!rc)
		rc = plan_files(s);
	if (rc)
		return rc;
	if (!plan_commands(s)) {
		printf("%s is set up already: there is nothing to do.\n", s->mapped);
		report(s);
		return E_OK;
	}
	rc = show_plan(s);
	if (rc || opts.dry_run)
		return rc;
	if (!msg_confirm("This will change %s and the files above%s.", s->device,
			 s->kind == DEVICE_REGION ? "" : "; what is on it now is lost"))
		return E_REFUSED;
	rc = carry_out(s);
	if (!rc)
		report(s);
	return rc;
}

static void setup_free(struct setup *s)
{
	changes_free(&s->files);
	commands_free(&s->before);
	commands_free(&s->after);
	manifest_free(&s->m);
	for (unsigned int i = 0; i < s->nr_notes; i++)
		free(s->notes[i]);
}

/*
 * It will be needed where nobody knows of this directory; and a link by what is on
 * the device goes when that does.
 */
static const char *device_path(const char *arg, char *full, size_t len)
{
	static const char uuid[] = "/dev/disk/by-uuid/", label[] = "/dev/disk/by-label/";
	struct block b;

	if (*arg == '/' && strncmp(arg, uuid, strlen(uuid)) && strncmp(arg, label, strlen(label)))
		return arg;
	if (!realpath(arg, full))
		return arg;
	return block_by_path(full, &b) && *b.dm_name ? block_path(&b, full, len) : full;
}

/** verb_setup - make the machine hibernate into a region, or undo that */
int verb_setup(int argc, char **argv)
{
	struct setup s = { .name = SETUP_NAME };
	char full[PATH_MAX];
	const char *name = argc == (opts.undo ? 1 : 2) ? argv[argc - 1] : SETUP_NAME;
	int rc;

	if (argc < !opts.undo || argc > 2 - opts.undo) {
		msg_err("usage: dmhib setup DEVICE [NAME], or dmhib setup --undo [NAME]");
		return E_PARAM;
	}
	rc = dm_name_check(&name);
	if (rc)
		return rc;
	if (geteuid() && !opts.root) {
		msg_err("setup has to be root");
		return E_PERM;
	}
	if (opts.undo)
		return setup_undo(name);
	s.name = name;
	s.device = device_path(argv[0], full, sizeof(full));
	snprintf(s.mapped, sizeof(s.mapped), "/dev/mapper/%s", name);
	rc = setup(&s);
	setup_free(&s);
	return rc;
}
