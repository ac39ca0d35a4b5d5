# SPDX-License-Identifier: GPL-2.0-only
#
# dmhib dump, sourced by run: what is on the device, whole and damaged.
# shellcheck shell=bash disable=SC2154

formatted f --window 16M --uuid $U
t 0 "dump" dump f
says out 'copy A, sector 0: valid and counts' "dump"
says out 'copy B, sector 2048: valid$' "dump"
t 0 "dump --json" dump f --json
j .verdict '"ok"' "dump --json"
j '[.superblocks[] | [.copy, .valid, .counts, .fault]]' '[["A",true,true,null],["B",true,false,null]]' "copies"
j .superblocks[0].fields.uuid "\"$U\"" "uuid"
j .superblocks[0].fields.generation 2 "generation"
j .geometry.data_start 131072 "geometry"
j .image.state '"empty"' "image"
j .extents null "no extents asked for"
t 0 "dump --extents --json" dump f --extents --json
j '[.extents, .superblocks]' '[[],null]' "no extents"
t 0 "dump --super --json" dump f --super --json
j '[.image, (.superblocks | length)]' '[null,2]' "superblocks alone"

"$CRAFT" image f 10:100:0 500:20:0 50:7:0 1000:3:1
t 0 "dump of an image" dump f --super --image --extents
says out 'verdict: +resumable' "image"
says out 'copy B, sector 2048: valid and counts' "image"
t 0 "dump of an image" dump f --json --image --extents
j '.extents[2]' '{"block":50,"blocks":7,"in_place":false,"sector":5056}' "third extent"
j '.extents[3]' '{"block":1000,"blocks":3,"in_place":true,"sector":null}' "fourth extent"
j '.extents | length' 4 "extents"
j '.image | [.state, .generation, .bytes, .log_bytes, .in_place_bytes, .extents, .map_valid, .resumable]' \
	'["committed",3,532480,520192,12288,4,true,true]' "image"
j '.image.header | [.signature, .plain_swap, .crc_matches]' '["S1SUSPEND",false,true]' "header"
t 0 "past images" dump f --json
j '.superblocks[1].fields.past_images[0:2]' '[532480,0]' "past images"
printf x | dd of=f bs=1 seek=67108864 conv=notrunc status=none
t 0 "header page changed" dump f --json
j '.image | [.resumable, .map_valid, .header.crc_matches]' '[false,true,false]' "header page changed"
printf x | dd of=f bs=1 seek=$((512 * 130784 + 8)) conv=notrunc status=none
t 8 "map changed" dump f --json --image
j '.image.map_fault | [.code, .field]' '["checksum","map checksum"]' "map changed"

# Many extents, more than one piece of the map
formatted f --window 16M
blank f 1G
"$DMHIB" format f --region-size 64M --ram 2G >out 2>err || bad "format"
# shellcheck disable=SC2046 # words are wanted
"$CRAFT" image f $(seq 1 70000 | sed 's/.*/&:1:1/')
t 0 "70000 extents" dump f --extents --image --json
j '[(.extents | length), .extents[69999].block, .image.resumable]' '[70000,70000,true]' "70000 extents"

# Maps that decode must refuse, with the right checksum
# badmap WHAT EXTENT...
badmap() {
	local what=$1

	shift
	formatted f --window 16M
	"$CRAFT" image f "$@"
	t 8 "map: $what" dump f --json --image --extents
	j .image.map_fault.field "\"$what\"" "map: $what"
	j '[.image.map_fault.code, .image.resumable]' '["out-of-range",false]' "map: $what"
}
badmap "extent length" 10:1:0 20:0:0
badmap "extent length" 10:16777216:1
badmap "extent over the header page" 0:1:0
badmap "extent behind the device's end" 53248:1:0
badmap "extent behind the device's end" 53247:2:0
badmap "extent behind the device's end" 18446744073709551615:1:0
badmap "extent flags" 10:1:2
badmap "extent flags" 10:1:4294967295
badmap "log extent after one in place" 10:1:0 20:1:1 30:1:0
formatted f --window 16M
"$CRAFT" image f 1:15800:0
t 0 "map: log exactly full" dump f --image
"$CRAFT" image f 1:10000:0 20000:5809:0
t 8 "map: log too long" dump f --json
formatted f --window 16M
"$CRAFT" image f 10:10:0 15:10:0
t 0 "map: overlapping extents are allowed" dump f --image --extents
"$CRAFT" set f B log_blocks=19
t 8 "map: sums" dump f --image --json
j .image.map_fault.field '"log_blocks"' "map: sums"

# --------------------------------------------------------- torn and lost copies

