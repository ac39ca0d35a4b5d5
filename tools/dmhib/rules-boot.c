// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules about the next boot: what opens the device, in the initramfs and behind it.
 */
#include "check.h"
#include "sysroot.h"

#include <inttypes.h>

static bool window_is_open(const struct facts *f)
{
	return !f->sb_err && f->dev.sectors > f->sb.geom.data_sectors;
}

/** rule_hibswaptab - will the next boot open the same device in the same way? */
enum outcome rule_hibswaptab(const struct facts *f, struct finding *out)
{
	const struct tab_entry *e = &f->tab;

	if (f->tab_errors) {
		found(out, CHECK_FAIL, "tab-error", "line %u of " TAB_PATH " cannot be used",
		      f->tab_error_line);
		return remedy(out, CHECK_FAIL, "dmhib tab says what is wrong with it");
	}
	if (!*e->name) {
		found(out, CHECK_WARN, "tab-missing", "no line of " TAB_PATH " opens %s",
		      f->dev.dm_name);
		return remedy(out, CHECK_WARN, "add \"%s /dev/%s\", or see that something else opens it at boot",
			      f->dev.dm_name, f->below.name);
	}
	if (!*f->tab_device.name) {
		found(out, CHECK_FAIL, "tab-no-device", "line %u of " TAB_PATH ": %s", e->line,
		      *f->tab_why ? f->tab_why : "the device is not a block device");
		return remedy(out, CHECK_FAIL, "name /dev/%s there, by PARTUUID= or UUID=", f->below.name);
	}
	if (strcmp(f->tab_device.name, f->below.name)) {
		found(out, CHECK_FAIL, "tab-elsewhere", "line %u of " TAB_PATH " leads to /dev/%s, but %s is on /dev/%s",
		      e->line, f->tab_device.name, f->dev.dm_name, f->below.name);
		return remedy(out, CHECK_FAIL, "name /dev/%s there, by PARTUUID= or UUID=", f->below.name);
	}
	if (!f->sb_err && e->window != window_is_open(f)) {
		found(out, CHECK_WARN, "tab-differs", "line %u of " TAB_PATH " opens it with%s the window, and it is open with%s",
		      e->line, e->window ? "" : "out", e->window ? "out" : "");
		return remedy(out, CHECK_WARN, "%s the option window, or close and open it",
			      e->window ? "take out" : "add");
	}
	return ok(out, "line %u opens it", e->line);
}

/** rule_initramfs - can the next boot open the device before it resumes? */
enum outcome rule_initramfs(const struct facts *f, struct finding *out)
{
	const struct initramfs *r = &f->initramfs;

	if (!*r->path) {
		found(out, CHECK_FAIL, "initramfs-missing", "there is no initramfs for kernel %s in /boot",
		      sysroot_kernel());
		return remedy(out, CHECK_FAIL, "make one: something has to open the device before a resume");
	}
	if (!r->readable) {
		found(out, CHECK_WARN, "initramfs-unreadable", "%s cannot be read", r->path);
		return remedy(out, CHECK_WARN, "see with lsinitramfs or lsinitrd that dm-hibswap-mod is in it");
	}
	if (!r->module && !f->module_builtin) {
		found(out, CHECK_FAIL, "initramfs-no-module", "%s lacks the module dm-hibswap-mod", r->path);
		return remedy(out, CHECK_FAIL, "make it anew: update-initramfs -u, or dracut -f; the hook or module hibswap puts it in");
	}
	if (!r->activation) {
		found(out, CHECK_FAIL, "initramfs-no-activation", "%s has nothing that opens the device", r->path);
		return remedy(out, CHECK_FAIL, "install a hook or script whose name has hibswap in it, and make the initramfs anew");
	}
	/* The scripts that dmhib comes with are always there, and do what the file says */
	if (!r->tab) {
		const enum outcome how = *f->tab.name ? CHECK_FAIL : CHECK_WARN;

		found(out, how, "initramfs-no-tab", "%s lacks " TAB_PATH, r->path);
		return remedy(out, how, *f->tab.name ? "make it anew: update-initramfs -u, or dracut -f" :
			      "add a line for the device, or see that a script of your own opens it there");
	}
	if (!r->tool) {
		found(out, CHECK_FAIL, "initramfs-no-dmhib", "%s lacks the program dmhib", r->path);
		return remedy(out, CHECK_FAIL, "make it anew: update-initramfs -u, or dracut -f");
	}
	return ok(out, "%s has module and activation", r->path);
}
