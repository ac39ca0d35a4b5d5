# SPDX-License-Identifier: GPL-2.0-only
#
# dmhib resize, sourced by run.
# shellcheck shell=bash disable=SC2154

# geometry FILE: region, data and window, in sectors
geometry() {
	"$DMHIB" dump "$1" --json 2>/dev/null |
		jq -c '.geometry | [.region_sectors, .data_start, .data_sectors, .window_sectors, .map_sectors]'
}

formatted f --uuid "$U"
swapped f
same "$(swap_at f)" "hib $SWAP_UUID 49151" "the swap area to begin with"

t 0 "grow" resize f --region-size 96M
says out '^f: resized' "grow"
says out 'keeps its UUID' "grow"
says out 'table "0 327680 hibswap f 196608 0 196608"' "grow: table"
same "$(geometry f)" "[196608,196608,327680,0,288]" "grow"
same "$(swap_at f)" "hib $SWAP_UUID 40959" "grow: swap area"
t 0 "grown" dump f --json
j '[.superblocks[] | [.valid, .fields.generation]]' '[[true,4],[true,3]]' "grow: both copies"
j .superblocks[0].fields.uuid "\"$U\"" "grow: UUID"

t 0 "shrink" resize f --region-size 32M --json
silent err "resize --json"
j '[.device, .uuid, .swap_header, .table]' \
	"[\"f\",\"$U\",true,\"0 458752 hibswap f 65536 0 65536\"]" "resize --json"
j '[.geometry.region_sectors, .old_geometry.region_sectors]' '[65536,196608]' "resize --json"
same "$(geometry f)" "[65536,65536,458752,0,288]" "shrink"
same "$(swap_at f)" "hib $SWAP_UUID 57343" "shrink: swap area"

# What an image left where the data begin now must not be taken for anything
formatted f
swapped f
truncate -s 160M g
mkfs.ext4 -qF g && dd if=g of=f bs=1M seek=32 count=16 conv=notrunc status=none
rm -f g
t 0 "shrink over a file system" resize f --region-size 32M
says err 'old signature' "shrink over a file system"
same "$(blkid -p -O 33554432 -o value -s TYPE f)" swap "shrink over a file system: swap is there"
same "$(dd if=f bs=4K skip=8193 count=15 status=none | tr -d '\0' | wc -c)" 0 "64 KiB are clear"

t 0 "same size" resize f
same "$(geometry f)" "[65536,65536,458752,0,288]" "same size"
t 0 "window" resize f --window 16M
same "$(geometry f)" "[65536,65536,458752,32768,288]" "window"
same "$(swap_at f)" "hib $SWAP_UUID 57343" "window: swap area"
t 0 "window stays" resize f --region-size 64M
same "$(geometry f)" "[131072,131072,393216,32768,288]" "window stays"
t 1 "window does not fit" resize f --region-size 16M
says err 'larger than the log' "window does not fit"
t 0 "no window" resize f --region-size 16M --window 0
same "$(geometry f)" "[32768,32768,491520,0,288]" "no window"
t 1 "window, wrong" resize f --window x
t 0 "memory" resize f --ram 512M
same "$(geometry f)" "[32768,32768,491520,0,2304]" "memory: larger maps"
t 0 "map extents" resize f --map-extents 9216
same "$(geometry f)" "[32768,32768,491520,0,288]" "map extents: smaller maps"
t 1 "memory and map extents" resize f --map-extents 9216 --ram 1G

# The device has grown, or shrunk: a disk was replaced
truncate -s 320M f
t 0 "larger device" resize f
same "$(geometry f)" "[32768,32768,491520,0,288]" "larger device: the data keep their end"
t 0 "larger device, filled" resize f --fill
same "$(geometry f)" "[32768,32768,622592,0,288]" "larger device, filled"
same "$(swap_at f)" "hib $SWAP_UUID 77823" "larger device: swap area"
truncate -s 200M f
t 8 "smaller device" dump f
t 0 "smaller device" resize f
same "$(geometry f)" "[32768,32768,376832,0,288]" "smaller device"
same "$(swap_at f)" "hib $SWAP_UUID 47103" "smaller device: swap area"
t 0 "smaller device" dump f
truncate -s 10M f
was=$(sum f)
t 8 "much smaller device" resize f
same "$(sum f)" "$was" "much smaller device: wrote something"

