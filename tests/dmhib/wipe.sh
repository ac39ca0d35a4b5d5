# SPDX-License-Identifier: GPL-2.0-only
#
# dmhib wipe, sourced by run.
# shellcheck shell=bash disable=SC2154

# nonzero FILE SECTOR SECTORS: bytes there that are not zero
nonzero() {
	dd if="$1" bs=512 skip="$2" count="$3" status=none | tr -d '\0' | wc -c
}

# worn: a region with an image that has a part in place, contents everywhere
worn() {
	blank f 32M
	"$DMHIB" format f --region-size 8M --ram 64M >out 2>err || bad "format"
	dd if=/dev/urandom of=f bs=1M seek=2 count=5 conv=notrunc status=none
	dd if=/dev/urandom of=f bs=1M seek=9 count=10 conv=notrunc status=none
	swapped f
	printf 'SWAPSPACE2S1SUSPEND\0' | dd of=f bs=1 seek=$((8388608 + 4076)) conv=notrunc status=none
	"$CRAFT" sign f 10:100:0 500:20:0 1000:30:1
	"$DMHIB" dump f --json >out && j .image.resumable true "the image to begin with"
}

for how in "" --zero --discard "--zero --discard"; do
	worn
	# shellcheck disable=SC2086 # words are wanted
	t 0 "wipe image $how" wipe f image $how --json
	silent err "wipe image $how"
	zeroed=1 discarded=0
	case $how in --discard) zeroed=0 ;; esac
	case $how in *--discard) discarded=1 ;; esac
	# the log, the maps, and 30 blocks in place
	zeroed=$((zeroed ? 6 * 1048576 + 30 * 4096 : 0))
	discarded=$((discarded ? 6 * 1048576 + 30 * 4096 : 0))
	j '[.device, .wiped, .zeroed_bytes, .discarded_bytes]' "[\"f\",\"image\",$zeroed,$discarded]" "wipe image $how"
	same "$(nonzero f 4096 12288)" 0 "wipe image $how: the log"
	same "$(nonzero f $((16384 + 8000)) 240)" 0 "wipe image $how: in place"
	[ "$(nonzero f $((16384 + 8240)) 8)" != 0 ] || bad "wipe image $how: went too far"
	t 0 "wipe image $how: it is gone" dump f --json
	j '[.image.state, .superblocks[].fields.state, .superblocks[].fields.generation]' \
		'["empty",1,1,4,5]' "wipe image $how"
	same "$(swap_at f)" "hib $SWAP_UUID 6143" "wipe image $how: swap area"
done
t 0 "wipe image again" wipe f image
says out 'no image is left' "wipe image again"

for how in "" --zero --discard "--zero --discard"; do
	worn
	# shellcheck disable=SC2086 # words are wanted
	t 0 "wipe all $how" wipe f all $how -v
	same "$(nonzero f 0 65536)" 0 "wipe all $how"
	t 7 "wipe all $how: nothing is there" dump f
done
worn
t 0 "wipe all, JSON" wipe f all --json
j '[.wiped, .zeroed_bytes, .discarded_bytes]' '["all",33554432,0]' "wipe all, JSON"

# A damaged map: what lies outside cannot be found, the rest goes
worn
printf x | dd of=f bs=1 seek=$((512 * (16384 - 288) + 8)) conv=notrunc status=none
t 0 "damaged map" wipe f image
says err 'map is damaged' "damaged map"
t 0 "damaged map" dump f --json
j .image.state '"empty"' "damaged map"

# Refusals
worn
was=$(sum f)
t 1 "neither" wipe f everything
t 1 "nothing" wipe f
t 4 "no device" wipe nowhere all
same "$(sum f)" "$was" "refusals wrote something"
blank g 16M
t 7 "not ours" wipe g all
rm -f g
truncate -s 20M f
t 8 "does not belong" wipe f all
if command -v script >/dev/null; then
	worn
	was=$(sum f)
	answered no 6 "answer no" wipe f all
	says out 'AND WITH IT A HIBERNATION IMAGE' "the question"
	same "$(sum f)" "$was" "answer no: wrote something"
	answered YES 0 "answer YES" wipe f image
	says out '\[#{30}\] 100.0 %' "progress bar"
	on_terminal 0 "batch mode" -q wipe f all </dev/null
	if grep -q '###' out; then bad "batch mode: a progress bar"; else pass; fi
fi
t 7 "after all" dump f
