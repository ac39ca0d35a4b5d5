# SPDX-License-Identifier: GPL-2.0-only
# dmhib, the tool: build/dmhib, and build/dmhib-asan with the sanitizers. With it
# comes build/hibswap-generator, which systemd starts at boot.

DMHIB_CC ?= $(CC)
DMHIB_PKGS := devmapper blkid uuid json-c
DMHIB_SRC := $(filter-out %-generator.c,$(wildcard tools/dmhib/*.c)) drivers/md/dm-hibswap-format.c \
	     drivers/md/dm-hibswap-log.c tools/include/crc32c.c
DMHIB_HDR := $(wildcard tools/dmhib/*.h tools/include/*.h drivers/md/dm-hibswap-*.h) \
	     include/uapi/linux/dm-hibswap.h
DMHIB_INC := -Iinclude/uapi -Itools/include -Idrivers/md
DMHIB_CFLAGS := -std=gnu2x -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -O2 -g \
		-Wall -Wextra -Wshadow $(DMHIB_INC) $(EXTRA_CFLAGS)
DMHIB_ASAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	      -fno-omit-frame-pointer
DMHIB_LIBS = $(shell pkg-config --libs $(DMHIB_PKGS))

DMHIB_OBJ := $(patsubst %.c,$(BUILD)/obj/dmhib/%.o,$(DMHIB_SRC))
DMHIB_OBJ_ASAN := $(patsubst %.c,$(BUILD)/obj/dmhib-asan/%.o,$(DMHIB_SRC))

# The generator: without a library, so that it starts in no time
GENERATOR_SRC := $(addprefix tools/dmhib/,hibswap-generator.c tab.c names.c sizes.c slurp.c)
GENERATOR_OBJ := $(patsubst %.c,$(BUILD)/obj/dmhib/%.o,$(GENERATOR_SRC))
GENERATOR_OBJ_ASAN := $(patsubst %.c,$(BUILD)/obj/dmhib-asan/%.o,$(GENERATOR_SRC))

.PHONY: dmhib dmhib-asan
dmhib: $(BUILD)/dmhib $(BUILD)/hibswap-generator
dmhib-asan: $(BUILD)/dmhib-asan $(BUILD)/hibswap-generator-asan

$(BUILD)/hibswap-generator: $(GENERATOR_OBJ)
	$(DMHIB_CC) $(LDFLAGS) -o $@ $^

$(BUILD)/hibswap-generator-asan: $(GENERATOR_OBJ_ASAN)
	$(DMHIB_CC) $(DMHIB_ASAN) $(LDFLAGS) -o $@ $^

$(BUILD)/dmhib: $(DMHIB_OBJ)
	$(DMHIB_CC) $(LDFLAGS) -o $@ $^ $(DMHIB_LIBS)

$(BUILD)/dmhib-asan: $(DMHIB_OBJ_ASAN)
	$(DMHIB_CC) $(DMHIB_ASAN) $(LDFLAGS) -o $@ $^ $(DMHIB_LIBS)

$(BUILD)/obj/dmhib/%.o: %.c $(DMHIB_HDR)
	@mkdir -p $(@D)
	$(DMHIB_CC) $(DMHIB_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/obj/dmhib-asan/%.o: %.c $(DMHIB_HDR)
	@mkdir -p $(@D)
	$(DMHIB_CC) $(DMHIB_CFLAGS) $(DMHIB_ASAN) $(CFLAGS) -c -o $@ $<

# Tests, and what they need; the kernel target is tested in the VM
DMHIB_CORE := drivers/md/dm-hibswap-format.c drivers/md/dm-hibswap-log.c tools/include/crc32c.c

$(BUILD)/tests/dmhib/craft: tests/dmhib/craft.c $(DMHIB_CORE) $(DMHIB_HDR)
	@mkdir -p $(@D)
	$(DMHIB_CC) $(DMHIB_CFLAGS) -o $@ $(filter %.c,$^)

$(BUILD)/tests/dmhib/cut.so: tests/dmhib/cut.c
	@mkdir -p $(@D)
	$(DMHIB_CC) -std=gnu2x -O2 -g -Wall -Wextra -shared -fPIC -o $@ $< -ldl

DMHIB_MAKERS := $(addprefix $(BUILD)/tests/dmhib/,mkcpio mkkcore mkimage)
$(DMHIB_MAKERS): $(BUILD)/tests/dmhib/%: tests/dmhib/%.c $(DMHIB_HDR)
	@mkdir -p $(@D)
	$(DMHIB_CC) $(DMHIB_CFLAGS) -o $@ $<

$(BUILD)/tests/dmhib/status-test: tests/dmhib/status-test.c tools/dmhib/status-parse.c $(DMHIB_HDR)
	@mkdir -p $(@D)
	$(DMHIB_CC) $(DMHIB_CFLAGS) $(DMHIB_ASAN) -Itools/dmhib -o $@ $(filter %.c,$^)

.PHONY: check-dmhib
check-dmhib: dmhib dmhib-asan $(BUILD)/tests/dmhib/craft $(BUILD)/tests/dmhib/cut.so \
	     $(BUILD)/tests/dmhib/status-test $(DMHIB_MAKERS)
	$(BUILD)/tests/dmhib/status-test
	BUILD=$(BUILD) tests/dmhib/run $(BUILD)/dmhib
	BUILD=$(BUILD) tests/dmhib/run $(BUILD)/dmhib-asan

# The same, for the guest
$(BUILD)/tests/dmhib/craft-static: tests/dmhib/craft.c $(DMHIB_CORE) $(DMHIB_HDR)
	@mkdir -p $(@D)
	$(DMHIB_CC) $(DMHIB_CFLAGS) -static -o $@ $(filter %.c,$^)
