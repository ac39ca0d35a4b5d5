// SPDX-License-Identifier: GPL-2.0-only
/*
 * What setup has done, so that it can be undone.
 *
 *	/var/lib/dmhib/setup-NAME/manifest.json
 *	/var/lib/dmhib/setup-NAME/N.was		a file as it was
 *	/var/lib/dmhib/setup-NAME/N.made	as setup has made it
 *
 * It is written before the first change is made, and replaced as a whole. The
 * texts lie beside it as plain files, for people who have nothing but a shell.
 */
#include "manifest.h"
#include "describe.h"
#include "slurp.h"

#include <dirent.h>
#include <unistd.h>

#define FILES_MAX	64

static const char *dir_of(const struct manifest *m, char *buf, size_t len)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/setup-%s", MANIFEST_DIR, m->name);
	return root_path(buf, len, path);
}

static int failed(const struct manifest *m, const char *what, int err)
{
	msg_err("cannot %s %s/setup-%s: %s", what, MANIFEST_DIR, m->name, strerror(-err));
	return exit_from_errno(err);
}

static const char *text_of(struct json_object *obj, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(obj, key, &v) && json_object_is_type(v, json_type_string) ?
	       json_object_get_string(v) : NULL;
}

static void take(struct json_object *obj, const char *key, char *buf, size_t len)
{
	const char *text = text_of(obj, key);

	snprintf(buf, len, "%s", text ? text : "");
}

static bool truth_of(struct json_object *obj, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(obj, key, &v) && json_object_get_boolean(v);
}

static u64 number_of(struct json_object *obj, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(obj, key, &v) ? json_object_get_int64(v) : 0;
}

/* A text beside the manifest; NULL in it means that there was no file */
static int read_text(const char *dir, unsigned int nr, const char *what, bool is_there, char **text)
{
	char path[PATH_MAX];
	size_t len;

	*text = NULL;
	if (!is_there)
		return 0;
	snprintf(path, sizeof(path), "%.4000s/%u.%s", dir, nr, what);
	return slurp(path, CONFIG_MAX, text, &len);
}

static int read_file(struct manifest *m, const char *dir, struct json_object *obj, unsigned int nr)
{
	const char *path = text_of(obj, "path");
	struct kept *k;
	int err;

	if (!path || *path != '/')
		return -EBADMSG;
	m->files = need_memory(reallocarray(m->files, m->nr + 1, sizeof(*m->files)));
	k = &m->files[m->nr++];
	*k = (struct kept){ .was = { .path = need_memory(strdup(path)),
				     .mode = number_of(obj, "mode") & 07777,
				     .uid = number_of(obj, "uid"), .gid = number_of(obj, "gid") } };
	k->mixed = truth_of(obj, "mixed");
	err = read_text(dir, nr, "was", truth_of(obj, "was"), &k->was.old);
	return err ? err : read_text(dir, nr, "made", truth_of(obj, "made"), &k->made);
}

static int read_files(struct manifest *m, const char *dir, struct json_object *obj)
{
	struct json_object *list;
	int err = 0;

	if (!json_object_object_get_ex(obj, "files", &list) ||
	    !json_object_is_type(list, json_type_array) ||
	    json_object_array_length(list) > FILES_MAX)
		return -EBADMSG;
	for (unsigned int i = 0; i < json_object_array_length(list) && !err; i++)
		err = read_file(m, dir, json_object_array_get_idx(list, i), i);
	return err;
}

/**
 * manifest_read - what is known of an earlier setup
 * @m: filled in; manifest_free() it. Without one only the name is
 * @name: of the mapped device
 *
 * Return: an exit code; E_OK and no @device if there is none.
 */
int manifest_read(struct manifest *m, const char *name)
{
	char dir[PATH_MAX], path[PATH_MAX + 32], *text;
	struct json_object *obj;
	size_t len;
	int err;

	*m = (struct manifest){};
	snprintf(m->name, sizeof(m->name), "%s", name);
	snprintf(path, sizeof(path), "%s/manifest.json", dir_of(m, dir, sizeof(dir)));
	err = slurp(path, CONFIG_MAX, &text, &len);
	if (err == -ENOENT)
		return E_OK;
	if (err)
		return failed(m, "read", err);
	obj = json_tokener_parse(text);
	free(text);
	if (json_object_is_type(obj, json_type_object)) {
		take(obj, "device", m->device, sizeof(m->device));
		take(obj, "partuuid", m->partuuid, sizeof(m->partuuid));
		take(obj, "region_uuid", m->region_uuid, sizeof(m->region_uuid));
		take(obj, "swap_uuid", m->swap_uuid, sizeof(m->swap_uuid));
		take(obj, "swap_label", m->swap_label, sizeof(m->swap_label));
		m->had_region = truth_of(obj, "had_region");
		m->was_swap = truth_of(obj, "was_swap");
		m->complete = truth_of(obj, "complete");
		err = read_files(m, dir, obj);
	} else {
		err = -EBADMSG;
	}
	json_object_put(obj);
	if (!err && !*m->device)
		err = -EBADMSG;
	return err ? failed(m, "understand the manifest in", err) : E_OK;
}

