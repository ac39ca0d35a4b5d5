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
	@echo "make check-kernel                all about the kernel series; takes hours"
	@echo "make fresh [KERNEL=...]          what it costs on an empty swap area and a fast disk"
	@echo "make torture [BOOTS=all]         power cuts, faults, fuzzing; hours (torture-short: minutes)"
	@echo "make bench [CELLS=] [ROUNDS=6]   stock 7.3 and the kernel series: table, chart (CELLS=quick)"
	@echo "make fio [KERNEL=...]            fio on hibswap, dm-linear and the raw disk"
	@echo "make check-packages              build the Debian packages; lintian; dkms on 6.1, 6.12"
	@echo "make check-distro                a whole Debian that hibernates, in VMs"
	@echo "make install [DESTDIR=]          the tool and its integration (install-dkms-source: the module)"
	@echo "make modules [KDIR=...]          the module, to build/modules/<release>/"
	@echo "make dmhib                       the tool, to build/dmhib"
	@echo "make unit                        unit tests of the core"
	@echo "make fuzz-short, make fuzz       fuzz all that comes from outside; FUZZ_TIME seconds"
	@echo "make kunit                       the series' KUnit suites, in user-mode Linux"
	@echo "make style                       checkpatch, sparse, W=1 on the module's sources"
	@echo "make clean"

include mk/modules.mk
include mk/dmhib.mk
include mk/unit.mk
include mk/fuzz.mk
include mk/check.mk
include mk/torture.mk
include mk/bench.mk
include mk/install.mk
include mk/distro.mk

.PHONY: clean
clean:
	rm -rf $(BUILD)