# Refusals write nothing
formatted f --window 16M
swapped f
was=$(sum f)
t 4 "no room for data" resize f --region-size 256M
t 4 "no room for data" resize f --region-size 1T
t 1 "too small" resize f --region-size 2M
says err 'too small' "too small"
t 1 "too small for the maps" resize f --region-size 64M --ram 16G
t 1 "size" resize f --region-size 0
t 4 "no device" resize nowhere --region-size 1M
t 7 "no superblock there" resize f --region-size 32M --region-start 64M
same "$(sum f)" "$was" "refusals wrote something"
blank g 256M
t 7 "nothing there" resize g --region-size 32M
"$CRAFT" set f A version=7
t 8 "unknown version" resize f --region-size 32M
rm -f g

# Without swap there is none afterwards
formatted f
t 0 "no swap area" resize f --region-size 32M
says out 'run mkswap' "no swap area"
same "$(blkid -p -O 33554432 -o value -s TYPE f)" "" "no swap area"
# A list of bad pages has other numbers afterwards
swapped f
printf '\002' | dd of=f bs=1 seek=$((33554432 + 1032)) conv=notrunc status=none
t 0 "bad pages" resize f --region-size 64M
says err 'list of 2 bad pages' "bad pages"

# An image is not lost unasked
formatted f
swapped f
"$CRAFT" image f 10:100:0
was=$(sum f)
t 6 "over an image" resize f --region-size 32M
says err 'holds a hibernation image' "over an image"
same "$(sum f)" "$was" "over an image: wrote something"
t 0 "over an image, forced" resize f --region-size 32M --force
t 0 "it is gone" dump f --json
j '[.image.state, .superblocks[].fields.state]' '["empty",1,1]' "it is gone"
if command -v script >/dev/null; then
	formatted f
	"$CRAFT" image f 10:100:0
	was=$(sum f)
	answered no 6 "over an image, answer no" resize f --region-size 32M --force
	says out "drop the hibernation image" "over an image, the question"
	same "$(sum f)" "$was" "over an image, answer no: wrote something"
	answered YES 0 "over an image, answer YES" resize f --region-size 32M --force
fi

# A signature without an image is taken off with the move
formatted f
swapped f
printf 'SWAPSPACE2S1SUSPEND\0' | dd of=f bs=1 seek=$((67108864 + 4076)) conv=notrunc status=none
t 0 "signed header page" resize f --region-size 32M
same "$(swap_at f)" "hib $SWAP_UUID 57343" "signed header page: it is swap again"

# One copy alone is enough, and there are two afterwards
formatted f
dd if=/dev/urandom of=f bs=512 seek=3 count=5 conv=notrunc status=none
t 0 "torn copy" resize f --region-size 32M
t 0 "torn copy" dump f --json
j '[.superblocks[].valid]' '[true,true]' "torn copy"
# A region that does not begin at the device's start
formatted f
"$DMHIB" resize f --region-size 32M >/dev/null
same "$(geometry f | jq -c '.[0:2]')" "[65536,65536]" "back"

if [ "$(id -u)" = 0 ]; then
	formatted f
	swapped f
	if loop f; then
		t 0 "loop: resize" resize "$LOOP" --region-size 32M
		if loop --offset 33554432 --sizelimit 234881024 f && swapon "$LOOP" 2>/dev/null; then
			pass
			swapoff "$LOOP"
		else
			echo "skip swapon after resize: it does not work here"
		fi
	fi
fi
