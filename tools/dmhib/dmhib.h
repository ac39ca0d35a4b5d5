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
	u64 region_size;
	u64 window_size;
	u64 region_start;
	u64 map_extents;
	u64 ram;
	const char *uuid;
};

extern struct opts opts;

/* The verbs: @argv holds what is left beside the options */
int verb_format(int argc, char **argv);
int verb_open(int argc, char **argv);
int verb_close(int argc, char **argv);
int verb_status(int argc, char **argv);
int verb_dump(int argc, char **argv);

/* msg.c */
void msg_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_more(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool msg_confirm(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int exit_from_errno(int err);

/* size.c */
#define SIZE_TEXT	48
int size_parse(const char *text, u64 *bytes);
int number_parse(const char *text, u64 *value);
const char *size_text(u64 bytes, char *buf);
const char *sectors_text(u64 sectors, char *buf);

#endif /* DMHIB_H */
