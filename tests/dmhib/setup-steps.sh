# SPDX-License-Identifier: GPL-2.0-only
#
# The steps of dmhib setup, sourced by setup.sh: devices of all kinds, and what
# is left when a step fails.
# shellcheck shell=bash disable=SC2154

# ---- what is on the device
system
blank part 256M
refused_device() {
	local was now

	was=$(sum part)
	now=$(tree)
	set_up "$1" "$2" "${@:4}"
	says err "$3" "$2"
	same "$(sum part)" "$was" "$2: wrote to the device"
	same "$(tree)" "$now" "$2: changed something"
}
set_up 0 "empty device"
says out "part: 256 MiB, empty" "empty device"
if grep -q -- ' --force' out; then bad "empty device: forced"; else pass; fi
if grep -q 'new UUID' out; then bad "empty device: a new UUID"; else pass; fi
t 0 "empty device, undo" setup --undo --root "$R"
system
mkfs.ext4 -q -F part >out 2>&1
refused_device 6 "a file system" 'is neither swap nor empty'
says err 'carries ext4' "a file system"
set_up 0 "a file system, forced" --force
says out 'SOMETHING ELSE, which will be lost' "a file system, forced"
system
part
printf 'S1SUSPEND\0' | dd of=part bs=1 seek=4086 conv=notrunc status=none
refused_device 6 "a hibernated swap area" 'holds a hibernation image that was not resumed'
set_up 0 "a hibernated swap area, forced" --force
system
formatted part
printf x | dd of=part bs=1 seek=100 conv=notrunc status=none
printf x | dd of=part bs=1 seek=1048676 conv=notrunc status=none
refused_device 8 "a damaged region" 'no superblock of .* can be used'
# A region that is there stays
formatted part --uuid $SU
set_up 0 "a region"
if grep -q 'dmhib -q format' out; then bad "a region: formatted"; else pass; fi
says out '^  mkswap' "a region without swap"
says out "UUID=$SU" "a region"
system
formatted part
refused_device 1 "a region of another size" 'has a region of 64 MiB already: "dmhib resize' --region-size 32M
refused_device 1 "a region without window" 'has no window already' --window 8M
truncate -s 200M part
refused_device 8 "a smaller disk" 'does not belong to'
# One with swap: nothing but files
formatted part
swapped part
set_up 0 "all is there"
if grep -qE '^  (dmhib|mkswap)' out; then bad "all is there: commands"; else pass; fi
set_up 0 "all is there, again"
says out 'is set up already: there is nothing to do' "all is there, again"
system

# ---- how large
part
for ram in 64 128 256; do
	system
	t 0 "size for $ram MiB" setup part --root "$R" --ram ${ram}M
	size=$(sed -n 's/.*--region-size \([0-9]*\)M .*/\1/p' out)
	"$DMHIB" size --ram ${ram}M --json >answer
	if [ $ram = 256 ]; then
		want=$(jq .region.target_bytes answer)
		says out '^Note: the region has .* but not for every image' "size for $ram MiB"
	else
		want=$(jq .region.recommended_bytes answer)
	fi
	same "$((size << 20))" "$want" "size for $ram MiB"
done
system
refused_size() {
	t "$1" "$2" setup part --root "$R" "${@:4}"
	says err "$3" "$2"
	if [ -e "$R/var" ]; then bad "$2: left something"; else pass; fi
}
refused_size 4 "too small" 'is too small: it has 256 MiB, for 1 GiB of memory' --ram 1G
says err 'the largest image: .* of region \+ as much swap as the image is large, .* = ' "too small: the arithmetic"
says err 'an image of image_size: .* = ' "too small: the arithmetic"
refused_size 4 "no room for swap" 'leaves no room for swap' --region-size 256M
refused_size 4 "no room for swap" 'leaves no room for swap' --region-size 1T
t 0 "with a window it fits" setup part --root "$R" --ram 320M --window 16M
says out 'region 181 MiB|region 1[0-9][0-9] MiB' "with a window it fits"
rm -f answer
system

# ---- another device under that name
set_up 0 "one device"
cp --sparse=always part other
now=$(tree)
t 5 "another device" setup other --root "$R" --region-size 64M --ram 64M
says err 'hib was set up on .*/part: "dmhib setup --undo hib" first' "another device"
same "$(tree)" "$now" "another device: changed something"
t 0 "another device, another name" setup other hib2 --root "$R" --region-size 64M --ram 64M --dry-run
rm other
# What is kept is damaged
for text in '' '{' '[]' '{"device":5}' '{"device":"x","files":{}}' '{"device":"x","files":[{"path":"etc"}]}' \
	'{"device":"x","files":[{"path":"/etc/x","was":true,"made":true}]}'; do
	echo "$text" >"$R/var/lib/dmhib/setup-hib/manifest.json"
	rm -f "$R"/var/lib/dmhib/setup-hib/0.*
	t 4 "manifest $text" setup --undo --root "$R"
	says err 'manifest in /var/lib/dmhib/setup-hib' "manifest $text"
	set_up 4 "manifest $text"
done

