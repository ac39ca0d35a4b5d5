// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib: sets up and looks at hibswap devices. The command line.
 */
#include "dmhib.h"

#include <getopt.h>

struct opts opts;

/* Options that only some verbs have */
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
};

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
	{ }
};

static const struct option close_options[] = {
	{ "deferred", NONE, NULL, OPT_DEFERRED },
	{ }
};

static const struct option status_options[] = {
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

static const struct option common_options[] = {
	{ "batch-mode", NONE, NULL, 'q' },
	{ "verbose", NONE, NULL, 'v' },
	{ "debug", NONE, NULL, OPT_DEBUG },
	{ "help", NONE, NULL, OPT_HELP },
	{ "usage", NONE, NULL, OPT_HELP },
	{ "version", NONE, NULL, 'V' },
	{ }
};

struct action {
	const char *name;
	const char *alias;
	int args;
	const char *usage;
	const char *what;
	const struct option *options;
	int (*run)(int argc, char **argv);
};

static const struct action actions[] = {
	{ "format", NULL, 1,
	  "DEVICE --region-size SIZE [--window SIZE] [--map-extents N | --ram SIZE]\n"
	  "         [--uuid UUID] [--force] [--json]",
	  "lay out a region and, behind it, data for swap",
	  format_options, verb_format },
	{ "open", "create", 2,
	  "DEVICE NAME [--window] [--readonly] [--region-start OFFSET]",
	  "make /dev/mapper/NAME",
	  open_options, verb_open },
	{ "close", "remove", 1,
	  "NAME [--deferred]",
	  "remove /dev/mapper/NAME",
	  close_options, verb_close },
	{ "status", NULL, 1,
	  "NAME [--json]",
	  "explain what /dev/mapper/NAME is doing",
	  status_options, verb_status },
	{ "dump", NULL, 1,
	  "DEVICE [--super] [--image] [--extents] [--region-start OFFSET] [--json]",
	  "show what is on the device, or in a file",
	  dump_options, verb_dump },
};

#define NR_ACTIONS (sizeof(actions) / sizeof(actions[0]))

static void usage(FILE *to)
{
	fprintf(to, "dmhib %s\n"
		"Usage: dmhib <action> <arguments> [option...]\n\n"
		"Actions:\n", DMHIB_VERSION);
	for (unsigned int i = 0; i < NR_ACTIONS; i++)
		fprintf(to, "  %s %s\n         %s\n", actions[i].name, actions[i].usage,
			actions[i].what);
	fprintf(to, "\nOptions of all actions:\n"
		"  -q, --batch-mode  ask nothing\n"
		"  -v, --verbose     say what is done\n"
		"      --debug       say how it is done\n"
		"  -?, --help        this text\n"
		"  -V, --version     the version\n\n"
		"SIZE and OFFSET are bytes, or sectors of 512 bytes with s, or powers of 1024\n"
		"with K, M, G or T.\n"
		"Exit status: 0 success, 1 parameters, 2 permission, 3 memory, 4 device,\n"
		"5 busy or exists, 6 refused without --force, 7 no superblock, 8 superblock not\n"
		"usable, 9 no support in the kernel. dmhib(8) says more.\n");
}

static int bad_value(const char *option, const char *text, int err)
{
	msg_err("--%s: \"%s\" is %s", option, text,
		err == -ERANGE ? "too large" : "not a number with K, M, G, T or s behind it");
	return E_PARAM;
}

static int set_size(const char *option, const char *text, u64 *value)
{
	int err = size_parse(text, value);

	if (err)
		return bad_value(option, text, err);
	if (!*value) {
		msg_err("--%s: it cannot be zero", option);
		return E_PARAM;
	}
	return E_OK;
}

static int set_number(const char *option, const char *text, u64 *value)
{
	if (number_parse(text, value) || !*value) {
		msg_err("--%s: \"%s\" is not a number above zero", option, text);
		return E_PARAM;
	}
	return E_OK;
}

static int set_region_start(const char *text)
{
	int err = size_parse(text, &opts.region_start);

	if (err)
		return bad_value("region-start", text, err);
	if (opts.region_start % HIBSWAP_BLOCK_SIZE) {
		msg_err("--region-start: \"%s\" is not a multiple of 4096 bytes", text);
		return E_PARAM;
	}
	return E_OK;
}

static int set_option(const struct action *action, int c, const char *arg)
{
	switch (c) {
	case OPT_REGION_SIZE:
		return set_size("region-size", arg, &opts.region_size);
	case OPT_WINDOW:
		if (action->run == verb_format)
			return set_size("window", arg, &opts.window_size);
		opts.window = true;
		return E_OK;
	case OPT_MAP_EXTENTS:
		return set_number("map-extents", arg, &opts.map_extents);
	case OPT_RAM:
		return set_size("ram", arg, &opts.ram);
	case OPT_UUID:
		opts.uuid = arg;
		return E_OK;
	case OPT_FORCE:
		opts.force = true;
		return E_OK;
	case OPT_READONLY:
		opts.readonly = true;
		return E_OK;
	case OPT_REGION_START:
		return set_region_start(arg);
	case OPT_DEFERRED:
		opts.deferred = true;
		return E_OK;
	case OPT_SUPER:
		opts.show_super = true;
		return E_OK;
	case OPT_IMAGE:
		opts.show_image = true;
		return E_OK;
	case OPT_EXTENTS:
		opts.show_extents = true;
		return E_OK;
	case OPT_JSON:
		opts.json = true;
		return E_OK;
	case OPT_DEBUG:
		opts.debug = true;
		return E_OK;
	case 'q':
		opts.batch = true;
		return E_OK;
	case 'v':
		opts.verbose = true;
		return E_OK;
	case 'V':
		printf("dmhib %s\n", DMHIB_VERSION);
		exit(E_OK);
	default:
		usage(stdout);
		exit(E_OK);
	}
}

/* The verb's own options and those of all; of no verb, only the latter */
static void join_options(struct option *to, const struct option *own)
{
	while (own && own->name)
		*to++ = *own++;
	for (own = common_options; own->name; own++)
		*to++ = *own;
	*to = (struct option){};
}

static const struct action *find_action(const char *name)
{
	for (unsigned int i = 0; i < NR_ACTIONS; i++)
		if (!strcmp(name, actions[i].name) ||
		    (actions[i].alias && !strcmp(name, actions[i].alias)))
			return &actions[i];
	return NULL;
}

/* The first word that is no option: options may stand in front of it */
static const struct action *scan_action(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const struct action *action = find_action(argv[i]);

		if (action)
			return action;
		if (argv[i][0] != '-')
			break;
	}
	return NULL;
}

