#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of dmhib with the kernel's target, for a guest that has it loaded.
#
# usage: guest.sh DEVICE [OTHER]
#
# Both devices (256 MiB or more) lose what is on them. Needs /bin/dmhib (or
# $DMHIB), util-linux's mkswap in /usr/bin or /sbin, swapon, swapoff, dmsetup. Ends with "N passed, M failed";
# exits with 1 if one did. OTHER, if given, gets foreign data.
# shellcheck shell=dash

DEV=${1:?usage: guest.sh DEVICE [OTHER]}
OTHER=${2:-}
DMHIB=${DMHIB:-/bin/dmhib}
MAP=/dev/mapper
MKSWAP=/usr/bin/mkswap
[ -x $MKSWAP ] || MKSWAP=/sbin/mkswap
passed=0
failed=0
out=/tmp/dmhib.out
err=/tmp/dmhib.err

pass() { passed=$((passed + 1)); }

bad() {
	failed=$((failed + 1))
	echo "FAIL $*"
	sed 's/^/     | /' $out $err
}

# t CODE WHAT ARGUMENT...
t() {
	local want what got

	want=$1
	what=$2
	shift 2
	"$DMHIB" "$@" >$out 2>$err </dev/null
	got=$?
	if [ "$got" = "$want" ]; then
		pass
	else
		bad "$what: exit $got, not $want: dmhib $*"
	fi
}

# says FILE PATTERN WHAT
says() {
	if grep -q -e "$2" "$1"; then pass; else bad "$3: no \"$2\""; fi
}

# ok WHAT COMMAND...
ok() {
	local what

	what=$1
	shift
	if "$@" >$out 2>$err; then pass; else bad "$what: $*"; fi
}

# not WHAT COMMAND...
not() {
	local what

	what=$1
	shift
	if "$@" >$out 2>$err; then bad "$what: $*"; else pass; fi
}

zero() {
	dd if=/dev/zero of="$1" bs=1M count=4 conv=fsync >/dev/null 2>&1
}

zero "$DEV"
t 7 "open of a blank device" open "$DEV" hibt
t 0 "format" -q format "$DEV" --region-size 128M --map-extents 8192 --window 16M
says $out 'dmsetup create NAME --table "0 [0-9]* hibswap' "format"
line=$(sed -n 's/.*--table "\(.*\)"$/\1/p' $out)
t 4 "status of nothing" status hibt
t 4 "status of nothing, JSON" status hibt --json
says $out '"active": *false' "status of nothing, JSON"
t 4 "close of nothing" close hibt

t 0 "open" -v open "$DEV" hibt
ok "the node is there" [ -b $MAP/hibt ]
t 5 "open under the same name" open "$DEV" hibt
says $err 'exists already' "open under the same name"
t 5 "open under another name" open "$DEV" hibt2
says $err 'hibt' "open under another name: says who"
not "no second device left" dmsetup info hibt2
t 5 "format while open" -q format "$DEV" --region-size 128M --map-extents 8192 --force
says $err "$MAP/hibt" "format while open: says who"
ok "DM_UUID" dmsetup info -c --noheadings -o uuid hibt
says $out '^HIBSWAP-[0-9a-f]\{32\}-hibt$' "DM_UUID"

# The table is what format has printed, with the device as a number
dmsetup table hibt >$out 2>$err
says $out "^${line%% hibswap*} hibswap [0-9]*:[0-9]* ${line#* hibswap * }\$" "table"

t 0 "status" status hibt
says $out 'state: *idle' "status"
says $out "device: *$DEV" "status"
t 0 "status by path, JSON" status $MAP/hibt --json
says $out '"state": *"idle"' "status, JSON"
says $out '"generation": *2' "status, JSON"
says $out '"log_used_sectors": *0' "status, JSON"
says $out '"swap": *false' "status, JSON"

t 0 "dump while open" dump "$DEV" --json
says $out '"verdict": *"ok"' "dump while open"

ok "mkswap" mkswap $MAP/hibt
ok "swapon" swapon $MAP/hibt
t 0 "status with swap" status hibt --json
says $out '"swap": *true' "status with swap"
t 5 "close with swap" close hibt
says $err 'swapoff' "close with swap: says what to do"
t 5 "format with swap" -q format "$DEV" --region-size 128M --map-extents 8192 --force
ok "swapoff" swapoff $MAP/hibt

# shellcheck disable=SC2217 # to have it open is all it is for
sleep 100 <$MAP/hibt &
holder=$!
t 5 "close while open" close hibt
says $err "process $holder" "close while open: says who"
t 0 "close --deferred" -v close hibt --deferred
ok "still there" [ -b $MAP/hibt ]
t 0 "status while deferred" status hibt
says $out 'no longer in use' "status while deferred"
kill $holder
wait $holder 2>/dev/null
sleep 1
not "gone" dmsetup info hibt

