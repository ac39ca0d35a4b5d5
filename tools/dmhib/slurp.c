// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole files. For dmhib and the generator.
 */
#include "slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/**
 * slurp - read a file into memory
 * @path: the file
 * @most: bytes that it may have
 * @text: set to its contents, with a NUL behind them; to be freed
 * @len: set to their length
 *
 * Files of /proc say that they have no length: until the end is read.
 *
 * Return: 0 or a negative errno; -EFBIG if it is longer.
 */
int slurp(const char *path, size_t most, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t size = 0, room = 4096;
	char *buf = NULL, *more;
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	do {
		room *= 2;
		more = realloc(buf, room);
		if (!more) {
			err = -ENOMEM;
			goto out;
		}
		buf = more;
		while ((n = read(fd, buf + size, room - 1 - size)) > 0)
			size += n;
		err = n < 0 ? -errno : size > most ? -EFBIG : 0;
	} while (!err && size == room - 1);
	buf[size] = '\0';
out:
	close(fd);
	if (err) {
		free(buf);
		return err;
	}
	*text = buf;
	*len = size;
	return 0;
}
