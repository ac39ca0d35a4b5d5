/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is in the initramfs?
 */
#ifndef DMHIB_INITRAMFS_H
#define DMHIB_INITRAMFS_H

#include "dmhib.h"

/**
 * struct initramfs - the running kernel's
 * @path: its file, empty if there is none
 * @readable: it could be read to its end
 * @module: it has the module
 * @tab: /etc/hibswaptab is in it
 * @tool: dmhib is in it
 * @activation: it has something that makes the device
 */
struct initramfs {
	char path[256];
	bool readable;
	bool module;
	bool activation;
	bool tab;
	bool tool;
};

void initramfs_read(struct initramfs *r);

#endif /* DMHIB_INITRAMFS_H */
