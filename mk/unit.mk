# SPDX-License-Identifier: GPL-2.0-only
# Unit tests of the pure core, in user space under ASan and UBSan.
#
# make unit		build and run all unit tests

BUILD ?= $(CURDIR)/build

UNIT_OUT := $(BUILD)/unit

CORE_SRC := drivers/md/dm-hibswap-format.c drivers/md/dm-hibswap-log.c \
	    tools/include/crc32c.c
CORE_DEPS := $(CORE_SRC) drivers/md/dm-hibswap-format.h drivers/md/dm-hibswap-log.h \
	     drivers/md/dm-hibswap-port.h tools/include/dm-hibswap-user.h \
	     include/uapi/linux/dm-hibswap.h tests/unit/hibswap_ref.h mk/unit.mk
CORE_INC := -Iinclude/uapi -Itools/include -Idrivers/md -Itests/unit
TEST_SAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
TEST_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -Wstrict-prototypes \
	       -Wmissing-prototypes -Wvla $(UNIT_CFLAGS)

UNIT_TESTS := $(patsubst tests/unit/%.c,$(UNIT_OUT)/%,$(wildcard tests/unit/test_*.c))

.PHONY: unit
unit: $(UNIT_TESTS)
	@fail=0; for t in $^; do $$t || fail=1; done; exit $$fail

$(UNIT_OUT)/test_%: tests/unit/test_%.c tests/unit/golden.h $(CORE_DEPS)
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) $(TEST_SAN) $(CORE_INC) -o $@ $< $(CORE_SRC) -lcmocka
