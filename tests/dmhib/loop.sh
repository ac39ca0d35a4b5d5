# SPDX-License-Identifier: GPL-2.0-only
#
# dmhib on block devices, sourced by run: those in use, and the question.
# shellcheck shell=bash disable=SC2154

blank f 256M
if [ "$(id -u)" = 0 ] && loop f; then
	t 0 "loop: format" format "$LOOP" --region-size 64M --ram 64M
	t 0 "loop: dump" dump "$LOOP"
	t 0 "loop: the file below" dump f
	t 6 "loop: again" format "$LOOP" --region-size 64M --ram 64M
	"$DMHIB" open "$LOOP" dmhib-test-name >out 2>err
	case $? in
	9) pass ;;	# no device-mapper, or no target
	*) bad "loop: open without a target" ;;
	esac
	dd if=/dev/urandom of="$LOOP" bs=4K count=1 conv=fsync status=none
	dd if=/dev/urandom of="$LOOP" bs=4K seek=256 count=1 conv=fsync status=none
	t 7 "loop: open of foreign data" open "$LOOP" dmhib-test-name
	t 0 "loop: format over it" format "$LOOP" --region-size 64M --ram 64M
	"$CRAFT" set "$LOOP" A version=9
	t 8 "loop: open of an unknown version" open "$LOOP" dmhib-test-name
	says err 'unknown version 9' "loop: open of an unknown version"
	t 1 "loop: open with a window that is not there" open nowhere dmhib-test-name --window=1
	t 0 "loop: format over it" format "$LOOP" --region-size 64M --ram 64M --force
	t 1 "loop: open with a window that is not there" open "$LOOP" dmhib-test-name --window

	mkfs.ext4 -qF "$LOOP"
	mkdir mnt
	if mount "$LOOP" mnt 2>/dev/null; then
		mounted+=("$work/mnt")
		t 5 "loop: mounted" format "$LOOP" --region-size 64M --ram 64M --force
		says err "mounted on $work/mnt" "loop: mounted"
		umount mnt
	else
		echo "skip mounted: mount does not work here"
	fi
	mkswap "$LOOP" >/dev/null 2>&1
	if swapon "$LOOP" 2>/dev/null; then
		t 5 "loop: swap" format "$LOOP" --region-size 64M --ram 64M --force
		says err "swapoff $LOOP" "loop: swap"
		swapoff "$LOOP"
	else
		echo "skip swap: swapon does not work here"
	fi
	wipefs -qa "$LOOP"
	dos "$LOOP"
	t 6 "loop: partition table" format "$LOOP" --region-size 64M --ram 64M
	says err 'carries dos \(partition table\)' "loop: partition table"
	t 0 "loop: partition table, forced" format "$LOOP" --region-size 64M --ram 64M --force
	same "$(wipefs --noheadings -i "$LOOP")" "" "loop: signatures left"

	blank ro 256M
	if loop -r ro; then
		t 4 "loop: read-only" format "$LOOP" --region-size 64M --ram 64M
		says err 'read-only' "loop: read-only"
	fi
	blank 4k 256M
	if loop -b 4096 4k; then
		t 0 "loop: 4096 byte blocks" format "$LOOP" --region-size 64M --ram 64M
		t 0 "loop: 4096 byte blocks" dump "$LOOP" --json
		j .verdict '"ok"' "loop: 4096 byte blocks"
	fi
else
	echo "skip loop devices: there are none here"
fi

# The question is asked on a terminal only, and -q answers it
if command -v script >/dev/null; then
	blank f 256M
	was=$(sum f)
	for answer in yes no y ""; do
		answered "$answer" 6 "answer \"$answer\"" format f --region-size 64M --ram 64M
		same "$(sum f)" "$was" "answer \"$answer\": wrote something"
	done
	answered YES 0 "answer YES" format f --region-size 64M --ram 64M
	says out "capital letters" "the question"
	on_terminal 0 "batch mode" -q format f --region-size 64M --ram 64M --force </dev/null
fi