static int bad_option(const struct action *action, int c, const char *arg)
{
	if (c == ':')
		msg_err("%s needs a value", arg);
	else if (optopt >= 256)
		msg_err("%s takes no value", arg);
	else if (optopt)
		msg_err("unknown option -%c", optopt);
	else if (action)
		msg_err("%s does not know the option %s", action->name, arg);
	else
		msg_err("unknown option %s", arg);
	return E_PARAM;
}

int main(int argc, char **argv)
{
	const struct action *action = scan_action(argc, argv);
	struct option options[32];
	int c, rc;

	join_options(options, action ? action->options : NULL);
	opterr = 0;
	/* getopt says '?' to -?, which is --help, and to all that it does not know */
	while (optopt = 0, (c = getopt_long(argc, argv, ":qvV?", options, NULL)) != -1) {
		if (c == ':' || (c == '?' && (optopt || !strncmp(argv[optind - 1], "--", 2))))
			return bad_option(action, c, argv[optind - 1]);
		rc = set_option(action, c, optarg);
		if (rc)
			return rc;
	}
	argc -= optind;
	argv += optind;
	if (!argc) {
		usage(stderr);
		return E_PARAM;
	}
	if (!action || action != find_action(argv[0])) {
		msg_err("unknown action \"%s\": see --help", argv[0]);
		return E_PARAM;
	}
	if (argc - 1 != action->args) {
		msg_err("usage: dmhib %s %s", action->name, action->usage);
		return E_PARAM;
	}
	return action->run(argc - 1, argv + 1);
}
