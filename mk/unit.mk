# SPDX-License-Identifier: GPL-2.0-only
# Unit tests and fuzzers of the pure core, in user space under ASan and UBSan.
#
# make unit		build and run all unit tests
# make fuzz-short	a fixed number of inputs, the same ones each time
# make fuzz		FUZZ_TIME seconds, shared by the fuzzers

BUILD ?= $(CURDIR)/build
FUZZ_TIME ?= 600
FUZZ_INPUTS ?= 80000
FUZZ_SEED ?= 1
FUZZ_CLANG ?= clang

UNIT_OUT := $(BUILD)/unit
FUZZ_OUT := $(BUILD)/fuzz

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
FUZZERS := super map log geom

.PHONY: unit
unit: $(UNIT_TESTS)
	@fail=0; for t in $^; do $$t || fail=1; done; exit $$fail

$(UNIT_OUT)/test_%: tests/unit/test_%.c tests/unit/golden.h $(CORE_DEPS)
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) $(TEST_SAN) $(CORE_INC) -o $@ $< $(CORE_SRC) -lcmocka

# The core once more with -O2, for each fuzzer: with main.c, and with libFuzzer
FUZZ_CFLAGS := $(filter-out -O1,$(TEST_CFLAGS)) -O2
FUZZ_DEPS := tests/fuzz/fuzz.h $(CORE_DEPS)
FUZZ_STANDALONE := $(FUZZERS:%=$(FUZZ_OUT)/fuzz_%)
FUZZ_CORPUS := $(FUZZERS:%=$(FUZZ_OUT)/corpus/%.made)

$(FUZZ_STANDALONE): $(FUZZ_OUT)/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/main.c $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FUZZ_CFLAGS) $(TEST_SAN) $(CORE_INC) -o $@ $< tests/fuzz/main.c $(CORE_SRC)

$(FUZZ_OUT)/libfuzzer_%: tests/fuzz/fuzz_%.c $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(FUZZ_CLANG) $(FUZZ_CFLAGS) -Wno-c2x-extensions $(TEST_SAN) -fsanitize=fuzzer \
		$(CORE_INC) -o $@ $< $(CORE_SRC)

$(FUZZ_CORPUS): $(FUZZ_OUT)/corpus/%.made: tests/fuzz/fuzz_%.c tests/fuzz/corpus.c $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FUZZ_CFLAGS) $(TEST_SAN) $(CORE_INC) -o $(FUZZ_OUT)/corpus_$* $< \
		tests/fuzz/corpus.c $(CORE_SRC)
	@rm -rf $(FUZZ_OUT)/corpus/$*; mkdir -p $(FUZZ_OUT)/corpus/$*
	$(FUZZ_OUT)/corpus_$* $(FUZZ_OUT)/corpus/$*
	@touch $@

.PHONY: fuzz-short fuzz
fuzz-short: $(FUZZ_STANDALONE) $(FUZZ_CORPUS)
	@for f in $(FUZZERS); do \
		$(FUZZ_OUT)/fuzz_$$f -n $(FUZZ_INPUTS) -s $(FUZZ_SEED) \
			$(FUZZ_OUT)/corpus/$$f || exit 1; \
	done

# With libFuzzer where clang has it, otherwise with main.c. What libFuzzer
# finds on its way is kept in build/fuzz/found/ and used the next time.
HAVE_LIBFUZZER = $(shell echo 'int LLVMFuzzerTestOneInput(const void *p, long n);' \
	'int LLVMFuzzerTestOneInput(const void *p, long n) { return p && n < 0; }' | \
	$(FUZZ_CLANG) -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null && echo yes)
FUZZ_EACH = $(shell echo $$(($(FUZZ_TIME) / $(words $(FUZZERS)))))

.PHONY: fuzz-libfuzzer fuzz-mutations
fuzz-libfuzzer: $(FUZZERS:%=$(FUZZ_OUT)/libfuzzer_%) $(FUZZ_CORPUS)
	@for f in $(FUZZERS); do \
		mkdir -p $(FUZZ_OUT)/found/$$f; \
		$(FUZZ_OUT)/libfuzzer_$$f -max_total_time=$(FUZZ_EACH) -max_len=4200 \
			-use_value_profile=1 -print_final_stats=1 -verbosity=0 \
			-artifact_prefix=$(FUZZ_OUT)/libfuzzer_$$f. \
			$(FUZZ_OUT)/found/$$f $(FUZZ_OUT)/corpus/$$f \
			>$(FUZZ_OUT)/libfuzzer_$$f.log 2>&1 || \
			{ tail -60 $(FUZZ_OUT)/libfuzzer_$$f.log; exit 1; }; \
		echo "libfuzzer_$$f: $(FUZZ_EACH) seconds," \
			"$$(sed -n 's/^stat::number_of_executed_units: //p' \
				$(FUZZ_OUT)/libfuzzer_$$f.log) inputs: nothing found"; \
	done

fuzz-mutations: $(FUZZ_STANDALONE) $(FUZZ_CORPUS)
	@for f in $(FUZZERS); do \
		$(FUZZ_OUT)/fuzz_$$f -t $(FUZZ_EACH) -s $(FUZZ_SEED) \
			$(FUZZ_OUT)/corpus/$$f || exit 1; \
	done

fuzz:
	@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) BUILD=$(BUILD) \
		$(if $(HAVE_LIBFUZZER),fuzz-libfuzzer,fuzz-mutations)
