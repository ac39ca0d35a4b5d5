# SPDX-License-Identifier: GPL-2.0-only
# Fuzzers, in user space under ASan and UBSan: tests/fuzz/fuzz_NAME.c for each NAME.
#
# make fuzz-short	a fixed number of inputs, the same ones each time
# make fuzz		FUZZ_TIME seconds, shared by the fuzzers
#
# What a fuzzer begins with: the seeds that it makes itself, and tests/fuzz/corpus/NAME,
# where whatever once failed has its place.

FUZZ_TIME ?= 600
FUZZ_INPUTS ?= 80000
FUZZ_SEED ?= 1
FUZZ_CLANG ?= clang

FUZZ_OUT := $(BUILD)/fuzz
FUZZERS := super map log geom status table tab

# What a fuzzer needs besides the core, and where its headers are
FUZZ_SRC_status := tools/dmhib/status-parse.c
FUZZ_INC_status := -Itools/dmhib
FUZZ_SRC_tab := $(addprefix tools/dmhib/,tab.c names.c sizes.c)
FUZZ_INC_tab := -Itools/dmhib
FUZZ_SRC_table := drivers/md/dm-hibswap-ctr.c
FUZZ_INC_table := -I$(FUZZ_OUT)/shim -include tests/fuzz/shim.h
FUZZ_HEADERS := tests/fuzz/shim.h $(wildcard tools/dmhib/*.h drivers/md/*.h)

# The driver's constructor in user space: the kernel's headers that it names are
# empty files, and all that it needs of them is in tests/fuzz/shim.h.
FUZZ_SHIMMED := $(FUZZ_SRC_table) drivers/md/dm-hibswap.h
$(FUZZ_OUT)/shim.made: $(FUZZ_SHIMMED) mk/fuzz.mk
	@mkdir -p $(FUZZ_OUT)/shim
	@sed -n 's/^#include <\(.*\)>$$/\1/p' $(FUZZ_SHIMMED) | while read -r h; do \
		mkdir -p $(FUZZ_OUT)/shim/$$(dirname $$h) && : >$(FUZZ_OUT)/shim/$$h || exit; \
	done
	@touch $@

# With -O2, for each fuzzer: with main.c, and with libFuzzer
FUZZ_CFLAGS := $(filter-out -O1,$(TEST_CFLAGS)) -O2
FUZZ_DEPS := tests/fuzz/fuzz.h $(FUZZ_HEADERS) $(FUZZ_OUT)/shim.made $(CORE_DEPS) mk/fuzz.mk
FUZZ_STANDALONE := $(FUZZERS:%=$(FUZZ_OUT)/fuzz_%)
FUZZ_CORPUS := $(FUZZERS:%=$(FUZZ_OUT)/corpus/%.made)
FUZZ_FLAGS = $(TEST_SAN) $(FUZZ_INC_$*) $(CORE_INC)

.SECONDEXPANSION:
$(FUZZ_STANDALONE): $(FUZZ_OUT)/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/main.c \
		$$(FUZZ_SRC_$$*) $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FUZZ_CFLAGS) $(FUZZ_FLAGS) -o $@ $< tests/fuzz/main.c $(FUZZ_SRC_$*) $(CORE_SRC)

$(FUZZERS:%=$(FUZZ_OUT)/libfuzzer_%): $(FUZZ_OUT)/libfuzzer_%: tests/fuzz/fuzz_%.c \
		$$(FUZZ_SRC_$$*) $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(FUZZ_CLANG) $(FUZZ_CFLAGS) -Wno-c2x-extensions -fsanitize=fuzzer $(FUZZ_FLAGS) \
		-o $@ $< $(FUZZ_SRC_$*) $(CORE_SRC)

$(FUZZ_CORPUS): $(FUZZ_OUT)/corpus/%.made: tests/fuzz/fuzz_%.c tests/fuzz/corpus.c \
		$$(FUZZ_SRC_$$*) $(FUZZ_DEPS) $$(wildcard tests/fuzz/corpus/$$*/*)
	@mkdir -p $(@D)
	$(CC) $(FUZZ_CFLAGS) $(FUZZ_FLAGS) -o $(FUZZ_OUT)/corpus_$* $< tests/fuzz/corpus.c \
		$(FUZZ_SRC_$*) $(CORE_SRC)
	@rm -rf $(FUZZ_OUT)/corpus/$*; mkdir -p $(FUZZ_OUT)/corpus/$*
	$(FUZZ_OUT)/corpus_$* $(FUZZ_OUT)/corpus/$*
	@for f in $(wildcard tests/fuzz/corpus/$*/*); do cp $$f $(FUZZ_OUT)/corpus/$*/ || exit; done
	@touch $@

.PHONY: fuzz-build fuzz-short fuzz
fuzz-build: $(FUZZ_STANDALONE) $(FUZZ_CORPUS)

fuzz-short: fuzz-build
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

fuzz-mutations: fuzz-build
	@for f in $(FUZZERS); do \
		$(FUZZ_OUT)/fuzz_$$f -t $(FUZZ_EACH) -s $(FUZZ_SEED) \
			$(FUZZ_OUT)/corpus/$$f || exit 1; \
	done

fuzz:
	@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) BUILD=$(BUILD) \
		$(if $(HAVE_LIBFUZZER),fuzz-libfuzzer,fuzz-mutations)
