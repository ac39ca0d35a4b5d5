# SPDX-License-Identifier: GPL-2.0-only
#
# For the guests whose disks are recorded and replayed. REGION and DATA come
# from tests/crash/torture.
# shellcheck shell=dash disable=SC1091,SC2034,SC2154
. /lib/cases.sh

HIB=/dev/mapper/hib

boot() {
	hib_create hib "$DISK_disk" || die "no hibswap device"
	[ "${NORESUME:-}" = "$BOOT" ] || RESUME_DEV=$HIB
}

# swap_usable DIR: memory goes out to swap and comes back as it was
swap_usable() {
	run memhold hold -d "$1" --anon 10 --file 5 --swap 40
	run memhold verify -d "$1"
	run memhold drop -d "$1"
}

swap_begin() {
	run swapon $HIB
	echo 0 >/proc/sys/vm/page-cluster
}

# memory_is_back: this kernel has been resumed, or was woken
memory_is_back() {
	run memhold verify
	expect_state hib idle
	result outcome resumed
	swap_usable /run/after
}
