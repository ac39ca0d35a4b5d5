# SPDX-License-Identifier: GPL-2.0-only
#
# hibswaptab(5), sourced by run: what a line may be, and which device it means.
# shellcheck shell=bash disable=SC2154

# shellcheck source=tests/dmhib/machine.sh
. "$here/machine.sh"

U1=01234567-89ab-cdef-0123-456789abcdef

# line TEXT...: a file of these lines
line() { printf '%s\n' "$@" >tab; }

# good LINE OPTIONS-AS-JSON: it can be used, and these options are set
good() {
	line "$1"
	t 0 "good: $1" tab --tab tab --json
	silent err "good: $1"
	j '.devices[0].options' "$2" "good: $1"
	j '.errors' '[]' "good: $1"
}

# wrong LINE PATTERN: it cannot, the line behind it can, and the error has place and word
wrong() {
	line "# first" "$1" "fine /dev/fine"
	t 1 "wrong: $1" tab --tab tab
	says err "^dmhib: tab:2: .*$2" "wrong: $1"
	says out '^fine ' "wrong: $1: the other line"
	same "$(wc -l <err)" 1 "wrong: $1: one error"
	t 1 "wrong: $1" tab --tab tab --json
	j '[.errors[].line]' '[2]' "wrong: $1"
	j '[.devices[].name]' '["fine"]' "wrong: $1"
}

good "hib /dev/sda3" '[]'
good "hib /dev/sda3 -" '[]'
good "  hib	/dev/sda3   window   # why" '["window"]'
good "hib /dev/sda3 window,discard,wipe" '["window","discard","wipe"]'
good "hib /dev/sda3 nofail,noauto,_netdev,x-initrd.attach" '["nofail","noauto","_netdev","x-initrd.attach"]'
good "hib /dev/sda3 ,window,," '["window"]'
good "hib /dev/sda3 window,window" '["window"]'
good "hib UUID=$U1" '[]'
good "hib UUID=${U1^^}" '[]'
good "hib PARTUUID=e6d0e5b2-03" '[]'
good "hib PARTUUID=$U1 -" '[]'
good "hib PARTLABEL=swap" '[]'
good "hib.-_+:=@# /dev/mapper/vg-swap" '[]'
good $'hib /dev/sda3\r' '[]'
good "$(printf '%080d' 0) /dev/sda3" '[]'

for x in 0 5 90 90s 31622400; do
	line "hib /dev/sda3 timeout=$x"
	t 0 "timeout=$x" tab --tab tab --json
	j '.devices[0].timeout_seconds' "${x%s}" "timeout=$x"
done
for x in 0 4096 8s 1M 1MiB; do
	line "hib /dev/sda3 region-start=$x"
	t 0 "region-start=$x" tab --tab tab --json
	case $x in 8s) want=4096 ;; 1M*) want=1048576 ;; *) want=$x ;; esac
	j '.devices[0].region_start_bytes' "$want" "region-start=$x"
done
line "hib /dev/sda3"
t 0 "default timeout" tab --tab tab --json
j '.devices[0].timeout_seconds' 90 "default timeout"

wrong "hib" '1 field:'
wrong "hib /dev/a - more" '4 fields:'
wrong "hib /dev/a window discard" '4 fields:'
wrong "a/b /dev/a" '"a/b" cannot be the name'
wrong "control /dev/a" '"control" cannot be'
wrong ".. /dev/a" '"\.\." cannot be'
wrong "$(printf '%081d' 0) /dev/a" 'cannot be the name'
wrong "hib sda3" '"sda3" is no device'
wrong "hib LABEL=swap" '"LABEL=swap": a region has no label; use UUID= or PARTLABEL='
wrong "hib UUID=1234" '"1234" cannot be a UUID'
wrong "hib UUID=" '"" cannot be a UUID'
wrong "hib UUID=${U1}0" 'cannot be a UUID'
wrong "hib UUID=0123456789abcdef0123456789abcdef0123" 'cannot be a UUID'
wrong "hib PARTUUID=xyz" '"xyz" cannot be a PARTUUID'
wrong "hib PARTUUID=" '"" cannot be a PARTUUID'
wrong "hib PARTLABEL=../../etc/passwd" 'cannot be a PARTLABEL'
wrong "hib PARTLABEL=.." 'cannot be a PARTLABEL'
wrong "hib /dev/a windows" 'unknown option "windows"'
wrong "hib /dev/a window,frob" 'unknown option "frob"'
wrong "hib /dev/a Window" 'unknown option "Window"'
wrong "hib /dev/a window=8M" 'unknown option "window=8M"'
wrong "hib /dev/a -,window" 'unknown option "-"'
wrong "hib /dev/a timeout=" '"timeout=": not a number'
wrong "hib /dev/a timeout=s" '"timeout=s": not a number'
wrong "hib /dev/a timeout=-1" '"timeout=-1": not a number'
wrong "hib /dev/a timeout=1min" 'not a number'
wrong "hib /dev/a timeout=99999999999999999999999" 'not a number'
wrong "hib /dev/a region-start=1" '"region-start=1": not a multiple'
wrong "hib /dev/a region-start=x" 'not a multiple'
wrong 'hib /dev/a\040b' 'quotes, '
wrong 'hib "/dev/a"' 'quotes, '
wrong $'hib /dev/a\x01' '"/dev/a\?"'
wrong $'h\x7fib /dev/a' '"h\?ib"'
wrong $'hib /dev/a win\x1b[31mdow' 'control characters'
wrong "hib /$(printf '%0300d' 0)" 'the device is too long'
wrong "hib /dev/a $(printf '%0300d' 0)" 'an option is too long'

