# SPDX-License-Identifier: GPL-2.0-only
# make demo      hibernate a stock kernel in a VM, with and without hibswap
# make check     all tests
# make help      the rest

KERNEL ?= 6.12
BUILD := $(CURDIR)/build
# Headers of the kernel to build the module for
KDIR ?= /lib/modules/$(shell uname -r)/build

include mk/modules.mk

.PHONY: clean
clean:
	rm -rf $(BUILD)
