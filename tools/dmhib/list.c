// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmhib list: the hibswap devices that are open.
 */
#include "describe.h"
#include "dm.h"
#include "inuse.h"
#include "mapping.h"

static struct json_object *one_json(const char *name, const struct mapping *map)
{
	struct json_object *obj = json_object_new_object();

	jadd_str(obj, "name", name);
	jadd_str(obj, "path", map->m.path);
	jadd_str(obj, "device", map->below);
	jadd_str(obj, "dm_uuid", map->m.uuid);
	jadd_u64(obj, "sectors", map->m.sectors);
	jadd_u64(obj, "region_sectors", map->region_sectors);
	jadd_str(obj, "state", map->known ? hibswap_status_state_name(map->st.state) : NULL);
	jadd_u64(obj, "generation", map->st.generation);
	jadd_bool(obj, "swap", inuse_swap(map->m.rdev, NULL, 0));
	return obj;
}

static void one_words(const char *name, const struct mapping *map)
{
	char region[SIZE_TEXT], data[SIZE_TEXT];

	printf("%-16s %-16s %10s %10s  %s%s\n", name, map->below,
	       sectors_text(map->region_sectors, region), sectors_text(map->m.sectors, data),
	       map->known ? hibswap_status_state_name(map->st.state) : "unknown",
	       inuse_swap(map->m.rdev, NULL, 0) ? ", swap" : "");
}

/** verb_list - show the hibswap devices that are open */
int verb_list(int argc, char **argv)
{
	struct json_object *list;
	char **names = NULL;
	unsigned int nr = 0;
	int rc;

	(void)argc;
	(void)argv;
	rc = dm_start();
	if (!rc)
		rc = dm_list(&names, &nr);
	if (rc)
		return rc;
	list = opts.json ? json_object_new_array() : NULL;
	if (!opts.json && nr)
		printf("%-16s %-16s %10s %10s  %s\n", "NAME", "DEVICE", "REGION", "DATA", "STATE");
	else if (!opts.json)
		printf("No hibswap device is open.\n");
	for (unsigned int i = 0; i < nr; i++) {
		struct mapping map;

		/* One that has gone meanwhile is none of them */
		if (!mapping_find(names[i], &map) && map.m.exists) {
			if (opts.json)
				json_object_array_add(list, one_json(names[i], &map));
			else
				one_words(names[i], &map);
		}
		free(names[i]);
	}
	free(names);
	if (opts.json) {
		struct json_object *obj = json_object_new_object();

		json_object_object_add(obj, "devices", list);
		json_print(obj);
	}
	return E_OK;
}
