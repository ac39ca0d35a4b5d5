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
	dm_create "$name" "$(hib_table "$@")"
}

# dm_create NAME TABLE: there is no udev in the guest
dm_create() {
	dmsetup create "$1" --noudevsync --table "$2" || return 1
	[ -b "/dev/mapper/$1" ] || dmsetup mknodes
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

# log_has TEXT: the kernel log holds it since the last log_mark
log_mark() {
	log "mark $((LOG_MARK = ${LOG_MARK:-0} + 1))"
}
log_has() {
	dmesg | sed "1,/guest: mark $LOG_MARK\$/d" | grep -q -e "$1" || die "no word in the log: $1"
}

# refuse COMMAND...: it has to fail
refuse() {
	"$@" 2>/tmp/refused && die "should have failed: $*"
	return 0
}

# message NAME WORDS...
message() {
	local name=$1

	shift
	dmsetup message "$name" 0 "$@"
}

# resume_to DEVICE: where the next hibernation goes. Writing the device also
# tries to resume from it, which finds nothing.
resume_to() {
	resume_from "$1"
}