# Twice the same: the first one counts
line "hib /dev/a" "hib /dev/b"
t 1 "a name twice" tab --tab tab --json
says err '^dmhib: tab:2: the name "hib" is in line 1 already' "a name twice"
j '[.devices[].spec]' '["/dev/a"]' "a name twice"
line "a UUID=$U1" "" "b UUID=${U1^^}"
t 1 "a device twice" tab --tab tab --json
says err '^dmhib: tab:3: the device "UUID=.*" is in line 1 already' "a device twice"
j '[.devices[].name]' '["a"]' "a device twice"

# Files that are none
: >tab
t 0 "empty file" tab --tab tab --json
j '[.devices, .errors]' '[[],[]]' "empty file"
printf 'hib /dev/a' >tab
t 0 "no newline at the end" tab --tab tab --json
j '[.devices[].name]' '["hib"]' "no newline at the end"
printf 'a /dev/a\nb\0 /dev/b\nc /dev/c\n' >tab
t 1 "a zero byte" tab --tab tab --json
j '[[.devices[].name], [.errors[].line]]' '[["a","c"],[2]]' "a zero byte"
head -c 2000000 /dev/zero >tab
t 4 "too large" tab --tab tab
says err 'cannot read tab: File too large' "too large"
t 4 "no such file" tab --tab nowhere
says err 'cannot read nowhere: No such file' "no such file"
t 4 "a directory" tab --tab /
for ((i = 0; i < 5000; i++)); do echo "n$i /dev/n$i"; done >tab
t 1 "too many lines" tab --tab tab --json
j '[(.devices | length), (.errors | length) > 0]' '[4096,true]' "too many lines"
for ((i = 0; i < 60; i++)); do
	head -c $((RANDOM % 3000 + 1)) /dev/urandom >tab
	"$DMHIB" tab --tab tab --json >out 2>err
	got=$?
	if [ $got -le 1 ] && jq -e .devices out >/dev/null; then pass; else bad "random bytes: exit $got"; fi
done

# By name
line "hib /dev/a window" "b /dev/b" "c"
t 1 "by name" tab b --tab tab
says out '^b ' "by name"
if grep -q '^hib' out; then bad "by name: another"; else pass; fi
t 1 "no such name" tab x --tab tab
says err 'tab has no line for "x"' "no such name"
t 1 "--device without a name" tab --device --tab tab
t 1 "--device and --json" tab b --device --json --tab tab
t 1 "two names" tab a b --tab tab
t 4 "--device of what is not there" tab b --device --tab tab
says err '/dev/b does not exist' "--device of what is not there"
same "$(grep -cv '^dmhib: tab:3: ' err)" 1 "--device of what is not there"

