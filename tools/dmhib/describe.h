/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Superblocks and faults in words and in JSON.
 */
#ifndef DMHIB_DESCRIBE_H
#define DMHIB_DESCRIBE_H

#include "meta.h"

#include <json-c/json.h>

#define FAULT_TEXT	160
#define UUID_TEXT	37

const char *fault_code(int err);
const char *fault_text(int err, const struct hibswap_fault *fault, char *buf);
const char *copy_fault_text(const struct meta_copy *copy, char *buf);
int meta_complain(const struct dev *dev, const struct meta *meta);
int meta_belongs(const struct dev *dev, const struct hibswap_geom *geom, u64 region_start);
int meta_stranger(const struct dev *dev, const struct hibswap_fault *fault);
int region_open(struct dev *dev, struct meta *meta, const char *path, unsigned int flags);
void region_close(struct dev *dev, struct meta *meta);
const char *uuid_text(const u8 *uuid, char *buf);
const char *state_text(u32 state);

void jadd_u64(struct json_object *obj, const char *key, u64 value);
void jadd_str(struct json_object *obj, const char *key, const char *value);
void jadd_bool(struct json_object *obj, const char *key, bool value);
struct json_object *fault_json(int err, const struct hibswap_fault *fault);
struct json_object *geom_json(const struct hibswap_geom *geom);
void json_print(struct json_object *obj);

#endif /* DMHIB_DESCRIBE_H */
