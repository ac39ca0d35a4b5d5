# SPDX-License-Identifier: GPL-2.0-only
#
# dmhib size, sourced by run.
# shellcheck shell=bash disable=SC2154,SC2017

# shellcheck source=tests/dmhib/machine.sh
. "$here/machine.sh"

MIB=1048576
MKKCORE=$BUILD/tests/dmhib/mkkcore

# lists BYTES: of page frames and of slots
lists() { echo $((($1 / 4096 * 16 + 4095) / 4096 * 4096 + 3 * 4096)); }
# worst BYTES: 32 pages become 35
worst() { echo $((($1 / 4096 + 31) / 32 * 3 * 4096)); }
# near GOT LEAST MOST WHAT
near() {
	if [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; then pass; else bad "$4: $1 is not within $2 and $3"; fi
}

# ---- another machine
for gib in 1 4 16 64 1024; do
	ram=$((gib << 30))
	t 0 "size --ram ${gib}G" size --ram ${gib}G --json
	silent err "size --ram ${gib}G"
	half=$((ram / 2))
	image=$((half + $(lists $half) + $(worst $half)))
	maps=$((2 * ((ram / 4096 * 9 / 16 * 16 + 4095) / 4096 * 4096)))
	j '[.ram_bytes, .this_machine, .now, .device]' "[$ram,false,null,null]" "size --ram ${gib}G"
	j .largest.image_bytes $image "size --ram ${gib}G"
	j .region.maps_bytes $maps "size --ram ${gib}G"
	j .region.recommended_bytes $(((2 * MIB + image + maps + MIB - 1) / MIB * MIB)) "size --ram ${gib}G"
	# The rule of thumb of the documentation holds it
	j ".region.recommended_bytes <= $ram / 16 * 9" true "size --ram ${gib}G: 9/16 of memory"
	j '.target.image_bytes < .largest.image_bytes' true "size --ram ${gib}G"
done
# What is recommended can be formatted, and holds what it says
t 0 "size --ram 256M" size --ram 256M --json
size=$(jq .region.recommended_bytes out) image=$(jq .largest.image_bytes out)
blank f 512M
t 0 "format as recommended" format f --region-size "$size" --ram 256M --json
j ".geometry.log_sectors * 512 >= $image and .geometry.log_sectors * 512 < $image + 2 * $MIB" true "format as recommended"
t 0 "size of it" size f --ram 256M --json
j '.device | [.holds_largest, .holds_target, .holds_now, .past_images]' '[true,true,null,0]' "size of it"
t 0 "size in words" size --ram 16G
says out '^Recommended: --region-size 9067M' "size in words"
says out 'free swap as the image is large' "size in words"
t 1 "no memory" size --ram 0
t 1 "bad memory" size --ram x
t 1 "too much memory" size --ram 2E
t 4 "no such device" size nowhere
blank f 16M
t 7 "no superblock" size f --ram 1G

# ---- this machine, made up: 128 MiB, 70 in use, image_size 52
machine
put sys/power/image_size $((80 * MIB))
t 0 "all fits" size --json
j '[.this_machine, .now.reason, .now.memory_bytes, .now.in_use_bytes, .now.sampled_bytes]' \
	"[true,\"half\",$((64 * MIB)),$((70 * MIB)),null]" "more than half"
put sys/power/image_size $((52 * MIB))
t 0 "shrunk" size --json
j '[.now.reason, .now.memory_bytes]' "[\"shrunk\",$((52 * MIB))]" "shrunk"
raw=$((52 * MIB + $(lists $((52 * MIB))) + $(worst $((52 * MIB)))))
j '[.now.image_bytes >= '$raw', .now.packing_saves, .now.image_bytes == .now.memory_bytes + .now.lists_bytes + .now.packing_bytes + .now.margin_bytes]' '[true,false,true]' "shrunk"
j '.now.image_bytes <= .largest.image_bytes' true "shrunk: not more than there can be"
memory 128 90 20 10
t 0 "fits" size --json
j '[.now.reason, .now.memory_bytes]' "[\"fits\",$((38 * MIB))]" "fits"
KEPT=512 memory 128 90 20 10
t 0 "free pages that a CPU keeps" size --json
j .now.in_use_bytes $((36 * MIB)) "free pages that a CPU keeps"
SWAP_FREE=0 memory 128 58 10 50
put sys/power/image_size $((20 * MIB))
t 0 "pinned" size --json
j '[.now.reason, .now.memory_bytes]' "[\"pinned\",$((60 * MIB))]" "pinned"
SWAP_FREE=0 memory 128 28 10 50
t 0 "half" size --json
j '[.now.reason, .now.memory_bytes]' "[\"half\",$((64 * MIB))]" "half"
put proc/cmdline "hibernate=nocompress"
t 0 "not compressed" size --json
j '[.compressed, .now.packing_bytes, .largest.packing_bytes]' '[false,0,0]' "not compressed"
rm "$DMHIB_ROOT/sys/power/image_size"
t 0 "no image_size" size --json
j .image_size_bytes $((128 * MIB / 5 * 2)) "no image_size: the kernel's default"
rm "$DMHIB_ROOT/proc/meminfo"
t 4 "no meminfo" size
says err 'use --ram' "no meminfo"
t 0 "no meminfo, another machine" size --ram 1G

# ---- what compresses
machine
memory 128 90 20 10
left=()
for kind in zero random text half; do
	"$MKKCORE" "$DMHIB_ROOT" 4096 1000 $kind
	t 0 "memory of $kind" size --json
	left+=("$(jq .now.compressed_permille out)")
	j '[.now.sampled_bytes, .now.image_bytes == .now.memory_bytes + .now.lists_bytes + .now.margin_bytes + (if .now.packing_saves then -1 else 1 end) * .now.packing_bytes]' \
		"[$((3096 * 4096)),true]" "memory of $kind"
done
# What is random grows by a page in 32
same "${left[0]}" 0 "zeros"
near "${left[1]}" 1031 1063 "random"
near "${left[2]}" 300 500 "text"
near "${left[3]}" $(((left[1] + left[2]) / 2 - 30)) $(((left[1] + left[2]) / 2 + 30)) "half and half"
"$MKKCORE" "$DMHIB_ROOT" 4096 1000 zero
t 0 "zeros" size --json
j '[.now.zero_permille, .now.packing_bytes == .now.memory_bytes]' '[1000,true]' "zeros take no space on 6.12"
put proc/sys/kernel/osrelease 6.1.0-made-up
t 0 "zeros on 6.1" size --json
j '(.now.memory_bytes - .now.packing_bytes) * 32 / .now.memory_bytes | round' 1 "zeros on 6.1: a page in 32"
put proc/sys/kernel/osrelease $REL
# More than half is random page cache, which goes if memory is short
"$MKKCORE" "$DMHIB_ROOT" 4096 1000 random
t 0 "random" size --json
all=$(jq .now.compressed_permille out)
"$MKKCORE" "$DMHIB_ROOT" 4096 1000 text 2000
t 0 "random cache" size --json
some=$(jq .now.compressed_permille out)
near "$some" 600 "$((all - 30))" "random cache counts where it stays"
# Where memory is freed, it is as if zeros went first: 8 of 16 MiB are, 10 stay
put sys/power/image_size $((10 * MIB))
memory 32 16 4 12
"$MKKCORE" "$DMHIB_ROOT" 4096 0 zero 2048
t 0 "zeros go first" size --json
j '[.now.reason, .now.zero_permille, .now.memory_bytes]' "[\"shrunk\",500,$((10 * MIB))]" "zeros go first"
near "$(jq .now.image_bytes out)" $((8 * MIB)) $((10 * MIB)) "zeros go first"
# Of blank pages those are left out that a CPU keeps
KEPT=1024 memory 32 16 4 12
"$MKKCORE" "$DMHIB_ROOT" 4096 0 zero
t 0 "kept pages" size --json
j '[.now.in_use_bytes, .now.memory_bytes]' "[$((12 * MIB)),$((6 * MIB))]" "kept pages"
printf 'not ELF' >"$DMHIB_ROOT/proc/kcore"
t 0 "no kcore" size --json
j '[.now.sampled_bytes, .now.packing_saves]' '[null,false]' "no kcore"
t 0 "no kcore, in words" size
says out 'memory could not be looked at' "no kcore, in words"
DMHIB_ROOT=

# LZO itself agrees, where it is installed
if command -v lzop >/dev/null; then
	machine
	"$MKKCORE" "$DMHIB_ROOT" 2048 0 text
	t 0 "text" size --json
	guess=$(jq .now.compressed_permille out)
	tail -c +4097 "$DMHIB_ROOT/proc/kcore" | head -c $((2048 * 4096)) >text
	real=$(($(lzop -c -1 text | wc -c) * 1000 / (2048 * 4096)))
	near "$guess" "$real" $((real * 12 / 10 + 20)) "as lzop has it"
	rm -f text
	DMHIB_ROOT=
fi

# ---- past images
formatted f
"$CRAFT" image f 10:5000:0
t 0 "past image" size f --ram 256M --json
j '.device | [.past_images, .largest_past_bytes, .holds_largest, .holds_target]' '[1,20480000,false,false]' "past image"
maps=$(jq .region.maps_bytes out)
j .region.past_bytes $(((2 * MIB + 20480000 / 100 * 125 + maps + MIB - 1) / MIB * MIB)) "past image"
t 0 "past image, in words" size f --ram 256M
says out 'largest past image +19.5 MiB' "past image, in words"
says out 'too small for an image of image_size' "past image, in words"
unset DMHIB_ROOT
