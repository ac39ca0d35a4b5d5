# SPDX-License-Identifier: GPL-2.0-only
#
# dmhib verify, sourced by run.
# shellcheck shell=bash disable=SC2154,SC2046

MKIMAGE=$BUILD/tests/dmhib/mkimage

# hibernated PAGES HOW [FAULT]: an image like the kernel's
hibernated() {
	cp --sparse=always empty f
	"$CRAFT" sign f $("$MKIMAGE" f 393216 "$@")
}

formatted empty
swapped empty
cp --sparse=always empty f
t 10 "no image" verify f
says err 'no image' "no image"
says out '^ok +superblocks' "no image"
t 10 "no image, JSON" verify f --json
j '[.verdict, .image, (.checks | length)]' '["none",null,7]' "no image, JSON"

hibernated 2000 plain
t 0 "uncompressed" verify f
says out 'is good' "uncompressed"
says out '^ok +swap-map +4 pages lead to 2001 of the image, not compressed' "uncompressed"
t 0 "uncompressed" verify f --json
silent err "verify --json"
j .verdict '"good"' "uncompressed"
j '[.checks[] | [.check, .result]]' '[["superblocks","ok"],["geometry","ok"],["map","ok"],["header","ok"],["swap-map","ok"],["read","ok"],["checksums","skipped"]]' "checks"
j .image '{"bytes":8212480,"read_bytes":8212480,"kernel_image":true,"compressed":false,"swap_map_pages":4,"data_pages":2001,"image_pages":2001,"checked_bytes":0,"bad_bytes":0,"bad_blocks":[]}' "uncompressed"

# Exactly full map pages, and the smallest image
for pages in 1 510 511 512 1021 1022; do
	hibernated $pages plain
	t 0 "$pages pages" verify f
done
for pages in 1 32 33 3000; do
	hibernated $pages lzo
	t 0 "$pages pages, compressed" verify f --json
	j '[.verdict, .image.compressed, .image.image_pages]' "[\"good\",true,$((pages + 1))]" "$pages pages, compressed"
done

# wrong FAULT HOW PATTERN: damaged, and says so
wrong() {
	# For a loop the last map page has to be full
	hibernated $(if [ "$1" = loop ]; then echo 1021; else echo 2000; fi) "$2" "$1"
	t 8 "image with $1" verify f
	says out "^failed +swap-map +$3" "image with $1"
	says out '^ok +read' "image with $1: all of it was read"
	t 8 "image with $1" verify f --json
	j '[.verdict, .checks[4].result]' '["damaged","failed"]' "image with $1"
}
wrong loop plain 'swap map: page [0-9]+ is used twice'
wrong twice plain 'image: page [0-9]+ is used twice'
wrong end plain 'image: page 49152 lies behind the end'
wrong unmapped plain 'image: page [0-9]+ is not in the map'
wrong hole plain 'the swap map goes on behind its end'
wrong nostart plain 'the header page names no swap map'
wrong info plain 'the swap map has 2000 pages, the image 2032'
wrong info lzo '63 compressed pieces are not 2032 pages'
wrong noinfo plain 'the first page describes no image'
wrong short plain 'the swap map has 1999 pages, the image 2000'
wrong short lzo 'the last compressed piece is 1 pages short'
wrong length lzo 'compressed piece 2: a length of 0 bytes'
wrong long lzo 'compressed piece 2: a length of 1099511627776 bytes'

hibernated 2000 plain other
t 0 "another program's image" verify f --json
j '[.verdict, .checks[4].result, .image.kernel_image, .image.read_bytes]' '["good","skipped",false,8212480]' "another program's image"

# In place, and written twice
formatted f
"$CRAFT" image f 10:100:0 50:10:0 1000:30:1
t 8 "not an image at all" verify f
says out 'names no swap map' "not an image at all"
says out '^ok +read +520 KiB read' "in place, and written twice"