formatted f
dd if=/dev/urandom of=f bs=512 seek=3 count=5 conv=notrunc status=none
t 0 "torn A" dump f --json
j '[.superblocks[] | [.valid, .counts, .fault.code]]' '[[false,false,"checksum"],[true,true,null]]' "torn A"
formatted f
dd if=/dev/urandom of=f bs=512 seek=2051 count=5 conv=notrunc status=none
t 0 "torn B" dump f --json
j '[.superblocks[] | [.valid, .counts, .fault.code]]' '[[true,true,null],[false,false,"checksum"]]' "torn B"
dd if=/dev/urandom of=f bs=512 seek=3 count=5 conv=notrunc status=none
t 8 "both torn" dump f --json
j '[.verdict, .geometry, .image]' '["checksum",null,null]' "both torn"
says err 'copy A at sector 0: wrong checksum' "both torn"
formatted f
dd if=/dev/zero of=f bs=4K count=1 conv=notrunc status=none
t 0 "A zeroed" dump f --json
j '[.superblocks[0].fault.code, .superblocks[1].counts]' '["blank",true]' "A zeroed"
dd if=/dev/zero of=f bs=4K seek=256 count=1 conv=notrunc status=none
t 7 "both zeroed" dump f --json
j .verdict '"blank"' "both zeroed"
says err 'reads as zeros' "both zeroed"
dd if=/dev/urandom of=f bs=4K count=1 conv=notrunc status=none
dd if=/dev/urandom of=f bs=4K seek=256 count=1 conv=notrunc status=none
t 7 "random bytes" dump f --json
j .verdict '"foreign"' "random bytes"
# Copy B's bytes at copy A: the parity tells
formatted f
dd if=f of=f bs=4K skip=256 count=1 conv=notrunc status=none
t 8 "B at A" dump f --json
j '.superblocks[0].fault.field' '"generation parity"' "B at A"
# A region that was moved
formatted f
{ head -c 8388608 /dev/zero; cat f; } >g
t 8 "moved" dump g --region-start 8M --json
j '[.verdict, .disagreement.field]' '["disagrees","region_start"]' "moved"
t 7 "nothing at 0" dump g
t 7 "nothing at 128M" dump g --region-start 128M
t 4 "behind the end" dump g --region-start 1T
t 4 "far behind the end" dump g --region-start 15E
rm -f g
# A device that shrank
formatted f
truncate -s 200M f
t 8 "shrunk into the data" dump f --json
j .disagreement.field "\"data's end\"" "shrunk into the data"
truncate -s 50M f
t 8 "shrunk into the region" dump f --json
j .disagreement.field "\"region's end\"" "shrunk into the region"
truncate -s 1000K f
t 8 "shrunk in front of copy B" dump f --json
j .superblocks[1].fault.code '"unreadable"' "shrunk in front of copy B"
truncate -s 0 f
t 4 "nothing left" dump f

# ------------------------------------- every field out of range, right checksum

for kind in empty committed; do
	formatted base --window 16M
	[ $kind = empty ] || "$CRAFT" image base 10:100:0 200:10:1
	copy=A
	other=B
	[ $kind = empty ] || { copy=B; other=A; }
	# shellcheck disable=SC2094 # it reads the first and writes the second
	"$CRAFT" faults base >faults || bad "craft faults"
	if [ "$(wc -l <faults)" -gt 50 ]; then pass; else bad "too few faults"; fi
	while IFS=$'\t' read -r change what; do
		cp --sparse=always base f
		"$CRAFT" set f $copy "$change"
		case $what in
		version | feature_incompat) code=unsupported ;;
		*) code="out-of-range" ;;
		esac
		# The older copy does not count instead: it may have been taken back
		t 8 "$kind: $change" dump f --json
		j "[.superblocks[] | select(.copy == \"$copy\") | .valid, .fault.field, .fault.code]" \
			"[false,\"$what\",\"$code\"]" "$kind: $change"
		t 8 "$kind: $change" dump f
		says out "copy $copy, .*${what//[\[\]]/.}" "$kind: $change"
		# In the older one a bad field does no harm, unless it is a newer version's
		case $change in
		version=* | feature_incompat=* | generation=*) continue ;;
		esac
		cp --sparse=always base f
		"$CRAFT" set f $other "$change"
		t 0 "$kind: $change, older copy" dump f
		says out "copy $copy, .*: valid and counts" "$kind: $change, older copy"
	done <faults
done
formatted f
"$CRAFT" set f A feature_compat=5
t 0 "compatible feature" dump f --json
j .superblocks[0].valid true "compatible feature"

# Hostile bytes
formatted base --window 16M
"$CRAFT" image base 10:100:0 500:20:0 50:7:0 1000:3:1
crashes=0
for ((i = 0; i < ROUNDS; i++)); do
	cp --sparse=always base f
	"$CRAFT" scramble f $i
	"$DMHIB" dump f --super --image --extents --json >out 2>err
	rc=$?
	case $rc in
	0 | 7 | 8) ;;
	*) crashes=$((crashes + 1)); bad "scramble $i: exit $rc" ;;
	esac
	jq -e . out >/dev/null 2>&1 || { crashes=$((crashes + 1)); bad "scramble $i: JSON"; }
	"$DMHIB" dump f --super --image --extents >out 2>err
	rc=$?
	case $rc in
	0 | 7 | 8) ;;
	*) crashes=$((crashes + 1)); bad "scramble $i: exit $rc" ;;
	esac
done
[ $crashes = 0 ] && pass
