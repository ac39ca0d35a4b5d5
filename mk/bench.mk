# SPDX-License-Identifier: GPL-2.0-only
# make bench: stock 7.3 and the kernel series. CELLS=, ROUNDS=, CLOCK= and others
# are bench/compare's; see bench/compare --help.

export CELLS ROUNDS CLOCK BENCH_STOCK_KERNEL BENCH_SERIES_KERNEL BENCH_DISK_DIR

.PHONY: bench
bench:
	@scripts/install-deps bench
	@bench/compare
