// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules about where a resume looks. The raw partition, named where the mapped
 * device is meant, is the mistake that is made most.
 */
#include "check.h"

#include <inttypes.h>

enum points { AT_US, BELOW_US, ELSEWHERE };

static enum points points_at(const struct facts *f, const struct block *b)
{
	if (!strcmp(b->name, f->dev.name))
		return AT_US;
	return block_is_below(f->dev.name, b->name) ? BELOW_US : ELSEWHERE;
}

/** rule_resume_device - does /sys/power/resume name the device? */
enum outcome rule_resume_device(const struct facts *f, struct finding *out)
{
	char path[160];

	if (!*f->resume.text) {
		found(out, CHECK_WARN, "resume-unset", "/sys/power/resume names no device: the kernel takes the first swap area that it finds");
		return remedy(out, CHECK_WARN, "echo %s > /sys/power/resume; at boot, resume=/dev/mapper/%s does that",
			      f->dev.dev, f->dev.dm_name);
	}
	block_path(&f->resume.dev, path, sizeof(path));
	if (!f->resume.known)
		found(out, CHECK_FAIL, "resume-elsewhere", "/sys/power/resume names %s, which does not exist",
		      f->resume.text);
	else if (points_at(f, &f->resume.dev) == AT_US)
		return ok(out, "/sys/power/resume names it");
	else if (points_at(f, &f->resume.dev) == BELOW_US)
		found(out, CHECK_FAIL, "resume-raw", "/sys/power/resume names %s, which is below the mapped device",
		      path);
	else
		found(out, CHECK_FAIL, "resume-elsewhere", "/sys/power/resume names %s", path);
	return remedy(out, CHECK_FAIL, "echo %s > /sys/power/resume, and mend resume= for the next boot",
		      f->dev.dev);
}

/** rule_resume_offset - an offset is for swap files */
enum outcome rule_resume_offset(const struct facts *f, struct finding *out)
{
	if (!f->resume_offset)
		return ok(out, "no offset is set");
	found(out, CHECK_FAIL, "resume-offset", "a resume offset of %" PRIu64 " is set, which is for swap files",
	      f->resume_offset);
	return remedy(out, CHECK_FAIL, "echo 0 > /sys/power/resume_offset, and take resume_offset= off the command line");
}

/** rule_resume_option - will the next boot look there? */
enum outcome rule_resume_option(const struct facts *f, struct finding *out)
{
	/* systemd leaves the place in an EFI variable, which its initramfs reads */
	const bool no_need = f->efi && f->systemd;
	const char *name = f->option.text;

	if (!*name) {
		found(out, no_need ? CHECK_WARN : CHECK_FAIL, "option-missing",
		      "the kernel's command line has no resume=");
		return remedy(out, no_need ? CHECK_WARN : CHECK_FAIL,
			      "add resume=/dev/mapper/%s%s", f->dev.dm_name, no_need ?
			      ": without it only an initramfs with systemd finds the image" : "");
	}
	if (!f->option.known)
		found(out, CHECK_FAIL, "option-unknown", "resume=%s names no device of this machine", name);
	else if (points_at(f, &f->option.dev) == AT_US)
		return ok(out, "resume=%s is it", name);
	else if (points_at(f, &f->option.dev) == BELOW_US)
		found(out, CHECK_FAIL, "option-raw", "resume=%s is /dev/%s, which is below the mapped device",
		      name, f->option.dev.name);
	else
		found(out, CHECK_FAIL, "option-elsewhere", "resume=%s is /dev/%s, another device", name,
		      f->option.dev.name);
	return remedy(out, CHECK_FAIL, "resume=/dev/mapper/%s it has to be", f->dev.dm_name);
}
