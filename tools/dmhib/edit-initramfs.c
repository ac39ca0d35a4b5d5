// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the makers of an initramfs and systemd have to know.
 */
#include "setup.h"

#include <glob.h>

#define CONF_DIR	"/etc/initramfs-tools/conf.d"
#define RESUME_CONF	CONF_DIR "/resume"
#define DRACUT_CONF	"/etc/dracut.conf.d/hibswap.conf"
#define SLEEP_CHECK	"/usr/share/dmhib/systemd/sleep-check.conf"

/* RESUME= of its own lines; what else is in the file stays */
static char *with_resume(const char *old, const char *mapped)
{
	char *new = NULL;
	size_t size;
	bool done = false;
	FILE *to = need_memory(open_memstream(&new, &size));

	for (const char *p = old ? old : ""; *p;) {
		const size_t len = strcspn(p, "\n");

		if (strncmp(p, "RESUME=", 7)) {
			fprintf(to, "%.*s\n", (int)len, p);
		} else if (!done) {
			fprintf(to, "RESUME=%s\n", mapped);
			done = true;
		}
		p += len + (p[len] == '\n');
	}
	if (!done)
		fprintf(to, "RESUME=%s\n", mapped);
	fclose(to);
	return new;
}

/* @always: also if it does not say so yet */
static int set_resume(struct setup *s, const char *path, bool always)
{
	char *old;
	int rc;

	if (!always && !root_mentions(path, "RESUME="))
		return E_OK;
	rc = root_read(path, &old);
	if (!rc && (always || !strncmp(old, "RESUME=", 7) || strstr(old, "\nRESUME=")))
		rc = change_add(&s->files, path, with_resume(old, s->mapped));
	free(old);
	return rc;
}

/* They are all read, and the last one counts */
static int edit_initramfs_tools(struct setup *s)
{
	char pattern[PATH_MAX];
	const size_t skip = opts.root ? strlen(opts.root) : 0;
	glob_t g = {};
	int rc = set_resume(s, RESUME_CONF, true);

	root_path(pattern, sizeof(pattern), CONF_DIR "/*");
	if (!rc && !glob(pattern, 0, NULL, &g))
		for (size_t i = 0; i < g.gl_pathc && !rc; i++)
			if (strcmp(g.gl_pathv[i] + skip, RESUME_CONF))
				rc = set_resume(s, g.gl_pathv[i] + skip, false);
	globfree(&g);
	return rc;
}

/* dracut sources it, and makes nothing where a module is named that has gone */
static const char dracut_conf[] =
	"# Opens /etc/hibswaptab's devices: dmhib(8)\n"
	"[ ! -d /usr/lib/dracut/modules.d/90hibswap ] || add_dracutmodules+=\" hibswap \"\n";

/**
 * edit_initramfs - plan what the makers of an initramfs have to know
 * @s: the setup
 *
 * Return: an exit code.
 */
int edit_initramfs(struct setup *s)
{
	bool known = false;
	int rc = E_OK;

	if (root_command("mkinitramfs")) {
		known = true;
		rc = edit_initramfs_tools(s);
	}
	if (!rc && root_command("dracut")) {
		known = true;
		rc = change_add(&s->files, DRACUT_CONF,
				need_memory(strdup(dracut_conf)));
	}
	if (root_command("mkinitcpio")) {
		known = true;
		setup_note(s, "mkinitcpio: add hibswap to HOOKS in /etc/mkinitcpio.conf, behind block, encrypt and lvm2 and in front of resume");
	}
	if (!known)
		setup_note(s, "no maker of an initramfs that is known here (initramfs-tools, dracut, mkinitcpio): something has to open %s before the resume: dmhib open %s",
			   s->mapped, s->name);
	return rc;
}

static const char builtin_drop_in[] =
	"# systemd compares memory in use with what is free in /proc/swaps, and knows\n"
	"# nothing of the window of a hibernation region: dmhib(8)\n"
	"[Service]\n"
	"Environment=SYSTEMD_BYPASS_HIBERNATION_MEMORY_CHECK=1\n";

/**
 * edit_systemd - plan the drop-ins that keep systemd from refusing
 * @s: the setup; only a window that is used makes its check wrong
 *
 * Return: an exit code.
 */
int edit_systemd(struct setup *s)
{
	static const char * const units[] = {
		"systemd-logind", "systemd-hibernate", "systemd-hybrid-sleep",
		"systemd-suspend-then-hibernate",
	};
	char path[256], *text;
	int rc;

	if (s->window_bytes && !setup_window_counts(s)) {
		setup_note(s, "this kernel makes no use of a window: systemd's own check stays on, and swap needs room for the image. Under one that does, give the same command again");
		return E_OK;
	}
	if (!s->window_bytes || !root_has("/usr/lib/systemd"))
		return E_OK;
	rc = root_read(SLEEP_CHECK, &text);
	if (!rc && !text)
		text = need_memory(strdup(builtin_drop_in));
	for (unsigned int i = 0; i < sizeof(units) / sizeof(units[0]) && !rc; i++) {
		snprintf(path, sizeof(path), "/etc/systemd/system/%s.service.d/hibswap.conf",
			 units[i]);
		rc = change_add(&s->files, path, need_memory(strdup(text)));
	}
	free(text);
	return rc;
}
