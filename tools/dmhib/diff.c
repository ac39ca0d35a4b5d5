// SPDX-License-Identifier: GPL-2.0-only
/*
 * Showing what will change, by diff -u: it is what people read.
 */
#include "changes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A text as a file that only exists while somebody has it open */
static int text_fd(const char *text)
{
	const size_t len = strlen(text);
	int fd = memfd_create("dmhib", 0);

	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != (ssize_t)len) {
		close(fd);
		return -EIO;
	}
	return fd;
}

static void run_diff(const struct change *c, int old, int new)
{
	char a[64], b[64], from[PATH_MAX + 8], to[PATH_MAX + 8];

	snprintf(a, sizeof(a), "/proc/self/fd/%d", old);
	snprintf(b, sizeof(b), "/proc/self/fd/%d", new);
	snprintf(from, sizeof(from), "%s", c->old ? c->path : "/dev/null");
	snprintf(to, sizeof(to), "%s", c->new ? c->path : "/dev/null");
	/* busybox has no long options */
	execlp("diff", "diff", "-u", "-L", from, "-L", to, a, b, NULL);
	_exit(127);
}

static int show(const struct change *c)
{
	int old = text_fd(c->old ? c->old : ""), new = text_fd(c->new ? c->new : "");
	int status = -1;
	pid_t pid = old < 0 || new < 0 ? -1 : fork();

	if (!pid)
		run_diff(c, old, new);
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (old >= 0)
		close(old);
	if (new >= 0)
		close(new);
	/* It says 1 where there are differences */
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) <= 1)
		return E_OK;
	msg_err("cannot show the change of %s: is diff (package diffutils) installed?", c->path);
	return E_DEVICE;
}

/**
 * changes_show - print all changes as a unified diff
 * @c: the changes
 *
 * Return: an exit code.
 */
int changes_show(const struct changes *c)
{
	int rc = E_OK;

	fflush(stdout);
	for (unsigned int i = 0; i < c->nr && !rc; i++)
		rc = show(&c->list[i]);
	return rc;
}
