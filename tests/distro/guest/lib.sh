# SPDX-License-Identifier: GPL-2.0-only
#
# For cases: what is not in tests/guest/lib.sh (which is vm.sh here), or differs
# with systemd.
# shellcheck shell=bash disable=SC2154

# die MESSAGE: the end, with what the journal says
die() {
	echo "---- units that failed, and the end of the journal:"
	systemctl --failed --no-legend --plain --no-pager
	journalctl -b --no-pager -n 60 -o short-monotonic
	finish fail "$*"
}

# next_step: the next fresh boot runs the step after this one
next_step() {
	echo $((STEP + 1)) >"$here/step"
	rm -f "$here/running"
	sync
}

# next_boot: reboot into the next step
next_boot() {
	next_step
	log "power off"
	systemctl poweroff
	while :; do sleep 1000; done
}

# hibernate [VERB]: systemctl hibernate, or hybrid-sleep, ... ; returns when that is
# over. Status 1 and HIB_ERROR if it was refused or failed; HIB_RESUMED is 1 if
# another boot has resumed this system.
hibernate() {
	local verb=${1:-hibernate} unit before since state

	unit=systemd-$verb.service
	HIB_RESUMED=0
	HIB_ERROR=
	host_boot || return 1
	before=$REPLY
	since=$(systemctl show -P InvocationID "$unit")
	log "systemctl $verb"
	if ! HIB_ERROR=$(systemctl "$verb" 2>&1); then
		log "systemctl $verb: $HIB_ERROR"
		return 1
	fi
	# It only asks for it
	while [ "$(systemctl show -P InvocationID "$unit")" = "$since" ]; do sleep 0.5; done
	while :; do
		state=$(systemctl show -P ActiveState "$unit")
		case $state in inactive|failed) break ;; esac
		sleep 0.5
	done
	host_boot || return 1
	[ "$REPLY" = "$before" ] || HIB_RESUMED=1
	log "$unit: $state, resumed $HIB_RESUMED, boot $REPLY"
	[ "$state" = inactive ] || HIB_ERROR=$(journalctl -b -u "$unit" -n 5 -o cat --no-pager)
	[ "$state" = inactive ]
}

# cycle [VERB]: hibernate and be resumed by another boot, with this system's memory
cycle() {
	hibernate "$@" || die "no hibernation: $HIB_ERROR"
	[ "$HIB_RESUMED" = 1 ] || die "it came back without a resume"
}

# hibernate_away: hibernate, and expect that it is not resumed; the next boot runs
# the next step
hibernate_away() {
	next_step
	hibernate "$@" || die "no hibernation: $HIB_ERROR"
	die "it came back, which it should not"
}

# hold [MIB]: programs and memory that a resume has to bring back
hold() {
	run memhold hold --anon "${1:-100}" --file 30
	BOOT_ID=$(cat /proc/sys/kernel/random/boot_id)
	SESSION=$(mktemp /run/session.XXXXXX)
	echo "$BOOT_ID" >"$SESSION"
}

# held: it is all there
held() {
	run memhold verify
	[ "$(cat /proc/sys/kernel/random/boot_id)" = "$BOOT_ID" ] || die "another boot id"
	[ "$(cat "$SESSION")" = "$BOOT_ID" ] || die "$SESSION is gone"
}

# refuse COMMAND...: it has to fail; what it says is left in $SAID and printed
refuse() {
	! SAID=$("$@" 2>&1) || die "should have failed: $*: $SAID"
	echo "$SAID"
}

# says REGEX COMMAND...: the command's output, whatever its status, has to match
says() {
	local regex=$1

	shift
	SAID=$("$@" 2>&1)
	echo "$SAID"
	grep -qE -e "$regex" <<<"$SAID" || die "'$*' does not say '$regex': $SAID"
}

# log_has REGEX: the kernel log of this boot holds it
log_has() {
	dmesg | grep -E -e "$1" || die "no word in the kernel log: $1"
}

# disk NAME: the device of the --disk of that name
disk() {
	local dir

	for dir in /sys/block/*; do
		[ "$(cat "$dir/serial" "$dir/device/serial" 2>/dev/null | tr -d ' ')" = "$1" ] || continue
		echo "/dev/${dir##*/}"
		return 0
	done
	die "there is no disk $1"
}
