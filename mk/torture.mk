# SPDX-License-Identifier: GPL-2.0-only
# Power cuts: every disk that one could have left; faults, races, fuzzing. See Documentation/torture.rst.
#
# make torture		everything; leaves build/torture.json
# make torture-faults	of it the faults, races, mangled images and fuzzing
# make torture-short	a selection, in some minutes
# make kunit		the kernel's own unit tests of our code, in user-mode Linux

CRASH_OUT := $(BUILD)/crash
CRASH_SRC := $(addprefix tests/crash/,wlog.c disk.c image.c boot.c picks.c)
CRASH_DEPS := $(CRASH_SRC) $(wildcard tests/crash/*.h) $(CORE_DEPS) mk/torture.mk
CRASH_CFLAGS := -std=gnu11 -D_GNU_SOURCE -g -O2 -Wall -Wextra -Werror -Wstrict-prototypes \
		-Wmissing-prototypes -Wvla -Wshadow -Itests/crash
SEED ?= 1
# Real boots for each kernel, besides those that record; all: all that are picked
BOOTS ?= all
# Of both tiers: without the series and with it
TORTURE_KERNELS ?= 6.12 7.3 7.3-hib

$(CRASH_OUT)/replay: tests/crash/replay.c $(CRASH_DEPS)
	@mkdir -p $(@D)
	$(CC) $(CRASH_CFLAGS) $(CORE_INC) -o $@ $< $(CRASH_SRC) $(CORE_SRC)

# The same under the sanitizers, for the self-test
$(CRASH_OUT)/replay-asan: tests/crash/replay.c $(CRASH_DEPS)
	@mkdir -p $(@D)
	$(CC) $(CRASH_CFLAGS) $(TEST_SAN) $(CORE_INC) -o $@ $< $(CRASH_SRC) $(CORE_SRC)

$(CRASH_OUT)/mklog: tests/crash/mklog.c $(CRASH_DEPS)
	@mkdir -p $(@D)
	$(CC) $(CRASH_CFLAGS) $(TEST_SAN) $(CORE_INC) -o $@ $< $(CORE_SRC)

# The checker itself: does it see what is wrong?
.PHONY: crash-selftest
crash-selftest: $(CRASH_OUT)/replay-asan $(CRASH_OUT)/mklog
	@tests/crash/selftest $(CRASH_OUT)/replay-asan $(CRASH_OUT)/mklog

TORTURE_DEPS := deps dmhib $(BUILD)/tests/dmhib/craft-static $(CRASH_OUT)/replay fuzz-build

.PHONY: torture torture-faults torture-short
torture: $(TORTURE_DEPS) crash-selftest
	@tests/crash/torture -j $(JOBS) -s $(SEED) -b $(BOOTS) $(TORTURE_KERNELS:%=-k %)

torture-faults: $(TORTURE_DEPS)
	@tests/crash/torture -F -j $(JOBS) -s $(SEED) $(TORTURE_KERNELS:%=-k %)

torture-short: deps dmhib $(CRASH_OUT)/replay crash-selftest
	@tests/crash/torture -S -j $(JOBS) -s $(SEED)
	@tests/logcheck

.PHONY: kunit
kunit: deps
	@scripts/kunit
