# SPDX-License-Identifier: GPL-2.0-only
#
# For the guest scripts of the tests: a hibswap device with dmsetup alone.
# shellcheck shell=dash disable=SC2154

# Layout in sectors: the region first, then the data
REGION=${REGION:-1310720}	# 640 MiB
DATA=${DATA:-2097152}		# 1 GiB

# hib_table DEVICE [REGION [DATA]]: a table line
hib_table() {
	echo "0 ${3:-$DATA} hibswap $1 ${2:-$REGION} 0 ${2:-$REGION}"
}

# hib_create NAME DEVICE [REGION [DATA]]
hib_create() {
	local name=$1

	shift
	dmsetup create "$name" --noudevsync --table "$(hib_table "$@")" || return 1
	dmsetup mknodes "$name" 2>/dev/null
	return 0
}

# hib_field NAME NUMBER: a field of the status line; 1 is the state
hib_field() {
	dmsetup status "$1" | cut -d' ' -f$(($2 + 3))
}

# expect_state NAME STATE
expect_state() {
	local state

	state=$(hib_field "$1" 1)
	[ "$state" = "$2" ] || die "$1 is $state, should be $2"
}

# swap_on DEVICE: a fresh swap area
swap_on() {
	run mkswap "$1"
	run swapon "$1"
	echo 0 >/proc/sys/vm/page-cluster
}
