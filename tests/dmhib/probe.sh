# SPDX-License-Identifier: GPL-2.0-only
#
# dmhib probe and drop, sourced by run.
# shellcheck shell=bash disable=SC2154

formatted f --uuid 01234567-89ab-cdef-0123-456789abcdef
t 0 "probe" probe f
same "$(cat out)" "f: hibswap region, version 1, UUID 01234567-89ab-cdef-0123-456789abcdef, idle" "probe"
t 0 "probe --udev" probe f --udev
cat >want <<'END'
ID_FS_TYPE=hibswap
ID_FS_USAGE=other
ID_FS_VERSION=1
ID_FS_UUID=01234567-89ab-cdef-0123-456789abcdef
ID_FS_UUID_ENC=01234567-89ab-cdef-0123-456789abcdef
ID_HIBSWAP_STATE=idle
END
same "$(cat out)" "$(cat want)" "probe --udev"
silent err "probe --udev"
t 0 "probe --json" probe f --json
j '[.device, .uuid, .version, .state, .generation]' '["f","01234567-89ab-cdef-0123-456789abcdef",1,"idle",2]' "probe --json"
j .geometry.region_sectors 131072 "probe --json"
t 1 "probe, both forms" probe f --json --udev
"$CRAFT" image f 10:100:0
t 0 "probe an image" probe f --udev
says out '^ID_HIBSWAP_STATE=committed$' "probe an image"

# One copy is enough
formatted f
dd if=/dev/zero of=f bs=4K count=1 conv=notrunc status=none
t 0 "probe, copy A gone" probe f --udev
dd if=/dev/zero of=f bs=4K seek=256 count=1 conv=notrunc status=none
t 7 "probe, both gone" probe f --udev
silent out "probe, both gone"
silent err "probe, both gone"

# No region: quiet
for what in zeros random tiny empty short; do
	case $what in
	zeros) blank f 8M ;;
	random) head -c 8M /dev/urandom >f ;;
	tiny) head -c 100 /dev/urandom >f ;;
	empty) : >f ;;
	short) formatted f; truncate -s 4096 f; dd if=/dev/zero of=f bs=1 count=4096 conv=notrunc status=none ;;
	esac
	for form in --udev --json -q; do
		t 7 "probe of $what $form" probe f $form
		silent out "probe of $what $form"
		silent err "probe of $what $form"
	done
done
mkswap f >/dev/null 2>&1 || { blank f 8M; mkswap f >/dev/null 2>&1; }
t 7 "probe of swap" probe f --udev
silent out "probe of swap"

# A damaged one is ours, but of no use
formatted f
printf x | dd of=f bs=1 seek=100 conv=notrunc status=none
printf x | dd of=f bs=1 seek=1048676 conv=notrunc status=none
t 8 "probe, damaged" probe f --udev
silent out "probe, damaged"
silent err "probe, damaged"
t 8 "probe, damaged" -v probe f
says err 'dmhib dump f' "probe, damaged"
t 4 "probe of nothing" probe nowhere
t 4 "probe of no device" probe /dev/null
t 1 "probe, no word" probe
t 1 "probe, two words" probe f f

# Where it was told to look
formatted f
blank g 259M
dd if=f of=g bs=1M seek=3 conv=notrunc,sparse status=none
t 7 "probe elsewhere" probe g
t 8 "probe elsewhere" probe g --region-start 2M
t 0 "probe elsewhere" probe g --region-start 3M

# Little is read: what udev runs for each disk must not take long
if command -v strace >/dev/null; then
	formatted f
	strace -o trace -e trace=pread64,read "$DMHIB" probe f --udev >out 2>err
	same "$(grep -c 'pread64.* = 4096$' trace)" 2 "probe reads two blocks"
	rm -f trace
fi
for ((i = 0; i < ROUNDS / 10; i++)); do
	formatted f
	for ((k = 0; k < 4; k++)); do
		head -c 1 /dev/urandom |
			dd of=f bs=1 seek=$((RANDOM % 4096 + (RANDOM % 2) * 1048576)) conv=notrunc status=none
	done
	"$DMHIB" probe f --udev >out 2>err
	got=$?
	case $got:$(wc -l <out) in
	0:6 | 7:0 | 8:0) pass ;;
	*) bad "probe, bytes changed: exit $got" ;;
	esac