# ---- on a made-up machine: which device is it?
machine
UUID_OF_REGION=$("$DMHIB" probe region --json | jq -r .uuid)
# finds SPEC DEVICE WHAT
finds() {
	put etc/hibswaptab "hib $1"
	t 0 "$3" tab hib --device
	same "$(cat out)" "$2" "$3"
	silent err "$3"
}
loses() {
	put etc/hibswaptab "hib $1"
	t 4 "$3" tab hib --device
	silent out "$3"
	says err "^dmhib: hib: $2" "$3"
	t 0 "$3" tab
	says out "not found: $2" "$3"
}
put etc/hibswaptab "# none"
t 0 "no lines" tab
silent out "no lines"
rm "$DMHIB_ROOT/etc/hibswaptab"
t 0 "no file" tab
t 0 "no file" tab --json
j '[.file, .devices]' '["/etc/hibswaptab",[]]' "no file"
t 1 "no file, a name" tab hib
says err '/etc/hibswaptab has no line for "hib"' "no file, a name"
finds /dev/sda3 /dev/sda3 "by path"
loses /dev/sda9 '/dev/sda9 does not exist' "by path, not there"
finds "UUID=$UUID_OF_REGION" /dev/sda3 "by UUID, without udev"
finds "UUID=${UUID_OF_REGION^^}" /dev/sda3 "by UUID, large letters"
loses UUID=$U1 'no block device has a hibswap region of UUID=' "by UUID, not there"
mkdir -p "$DMHIB_ROOT/dev/disk/by-uuid" "$DMHIB_ROOT/dev/disk/by-partuuid" "$DMHIB_ROOT/dev/disk/by-partlabel"
ln -s ../../sda3 "$DMHIB_ROOT/dev/disk/by-uuid/$UUID_OF_REGION"
finds "UUID=$UUID_OF_REGION" /dev/sda3 "by UUID, udev's link"
ln -sfn ../../sda2 "$DMHIB_ROOT/dev/disk/by-uuid/$UUID_OF_REGION"
: >"$DMHIB_ROOT/dev/sda2"
finds "UUID=$UUID_OF_REGION" /dev/sda3 "by UUID, a link that lies"
ln -s ../../sda3 "$DMHIB_ROOT/dev/disk/by-partuuid/e6d0e5b2-03"
finds PARTUUID=E6D0E5B2-03 /dev/sda3 "by PARTUUID"
loses PARTUUID=1234-01 'no partition has PARTUUID=1234-01' "by PARTUUID, not there"
ln -s ../../sda3 "$DMHIB_ROOT/dev/disk/by-partlabel/Swap"
finds PARTLABEL=Swap /dev/sda3 "by PARTLABEL"
loses PARTLABEL=swap 'no partition has PARTLABEL=swap' "by PARTLABEL, small letters"
# A copy of the disk, and the halves of a mirror
block sdb 8:16 524288
cp --sparse=always region "$DMHIB_ROOT/dev/sdb"
copy='.*is on /dev/(sda3|sdb) and on /dev/(sda3|sdb): is one a copy'
loses "UUID=$UUID_OF_REGION" "$copy" "a copy of the disk"
# udev's link goes to the one that came last
for to in sda3 sdb; do
	ln -sfn ../../$to "$DMHIB_ROOT/dev/disk/by-uuid/$UUID_OF_REGION"
	loses "UUID=$UUID_OF_REGION" "$copy" "a copy of the disk, udev's link to $to"
done
dm dm-5 254:5 524288 mirror "" sdb
ln -sfn ../../../block/sda/sda3 "$DMHIB_ROOT/sys/block/dm-5/slaves/sda3"
cp --sparse=always region "$DMHIB_ROOT/dev/dm-5"
finds "UUID=$UUID_OF_REGION" /dev/dm-5 "the halves of a mirror"
# Many paths to a disk
for i in {c..q}; do
	block "sd$i" "65:$i" 524288
	cp --sparse=always region "$DMHIB_ROOT/dev/sd$i"
	ln -s "../../../block/sd$i" "$DMHIB_ROOT/sys/block/dm-5/slaves/sd$i"
done
finds "UUID=$UUID_OF_REGION" /dev/dm-5 "many paths"
for i in {c..q}; do
	rm -r "$DMHIB_ROOT/sys/block/sd$i" "$DMHIB_ROOT/sys/class/block/sd$i" "$DMHIB_ROOT/dev/sd$i" \
		"$DMHIB_ROOT/sys/block/dm-5/slaves/sd$i"
