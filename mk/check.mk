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

# Hooks, rules and units for the initramfs, udev and systemd, without a VM
.PHONY: check-integration
check-integration: deps dmhib
	tests/integration/run

# A few of them on a kernel with our series
HIB_CASES ?= cycle-shutdown testresume aged-4k usnap-attempts cross-plain \
	     badresume-middle nobdev full-hibswap order-nocompress order-compressed unsign-signed
.PHONY: check-guests-hib
check-guests-hib: dmhib
	tests/run -j $(JOBS) -k 7.3-hib $(HIB_CASES)

# All about the series; takes hours. The debug kernels are slow, so they get what is
# written for the series and what is marked for every kernel.
.PHONY: check-kernel check-series
check-series: deps
	tests/series/run
	scripts/series check

# What fails does not keep the rest from running.
check-kernel: deps dmhib $(BUILD)/tests/dmhib/craft-static
	@fail=; \
	scripts/series check || fail="$$fail series-check"; \
	scripts/kunit || fail="$$fail kunit"; \
	for args in "-k 7.3-hib" "-s -k 7.3-hib-builtin" \
			"-r -s -k 7.3-hib-debug" "-r -s -k 7.3-hib-kasan" \
			"-k 7.3-hib-debug faultalloc-nocompress faultalloc-compressed"; do \
		tests/run -j $(JOBS) $$args || fail="$$fail $${args##* }"; \
	done; \
	scripts/series build-each || fail="$$fail build-each"; \
	[ -z "$$fail" ] || { echo "check-kernel: failed:$$fail"; exit 1; }

.PHONY: check
check: deps
	$(MAKE) --no-print-directory style
	$(MAKE) --no-print-directory unit
	$(MAKE) --no-print-directory fuzz-short
	$(MAKE) --no-print-directory check-dmhib
	$(MAKE) --no-print-directory check-integration
	$(MAKE) --no-print-directory check-guests
	$(MAKE) --no-print-directory check-series
	$(MAKE) --no-print-directory check-guests-hib
	$(MAKE) --no-print-directory torture-short
