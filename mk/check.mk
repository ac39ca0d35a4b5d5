# SPDX-License-Identifier: GPL-2.0-only
# What is called from outside: demo, check, fio. All of them begin with
# installing what this machine lacks.

.PHONY: deps
deps:
	@scripts/install-deps

.PHONY: demo
demo: deps
	@bench/demo $(KERNEL)

.PHONY: fresh
fresh: deps
	@bench/fresh $(KERNEL)

.PHONY: fio
fio: deps
	@bench/fio $(KERNEL)

.PHONY: style
style: deps
	@scripts/style

# VMs at a time
JOBS ?= 2

# The guest cases: all of them on 6.12, a selection on the others
.PHONY: check-guests
check-guests: dmhib $(BUILD)/tests/dmhib/craft-static
	tests/run -j $(JOBS) -k 6.12
	tests/run -j $(JOBS) -r -k 6.1 -k 7.3

.PHONY: check
check: deps
	$(MAKE) --no-print-directory style
	$(MAKE) --no-print-directory unit
	$(MAKE) --no-print-directory fuzz-short
	$(MAKE) --no-print-directory check-dmhib
	$(MAKE) --no-print-directory check-guests
