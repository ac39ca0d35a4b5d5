// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that are to be changed, for setup.
 *
 * --root DIR is put in front of each of them. A file is replaced as a whole, by
 * rename, so that at any moment it is the old one or the new one.
 */
#include "changes.h"
#include "slurp.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/** need_memory - what was allocated, or the end */
void *need_memory(void *p)
{
	if (p)
		return p;
	msg_err("out of memory");
	exit(E_MEM);
}

/** text_same - are they the same, or both NULL? */
bool text_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/** text_printf - a text of its own, to be freed */
char *text_printf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	return need_memory(text);
}

/** root_path - where a file of the system that is set up lies; @buf */
const char *root_path(char *buf, size_t len, const char *path)
{
	snprintf(buf, len, "%s%s", opts.root ? opts.root : "", path);
	return buf;
}

/** root_has - does that system have such a file? */
bool root_has(const char *path)
{
	char full[PATH_MAX];

	return !access(root_path(full, sizeof(full), path), F_OK);
}

/**
 * root_mentions - has a file of that system this word in it?
 * @path: the file, also a link to one: it is only looked at
 * @word: the word
 */
bool root_mentions(const char *path, const char *word)
{
	char full[PATH_MAX], *text;
	size_t len;
	bool has;

	if (slurp(root_path(full, sizeof(full), path), CONFIG_MAX, &text, &len))
		return false;
	has = strstr(text, word);
	free(text);
	return has;
}

/**
 * root_read - a configuration file of that system
 * @path: the file
 * @text: set to its text, to be freed; to NULL if there is no such file
 *
 * Return: an exit code.
 */
int root_read(const char *path, char **text)
{
	char full[PATH_MAX];
	struct stat st;
	size_t len;
	int err;

	*text = NULL;
	root_path(full, sizeof(full), path);
	if (lstat(full, &st)) {
		if (errno == ENOENT)
			return E_OK;
		err = -errno;
	} else if (S_ISLNK(st.st_mode)) {
		msg_err("%s is a symbolic link: edit what it leads to by hand, or put a file in its place",
			path);
		return E_REFUSED;
	} else if (!S_ISREG(st.st_mode)) {
		msg_err("%s is not a regular file", path);
		return E_REFUSED;
	} else {
		err = slurp(full, CONFIG_MAX, text, &len);
	}
	if (err) {
		msg_err("cannot read %s: %s", path, strerror(-err));
		return exit_from_errno(err);
	}
	if (memchr(*text, '\0', len)) {
		msg_err("%s has a zero byte in it, which no text has", path);
		free(*text);
		*text = NULL;
		return E_REFUSED;
	}
	return E_OK;
}

/**
 * change_add - plan a change
 * @c: the list
 * @path: the file
 * @text: what it is to be, taken over; NULL if it is to go. Nothing is planned
 *	if it is so already
 *
 * Return: an exit code.
 */
int change_add(struct changes *c, const char *path, char *text)
{
	char full[PATH_MAX], *old;
	struct change *ch;
	struct stat st;
	int rc;

	rc = root_read(path, &old);
	if (rc || (!old && !text) || (old && text && !strcmp(old, text))) {
		free(old);
		free(text);
		return rc;
	}
	c->list = need_memory(reallocarray(c->list, c->nr + 1, sizeof(*c->list)));
	ch = &c->list[c->nr++];
	*ch = (struct change){ .path = need_memory(strdup(path)), .old = old, .new = text,
			       .mode = 0644, .uid = geteuid(), .gid = getegid() };
	if (old && !lstat(root_path(full, sizeof(full), path), &st)) {
		ch->mode = st.st_mode & 07777;
		ch->uid = st.st_uid;
		ch->gid = st.st_gid;
	}
	return E_OK;
}

/** changes_free - free them all */
void changes_free(struct changes *c)
{
	for (unsigned int i = 0; i < c->nr; i++) {
		free(c->list[i].path);
		free(c->list[i].old);
		free(c->list[i].new);
	}
	free(c->list);
	*c = (struct changes){};
}

/** make_dirs - a directory and those it lies in; 0 or a negative errno */
int make_dirs(const char *path, mode_t mode)
{
	char part[PATH_MAX];

	snprintf(part, sizeof(part), "%s", path);
	for (char *p = part + 1; ; p++) {
		const char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(part, c ? 0755 : mode) && errno != EEXIST)
			return -errno;
		if (!c)
			return 0;
		*p = c;
	}
}

static int sync_dir(const char *path)
{
	char copy[PATH_MAX];
	int fd, err = 0;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fsync(fd))
		err = -errno;
	close(fd);
	return err;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		text += n;
		len -= n;
	}
	return fsync(fd) ? -errno : 0;
}

/**
 * file_write - put a file in the place of another, or of none
 * @path: the file, root and all
 * @text: its contents
 * @len: of @text
 * @mode: its mode
 * @uid: its owner
 * @gid: its group
 *
 * Return: 0 or a negative errno; then what was there is untouched.
 */
int file_write(const char *path, const char *text, size_t len, mode_t mode, uid_t uid, gid_t gid)
{
	char temp[PATH_MAX];
	int fd, err;

	/* No program takes a name like this for configuration: not .conf, not .cfg */
	if (snprintf(temp, sizeof(temp), "%s.dmhib-XXXXXX", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write_all(fd, text, len);
	if (!err && (fchmod(fd, mode) || ((uid != geteuid() || gid != getegid()) &&
					  fchown(fd, uid, gid))))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(temp, path))
		err = -errno;
	if (err)
		unlink(temp);
	return err ? err : sync_dir(path);
}

/* What was shown is what is to be done: not over what somebody has written since */
static int change_check(const struct change *c)
{
	char *now;
	int rc = root_read(c->path, &now);

	if (!rc && !text_same(now, c->old)) {
		msg_err("%s was changed by somebody else since its change was planned: it is left as it is now",
			c->path);
		rc = E_REFUSED;
	}
	free(now);
	return rc;
}

/**
 * changes_check - are all files still what they were when it was planned?
 * @c: the changes
 *
 * Return: an exit code.
 */
int changes_check(const struct changes *c)
{
	int rc = E_OK;

	for (unsigned int i = 0; i < c->nr && !rc; i++)
		rc = change_check(&c->list[i]);
	return rc;
}

/**
 * change_write - carry a change out, unless the file has changed since it was planned
 * @c: the change
 *
 * Return: an exit code.
 */
int change_write(const struct change *c)
{
	char full[PATH_MAX], dir[PATH_MAX];
	int err, rc = change_check(c);

	if (rc)
		return rc;
	root_path(full, sizeof(full), c->path);
	snprintf(dir, sizeof(dir), "%s", full);
	if (!c->new) {
		err = unlink(full) && errno != ENOENT ? -errno : sync_dir(full);
	} else {
		err = make_dirs(dirname(dir), 0755);
		if (!err)
			err = file_write(full, c->new, strlen(c->new), c->mode, c->uid, c->gid);
	}
	if (!err)
		return E_OK;
	msg_err("cannot write %s: %s", c->path, strerror(-err));
	return exit_from_errno(err);
}