# Checksums: right, then wrong in one bit of the log and of what lies in place
hibernated 2000 plain
"$CRAFT" sums f
t 0 "with checksums" verify f
says out '^ok +checksums +right for 2005 blocks' "with checksums"
t 0 "with checksums" dump f
says out 'checksums: +2005 blocks' "dump of checksums"
cp --sparse=always f sums
printf '\377' | dd of=f bs=1 seek=$((2097152 + 1234 * 4096 + 77)) conv=notrunc status=none
t 8 "a wrong block" verify f
says out '^failed +checksums +1 of 2005 blocks are not what was written' "a wrong block"
says out 'block 1234 of the log, sector 13968$' "a wrong block"
t 8 "a wrong block" verify f --json
j '[.verdict, .checks[6].result, .image.bad_bytes, .image.bad_blocks[0].log_block, .image.bad_blocks[0].sector]' '["damaged","failed",4096,1234,13968]' "a wrong block"
cp --sparse=always sums f
for ((i = 0; i < 20; i++)); do
	printf '\377' | dd of=f bs=1 seek=$((2097152 + i * 4096 + 77)) conv=notrunc status=none
done
t 8 "twenty wrong blocks" verify f --json
j '[(.image.bad_blocks | length), .image.bad_bytes]' '[16,81920]' "twenty wrong blocks"
cp --sparse=always sums f
"$DMHIB" dump f --json >out 2>err
printf '\377' | dd of=f bs=1 seek=$((512 * 130784 + ($(jq .image.extents out) * 16 + 4095) / 4096 * 4096 + 9)) conv=notrunc status=none
t 8 "a wrong checksum" verify f --json
j '[.verdict, .checks[2].result, .checks[6].result]' '["damaged","failed","skipped"]' "a wrong checksum"
says out 'checksum of the checksums' "a wrong checksum"
formatted f
"$CRAFT" image f 10:100:0 50:10:0 1000:30:1
"$CRAFT" sums f
t 8 "in place, checksums" verify f
says out '^ok +checksums +right for 130 blocks' "in place, checksums"
printf x | dd of=f bs=1 seek=$((67108864 + 1007 * 4096)) conv=notrunc status=none
t 8 "in place, a wrong block" verify f --json
j '[.image.bad_blocks[0].block, .image.bad_blocks[0].log_block]' '[1007,null]' "in place, a wrong block"

hibernated 100 plain
printf x | dd of=f bs=1 seek=67108864 conv=notrunc status=none
t 10 "header page changed" verify f --json
j '[.verdict, .checks[3].result, .checks[4].result]' '["stale","failed","skipped"]' "header page changed"
hibernated 100 plain
printf x | dd of=f bs=1 seek=$((512 * 130784 + 8)) conv=notrunc status=none
t 8 "map changed" verify f --json
j '[.verdict, .checks[2].result, .checks[5].result]' '["damaged","failed","skipped"]' "map changed"
hibernated 100 plain
dd if=/dev/urandom of=f bs=512 seek=3 count=5 conv=notrunc status=none
t 0 "older copy torn" verify f --json
j '[.verdict, .checks[0].result]' '["good","warning"]' "older copy torn"
truncate -s 100M f
t 8 "does not belong" verify f
says out '^failed +geometry' "does not belong"
blank f 64M
t 7 "nothing there" verify f
t 4 "no device" verify nowhere

# Damage to any page of the swap map must end in a word, not in a crash
hibernated 600 plain
cp --sparse=always f base
for ((i = 0; i < ROUNDS / 3; i++)); do
	cp --sparse=always base f
	# 511 entries, then the map page: page 511 of the log, and the one after 90 more
	dd if=/dev/urandom of=f bs=8 count=1 seek=$(((2097152 + (i % 2 ? 511 : 602) * 4096) / 8 + i % 80)) conv=notrunc status=none
	"$DMHIB" verify f --json >out 2>err
	rc=$?
	if [ $rc = 8 ] && jq -e . out >/dev/null; then pass; else bad "damaged swap map $i: exit $rc"; fi
done
cp --sparse=always base f
for ((i = 0; i < ROUNDS / 3; i++)); do
	cp --sparse=always base f
	"$CRAFT" scramble f $i
	"$DMHIB" verify f --json >out 2>err
	rc=$?
	case $rc in
	0 | 7 | 8 | 10) ;;
	*) bad "verify, scramble $i: exit $rc" ;;
	esac
done
if command -v script >/dev/null; then
	hibernated 2000 plain
	on_terminal 0 "on a terminal" verify f </dev/null
	says out '\[#{30}\] 100.0 %, 7.8 MiB read' "progress bar"
fi
rm -f base empty
