# SPDX-License-Identifier: GPL-2.0-only
# make install [DESTDIR=] [PREFIX=/usr]: the tool, and what hooks it into a system
# make install-dkms-source: the module's source and dkms.conf, where dkms looks
#
# Folders of integration/ are installed as they are; what is in them is not listed
# here.

PREFIX ?= /usr
INSTALL ?= install
VERSION := $(shell sed -n 's/^\#define DMHIB_VERSION.*"\(.*\)"/\1/p' tools/dmhib/dmhib.h)

SBINDIR = $(DESTDIR)$(PREFIX)/sbin
LIBDIR = $(DESTDIR)$(PREFIX)/lib
SHAREDIR = $(DESTDIR)$(PREFIX)/share
DKMSDIR = $(DESTDIR)$(PREFIX)/src/dm-hibswap-$(VERSION)

# install_tree FROM,TO: all files below FROM, with their modes
define install_tree
	find $(1) -type f -printf '%P\n' | while read -r file; do \
		mode=644; [ ! -x "$(1)/$$file" ] || mode=755; \
		$(INSTALL) -D -m $$mode "$(1)/$$file" "$(2)/$$file" || exit 1; \
	done
endef

.PHONY: install install-dkms-source
install: dmhib
	$(INSTALL) -D -m 755 $(BUILD)/dmhib $(SBINDIR)/dmhib
	$(INSTALL) -D -m 755 $(BUILD)/hibswap-generator \
		$(LIBDIR)/systemd/system-generators/hibswap-generator
	for page in tools/dmhib/*.[58]; do \
		$(INSTALL) -D -m 644 $$page $(SHAREDIR)/man/man$${page##*.}/$${page##*/} || exit 1; \
	done
	$(INSTALL) -D -m 644 tools/dmhib/dmhib.bash-completion \
		$(SHAREDIR)/bash-completion/completions/dmhib
	$(call install_tree,integration/initramfs-tools,$(SHAREDIR)/initramfs-tools)
	$(call install_tree,integration/dracut,$(LIBDIR)/dracut/modules.d)
	$(call install_tree,integration/mkinitcpio,$(LIBDIR)/initcpio)
	$(call install_tree,integration/udev,$(LIBDIR)/udev/rules.d)
	$(call install_tree,integration/systemd/examples,$(SHAREDIR)/dmhib/systemd)
	for unit in $(wildcard integration/systemd/*.target integration/systemd/*.service); do \
		$(INSTALL) -D -m 644 $$unit $(LIBDIR)/systemd/system/$${unit##*/} || exit 1; \
	done
	$(INSTALL) -d $(LIBDIR)/systemd/system/sysinit.target.wants
	ln -sf ../hibswap.target $(LIBDIR)/systemd/system/sysinit.target.wants/

install-dkms-source:
	for file in $(MODULE_SRC); do \
		$(INSTALL) -D -m 644 $$file $(DKMSDIR)/$$file || exit 1; \
	done
	sed 's/#MODULE_VERSION#/$(VERSION)/' packaging/dkms/dkms.conf >$(DKMSDIR)/dkms.conf
