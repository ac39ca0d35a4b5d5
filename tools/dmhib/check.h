/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Will this machine hibernate? Facts, and rules that judge them.
 */
#ifndef DMHIB_CHECK_H
#define DMHIB_CHECK_H

#include "find.h"
#include "forecast.h"
#include "initramfs.h"
#include "stack.h"

#define SWAPS_MAX	32
#define RULES_MAX	64

/**
 * struct swap - an active swap area
 * @path: as in /proc/swaps
 * @dev: its device, dev.name empty for a file
 * @free: bytes
 * @priority: of two the higher is used first
 */
struct swap {
	char path[256];
	struct block dev;
	u64 size;
	u64 free;
	int priority;
};

/**
 * struct resume_dev - where resume would look
 * @text: as given, empty if it was not
 * @known: @dev is the device
 * @dev: the device
 */
struct resume_dev {
	char text[256];
	bool known;
	struct block dev;
};

/**
 * struct facts - all that the rules look at
 * @mem_known: @mem and @image are
 * @mem: memory
 * @image: the image that would be written now
 * @state: /sys/power/state
 * @disk: /sys/power/disk
 * @have_disk: there is one
 * @lockdown: the kernel's lockdown, empty if it has none
 * @secure_boot: it is on
 * @efi: booted by EFI
 * @module: the module is loaded
 * @module_installed: modprobe would find it
 * @module_builtin: it is part of the kernel
 * @window_kernel: this kernel puts an image into a window
 * @systemd: systemd is init
 * @nr_open: hibswap devices that are open
 * @open: there is one to look at
 * @wanted: the name that was given, or NULL
 * @dev: the device
 * @below: what it lies on
 * @region_start: sectors, on that
 * @sb_err: 0, or why there is no superblock, as of meta_read()
 * @sb: the superblock
 * @copy_bad: the other copy is not valid
 * @fits: its geometry agrees with the device
 * @header_names: the header page names the image of @sb
 * @swaps: active swap areas
 * @nr_swaps: how many
 * @swap: which of them is on @dev, or -1
 * @resume: /sys/power/resume
 * @resume_offset: /sys/power/resume_offset, or resume_offset=
 * @option: resume=, or what the initramfs has in its stead
 * @initramfs: the running kernel's
 * @tab_errors: lines of hibswaptab(5) that cannot be used
 * @tab_error_line: the first of them
 * @tab: the line of that file that opens the device, its name empty if none does
 * @tab_device: what it leads to, empty if that is not found
 * @tab_why: why not
 */
struct facts {
	bool mem_known;
	struct memory mem;
	struct parts image;
	char state[128];
	char disk[128];
	bool have_disk;
	char lockdown[128];
	bool secure_boot;
	bool efi;
	bool module;
	bool module_installed;
	bool module_builtin;
	bool window_kernel;
	bool systemd;
	unsigned int nr_open;
	bool open;
	const char *wanted;
	struct block dev;
	struct block below;
	u64 region_start;
	int sb_err;
	struct hibswap_super sb;
	bool copy_bad;
	bool fits;
	bool header_names;
	struct swap swaps[SWAPS_MAX];
	unsigned int nr_swaps;
	int swap;
	struct resume_dev resume;
	u64 resume_offset;
	struct resume_dev option;
	struct initramfs initramfs;
	unsigned int tab_errors;
	unsigned int tab_error_line;
	struct tab_entry tab;
	struct block tab_device;
	char tab_why[FIND_WHY];
};

enum outcome { CHECK_SKIP, CHECK_OK, CHECK_WARN, CHECK_FAIL };

/**
 * struct finding - what a rule says
 * @code: stable, for scripts; "ok" if all is well
 * @text: what it is like
 * @remedy: what to do, empty if nothing
 */
struct finding {
	const char *code;
	char text[384];
	char remedy[384];
};

struct rule {
	const char *name;
	bool needs_device;
	enum outcome (*judge)(const struct facts *f, struct finding *out);
};

extern const struct rule rules[];
extern const unsigned int nr_rules;

int facts_gather(const char *name, struct facts *f);
bool kernel_has_window(void);
bool volatile_key(const char *name, char *which, size_t len);
int check_left(const char *name);

/* For the rules */
enum outcome ok(struct finding *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
enum outcome found(struct finding *out, enum outcome how, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
enum outcome remedy(struct finding *out, enum outcome how, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Rules that have a file of their own */
enum outcome rule_resume_device(const struct facts *f, struct finding *out);
enum outcome rule_resume_offset(const struct facts *f, struct finding *out);
enum outcome rule_resume_option(const struct facts *f, struct finding *out);
enum outcome rule_hibswaptab(const struct facts *f, struct finding *out);
enum outcome rule_initramfs(const struct facts *f, struct finding *out);
enum outcome rule_systemd_space(const struct facts *f, struct finding *out);
enum outcome rule_systemd_allows(const struct facts *f, struct finding *out);
enum outcome rule_encryption(const struct facts *f, struct finding *out);

#endif /* DMHIB_CHECK_H */