static int write_text(const char *dir, unsigned int nr, const char *what, const char *text)
{
	char path[PATH_MAX];

	if (!text)
		return 0;
	snprintf(path, sizeof(path), "%.4000s/%u.%s", dir, nr, what);
	return file_write(path, text, strlen(text), 0600, geteuid(), getegid());
}

/* Byte for byte, as it is to be found again: paths and labels need not be UTF-8 */
static void put(struct json_object *obj, const char *key, const char *text)
{
	json_object_object_add(obj, key, json_object_new_string(text));
}

static struct json_object *to_json(const struct manifest *m)
{
	struct json_object *obj = json_object_new_object(), *list = json_object_new_array();

	put(obj, "name", m->name);
	put(obj, "device", m->device);
	put(obj, "partuuid", m->partuuid);
	put(obj, "region_uuid", m->region_uuid);
	jadd_bool(obj, "had_region", m->had_region);
	jadd_bool(obj, "was_swap", m->was_swap);
	put(obj, "swap_uuid", m->swap_uuid);
	put(obj, "swap_label", m->swap_label);
	jadd_bool(obj, "complete", m->complete);
	for (unsigned int i = 0; i < m->nr; i++) {
		const struct kept *k = &m->files[i];
		struct json_object *f = json_object_new_object();

		put(f, "path", k->was.path);
		jadd_bool(f, "was", k->was.old);
		jadd_bool(f, "made", k->made);
		jadd_bool(f, "mixed", k->mixed);
		jadd_u64(f, "mode", k->was.mode);
		jadd_u64(f, "uid", k->was.uid);
		jadd_u64(f, "gid", k->was.gid);
		json_object_array_add(list, f);
	}
	json_object_object_add(obj, "files", list);
	return obj;
}

/**
 * manifest_write - remember it, on stable storage
 * @m: what to remember
 *
 * Return: an exit code.
 */
int manifest_write(const struct manifest *m)
{
	struct json_object *obj;
	char dir[PATH_MAX], path[PATH_MAX + 32];
	const char *text;
	int err;

	dir_of(m, dir, sizeof(dir));
	err = make_dirs(dir, 0700);
	for (unsigned int i = 0; i < m->nr && !err; i++) {
		err = write_text(dir, i, "was", m->files[i].was.old);
		if (!err)
			err = write_text(dir, i, "made", m->files[i].made);
	}
	if (!err) {
		obj = to_json(m);
		text = json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY |
							   JSON_C_TO_STRING_NOSLASHESCAPE);
		snprintf(path, sizeof(path), "%s/manifest.json", dir);
		err = file_write(path, text, strlen(text), 0600, geteuid(), getegid());
		json_object_put(obj);
	}
	return err ? failed(m, "write", err) : E_OK;
}

/**
 * manifest_keep - remember a file that will be changed
 * @m: the manifest
 * @c: the change; what a file was before the first change counts
 */
void manifest_keep(struct manifest *m, const struct change *c)
{
	struct kept *k = NULL;

	for (unsigned int i = 0; i < m->nr; i++)
		if (!strcmp(m->files[i].was.path, c->path))
			k = &m->files[i];
	if (!k) {
		m->files = need_memory(reallocarray(m->files, m->nr + 1, sizeof(*m->files)));
		k = &m->files[m->nr++];
		*k = (struct kept){ .was = *c };
		k->was.path = need_memory(strdup(c->path));
		k->was.old = c->old ? need_memory(strdup(c->old)) : NULL;
		k->was.new = NULL;
	} else if (!text_same(c->old, k->made) && !text_same(c->old, k->was.old)) {
		k->mixed = true;
	}
	free(k->made);
	k->made = c->new ? need_memory(strdup(c->new)) : NULL;
}

/**
 * manifest_remove - forget it
 * @m: the manifest
 *
 * Return: an exit code.
 */
int manifest_remove(const struct manifest *m)
{
	char dir[PATH_MAX], path[PATH_MAX + 300];
	struct dirent *d;
	int err = 0;
	DIR *f;

	/* First of all what says that there is something to undo */
	snprintf(path, sizeof(path), "%s/manifest.json", dir_of(m, dir, sizeof(dir)));
	if (unlink(path) && errno != ENOENT)
		return failed(m, "remove", -errno);
	f = opendir(dir);
	while (f && (d = readdir(f))) {
		snprintf(path, sizeof(path), "%s/%s", dir, d->d_name);
		if (d->d_name[0] != '.' && unlink(path))
			err = -errno;
	}
	if (f)
		closedir(f);
	if (!err && rmdir(dir) && errno != ENOENT)
		err = -errno;
	return err ? failed(m, "remove", err) : E_OK;
}

/** manifest_free - free what manifest_read() and manifest_keep() have allocated */
void manifest_free(struct manifest *m)
{
	for (unsigned int i = 0; i < m->nr; i++) {
		free(m->files[i].was.path);
		free(m->files[i].was.old);
		free(m->files[i].made);
	}
	free(m->files);
	m->files = NULL;
	m->nr = 0;
}