done
# A read of a suspended device would wait
put sys/block/dm-5/dm/suspended 1
loses "UUID=$UUID_OF_REGION" "$copy" "a suspended device"
put sys/block/dm-5/dm/suspended 0
# With another start, a region is another
put etc/hibswaptab "hib UUID=$UUID_OF_REGION region-start=1M"
t 4 "elsewhere on the disk" tab hib --device
put sys/block/sdb/size 0
rm -r "$DMHIB_ROOT/sys/block/dm-5" "$DMHIB_ROOT/sys/class/block/dm-5"
finds "UUID=$UUID_OF_REGION" /dev/sda3 "no medium"
# Waiting for one does not keep all disks busy, and ends in time
if command -v strace >/dev/null; then
	put etc/hibswaptab "hib UUID=$U1"
	# Leaks are looked for with ptrace, too
	ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" strace -o trace -e trace=openat,clock_nanosleep "$DMHIB" open hib --wait 3 >out 2>err
	same $? 4 "wait for a UUID"
	looks=$(grep -c '/dev/sda3"' trace)
	if [ "$looks" -ge 2 ] && [ "$looks" -le 4 ]; then pass; else bad "wait for a UUID: looked $looks times in 3 s"; fi
	same "$(grep -c 'clock_nanosleep.*{tv_sec=2, ' trace)" 1 "wait for a UUID: full pauses in 3 s"
	rm -f trace
fi
DMHIB_ROOT=

# ---- open and close by it, as far as that goes without the target
line "hib /dev/nothing-there" "bad /dev/x y z" "later /dev/nothing-either noauto"
t 4 "open a name, nothing there" open hib --tab tab --wait 0
says err '^dmhib: hib: /dev/nothing-there does not exist' "open a name, nothing there"
t 4 "open a name, waits" open hib --tab tab --wait 1
says err 'did not appear within 1 seconds' "open a name, waits"
t 1 "open --all" open --all --tab tab --wait 0
says err '/dev/nothing-there' "open --all: goes on"
if grep -q nothing-either err; then bad "open --all: noauto"; else pass; fi
line "hib /dev/nothing-there timeout=1" "b /dev/null timeout=1"
t 4 "open --all, its timeout" open --all --tab tab
says err 'within 1 seconds' "open --all, its timeout"
says err '/dev/null is not a block device' "open --all: goes on"
t 1 "open a name that is not in it" open x --tab tab
t 1 "open, no name" open
t 1 "open --all and a name" open --all x
t 1 "open a device, and --tab" open f name --tab tab
t 1 "open a bad name" open a/b --tab tab
t 1 "close --all and a name" close --all x
t 1 "close, no name" close
t 1 "--wait, no number" open hib --wait x
t 1 "--wait, negative" open hib --wait -1
t 4 "open a device, waits" open /dev/nothing-there hib --wait 1
says err 'within 1 seconds' "open a device, waits"
t 4 "open a device by UUID" open UUID=$U1 hib
says err 'no block device has' "open a device by UUID"
# Half of a mirror that is not assembled. The superblock of md's format 1.0 is at the end.
md_member() {
	python3 - "$1" <<-'END'
	import os, struct, sys
	f = open(sys.argv[1], "r+b")
	sectors = os.fstat(f.fileno()).st_size // 512
	at = (sectors - 16) & ~7
	def sb(csum):
	    b = struct.pack("<IIII16s32sQIIQIIIIII", 0xa92b4efc, 1, 0, 0, bytes(range(16)),
	                    b"host:mirror", 0, 1, 0, at - 8, 0, 2, 0, 0, 0, 0)
	    b = b.ljust(128, b"\0") + struct.pack("<QQQQ", 0, at - 8, at, 0)
	    b = b.ljust(216, b"\0") + struct.pack("<II", csum, 128)
	    return b.ljust(256, b"\0") + bytes(256)
	s = sum(struct.unpack("<128I", sb(0)))
	f.seek(at * 512)
	f.write(sb(((s & 0xffffffff) + (s >> 32)) & 0xffffffff))
	END
}
formatted half
md_member half
if [ "$(blkid -p -o value -s TYPE half)" != linux_raid_member ]; then
	bad "libblkid does not take what was made for half a mirror"
elif [ "$(id -u)" = 0 ] && loop half; then
	line "hib UUID=$("$DMHIB" probe half --json | jq -r .uuid)"
	t 4 "half a mirror" tab hib --device --tab tab
	says err "^dmhib: hib: UUID=.* is on $LOOP, a part of an array that is not assembled" "half a mirror"
	t 4 "half a mirror, open" open hib --tab tab --wait 0
	says err 'a part of an array' "half a mirror, open"
	wipefs -qa "$LOOP"
	t 0 "half a mirror no more" tab hib --device --tab tab
	same "$(cat out)" "$LOOP" "half a mirror no more"
else
	echo "skip half a mirror: there are no loop devices here"
fi
rm -f half
# It appears while somebody waits
line "hib $work/late"
(sleep 1; : >late) &
t 4 "it appears" open hib --tab tab --wait 30
wait $!
says err 'late is not a block device' "it appears"
rm -f tab late
unset DMHIB_ROOT
