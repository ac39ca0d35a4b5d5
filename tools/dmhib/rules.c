// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of check, in the order in which somebody would set things right.
 *
 * A rule says one thing, with a code that scripts may rely on, and what to do
 * about it. What fails keeps the machine from hibernating or from resuming; a
 * warning is something that will be slow, or may go wrong another day.
 */
#include "check.h"
#include "sysroot.h"

#include <inttypes.h>
#include <stdarg.h>

/** ok - nothing is wrong */
enum outcome ok(struct finding *out, const char *fmt, ...)
{
	va_list ap;

	out->code = "ok";
	va_start(ap, fmt);
	vsnprintf(out->text, sizeof(out->text), fmt, ap);
	va_end(ap);
	return CHECK_OK;
}

/** found - something is */
enum outcome found(struct finding *out, enum outcome how, const char *code, const char *fmt, ...)
{
	va_list ap;

	out->code = code;
	va_start(ap, fmt);
	vsnprintf(out->text, sizeof(out->text), fmt, ap);
	va_end(ap);
	return how;
}

/** remedy - and what to do about it */
enum outcome remedy(struct finding *out, enum outcome how, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out->remedy, sizeof(out->remedy), fmt, ap);
	va_end(ap);
	return how;
}

static bool has_word(const char *line, const char *word)
{
	const size_t n = strlen(word);

	for (const char *p = line; (p = strstr(p, word)); p += n)
		if ((p == line || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

static bool locked_down(const struct facts *f)
{
	return *f->lockdown && !strstr(f->lockdown, "[none]");
}

static enum outcome kernel(const struct facts *f, struct finding *out)
{
	char value[64];

	if (!f->have_disk) {
		found(out, CHECK_FAIL, "no-hibernation", "this kernel was built without hibernation");
		return remedy(out, CHECK_FAIL, "boot a kernel with CONFIG_HIBERNATION");
	}
	if (cmdline_word("nohibernate", NULL, 0) ||
	    (cmdline_word("hibernate", value, sizeof(value)) && !strcmp(value, "no"))) {
		found(out, CHECK_FAIL, "nohibernate", "the kernel's command line forbids hibernation");
		return remedy(out, CHECK_FAIL, "take nohibernate (or hibernate=no) off the command line");
	}
	if (locked_down(f))
		return ok(out, "hibernation is built in; see lockdown");
	if (strstr(f->disk, "[disabled]") || !has_word(f->state, "disk")) {
		found(out, CHECK_FAIL, "disabled", "the kernel says that hibernation is disabled");
		return remedy(out, CHECK_FAIL,
			      "a process that uses secret memory (memfd_secret) or CXL memory does this: end it");
	}
	return ok(out, "it can hibernate");
}

static enum outcome lockdown(const struct facts *f, struct finding *out)
{
	if (!locked_down(f))
		return ok(out, "the kernel is not locked down");
	found(out, CHECK_FAIL, "lockdown", "the kernel is locked down%s: %s",
	      f->secure_boot ? " because of Secure Boot" : "", f->lockdown);
	return remedy(out, CHECK_FAIL, f->secure_boot ?
		      "turn Secure Boot off in the firmware's setup: a locked kernel resumes no image" :
		      "take lockdown= off the kernel's command line");
}

static enum outcome secure_boot(const struct facts *f, struct finding *out)
{
	if (!f->secure_boot)
		return ok(out, "Secure Boot is off");
	if (f->module || f->module_builtin || f->nr_open)
		return ok(out, "Secure Boot is on, and the target was taken nevertheless");
	found(out, CHECK_WARN, "secure-boot", "Secure Boot is on: a module without a known signature is not loaded");
	return remedy(out, CHECK_WARN, "sign the module with a key that mokutil has enrolled");
}

static enum outcome target(const struct facts *f, struct finding *out)
{
	if (f->module || f->module_builtin || f->nr_open)
		return ok(out, "the kernel has the target");
	if (f->module_installed) {
		found(out, CHECK_FAIL, "target-not-loaded", "the target is not loaded");
		return remedy(out, CHECK_FAIL, "modprobe dm-hibswap-mod");
	}
	found(out, CHECK_FAIL, "target-missing", "there is no module dm-hibswap-mod for kernel %s",
	      sysroot_kernel());
	return remedy(out, CHECK_FAIL, "build it for this kernel: make modules, install, depmod");
}

static enum outcome device(const struct facts *f, struct finding *out)
{
	if (f->open)
		return ok(out, "/dev/mapper/%s on /dev/%s is open", f->dev.dm_name, f->below.name);
	if (f->wanted)
		found(out, CHECK_FAIL, "not-open", "/dev/mapper/%s is not open, or not a hibswap device",
		      f->wanted);
	else
		found(out, CHECK_FAIL, "not-open", "no hibswap device is open");
	return remedy(out, CHECK_FAIL, "dmhib open DEVICE NAME, at every boot");
}

static enum outcome superblock(const struct facts *f, struct finding *out)
{
	if (f->sb_err == -ENODEV) {
		found(out, CHECK_WARN, "superblock-unseen", "what it lies on cannot be read");
		return remedy(out, CHECK_WARN, "dmhib dump on the device below says more");
	}
	if (f->sb_err || !f->fits) {
		found(out, CHECK_FAIL, "superblock-bad", "/dev/%s: %s", f->below.name,
		      f->sb_err ? "no superblock can be used" :
		      "region or data end behind the device's end");
		return remedy(out, CHECK_FAIL, f->sb_err ? "dmhib dump /dev/%s says what is wrong" :
			      "was the disk replaced by a smaller one? dmhib resize /dev/%s makes it fit",
			      f->below.name);
	}
	if (f->copy_bad) {
		found(out, CHECK_WARN, "superblock-copy", "one copy of the superblock is damaged");
		return remedy(out, CHECK_WARN, "the next hibernation writes it anew; look after the disk");
	}
	return ok(out, "both copies are valid, generation %" PRIu64, f->sb.generation);
}

static enum outcome page_size(const struct facts *f, struct finding *out)
{
	if (f->sb_err || !f->mem_known || f->sb.image.page_size == f->mem.page_size)
		return ok(out, "%" PRIu64 " bytes", f->mem.page_size);
	found(out, f->sb.state == HIBSWAP_COMMITTED ? CHECK_FAIL : CHECK_WARN, "page-size",
	      "the region was last used with pages of %u bytes, this kernel has %" PRIu64,
	      f->sb.image.page_size, f->mem.page_size);
	return remedy(out, f->sb.state == HIBSWAP_COMMITTED ? CHECK_FAIL : CHECK_WARN,
		      "hibernate and resume with the same kernel; mkswap anew for another page size");
}

static enum outcome image(const struct facts *f, struct finding *out)
{
	if (f->sb_err || f->sb.state != HIBSWAP_COMMITTED)
		return ok(out, "no image is there");
	if (f->header_names) {
		found(out, CHECK_FAIL, "image-present", "an image is there that was not resumed, generation %"
		      PRIu64 ": the device takes no part in a hibernation", f->sb.generation);
		return remedy(out, CHECK_FAIL,
			      "resume it, or drop it: dmsetup message %s 0 discard", f->dev.dm_name);
	}
	found(out, CHECK_WARN, "image-stale", "an image is there that nothing names any more");
	return remedy(out, CHECK_WARN, "nothing: the next hibernation drops it");
}

static enum outcome swap(const struct facts *f, struct finding *out)
{
	char path[160];

	if (f->swap >= 0)
		return ok(out, "swap is active on it, priority %d", f->swaps[f->swap].priority);
	for (unsigned int i = 0; i < f->nr_swaps; i++) {
		const struct block *b = &f->swaps[i].dev;

		if (!*b->name)
			continue;
		if (block_is_below(f->dev.name, b->name)) {
			found(out, CHECK_FAIL, "swap-raw", "swap is active on %s, which is below the mapped device",
			      block_path(b, path, sizeof(path)));
			return remedy(out, CHECK_FAIL, "swapoff %s; swapon /dev/mapper/%s; mend /etc/fstab",
				      path, f->dev.dm_name);
		}
		if (block_is_below(b->name, f->dev.name)) {
			found(out, CHECK_FAIL, "swap-above", "swap is active on %s, which lies on the mapped device",
			      block_path(b, path, sizeof(path)));
			return remedy(out, CHECK_FAIL,
				      "put swap on /dev/mapper/%s itself; encryption belongs below it",
				      f->dev.dm_name);
		}
	}
	found(out, CHECK_FAIL, "no-swap", "no swap is active on it");
	return remedy(out, CHECK_FAIL, "swapon /dev/mapper/%s, after mkswap if it was never swap; put it into /etc/fstab",
		      f->dev.dm_name);
}

static bool only_swap(const struct facts *f)
{
	return f->nr_swaps == 1 && f->swap == 0;
}

static enum outcome other_swap(const struct facts *f, struct finding *out)
{
	const struct swap *first = NULL;

	if (f->swap < 0 || only_swap(f))
		return ok(out, "no other swap area is active");
	for (unsigned int i = 0; i < f->nr_swaps; i++)
		if ((int)i != f->swap && strncmp(f->swaps[i].dev.name, "zram", 4) &&
		    f->swaps[i].priority >= f->swaps[f->swap].priority &&
		    (!first || f->swaps[i].priority > first->priority))
			first = &f->swaps[i];
	if (!first || f->resume.known)
		return ok(out, "%u other swap area%s: the image goes to the resume device", f->nr_swaps - 1,
			  f->nr_swaps == 2 ? "" : "s");
	found(out, CHECK_WARN, "other-swap-first", "%s has priority %d, this one %d, and no resume device is set: the image may go there",
	      first->path, first->priority, f->swaps[f->swap].priority);
	return remedy(out, CHECK_WARN, "set resume=/dev/mapper/%s, or give it the highest priority (pri= in /etc/fstab)",
		      f->dev.dm_name);
}

static enum outcome zram(const struct facts *f, struct finding *out)
{
	for (unsigned int i = 0; i < f->nr_swaps; i++) {
		const struct swap *s = &f->swaps[i];
		char used[SIZE_TEXT];

		if (strncmp(s->dev.name, "zram", 4))
			continue;
		found(out, CHECK_WARN, "zram", "zram is swap: the %s in it stay in memory, where they cannot be swapped out",
		      size_text(s->size - s->free, used));
		return remedy(out, CHECK_WARN, "reckon with larger images; nothing else is wrong with it");
	}
	return ok(out, "no swap in zram");
}

static enum outcome option_noresume(const struct facts *f, struct finding *out)
{
	(void)f;
	if (!cmdline_word("noresume", NULL, 0))
		return ok(out, "the command line allows a resume");
	found(out, CHECK_FAIL, "noresume", "the kernel's command line has noresume");
	return remedy(out, CHECK_FAIL, "take it off: with it no boot resumes, and the image is lost");
}

static u64 log_bytes(const struct facts *f)
{
	return f->sb.geom.log_sectors << HIBSWAP_SECTOR_SHIFT;
}

static enum outcome region(const struct facts *f, struct finding *out)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];

	if (f->sb_err || !f->mem_known)
		return ok(out, "its size could not be judged");
	if (log_bytes(f) >= f->image.sum)
		return ok(out, "%s, an image now would need up to %s", size_text(log_bytes(f), a),
			  size_text(f->image.sum, b));
	found(out, CHECK_WARN, "region-small", "the region holds %s, an image now would need up to %s",
	      size_text(log_bytes(f), a), size_text(f->image.sum, b));
	return remedy(out, CHECK_WARN, "dmhib size says how large it should be, dmhib resize makes it so; the rest is written slowly");
}

static enum outcome maps(const struct facts *f, struct finding *out)
{
	u64 have, want;

	if (f->sb_err || !f->mem_known)
		return ok(out, "their size could not be judged");
	have = hibswap_map_extents_max(&f->sb.geom);
	want = hibswap_default_extents(f->mem.total >> HIBSWAP_BLOCK_SHIFT);
	/* What the kernel keeps for itself may have been counted or not */
	if (have >= want - want / 16)
		return ok(out, "%" PRIu64 " extents", have);
	found(out, CHECK_WARN, "maps-small", "the maps have %" PRIu64 " extents, %" PRIu64
	      " are made for this memory: a scattered image may fail", have, want);
	return remedy(out, CHECK_WARN, "dmhib resize /dev/%s --ram %" PRIu64 "M", f->below.name,
		      f->mem.total >> 20);
}

/* What the window gives, if this kernel uses it and the device shows it */
static u64 window_bytes(const struct facts *f)
{
	const struct hibswap_geom *g = &f->sb.geom;

	if (f->sb_err || !f->window_kernel || f->dev.sectors <= g->data_sectors)
		return 0;
	return min(f->dev.sectors - g->data_sectors, g->window_sectors) << HIBSWAP_SECTOR_SHIFT;
}

static enum outcome slots(const struct facts *f, struct finding *out)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];
	u64 room;

	if (f->swap < 0 || !f->mem_known)
		return ok(out, "could not be judged without swap on it");
	room = f->swaps[f->swap].free + window_bytes(f);
	if (room >= f->image.sum)
		return ok(out, "%s free%s, an image now would need up to %s", size_text(room, a),
			  window_bytes(f) ? " with the window" : "", size_text(f->image.sum, b));
	found(out, CHECK_FAIL, "slots-short", "%s of swap are free on it, an image now would need up to %s",
	      size_text(room, a), size_text(f->image.sum, b));
	return remedy(out, CHECK_FAIL, f->window_kernel ?
		      "add a window (dmhib resize --window, dmhib open --window), or end what uses so much swap" :
		      "this kernel needs a free slot for each page: add another swap area of higher priority, or end what uses so much swap");
}

const struct rule rules[] = {
	{ "kernel", false, kernel },
	{ "lockdown", false, lockdown },
	{ "secure-boot", false, secure_boot },
	{ "target", false, target },
	{ "device", false, device },
	{ "superblock", true, superblock },
	{ "page-size", true, page_size },
	{ "image", true, image },
	{ "encryption", true, rule_encryption },
	{ "swap", true, swap },
	{ "other-swap", true, other_swap },
	{ "zram", false, zram },
	{ "noresume", false, option_noresume },
	{ "resume-device", true, rule_resume_device },
	{ "resume-offset", false, rule_resume_offset },
	{ "resume-option", true, rule_resume_option },
	{ "hibswaptab", true, rule_hibswaptab },
	{ "initramfs", false, rule_initramfs },
	{ "region", true, region },
	{ "maps", true, maps },
	{ "slots", true, slots },
	{ "systemd-space", true, rule_systemd_space },
	{ "systemd-allows", false, rule_systemd_allows },
};

static_assert(sizeof(rules) / sizeof(rules[0]) <= RULES_MAX);
const unsigned int nr_rules = sizeof(rules) / sizeof(rules[0]);