done
rm -f f g want

# ---- drop: what there is to say without a mapped device
t 1 "drop, no name" drop
t 1 "drop, bad name" drop a/b
if [ ! -e /dev/mapper/control ] && [ "$(id -u)" = 0 ]; then
	t 0 "drop, nothing open" drop dmhib-test-name
	silent out "drop, nothing open"
	silent err "drop, nothing open"
	t 0 "drop --if-booted, nothing open" drop dmhib-test-name --if-booted
fi

# An image below, on a made-up machine without the target
# shellcheck source=tests/dmhib/machine.sh
. "$here/machine.sh"
machine
below=$DMHIB_ROOT/dev/sda3
swapped region
printf 'SWAPSPACE2S1SUSPEND\0' | dd of=region bs=1 seek=$((96 * 1048576 + 4076)) conv=notrunc status=none
"$CRAFT" sign region 10:1000:0 2000:24:0
cp --sparse=always region region-image
UUID_OF_REGION=$("$DMHIB" probe region --json | jq -r .uuid)
# untouched WHAT: still the image
untouched() { same "$(sum "$below")" "$(sum region-image)" "$1: wrote something"; }
# gone WHAT: no image, and the swap area is one
gone() {
	t 0 "$1: dump" dump "$below" --json
	j '[.image.state, .superblocks[].fields.state, .image.header.signature]' '["empty",1,1,"SWAPSPACE2"]' "$1"
}
for spec in /dev/sda3 "UUID=$UUID_OF_REGION"; do
	cp --sparse=always region-image "$below"
	put etc/hibswaptab "hib $spec"
	t 0 "drop another name" drop other
	silent err "drop another name"
	untouched "drop another name"
	put etc/initrd-release ""
	t 0 "drop --if-booted in an initramfs" drop hib --if-booted
	silent err "drop --if-booted in an initramfs"
	untouched "drop --if-booted in an initramfs"
	rm "$DMHIB_ROOT/etc/initrd-release"
	t 0 "drop below, $spec" -q drop hib --if-booted
	says err 'sda3 held a hibernation image of 4 MiB, generation [0-9]+, which was not resumed.* was dropped$' "drop below, $spec"
	same "$(wc -l <err)" 1 "drop below, $spec: one line"
	gone "drop below, $spec"
	was=$(sum "$below")
	t 0 "drop again" drop hib --if-booted
	silent err "drop again"
	same "$(sum "$below")" "$was" "drop again: wrote something"
done
# Elsewhere on the device
cp --sparse=always region-image "$below"
put etc/hibswaptab "hib /dev/sda3 region-start=1M"
t 8 "drop, the region is elsewhere" drop hib
says err 'DO NOT RESUME an image on it' "drop, the region is elsewhere"
untouched "drop, the region is elsewhere"
# Not there, or twice there
for spec in /dev/sdz UUID=01234567-89ab-cdef-0123-456789abcdef; do
	put etc/hibswaptab "hib $spec"
	t 4 "drop, no $spec" -q drop hib --if-booted
	says err "^dmhib: hib: .*$spec.*: an image on it could not be dropped" "drop, no $spec"
	says err 'DO NOT RESUME IT when .* noresume, "dmhib wipe DEVICE image"' "drop, no $spec"
	untouched "drop, no $spec"
done
block sdb 8:16 524288
cp --sparse=always region-image "$DMHIB_ROOT/dev/sdb"
put etc/hibswaptab "hib UUID=$UUID_OF_REGION"
t 4 "drop, a copy" drop hib
says err 'is one a copy of the other.* could not be dropped' "drop, a copy"
untouched "drop, a copy"
# No region, and none that could be understood
blank "$below" 256M
put etc/hibswaptab "hib /dev/sda3"
t 0 "drop, no region" drop hib
silent err "drop, no region"
rm "$DMHIB_ROOT/etc/hibswaptab"
t 0 "drop, no hibswaptab" drop hib
silent err "drop, no hibswaptab"
cp --sparse=always region-image "$below"
"$CRAFT" set "$below" A version=7
"$CRAFT" set "$below" B version=7
put etc/hibswaptab "hib /dev/sda3"
t 8 "drop, a newer version" drop hib
says err 'DO NOT RESUME an image on it' "drop, a newer version"
rm -f region-image
unset DMHIB_ROOT
