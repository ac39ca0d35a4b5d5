# SPDX-License-Identifier: GPL-2.0-only
#
# For the tests of integration/: a made-up root, and scripts whose absolute paths are
# turned into it.
# shellcheck shell=bash disable=SC2154 # work comes from run

checks=0 failures=0

# ok WHAT, failed WHAT [FILE]: FILE is shown
ok() {
	checks=$((checks + 1))
}
failed() {
	checks=$((checks + 1)) failures=$((failures + 1))
	echo "FAIL: ${case_name:+$case_name: }$1"
	[ $# -lt 2 ] || sed 's/^/  | /' "$2"
}

# expect WHAT COMMAND...: it succeeds
expect() {
	local what=$1

	shift
	if "$@"; then ok; else failed "$what"; fi
}

# says FILE TEXT, silent FILE
says() {
	if grep -qF -e "$2" "$1"; then ok; else failed "does not say: $2" "$1"; fi
}
says_not() {
	if grep -qF -e "$2" "$1"; then failed "says: $2" "$1"; else ok; fi
}
silent() {
	if [ -s "$1" ]; then failed "should say nothing" "$1"; else ok; fi
}

# is WHAT VALUE EXPECTED
is() {
	if [ "$2" = "$3" ]; then ok; else failed "$1 is '$2', should be '$3'"; fi
}

# rooted FILE TO: a copy whose absolute paths lie below $root
rooted() {
	sed -E "s,(^|[] \t\"'=(<>])/(etc|usr|lib|scripts|conf|dev|run|sys|proc|sbin)/,\1$root/\2/,g" "$1" >"$2"
	chmod --reference="$1" "$2"
}

# stub NAME: a program in $root/bin, from standard input
stub() {
	{
		echo '#!/bin/sh'
		echo "root=$root"
		cat
	} >"$root/bin/$1"
	chmod 755 "$root/bin/$1"
}

# new_root: $root, empty but for what every case needs
new_root() {
	root=$work/root
	rm -rf "$root"
	mkdir -p "$root"/{bin,etc,conf,dev/mapper,run/initramfs,scripts,usr/sbin,dest}
}

summary() {
	echo "$1: $checks checks, $failures failed"
	[ "$failures" = 0 ]
}
