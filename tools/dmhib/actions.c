// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verbs of dmhib and the options that each of them has.
 */
#include "dmhib.h"

#define NONE	no_argument
#define ARG	required_argument

static const struct option format_options[] = {
	{ "region-size", ARG, NULL, OPT_REGION_SIZE },
	{ "window", ARG, NULL, OPT_WINDOW },
	{ "map-extents", ARG, NULL, OPT_MAP_EXTENTS },
	{ "ram", ARG, NULL, OPT_RAM },
	{ "uuid", ARG, NULL, OPT_UUID },
	{ "force", NONE, NULL, OPT_FORCE },
	{ "json", NONE, NULL, OPT_JSON },
	{ }
};

static const struct option open_options[] = {
	{ "window", NONE, NULL, OPT_WINDOW },
	{ "readonly", NONE, NULL, OPT_READONLY },
	{ "region-start", ARG, NULL, OPT_REGION_START },
	{ "discard", NONE, NULL, OPT_DISCARD },
	{ "wipe", NONE, NULL, OPT_WIPE },
	{ "wait", ARG, NULL, OPT_WAIT },
	{ "all", NONE, NULL, OPT_ALL },
	{ "tab", ARG, NULL, OPT_TAB },
	{ }
};

static const struct option close_options[] = {
	{ "deferred", NONE, NULL, OPT_DEFERRED },
	{ "all", NONE, NULL, OPT_ALL },
	{ "tab", ARG, NULL, OPT_TAB },
	{ }
};

static const struct option tab_options[] = {
	{ "tab", ARG, NULL, OPT_TAB },
	{ "device", NONE, NULL, OPT_DEVICE },
	{ "json", NONE, NULL, OPT_JSON },
	{ }
};

static const struct option probe_options[] = {
	{ "udev", NONE, NULL, OPT_UDEV },
	{ "region-start", ARG, NULL, OPT_REGION_START },
	{ "json", NONE, NULL, OPT_JSON },
	{ }
};

static const struct option setup_options[] = {
	{ "region-size", ARG, NULL, OPT_REGION_SIZE },
	{ "window", ARG, NULL, OPT_WINDOW },
	{ "ram", ARG, NULL, OPT_RAM },
	{ "dry-run", NONE, NULL, OPT_DRY_RUN },
	{ "yes", NONE, NULL, OPT_YES },
	{ "root", ARG, NULL, OPT_ROOT },
	{ "no-initramfs", NONE, NULL, OPT_NO_INITRAMFS },
	{ "undo", NONE, NULL, OPT_UNDO },
	{ "force", NONE, NULL, OPT_FORCE },
	{ }
};

static const struct option drop_options[] = {
	{ "if-booted", NONE, NULL, OPT_IF_BOOTED },
	{ }
};

static const struct option json_options[] = {
	{ "json", NONE, NULL, OPT_JSON },
	{ }
};

static const struct option dump_options[] = {
	{ "super", NONE, NULL, OPT_SUPER },
	{ "image", NONE, NULL, OPT_IMAGE },
	{ "extents", NONE, NULL, OPT_EXTENTS },
	{ "region-start", ARG, NULL, OPT_REGION_START },
	{ "json", NONE, NULL, OPT_JSON },
	{ }
};

static const struct option resize_options[] = {
	{ "region-size", ARG, NULL, OPT_REGION_SIZE },
	{ "window", ARG, NULL, OPT_WINDOW },
	{ "map-extents", ARG, NULL, OPT_MAP_EXTENTS },
	{ "ram", ARG, NULL, OPT_RAM },
	{ "fill", NONE, NULL, OPT_FILL },
	{ "force", NONE, NULL, OPT_FORCE },
	{ "region-start", ARG, NULL, OPT_REGION_START },
	{ "json", NONE, NULL, OPT_JSON },
	{ }
};

static const struct option wipe_options[] = {
	{ "discard", NONE, NULL, OPT_DISCARD },
	{ "zero", NONE, NULL, OPT_ZERO },
	{ "region-start", ARG, NULL, OPT_REGION_START },
	{ "json", NONE, NULL, OPT_JSON },
	{ }
};

static const struct option verify_options[] = {
	{ "region-start", ARG, NULL, OPT_REGION_START },
	{ "json", NONE, NULL, OPT_JSON },
	{ }
};

