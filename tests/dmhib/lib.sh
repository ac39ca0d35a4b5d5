# SPDX-License-Identifier: GPL-2.0-only
#
# What tests/dmhib/run and its parts share: counting, and calling dmhib. $here
# is the directory of the tests, $1 the program.
# shellcheck shell=bash disable=SC2154,SC2034

out=out
err=err
SCHEMAS=$(realpath "$here/../../Documentation/json")
# shellcheck source=tests/dmhib/say.sh
. "$here/say.sh"

BUILD=$(realpath "${BUILD:-$here/../../build}")
DMHIB=$(realpath "${1:-$BUILD/dmhib}")
CRAFT=$(realpath "$BUILD/tests/dmhib/craft")
PATH=$PATH:/sbin:/usr/sbin
ROUNDS=${ROUNDS:-300}

loops=()
mounted=()
work=$(mktemp -d "$BUILD/tests/dmhib/run.XXXXXX") || exit 1

# Only what this run has made is taken away
cleanup() {
	local x

	for x in "${mounted[@]}"; do umount "$x" 2>/dev/null; done
	for x in "${loops[@]}"; do losetup -d "$x" 2>/dev/null; done
	rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1

silent() {
	if [ ! -s "$1" ]; then pass; else bad "$2: $1 is not empty"; fi
}

# on_terminal CODE WHAT ARGUMENT...: as t(), on a terminal; standard input is passed on
on_terminal() {
	local want=$1 what=$2

	shift 2
	script -qec "${DMHIB@Q} ${*@Q}" /dev/null >out 2>err
	same $? "$want" "$what"
}

# answered ANSWER CODE WHAT ARGUMENT...: on a terminal, where a question is asked
answered() {
	local answer=$1

	shift
	on_terminal "$@" <<<"$answer"
}

# j FILTER WANT WHAT: the last command's JSON
j() {
	local got

	got=$(jq -c "$1" out 2>&1)
	if [ "$got" = "$2" ]; then pass; else bad "$3: $1 is $got, not $2"; fi
}

same() {
	if [ "$1" = "$2" ]; then pass; else bad "$3: \"$1\" is not \"$2\""; fi
}

# blank NAME SIZE
blank() {
	rm -f "$1"
	truncate -s "$2" "$1"
}

# formatted NAME [OPTION...]: 256 MiB, region of 64 MiB
formatted() {
	local name=$1

	shift
	blank "$name" 256M
	"$DMHIB" format "$name" --region-size 64M --ram 64M "$@" >out 2>err ||
		bad "cannot make a region to test with"
}

sum() { sha256sum <"$1"; }

# loop ARGUMENT...: a loop device, taken away at the end
loop() {
	LOOP=$(losetup --find --show "$@" 2>/dev/null) || return 1
	loops+=("$LOOP")
}

# swapped NAME: swap on the data of a formatted file, with a UUID and a label
SWAP_UUID=fedcba98-7654-3210-fedc-ba9876543210
swapped() {
	local start sectors

	start=$("$DMHIB" dump "$1" --json | jq .geometry.data_start)
	sectors=$("$DMHIB" dump "$1" --json | jq .geometry.data_sectors)
	rm -f swap
	truncate -s $((sectors * 512)) swap
	mkswap -U $SWAP_UUID -L hib swap >/dev/null 2>&1 || { echo "skip: no mkswap"; return 1; }
	dd if=swap of="$1" bs=512 seek="$start" count=8 conv=notrunc status=none
	rm -f swap
}

# swap_at NAME: UUID, label and pages of the swap area on the data, as others see it
swap_at() {
	local start

	start=$("$DMHIB" dump "$1" --json 2>/dev/null | jq .geometry.data_start)
	blkid -p -O $((start * 512)) -o value -s UUID -s LABEL "$1" | tr '\n' ' '
	od -An -tu4 -j $((start * 512 + 1028)) -N 4 "$1" | tr -d ' '
}
