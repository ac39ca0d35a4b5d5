# SPDX-License-Identifier: GPL-2.0-only
# The Debian packages, and whole Debian systems that hibernate in VMs.
# See Documentation/testing-distro.rst.

# Suites that have to pass
SUITES ?= bookworm

.PHONY: debs check-packages check-distro
debs:
	@scripts/install-deps distro
	packaging/build-debs

check-packages:
	@scripts/install-deps distro
	tests/distro/check-packages

check-distro:
	@scripts/install-deps distro
	tests/distro/run $(SUITES:%=-s %)