# ---- step by step, with commands that do something and may fail
DMHIB_COMMANDS=$work/act
export DMHIB_COMMANDS
begin() {
	system
	part
	rm -f log
	export FAIL_AT=0 DO_AT_FORMAT=
}
begin
before=$(tree)
set_up 0 "steps"
cp log want
same "$(cut -d' ' -f 1-3 log | tr '\n' ';')" "dmhib -q format;dmhib -q open;mkswap -L old;chroot $R update-initramfs;chroot $R update-grub;" "steps"
U=$(sed -n 's/^hib	UUID=\([0-9a-f-]*\)	.*/\1/p' "$R/etc/hibswaptab")
same "$("$DMHIB" probe part --json | jq -r .uuid)" "$U" "steps: the region's UUID"
after=$(tree | sed "s/$U/U/")
rm -f log
t 0 "steps, undo" setup --undo --root "$R"
same "$(cut -d' ' -f 1-3 log | tr '\n' ';')" "dmhib -q wipe;mkswap -U $SU;chroot $R update-initramfs;chroot $R update-grub;" "steps, undo"
same "$(tree)" "$before" "steps, undo"
t 7 "steps, undo: no region" probe part
same "$(blkid -p -o value -s UUID -s LABEL part | tr '\n' ' ')" "old $SU " "steps, undo: swap as it was"

nr=$(wc -l <want)
names() { (cd "$R" && find etc -type f | sort); }
for ((at = 1; at <= nr; at++)); do
	begin
	FAIL_AT=$at
	set_up 4 "step $at fails"
	says err "^dmhib: \"$(sed -n "${at}s/^\([a-z]*\) .*/\1/p" want) .*\" failed" "step $at fails"
	says err 'give the same' "step $at fails"
	says err 'setup --undo hib' "step $at fails"
	# Going on comes to the same end
	FAIL_AT=0
	rm -f log
	cp -a "$R" half
	cp part half.part
	set_up 0 "step $at: going on"
	U2=$(sed -n 's/^hib	UUID=\([0-9a-f-]*\)	.*/\1/p' "$R/etc/hibswaptab")
	same "$("$DMHIB" probe part --json | jq -r .uuid)" "$U2" "step $at: going on, the UUID"
	has /etc/fstab "/dev/mapper/hib	none	swap	sw,pri=7	0	0	# the swap" "step $at: going on"
	says log 'update-initramfs' "step $at: going on"
	# And so does going back, from there and from here
	t 0 "step $at: undo at the end" setup --undo --root "$R"
	same "$(tree)" "$before" "step $at: undo at the end"
	same "$(blkid -p -o value -s UUID part)" $SU "step $at: undo at the end"
	rm -rf "$R"
	mv half "$R"
	mv half.part part
	rm -f log
	t 0 "step $at: undo" setup --undo --root "$R"
	same "$(tree)" "$before" "step $at: undo"
	same "$(blkid -p -o value -s UUID part)" $SU "step $at: undo"
done
# A file that cannot be written, in the middle
begin
DO_AT_FORMAT="mv '$R/etc/default' '$R/etc/default.x'; : >'$R/etc/default'"
set_up 4 "a file cannot be written"
says err '^dmhib: cannot (read|write) /etc/default/grub' "a file cannot be written"
says err 'setup --undo hib' "a file cannot be written"
if grep -q update-grub log; then bad "a file cannot be written: it went on"; else pass; fi
rm "$R/etc/default"
mv "$R/etc/default.x" "$R/etc/default"
export DO_AT_FORMAT=
set_up 0 "a file cannot be written: going on"
same "$(tree | grep -c .)" "$(printf '%s\n' "$after" | grep -c .)" "a file cannot be written: going on"
# Undoing may fail, too
for at in 1 2 3; do
	begin
	set_up 0 "undo fails at $at"
	rm -f log
	FAIL_AT=$at
	t 4 "undo fails at $at" setup --undo --root "$R"
	says err 'give the same command again' "undo fails at $at"
	FAIL_AT=0
	t 0 "undo fails at $at: again" setup --undo --root "$R"
	same "$(tree)" "$before" "undo fails at $at: again"
	same "$(blkid -p -o value -s UUID part)" $SU "undo fails at $at: again"
done

# ---- the question
if command -v script >/dev/null; then
	begin
	was=$(sum part)
	for answer in yes no ""; do
		answered "$answer" 6 "setup, answer \"$answer\"" setup part --root "$R" --region-size 64M --ram 64M
		says out 'capital letters' "setup, answer \"$answer\""
		says out '/etc/hibswaptab' "setup, the diff comes first"
		same "$(tree) $(sum part)" "$before $was" "setup, answer \"$answer\": changed something"
	done
	on_terminal 0 "setup --yes" setup part --root "$R" --region-size 64M --ram 64M --yes </dev/null
	answered no 6 "undo, answer no" setup --undo --root "$R"
	on_terminal 0 "undo -q" -q setup --undo --root "$R" </dev/null
fi
unset DMHIB_COMMANDS FAIL_AT DO_AT_FORMAT
rm -rf half half.part want
