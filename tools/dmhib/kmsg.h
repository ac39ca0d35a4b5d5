/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel said meanwhile.
 */
#ifndef DMHIB_KMSG_H
#define DMHIB_KMSG_H

int kmsg_begin(void);
void kmsg_say(int fd, const char *word);

#endif /* DMHIB_KMSG_H */