static const struct option size_options[] = {
	{ "ram", ARG, NULL, OPT_RAM },
	{ "region-start", ARG, NULL, OPT_REGION_START },
	{ "json", NONE, NULL, OPT_JSON },
	{ }
};

const struct option common_options[] = {
	{ "batch-mode", NONE, NULL, 'q' },
	{ "verbose", NONE, NULL, 'v' },
	{ "debug", NONE, NULL, OPT_DEBUG },
	{ "help", NONE, NULL, OPT_HELP },
	{ "usage", NONE, NULL, OPT_HELP },
	{ "version", NONE, NULL, 'V' },
	{ }
};

const struct action actions[] = {
	{ "format", NULL, 1, 1,
	  "DEVICE --region-size SIZE [--window SIZE] [--map-extents N | --ram SIZE]\n"
	  "         [--uuid UUID] [--force] [--json]",
	  "lay out a region and, behind it, data for swap",
	  format_options, verb_format },
	{ "open", "create", 0, 2,
	  "NAME | --all | DEVICE NAME [--tab FILE] [--wait SECONDS] [--window]\n"
	  "         [--readonly] [--discard] [--wipe] [--region-start OFFSET]",
	  "make /dev/mapper/NAME; without DEVICE as /etc/hibswaptab says",
	  open_options, verb_open },
	{ "close", "remove", 0, 1,
	  "NAME | --all [--tab FILE] [--deferred]",
	  "remove /dev/mapper/NAME, or all that /etc/hibswaptab has",
	  close_options, verb_close },
	{ "status", NULL, 1, 1,
	  "NAME [--json]",
	  "explain what /dev/mapper/NAME is doing",
	  json_options, verb_status },
	{ "list", NULL, 0, 0,
	  "[--json]",
	  "show the hibswap devices that are open",
	  json_options, verb_list },
	{ "dump", NULL, 1, 1,
	  "DEVICE [--super] [--image] [--extents] [--region-start OFFSET] [--json]",
	  "show what is on the device, or in a file",
	  dump_options, verb_dump },
	{ "verify", NULL, 1, 1,
	  "DEVICE [--region-start OFFSET] [--json]",
	  "read the image on the device, and check what can be checked",
	  verify_options, verb_verify },
	{ "resize", NULL, 1, 1,
	  "DEVICE [--region-size SIZE] [--window SIZE] [--map-extents N | --ram SIZE]\n"
	  "         [--fill] [--force] [--region-start OFFSET] [--json]",
	  "grow or shrink the region; the data get the rest",
	  resize_options, verb_resize },
	{ "wipe", NULL, 2, 2,
	  "DEVICE image|all|super [--zero] [--discard] [--region-start OFFSET] [--json]",
	  "drop and overwrite the image, or everything, or what makes it a region",
	  wipe_options, verb_wipe },
	{ "size", NULL, 0, 1,
	  "[DEVICE] [--ram SIZE] [--region-start OFFSET] [--json]",
	  "say how large the region should be, and why",
	  size_options, verb_size },
	{ "check", NULL, 0, 1,
	  "[NAME] [--json]",
	  "say whether this machine will hibernate, and if not, why",
	  json_options, verb_check },
	{ "setup", NULL, 0, 2,
	  "DEVICE [NAME] | --undo [NAME] [--region-size SIZE] [--window SIZE]\n"
	  "         [--ram SIZE] [--dry-run] [--yes] [--force] [--no-initramfs] [--root DIR]",
	  "do all of it: region, swap, fstab, hibswaptab, resume=, initramfs",
	  setup_options, verb_setup },
	{ "tab", NULL, 0, 1,
	  "[NAME] [--tab FILE] [--device] [--json]",
	  "check and show /etc/hibswaptab",
	  tab_options, verb_tab },
	{ "probe", NULL, 1, 1,
	  "DEVICE [--udev] [--region-start OFFSET] [--json]",
	  "say whether there is a region, quickly",
	  probe_options, verb_probe },
	{ "drop", NULL, 1, 1,
	  "NAME [--if-booted]",
	  "drop an image that was not resumed",
	  drop_options, verb_drop },
};

const unsigned int nr_actions = sizeof(actions) / sizeof(actions[0]);
