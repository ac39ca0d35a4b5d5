# SPDX-License-Identifier: GPL-2.0-only
#
# How a case ended that tests/vm/vm has run. Sourced by tests/run and
# tests/distro/run.
# shellcheck shell=bash disable=SC2034

# once_more STATUS TRY LABEL OUT: whether QEMU failed the guest and it may be tried
# again, with disks made anew
once_more() {
	[ "$1" = 6 ] && [ "$2" -lt 3 ] || return 1
	echo "again  $3: $(head -n 1 "$4/driver.log")"
}

# conclude STATUS LABEL OUT BEGAN: prints the case's line, sets verdict
conclude() {
	local status=$1 label=$2 out=$3 took=$((SECONDS - $4))

	if [ "$status" = 0 ] && grep -q '^skip=' "$out/results"; then
		verdict=skip
		echo "skip   $label: $(sed -n 's/^skip=//p' "$out/results")"
	elif [ "$status" = 0 ]; then
		verdict=pass
		echo "pass   $label ($took s)"
	else
		verdict=fail
		echo "FAIL   $label (status $status, $took s): $(tail -n 3 "$out/driver.log" | tr '\n' ' ')"
		# Where the logs cannot be had, this is all there is
		sed 's/^/  | /' "$out/driver.log" | head -n 40
	fi
}