t 0 "open with the window" open "$DEV" hibt --window
dmsetup table hibt >$out 2>$err
with=$(cut -d' ' -f2 $out)
same=$((${with:-0} - 32768))
says $out "^0 $((same + 32768)) " "length with the window"
ok "length of the window: $with, without: $line" [ "$same" = "$(echo "$line" | cut -d' ' -f2)" ]
# A bare mkswap would claim the window: the target says no. busybox's mkswap
# does not wait for its write and hears nothing of it.
ok "mkswap is there" [ -x "$MKSWAP" ]
not "mkswap over the window" "$MKSWAP" $MAP/hibt
ok "mkswap with the right size" "$MKSWAP" $MAP/hibt $((same / 2))
t 0 "close" -v close hibt
not "node gone" [ -e $MAP/hibt ]

t 0 "open --readonly" open "$DEV" hibt --readonly
t 0 "status" status hibt --json
says $out '"read_only": *true' "read-only"
says $out '"notes": *\[ *"read_only"\|"read_only"$' "read-only note"
not "write to read-only" dd if=/dev/zero of=$MAP/hibt bs=4K count=1 conv=fsync
t 0 "close" close hibt

# An image without a hibernation: signed, found again, resumable
t 0 "open" open "$DEV" hibt
ok "mkswap" mkswap $MAP/hibt
ok "image begin" dmsetup message hibt 0 image begin
t 0 "status armed" status hibt
says $out 'state: *armed' "status armed"
says $out 'image begin' "status armed: note"
ok "image write" dd if=/dev/urandom of=$MAP/hibt bs=1M seek=8 count=4 oflag=direct conv=fsync
t 0 "status image" status hibt
says $out 'state: *image' "status image"
dd if=$MAP/hibt of=/tmp/page bs=4096 count=1 iflag=direct 2>/dev/null
printf 'S1SUSPEND\000' | dd of=/tmp/page bs=1 seek=4086 conv=notrunc 2>/dev/null
ok "sign" dd if=/tmp/page of=$MAP/hibt bs=4096 count=1 oflag=direct conv=notrunc
t 0 "status committed" status hibt
says $out 'state: *committed' "status committed"
ok "image end" dmsetup message hibt 0 image end
t 0 "close with an image" close hibt
t 0 "dump of the image" dump "$DEV" --image --extents --json
says $out '"resumable": *true' "dump of the image"
says $out '"signature": *"S1SUSPEND"' "dump of the image"
says $out '"bytes": *4194304' "dump of the image"
says $out '{"block": 2048, "blocks": 1024, "in_place": false, "sector": 4096}' "dump of the image"
t 6 "format over the image" -q format "$DEV" --region-size 128M --map-extents 8192
says $err 'HIBERNATION IMAGE' "format over the image"
t 0 "open with an image" open "$DEV" hibt
t 0 "status resumable" status hibt --json
says $out '"state": *"resumable"' "status resumable"
says $out '"image_bytes": *4194304' "status resumable"
ok "discard" dmsetup message hibt 0 discard
t 0 "status after discard" status hibt --json
says $out '"state": *"idle"' "status after discard"
t 0 "close" close hibt
t 0 "dump after discard" dump "$DEV" --json
says $out '"state": *"empty"' "dump after discard"

# Not ours
ok "a linear device" dmsetup --noudevsync create hibl --table "0 2048 linear $DEV 0"
t 1 "status of a linear device" status hibl
t 1 "close of a linear device" close hibl
t 5 "format under a linear device" -q format "$DEV" --region-size 128M --map-extents 8192 --force
says $err 'hibl' "format under a linear device: says who"
ok "it is still there" dmsetup info hibl
t 5 "open under its name" open "$DEV" hibl
dmsetup --noudevsync remove hibl

if [ -n "$OTHER" ]; then
	zero "$OTHER"
	mkswap "$OTHER" >/dev/null 2>&1
	t 7 "open of plain swap" open "$OTHER" hibo
	says $err 'swap' "open of plain swap: says what it is"
	t 6 "format of plain swap" -q format "$OTHER" --region-size 128M --map-extents 8192
	ok "it still is swap" swapon "$OTHER"
	t 5 "format of active swap" -q format "$OTHER" --region-size 128M --map-extents 8192 --force
	says $err 'swapoff' "format of active swap: says what to do"
	ok "swapoff" swapoff "$OTHER"
	t 0 "format, forced" -q format "$OTHER" --region-size 128M --map-extents 8192 --force
	t 0 "two devices" open "$OTHER" hibo
	t 0 "two devices" open "$DEV" hibt
	t 0 "close" close hibo
	t 0 "close" close hibt
fi

# Last, because nobody loads it again
if rmmod dm_hibswap_mod 2>/dev/null; then
	zero "$DEV"
	t 0 "format without the target" -q format "$DEV" --region-size 128M --map-extents 8192
	t 9 "open without the target" open "$DEV" hibt
	says $err 'modprobe dm-hibswap-mod' "open without the target: says what to do"
	not "nothing left" dmsetup info hibt
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
