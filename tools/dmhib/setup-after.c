// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that make what was edited count at the next boot.
 */
#include "setup.h"
#include "sysroot.h"

#include <stdarg.h>

/** root_command - does the system that is set up have this program? */
bool root_command(const char *name)
{
	static const char * const dirs[] = { "/usr/sbin", "/usr/bin", "/sbin", "/bin" };
	char path[256];

	for (unsigned int i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[i], name);
		if (root_has(path))
			return true;
	}
	return false;
}

/* Below another root it is that one's programs which have to run */
static struct command *inside(struct commands *c, const char *program)
{
	return opts.root ? command_add(c, "chroot", opts.root, program, NULL) :
			   command_add(c, program, NULL);
}

static void words(struct command *cmd, ...) __attribute__((sentinel));

static void words(struct command *cmd, ...)
{
	const char *word;
	va_list ap;

	va_start(ap, cmd);
	while ((word = va_arg(ap, const char *)))
		command_word(cmd, word);
	va_end(ap);
}

static bool by_update_initramfs(void)
{
	return !opts.no_initramfs && root_command("update-initramfs") &&
	       root_command("mkinitramfs");
}

/*
 * KERNEL_CMDLINE may be still to be made. Only update-initramfs runs Debian's hook, which
 * calls kernel-install itself.
 */
static bool by_kernel_install(void)
{
	return has_systemd_boot() && root_command("kernel-install") &&
	       !(by_update_initramfs() && root_has("/etc/initramfs/post-update.d/systemd-boot"));
}

/**
 * setup_rebuild - boot loader and initramfs
 * @c: list that they are added to
 */
void setup_rebuild(struct commands *c)
{
	char image[300];

	if (opts.no_initramfs)
		;
	else if (by_update_initramfs())
		words(inside(c, "update-initramfs"), "-u", "-k", "all", NULL);
	else if (root_command("dracut"))
		words(inside(c, "dracut"), "--force", "--regenerate-all", NULL);
	else if (root_command("mkinitcpio"))
		words(inside(c, "mkinitcpio"), "-P", NULL);
	if (root_has("/etc/default/grub") && root_has("/boot/grub") && root_command("update-grub"))
		inside(c, "update-grub");
	if (by_kernel_install() && !opts.root) {
		snprintf(image, sizeof(image), "/boot/vmlinuz-%s", sysroot_kernel());
		words(inside(c, "kernel-install"), "add", sysroot_kernel(), image, NULL);
	}
}
