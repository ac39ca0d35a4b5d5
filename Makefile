# SPDX-License-Identifier: GPL-2.0-only
# make help says what there is.

KERNEL ?= 6.12
BUILD := $(CURDIR)/build
# Headers of the kernel to build the module for
KDIR ?= /lib/modules/$(shell uname -r)/build

.PHONY: help
help:
	@echo "make demo [KERNEL=6.12|6.1|7.3]  hibernate a VM, without and with hibswap: compare"
	@echo "make check                       all tests"
	@echo "make fresh [KERNEL=...]          what it costs on an empty swap area and a fast disk"
	@echo "make fio [KERNEL=...]            fio on hibswap, dm-linear and the raw disk"
	@echo "make modules [KDIR=...]          the module, to build/modules/<release>/"
	@echo "make dmhib                       the tool, to build/dmhib"
	@echo "make unit                        unit tests of the core"
	@echo "make fuzz-short, make fuzz       fuzz the core; FUZZ_TIME seconds"
	@echo "make style                       checkpatch, sparse, W=1 on the module's sources"
	@echo "make clean"

include mk/modules.mk
include mk/dmhib.mk
include mk/unit.mk
include mk/check.mk

.PHONY: clean
clean:
	rm -rf $(BUILD)
