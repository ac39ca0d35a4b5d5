# SPDX-License-Identifier: GPL-2.0-only
#
# Power cuts in dmhib resize and wipe, sourced by run: after each write of it,
# with all, none and some of what was not flushed on the disk. What has to be
# there afterwards is one of the two layouts, whole, and an image that is either
# untouched or gone.
# shellcheck shell=bash disable=SC2154

CUT=$BUILD/tests/dmhib/cut.so
SEEDS=${SEEDS:-0 1 2 3}

# small: 24 MiB, region of 6, with swap; "base" is kept
small() {
	blank base 24M
	"$DMHIB" format base --region-size 6M --map-extents 512 >out 2>err || bad "format"
	swapped base
}

# contents_ok WHAT: an image that can be resumed must be the one it was
contents_ok() {
	local at

	"$DMHIB" dump f --json >out 2>err
	if [ "$(jq .image.resumable out)" != true ]; then
		pass
		return
	fi
	at=$(jq .geometry.log_start out)
	same "$(dd if=f bs=512 skip="$at" count=4096 status=none | sum_of)" "$image_sum" "$1: a resumable image has changed"
	same "$(jq -c '[.geometry.data_start, .image.header.crc_matches]' out)" '[12288,true]' "$1: a resumable image in another layout"
}

sum_of() { sha256sum; }

# after WHAT: the state is one that the verb may leave; resize only
after() {
	t 0 "$1: a superblock" dump f
	case $(swap_at f) in
	"hib $SWAP_UUID $old" | "hib $SWAP_UUID $new") pass ;;
	*) bad "$1: the swap area is $(swap_at f)" ;;
	esac
}

# cuts WHAT CHECK COMMAND...: at each write, with each seed
cuts() {
	local what=$1 check=$2 n i s

	shift 2
	cp --sparse=always base f
	CUT_COUNT=count LD_PRELOAD=$CUT "$DMHIB" "$@" >out 2>err || bad "$what: without a cut"
	n=$(cat count)
	if [ "$n" -gt 2 ]; then pass; else bad "$what: only $n writes"; fi
	for ((i = 1; i <= n; i++)); do
		for s in $SEEDS; do
			cp --sparse=always base f
			CUT_AT=$i CUT_SEED=$s LD_PRELOAD=$CUT "$DMHIB" "$@" >out 2>err
			same $? 77 "$what: write $i was cut"
			$check "$what, write $i of $n, seed $s"
			# And once more, without a cut
			"$DMHIB" "$@" >out 2>err
			again=$?
			case $what:$again in
			*:0 | "wipe all"*:7) pass ;;
			*) bad "$what, write $i of $n, seed $s: exit $again the second time" ;;
			esac
		done
	done
	rm -f count
}

signed() {
	printf 'SWAPSPACE2S1SUSPEND\0' | dd of=base bs=1 seek=$((6 * 1048576 + 4076)) conv=notrunc status=none
	dd if=/dev/urandom of=base bs=1M seek=2 count=2 conv=notrunc status=none
	"$CRAFT" sign base 10:512:0
	image_sum=$(dd if=base bs=512 skip=4096 count=4096 status=none | sum_of)
}

case $DMHIB in
*asan*) echo "skip power cuts: not under the sanitizer" ;;
*)
	small
	old=4607
	new=3583
	cuts "grow" after resize f --region-size 10M
	new=5119
	cuts "shrink" after resize f --region-size 4M
	# The superblocks' pair is an old committed one and the one that took it back
	signed
	"$DMHIB" dump base >out 2>err || bad "the image to begin with"
	new=3583
	cuts "grow over an image" contents_ok resize f --region-size 10M --force
	cuts "wipe image" contents_ok wipe f image
	cuts "wipe image, discard" contents_ok wipe f image --discard
	cuts "wipe all" contents_ok wipe f all
	rm -f base
	;;
esac
