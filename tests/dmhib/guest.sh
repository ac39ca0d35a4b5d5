#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of dmhib with the kernel's target, for a guest that has it loaded.
#
# usage: guest.sh DEVICE [OTHER]
#
# Both devices (256 MiB or more) lose what is on them. Needs /bin/dmhib (or
# $DMHIB), util-linux's mkswap in /usr/bin or /sbin, swapon, swapoff, dmsetup, jq, and
# beside this script say.sh, schema.jq and the JSON schemas. Ends with "N passed, M
# failed"; exits with 1 if one did. OTHER, if given, gets foreign data.
# shellcheck shell=dash disable=SC2154,SC2034

DEV=${1:?usage: guest.sh DEVICE [OTHER]}
OTHER=${2:-}
DMHIB=${DMHIB:-/bin/dmhib}
MAP=/dev/mapper
MKSWAP=/usr/bin/mkswap
[ -x $MKSWAP ] || MKSWAP=/sbin/mkswap
out=/tmp/dmhib.out
err=/tmp/dmhib.err
here=${0%/*}
SCHEMAS=$here
# shellcheck source=tests/dmhib/say.sh
. "$here/say.sh"

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
says $out '^HIBSWAP-[0-9a-f]{32}-hibt$' "DM_UUID"

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
says $out '"notes": *\[ *"read_only"|"read_only"$' "read-only note"
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
says $out '\{"block": 2048, "blocks": 1024, "in_place": false, "sector": 4096\}' "dump of the image"
t 6 "format over the image" -q format "$DEV" --region-size 128M --map-extents 8192
says $err 'HIBERNATION IMAGE' "format over the image"
t 0 "open with an image" open "$DEV" hibt
t 0 "status resumable" status hibt --json
says $out '"state": *"resumable"' "status resumable"
says $out '"image_bytes": *4194304' "status resumable"
t 0 "drop" drop hibt
says $err 'held a hibernation image of 4 MiB, generation [0-9]+, which was not resumed' "drop"
t 0 "drop again" drop hibt
ok "drop again: silent" [ ! -s $err ]
t 0 "status after discard" status hibt --json
says $out '"state": *"idle"' "status after discard"
t 0 "close" close hibt
t 0 "dump after discard" dump "$DEV" --json
says $out '"state": *"empty"' "dump after discard"

# By hibswaptab(5)
t 0 "probe" probe "$DEV" --udev
says $out '^ID_FS_TYPE=hibswap$' "probe"
uuid=$(sed -n 's/^ID_FS_UUID=//p' $out)
tab=/tmp/hibswaptab
printf 'hibt %s\nother /dev/nothing-there timeout=1\nlater /dev/none noauto\n' "$DEV" >$tab
t 4 "open --all" open --all --tab $tab
says $err 'other: /dev/nothing-there does not exist' "open --all"
ok "open --all: the other one" [ -b $MAP/hibt ]
t 0 "open what is open" open hibt --tab $tab
t 5 "open what is open otherwise" open hibt --tab $tab --window
says $err 'exists already, with another table' "open what is open otherwise"
t 5 "open what is open, without hibswaptab" open "$DEV" hibt
t 0 "drop without an image" drop hibt
ok "drop without an image: silent" [ ! -s $err ]
t 0 "close --all" close --all --tab $tab
not "close --all: node gone" [ -e $MAP/hibt ]
t 0 "close --all, nothing open" close --all --tab $tab
t 0 "drop, nothing open" drop hibt
echo "hibt UUID=$uuid window" >$tab
t 0 "by UUID, without udev" tab hibt --device --tab $tab
ok "by UUID, without udev" [ "$(cat $out)" = "$DEV" ]
t 0 "open by UUID" open hibt --tab $tab
t 0 "open by UUID: the window" status hibt --json
says $out '"sectors": *[0-9]+' "open by UUID: the window"
t 0 "close" close hibt
# Disks appear late
if [ -n "$OTHER" ]; then
	rm -f /tmp/late
	echo "hibt /tmp/late timeout=60" >$tab
	(sleep 3; ln -s "$DEV" /tmp/late) &
	t 0 "open, appears late" -v open hibt --tab $tab
	says $err 'waiting for /tmp/late' "open, appears late"
	wait
	t 0 "close" close hibt
fi

# What is open
t 0 "list of nothing" list
says $out 'No hibswap device' "list of nothing"
t 0 "list of nothing, JSON" list --json
says $out '"devices": *\[' "list of nothing, JSON"
not "list of nothing, JSON" grep -q '"name"' $out
t 0 "open" open "$DEV" hibt
t 0 "list" list
says $out "^hibt *$DEV .* idle" "list"
t 0 "list, JSON" list --json
says $out '"name": *"hibt"' "list, JSON"
says $out '"swap": *false' "list, JSON"
t 5 "resize while open" resize "$DEV" --region-size 64M
says $err "$MAP/hibt" "resize while open: says who"
t 5 "wipe while open" -q wipe "$DEV" all
t 11 "check" check --json
says $out '"device": *"hibt"' "check: finds it"
says $out '"code": *"no-swap"' "check: no swap"
says $out '"code": *"resume-unset"|"code": *"resume-elsewhere"' "check: no resume device"
# The header page of the image by hand was no swap header
ok "mkswap" "$MKSWAP" $MAP/hibt
ok "swapon" swapon $MAP/hibt
dev=$(dmsetup info -c --noheadings --separator : -o major,minor hibt)
t 11 "check with swap" check hibt
says $out "^ok *swap " "check with swap"
says $out "^ok *device *$MAP/hibt on $DEV" "check with swap"
[ ! -w /sys/power/resume ] || echo "$dev" >/sys/power/resume 2>/dev/null
t 11 "check with resume" check hibt
says $out "^ok *resume-device" "check with resume"
t 0 "list with swap" list
says $out 'idle, swap' "list with swap"
ok "swapoff" swapoff $MAP/hibt
t 0 "close" close hibt

# Another size: the swap area stays itself, and the target takes it
uuid=$(blkid -p -O 134217728 -o value -s UUID "$DEV")
ok "a swap UUID" [ -n "$uuid" ]
for size in 160M 96M 128M; do
	t 0 "resize $size" resize "$DEV" --region-size $size
	t 0 "resize $size: open" open "$DEV" hibt
	ok "resize $size: the same swap area" [ "$(blkid -p -o value -s UUID $MAP/hibt)" = "$uuid" ]
	ok "resize $size: swapon" swapon $MAP/hibt
	ok "resize $size: swapoff" swapoff $MAP/hibt
	t 0 "resize $size: close" close hibt
done
t 10 "verify without an image" verify "$DEV"
t 0 "wipe the image" -q wipe "$DEV" image --discard
t 0 "wipe the image: open" open "$DEV" hibt
ok "wipe the image: swapon" swapon $MAP/hibt
ok "wipe the image: swapoff" swapoff $MAP/hibt
t 0 "wipe the image: close" close hibt

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

# From a swap partition in use to a region, and back
if [ -n "$OTHER" ]; then
	zero "$OTHER"
	ok "mkswap" $MKSWAP -L old "$OTHER"
	ok "swapon" swapon "$OTHER"
	uuid=$(blkid -p -o value -s UUID "$OTHER")
	mkdir -p /etc
	printf 'LABEL=x / ext4 defaults 0 1\n%s none swap sw,pri=3 0 0\n' "UUID=$uuid" >/etc/fstab
	cp /etc/fstab /tmp/fstab
	t 0 "setup" -q setup "$OTHER" hibs --region-size 128M --window 16M
	says $out "swapoff $OTHER" "setup: shows its commands"
	says $out "swapon -o pri=3 $MAP/hibs" "setup: shows its commands"
	t 0 "setup: status" status hibs --json
	says $out '"swap": *true' "setup: swap is on it"
	says /proc/swaps '	3$' "setup: its priority"
	ok "setup: fstab" grep -q "^$MAP/hibs none swap sw,pri=3" /etc/fstab
	says /etc/hibswaptab '^hibs	UUID=[0-9a-f-]+	window,x-initrd.attach$' "setup: hibswaptab"
	t 0 "setup: hibswaptab opens the same" open --all
	t 0 "setup, again" -q setup "$OTHER" hibs --region-size 128M --window 16M
	says $out 'there is nothing to do' "setup, again"
	t 5 "setup, another name" -q setup "$OTHER" hibt
	t 5 "setup, another device" -q setup "$DEV" hibs --force
	# Stopped half way: as after a boot without the device
	ok "swapoff" swapoff $MAP/hibs
	t 0 "close" close hibs
	t 0 "setup goes on" -q setup "$OTHER" hibs
	says $out 'dmhib -q open hibs' "setup goes on"
	if grep -q 'dmhib -q format' $out; then bad "setup goes on: formats anew"; else pass; fi
	t 0 "setup goes on: status" status hibs --json
	says $out '"swap": *true' "setup goes on: swap is on it"
	t 0 "undo" -q setup --undo hibs
	not "undo: closed" [ -e $MAP/hibs ]
	t 7 "undo: no region" probe "$OTHER"
	ok "undo: fstab" cmp /etc/fstab /tmp/fstab
	not "undo: hibswaptab" [ -e /etc/hibswaptab ]
	ok "undo: the swap area" [ "$(blkid -p -o value -s UUID "$OTHER")" = "$uuid" ]
	ok "undo: it is in use" grep -q "^$OTHER " /proc/swaps
	ok "swapoff" swapoff "$OTHER"
	t 1 "undo, again" -q setup --undo hibs
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
