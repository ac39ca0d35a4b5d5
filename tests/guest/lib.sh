# SPDX-License-Identifier: GPL-2.0-only
#
# What guest scripts are written with. Only one process may talk to the host
# at a time (result, stat_disks, host_boot, hmp, powercut, finish).
# shellcheck shell=dash

# log TEXT...: into the kernel log, so that the order on the console is right.
log() {
	echo "guest: $*" >/dev/kmsg
}

# ask LINE: send a line to the host, wait for its answer, left in $REPLY.
ask() {
	echo "$*" >&3
	REPLY=
	# shellcheck disable=SC3045 # busybox has read -t
	read -r -t 60 REPLY <&3 || { log "the host does not answer: $*"; return 1; }
	case $REPLY in
	ok*) REPLY=${REPLY#ok}; REPLY=${REPLY# } ;;
	*) log "odd answer from the host: $REPLY"; return 1 ;;
	esac
}

# result KEY VALUE: a line KEY=VALUE in the results file.
result() {
	log "result $*"
	ask "result $*"
}

# stat_disks LABEL: the host takes down every disk's request counts.
stat_disks() {
	ask "stat $1"
}

# host_boot: the number of this boot as the host counts them, which a resumed
# kernel cannot know, in $REPLY.
host_boot() {
	ask boot
}

# hmp COMMAND: a command for QEMU's monitor; the answer goes to hmp.log.
hmp() {
	ask "hmp $*"
}

# powercut: QEMU is killed at once; the next boot follows.
powercut() {
	log "power cut"
	echo powercut >&3
	while :; do sleep 1000; done
}

# finish ok|fail [MESSAGE]: the end of the run.
finish() {
	log "finish $*"
	echo "finish $*" >&3
	while :; do sleep 1000; done
}

# die MESSAGE: finish fail.
die() {
	finish fail "$*"
}

# run COMMAND...: it has to succeed.
run() {
	"$@" || die "failed ($?): $*"
}

# poweroff_now: an ordinary power-off, without hibernation; the next boot follows.
poweroff_now() {
	log "power off"
	sync
	poweroff -f
	while :; do sleep 1000; done
}

# resume_from DEVICE [OFFSET]: comes back only if there was nothing to resume,
# or it failed.
resume_from() {
	local dev numbers

	dev=$(readlink -f "$1")
	[ -b "$dev" ] || die "no block device $1 to resume from"
	numbers=$(stat -c '%t %T' "$dev")
	# shellcheck disable=SC2086
	set -- $numbers "${2:-0}"
	[ "$3" = 0 ] || echo "$3" >/sys/power/resume_offset
	log "resume from $dev"
	echo "$((0x$1)):$((0x$2))" >/sys/power/resume
	log "no resume"
}

# hibernate [MODE]: MODE is a word for /sys/power/disk (shutdown). Returns the
# status of the write to /sys/power/state. Then HIB_ERROR is its error message,
# and HIB_RESUMED is 1 if another boot has resumed this kernel.
hibernate() {
	local mode before rc

	mode=${1:-shutdown}
	HIB_RESUMED=0
	HIB_ERROR=
	echo "$mode" >/sys/power/disk || return 1
	host_boot || return 1
	before=$REPLY
	log "hibernate: $mode"
	HIB_ERROR=$( (echo disk >/sys/power/state) 2>&1)
	rc=$?
	[ -z "$HIB_ERROR" ] || rc=1
	host_boot || return 1
	[ "$REPLY" = "$before" ] || HIB_RESUMED=1
	log "hibernate: back, status $rc, resumed $HIB_RESUMED, boot $REPLY ${HIB_ERROR}"
	return $rc
}

# meminfo KEY: its KiB.
meminfo() {
	awk -v k="$1:" '$1 == k { print $2 }' /proc/meminfo
}

# in_cgroup NAME COMMAND...: run it in a memory cgroup (v2) of that name.
in_cgroup() {
	local group=/sys/fs/cgroup/$1

	shift
	[ -e /sys/fs/cgroup/cgroup.controllers ] || mount -t cgroup2 cgroup2 /sys/fs/cgroup || return 1
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control || return 1
	mkdir -p "$group" || return 1
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$@"
}

# drop_cache NAME: reclaim all that group NAME has in RAM. What it has paged out
# leaves copies in the swap cache, which would make an image larger.
drop_cache() {
	local n

	for n in 1 2 3; do
		echo 16G >"/sys/fs/cgroup/$1/memory.reclaim" 2>/dev/null && break
	done
	log "swap cache: $(meminfo SwapCached) KiB after round $n"
}
