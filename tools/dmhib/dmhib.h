/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dmhib: what its files share.
 *
 * Functions that return an exit code have already said what is wrong; those
 * that return a negative errno have not.
 */
#ifndef DMHIB_H
#define DMHIB_H

#include "dm-hibswap-format.h"
#include "sizes.h"

#include <getopt.h>
#include <stdio.h>
#include <sys/types.h>

#ifndef DMHIB_VERSION
#define DMHIB_VERSION	"0.1"
#endif

/* Exit codes; up to 5 they are cryptsetup's. dmhib(8) documents them. */
enum {
	E_OK = 0,
	E_PARAM = 1,	/* wrong or missing parameters */
	E_PERM = 2,	/* no permission */
	E_MEM = 3,	/* out of memory */
	E_DEVICE = 4,	/* no such device, I/O error, too small */
	E_BUSY = 5,	/* in use, or exists already */
	E_REFUSED = 6,	/* something is there and --force was not given */
	E_NOSUPER = 7,	/* no hibswap superblock */
	E_BADSUPER = 8,	/* a superblock that cannot be used */
	E_NOTARGET = 9,	/* the kernel lacks device-mapper or the target */
	E_NOIMAGE = 10,	/* there is no image to verify */
	E_WONT = 11,	/* this machine will not hibernate */
};

/**
 * struct opts - the command line
 *
 * Sizes are in bytes. What was not given is zero or false.
 */
struct opts {
	bool batch;
	bool verbose;
	bool debug;
	bool json;
	bool force;
	bool window;
	bool readonly;
	bool deferred;
	bool show_super;
	bool show_image;
	bool show_extents;
	bool fill;
	bool discard;
	bool zero;
	bool no_window;
	bool all;
	bool wipe;
	bool have_wait;
	bool udev;
	bool device_only;
	bool if_booted;
	bool undo;
	bool dry_run;
	bool no_initramfs;
	u64 region_size;
	u64 window_size;
	u64 region_start;
	u64 map_extents;
	u64 ram;
	u64 wait;
	const char *uuid;
	const char *tab;
	const char *root;
};

extern struct opts opts;

/* Options that only some verbs have; the others are letters */
enum {
	OPT_REGION_SIZE = 256,
	OPT_WINDOW,
	OPT_MAP_EXTENTS,
	OPT_RAM,
	OPT_UUID,
	OPT_FORCE,
	OPT_READONLY,
	OPT_REGION_START,
	OPT_DEFERRED,
	OPT_SUPER,
	OPT_IMAGE,
	OPT_EXTENTS,
	OPT_JSON,
	OPT_DEBUG,
	OPT_HELP,
	OPT_FILL,
	OPT_DISCARD,
	OPT_ZERO,
	OPT_ALL,
	OPT_TAB,
	OPT_WAIT,
	OPT_WIPE,
	OPT_DEVICE,
	OPT_UDEV,
	OPT_IF_BOOTED,
	OPT_UNDO,
	OPT_DRY_RUN,
	OPT_YES,
	OPT_ROOT,
	OPT_NO_INITRAMFS,
};

/**
 * struct action - a verb
 * @name: the word
 * @alias: another word for it, or NULL
 * @args_min: words behind it, at least
 * @args_max: and at most
 * @usage: the line for --help and for a wrong number of words
 * @what: what it does
 * @options: its own, without those of all
 * @run: does it
 */
struct action {
	const char *name;
	const char *alias;
	int args_min;
	int args_max;
	const char *usage;
	const char *what;
	const struct option *options;
	int (*run)(int argc, char **argv);
};

/* actions.c */
extern const struct action actions[];
extern const unsigned int nr_actions;
extern const struct option common_options[];

/* The verbs: @argv holds what is left beside the options */
int verb_format(int argc, char **argv);
int verb_open(int argc, char **argv);
int verb_close(int argc, char **argv);
int verb_status(int argc, char **argv);
int verb_dump(int argc, char **argv);
int verb_list(int argc, char **argv);
int verb_resize(int argc, char **argv);
int verb_wipe(int argc, char **argv);
int verb_verify(int argc, char **argv);
int verb_size(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_tab(int argc, char **argv);
int verb_probe(int argc, char **argv);
int verb_drop(int argc, char **argv);
int verb_setup(int argc, char **argv);

/* msg.c */
void msg_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_more(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool msg_confirm(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int exit_from_errno(int err);

#endif /* DMHIB_H */
