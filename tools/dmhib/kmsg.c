// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel said meanwhile. A table that fails is an errno to the
 * caller; the reason is only in the kernel's log.
 */
#include "kmsg.h"
#include "dmhib.h"

#include <fcntl.h>
#include <unistd.h>

/**
 * kmsg_begin - from here on
 *
 * Return: to be given to kmsg_say() or close(); -1 if there is no log to read.
 */
int kmsg_begin(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/**
 * kmsg_say - pass the kernel's lines on
 * @fd: from kmsg_begin(); closed
 * @word: only those with this in it
 */
void kmsg_say(int fd, const char *word)
{
	char buf[2048], *text;
	ssize_t n;

	if (fd < 0)
		return;
	/* One record a read: "6,1234,5678,-;text\n KEY=value\n" */
	while ((n = read(fd, buf, sizeof(buf) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		buf[n] = '\0';
		text = strchr(buf, ';');
		if (!text)
			continue;
		text[strcspn(text, "\n")] = '\0';
		if (strstr(text, word))
			msg_more("kernel: %s", text + 1);
	}
	close(fd);
}
