// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib tab: what hibswaptab(5) says, and which devices it means.
 */
#include "describe.h"
#include "find.h"
#include "tabfile.h"

#include <inttypes.h>

static const struct {
	const char *name;
	size_t at;
} flags[] = {
	{ "window", offsetof(struct tab_entry, window) },
	{ "discard", offsetof(struct tab_entry, discard) },
	{ "wipe", offsetof(struct tab_entry, wipe) },
	{ "nofail", offsetof(struct tab_entry, nofail) },
	{ "noauto", offsetof(struct tab_entry, noauto) },
	{ "_netdev", offsetof(struct tab_entry, netdev) },
	{ "x-initrd.attach", offsetof(struct tab_entry, initrd) },
};

#define NR_FLAGS	(sizeof(flags) / sizeof(flags[0]))

static bool is_set(const struct tab_entry *e, unsigned int i)
{
	return *(const bool *)((const char *)e + flags[i].at);
}

static void print_words(const struct tab_entry *e, const char *path, const char *why)
{
	const char *sep = "";

	printf("%-16s %-48s ", e->name, e->spec);
	for (unsigned int i = 0; i < NR_FLAGS; i++) {
		if (!is_set(e, i))
			continue;
		printf("%s%s", sep, flags[i].name);
		sep = ",";
	}
	if (e->region_start) {
		printf("%sregion-start=%" PRIu64, sep, e->region_start);
		sep = ",";
	}
	if (e->timeout != TAB_TIMEOUT) {
		printf("%stimeout=%" PRIu64, sep, e->timeout);
		sep = ",";
	}
	printf("%s\n%-16s %s%s\n", *sep ? "" : "-", "", *why ? "not found: " : "is ",
	       *why ? why : path);
}

static struct json_object *entry_json(const struct tab_entry *e, const char *path,
				      const char *why)
{
	struct json_object *obj = json_object_new_object(), *list = json_object_new_array();

	jadd_str(obj, "name", e->name);
	jadd_u64(obj, "line", e->line);
	jadd_str(obj, "spec", e->spec);
	jadd_str(obj, "device", *why ? NULL : path);
	jadd_str(obj, "reason", *why ? why : NULL);
	for (unsigned int i = 0; i < NR_FLAGS; i++)
		if (is_set(e, i))
			json_object_array_add(list, json_object_new_string(flags[i].name));
	json_object_object_add(obj, "options", list);
	jadd_u64(obj, "region_start_bytes", e->region_start);
	jadd_u64(obj, "timeout_seconds", e->timeout);
	return obj;
}

static struct json_object *errors_json(const struct tab *tab)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < tab->nr_errors; i++) {
		struct json_object *obj = json_object_new_object();

		jadd_u64(obj, "line", tab->errors[i].line);
		jadd_str(obj, "text", tab->errors[i].text);
		json_object_array_add(list, obj);
	}
	return list;
}

static void show(const struct tab *tab, const struct tab_entry *only)
{
	struct json_object *obj = json_object_new_object(), *list = json_object_new_array();

	for (unsigned int i = 0; i < tab->nr; i++) {
		const struct tab_entry *e = tab->entries[i];
		char path[PATH_MAX] = "", why[FIND_WHY] = "";

		if (only && e != only)
			continue;
		find_device(e, path, sizeof(path), why);
		if (opts.json)
			json_object_array_add(list, entry_json(e, path, why));
		else
			print_words(e, path, why);
	}
	jadd_str(obj, "file", tabfile_path());
	json_object_object_add(obj, "devices", list);
	json_object_object_add(obj, "errors", errors_json(tab));
	if (opts.json)
		json_print(obj);
	else
		json_object_put(obj);
}

static int show_device(const struct tab_entry *e)
{
	char path[PATH_MAX], why[FIND_WHY];

	if (find_device(e, path, sizeof(path), why)) {
		msg_err("%s: %s", e->name, why);
		return E_DEVICE;
	}
	printf("%s\n", path);
	return E_OK;
}

/** verb_tab - check and show hibswaptab(5) */
int verb_tab(int argc, char **argv)
{
	const struct tab_entry *only = NULL;
	struct tab tab;
	int rc;

	if (opts.device_only && (!argc || opts.json)) {
		msg_err("--device is the answer for one name, in plain text");
		return E_PARAM;
	}
	rc = argc ? tabfile_line(&tab, argv[0], &only) : tabfile_read(&tab);
	if (!rc && opts.device_only) {
		rc = show_device(only);
	} else if (!rc) {
		show(&tab, only);
		if (tab.nr_errors)
			rc = E_PARAM;
	}
	tab_free(&tab);
	return rc;
}
