# SPDX-License-Identifier: GPL-2.0-only
# The module, out of tree, for any number of kernels side by side: the sources
# are copied to build/modules/<release>/, which mirrors the tree's layout.

MODULE_SRC := $(wildcard drivers/md/*.[ch] drivers/md/compat/*.h drivers/md/compat/linux/*.h) \
	      drivers/md/Kbuild \
	      $(wildcard include/uapi/linux/*.h) $(wildcard include/linux/*.h)
# Not include/config/kernel.release: in Debian's 6.1 headers that is another name
KREL = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)

.PHONY: modules
modules:
	@rel=$(KREL); test -n "$$rel" || { echo "KDIR=$(KDIR): no kernel headers there" >&2; exit 1; }; \
	dir=$(BUILD)/modules/$$rel; \
	for f in $(MODULE_SRC); do \
		mkdir -p $$dir/$$(dirname $$f); \
		cmp -s $$f $$dir/$$f || cp $$f $$dir/$$f; \
	done; \
	$(MAKE) -s --no-print-directory -C $(KDIR) M=$$dir/drivers/md $(MODFLAGS) modules && \
	cp $$dir/drivers/md/dm-hibswap-mod.ko $$dir/
