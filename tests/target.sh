# SPDX-License-Identifier: GPL-2.0-only
#
# Which module of the target goes with a kernel of scripts/kernel. Sourced by bash
# scripts that run in the project's folder.
# shellcheck shell=bash

# Two kernels may have one release: these have their modules aside
built() {
	case $1 in
	6.*|7.3) echo build ;;
	*) echo "build/$1" ;;
	esac
}

# target_of KERNEL DIR: the module to load; nothing if the target is built in, its
# own if it comes with one
target_of() {
	local rel

	rel=$(<"$2/release")
	if grep -qx CONFIG_DM_HIBSWAP=y "$2/config"; then
		:
	elif grep -qx CONFIG_DM_HIBSWAP=m "$2/config"; then
		echo "$2/lib/modules/$rel/kernel/drivers/md/dm-hibswap-mod.ko"
	else
		echo "$(built "$1")/modules/$rel/dm-hibswap-mod.ko"
	fi
}

# make_target KERNEL DIR: so that target_of tells the truth
make_target() {
	! grep -qx 'CONFIG_DM_HIBSWAP=[ym]' "$2/config" || return 0
	mkdir -p build/check
	(
		flock 9
		make -s modules BUILD="$PWD/$(built "$1")" KDIR="$2/build" 9>&-
	) 9>build/check/.modules-lock >build/check/modules-"$1".log 2>&1 ||
		{ cat build/check/modules-"$1".log >&2; return 1; }
}
