// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib: sets up and looks at hibswap devices. The command line.
 */
#include "dmhib.h"

struct opts opts;

static void usage(FILE *to)
{
	fprintf(to, "dmhib %s\n"
		"Usage: dmhib <action> <arguments> [option...]\n\n"
		"Actions:\n", DMHIB_VERSION);
	for (unsigned int i = 0; i < nr_actions; i++)
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
		"usable, 9 no support in the kernel, 10 no image, 11 it will not hibernate.\n"
		"dmhib(8) says more.\n");
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

/* Of a region that is there already it can also be taken away */
static int set_window(const char *text)
{
	int err = size_parse(text, &opts.window_size);

	opts.no_window = !err && !opts.window_size;
	return err ? bad_value("window", text, err) : E_OK;
}

static int set_wait(const char *text)
{
	if (number_parse(text, &opts.wait) || opts.wait > 366 * 86400) {
		msg_err("--wait: \"%s\" is not a number of seconds", text);
		return E_PARAM;
	}
	opts.have_wait = true;
	return E_OK;
}

static int set_root(const char *text)
{
	if (*text != '/') {
		msg_err("--root: \"%s\" is not an absolute path", text);
		return E_PARAM;
	}
	opts.root = text;
	return E_OK;
}

/* Those that are just there or not */
static bool *flag_of(int c)
{
	switch (c) {
	case OPT_FORCE:
		return &opts.force;
	case OPT_READONLY:
		return &opts.readonly;
	case OPT_DEFERRED:
		return &opts.deferred;
	case OPT_SUPER:
		return &opts.show_super;
	case OPT_IMAGE:
		return &opts.show_image;
	case OPT_EXTENTS:
		return &opts.show_extents;
	case OPT_JSON:
		return &opts.json;
	case OPT_FILL:
		return &opts.fill;
	case OPT_DISCARD:
		return &opts.discard;
	case OPT_ZERO:
		return &opts.zero;
	case OPT_ALL:
		return &opts.all;
	case OPT_WIPE:
		return &opts.wipe;
	case OPT_DEVICE:
		return &opts.device_only;
	case OPT_UDEV:
		return &opts.udev;
	case OPT_IF_BOOTED:
		return &opts.if_booted;
	case OPT_UNDO:
		return &opts.undo;
	case OPT_DRY_RUN:
		return &opts.dry_run;
	case OPT_NO_INITRAMFS:
		return &opts.no_initramfs;
	case OPT_DEBUG:
		return &opts.debug;
	case OPT_YES:
	case 'q':
		return &opts.batch;
	case 'v':
		return &opts.verbose;
	default:
		return NULL;
	}
}

static int set_option(const struct action *action, int c, const char *arg)
{
	bool *flag = flag_of(c);

	if (flag) {
		*flag = true;
		return E_OK;
	}
	switch (c) {
	case OPT_REGION_SIZE:
		return set_size("region-size", arg, &opts.region_size);
	case OPT_WINDOW:
		if (action->run == verb_format || action->run == verb_setup)
			return set_size("window", arg, &opts.window_size);
		if (action->run == verb_resize)
			return set_window(arg);
		opts.window = true;
		return E_OK;
	case OPT_MAP_EXTENTS:
		return set_number("map-extents", arg, &opts.map_extents);
	case OPT_RAM:
		return set_size("ram", arg, &opts.ram);
	case OPT_UUID:
		opts.uuid = arg;
		return E_OK;
	case OPT_REGION_START:
		return set_region_start(arg);
	case OPT_TAB:
		opts.tab = arg;
		return E_OK;
	case OPT_WAIT:
		return set_wait(arg);
	case OPT_ROOT:
		return set_root(arg);
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
	for (unsigned int i = 0; i < nr_actions; i++)
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
	if (argc - 1 < action->args_min || argc - 1 > action->args_max) {
		msg_err("usage: dmhib %s %s", action->name, action->usage);
		return E_PARAM;
	}
	return action->run(argc - 1, argv + 1);
}
