# SPDX-License-Identifier: GPL-2.0-only
#
# What dmhib setup and its undoing must not do: overwrite what somebody else has
# written, or take another device for the one that was set up. Sourced by setup.sh.
# shellcheck shell=bash disable=SC2154,SC2094 # out is looked at while it is written

DMHIB_COMMANDS=$work/act
export DMHIB_COMMANDS FAIL_AT=0 DO_AT_FORMAT=
kept=$R/var/lib/dmhib/setup-hib

# ---- the device is not what it was
begin
set_up 0 "another blank disk"
blank part 256M
was=$(sum part)
rm -f log
t 0 "another blank disk, undo" setup --undo --root "$R"
if grep -q '^mkswap' log; then bad "another blank disk: mkswap"; else pass; fi
same "$(sum part)" "$was" "another blank disk: wrote to it"
begin
set_up 0 "another blank disk, forced"
blank part 256M
t 0 "another blank disk, forced" setup --undo --root "$R" --force
same "$(blkid -p -o value -s UUID part)" "$SU" "another blank disk, forced"
begin
FAIL_AT=1
set_up 4 "stopped before the region was made"
FAIL_AT=0
blank part 256M
t 0 "stopped before the region was made, undo" setup --undo --root "$R"
same "$(blkid -p -o value -s UUID part)" "$SU" "stopped before the region was made"

# here CODE WHAT WORD...: undo as it would be done on this machine, whose /var/lib is
# the test's. Only planned: a mistake must not change the machine
here() {
	local want=$1 what=$2 got

	shift 2
	# shellcheck disable=SC2016 # for the other shell
	unshare -m bash -c '
		mount -t tmpfs none /var/lib && cp -a "$1" /var/lib/dmhib || exit 77
		shift
		"$@" 2>err >out </dev/null' - "$R/var/lib/dmhib" "$DMHIB" setup --undo --dry-run "$@"
	got=$?
	same $got "$want" "$what"
}
# manifest FILTER: of a setup without files
manifest() { jq ".files = [] | $1" "$kept/manifest.json" >m && mv m "$kept/manifest.json"; }
# linked WORD...: with a /dev that has a link by UUID to part, and no more
linked() {
	# shellcheck disable=SC2016
	unshare -m bash -c '
		exec 3<>/dev/null
		mount -t tmpfs none /dev && mkdir -p /dev/disk/by-uuid && ln -s "$1" /dev/disk/by-uuid/X &&
			mknod /dev/null c 1 3 || exit 77
		shift
		"$@" >out 2>err <&3' - "$work/part" "$@"
}
if [ "$(id -u)" = 0 ] && unshare -m mount -t tmpfs none /mnt 2>/dev/null; then
	begin
	set_up 0 "by name"
	cp -a "$R/var" var.kept
	for filter in '.device = "/dev/nowhere"' ".device = \"$work/blank\"" ".device = \"$work/ext4\"" \
		'.partuuid = "abcdef01-01"' '.partuuid = "abcdef01-01" | .was_swap = false' \
		".was_swap = false | .device = \"$work/blank\""; do
		rm -rf "${R:?}/var"
		cp -a var.kept "$R/var"
		manifest "$filter | .region_uuid = \"99999999-8888-7777-6666-555555555555\""
		blank blank 64M
		blank ext4 64M
		mkfs.ext4 -qF ext4 >/dev/null 2>&1
		here 4 "undo, $filter"
		says err '^dmhib: ' "undo, $filter"
		if grep -q mkswap out; then bad "undo, $filter: mkswap"; else pass; fi
		here 0 "undo, forced, $filter" --force
	done
	# Without a PARTUUID's device nothing but files can be undone
	manifest '.partuuid = "abcdef01-01"'
	here 0 "undo, no such partition, forced" --force
	if grep -qE '^  (mkswap|swapon|dmhib)' out; then bad "undo, no such partition: commands"; else pass; fi
	manifest '.partuuid = "" | .device = "'"$work"'/part" | .complete = true | .region_uuid = "'"$(
		"$DMHIB" probe part --json | jq -r .uuid)"'"'
	here 0 "undo, the region is there"
	says out '^  dmhib -q wipe .*/part super' "undo, the region is there"
	rm -rf var.kept blank ext4

	# A link by what is on the device goes with that
	begin
	linked "$DMHIB" setup /dev/disk/by-uuid/X --root "$R" --region-size 64M --ram 64M
	same "$?" 0 "by a link"
	same "$(jq -r .device "$kept/manifest.json")" "$work/part" "by a link: not kept"
	says out "format $work/part " "by a link"

	# The package that is purged keeps what undoing needs, as long as there is something
	cat >purge <<'END'
mount -t tmpfs none /etc && mount -t tmpfs none /var/lib && mkdir -p /var/lib/dmhib/setup-hib || exit 77
echo '{}' >/var/lib/dmhib/setup-hib/manifest.json
sh "$1" purge 2>err || exit
[ -s /var/lib/dmhib/setup-hib/manifest.json ] || exit 3
rm /var/lib/dmhib/setup-hib/manifest.json
sh "$1" purge 2>>err || exit
[ ! -e /var/lib/dmhib ] || exit 4
END
	unshare -m bash purge "$here/../../packaging/debian/dmhib.postrm" >out
	same $? 0 "purge"
	says err '/var/lib/dmhib/setup-hib' "purge"
	rm purge
else
	echo "skip devices by other names: no mount namespaces"
fi

# ---- what somebody else has written
begin
set_up 0 "changed between"
echo "tmpfs /tmp tmpfs rw 0 0" >>"$R/etc/fstab"
sed -i 's,^/dev/mapper/hib	,/dev/sdz7	,' "$R/etc/fstab"
set_up 0 "changed between, again"
has /etc/fstab "tmpfs /tmp tmpfs rw 0 0" "changed between"
now=$(tree)
t 6 "changed between, undo" setup --undo --root "$R"
says err '^dmhib: /etc/fstab was changed by somebody else between two runs' "changed between, undo"
same "$(grep -c 'changed by somebody' err)" 1 "changed between, undo: no other"
same "$(tree)" "$now" "changed between, undo: changed something"
set_up 0 "changed between, a third time"
t 6 "changed between, undo, still" setup --undo --root "$R"
t 0 "changed between, undo, forced" setup --undo --root "$R" --force
same "$(tree)" "$before" "changed between, undo, forced"
# Put back between is not changed
begin
set_up 0 "put back between"
sed -i "s,^/dev/mapper/hib	,UUID=$SU	," "$R/etc/fstab"
sed -i '/^# swap lies/d' "$R/etc/fstab"
set_up 0 "put back between, again"
t 0 "put back between, undo" setup --undo --root "$R"
same "$(tree)" "$before" "put back between, undo"

begin
DO_AT_FORMAT="echo '# mine' >>'$R/etc/fstab'"
set_up 6 "changed meanwhile"
says err '^dmhib: /etc/fstab was changed by somebody else since' "changed meanwhile"
has /etc/fstab "# mine" "changed meanwhile"
has /etc/fstab "UUID=$SU	none	swap	sw,pri=7	0	0	# the swap" "changed meanwhile"
DO_AT_FORMAT=
set_up 0 "changed meanwhile, again"
has /etc/fstab "# mine" "changed meanwhile, again"
t 6 "changed meanwhile, undo" setup --undo --root "$R"
# At the question: nothing at all is done then
if command -v script >/dev/null; then
	begin
	was=$(sum part)
	{
		for ((i = 0; i < 300; i++)); do
			! grep -q 'capital letters' out || break
			sleep 0.1
		done
		echo "# mine" >>"$R/etc/fstab"
		echo YES
	} | script -qfec "'$DMHIB' setup part --root '$R' --region-size 64M --ram 64M" /dev/null >out 2>err
	same $? 6 "changed at the question"
	says out 'nothing was changed' "changed at the question"
	has /etc/fstab "# mine" "changed at the question"
	same "$(sum part)" "$was" "changed at the question: wrote to the device"
	if [ -e "$R/var" ]; then bad "changed at the question: left something"; else pass; fi
fi

# ---- one comment in fstab, however often
begin
set_up 0 "comments"
sed -i "s,^/dev/mapper/hib	,LABEL=old	," "$R/etc/fstab"
set_up 0 "comments, again"
same "$(grep -c '^# swap' "$R/etc/fstab")" 1 "comments"
has /etc/fstab "/dev/mapper/hib	none	swap	sw,pri=7	0	0	# the swap" "comments"
echo "# swap, behind the hibernation region: dmhib(8)" >"$R/etc/fstab"
set_up 0 "comments, a new line"
same "$(grep -c '^# swap' "$R/etc/fstab")" 1 "comments, a new line"

# ---- --force over a damaged region
begin
formatted part
printf x | dd of=part bs=1 seek=100 conv=notrunc status=none
printf x | dd of=part bs=1 seek=1048676 conv=notrunc status=none
set_up 0 "a damaged region, forced" --force
says out '^  dmhib -q format .* --force$' "a damaged region, forced"
t 0 "a damaged region, forced: a good one" probe part

# ---- what GRUB's files may have beside
begin
printf 'GRUB_CMDLINE_LINUX="quiet \\\nresume=/dev/old"\n' >"$R/etc/default/grub"
echo 'GRUB_CMDLINE_LINUX="only this"' >"$R/etc/default/grub.d/kdump.cfg"
echo 'GRUB_CMDLINE_LINUX="only this, before"' >"$R/etc/default/grub.d/10-x.cfg"
# shellcheck disable=SC2016 # for GRUB
echo 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX more"' >"$R/etc/default/grub.d/z.cfg"
set_up 0 "GRUB, notes"
says out '^Note: /etc/default/grub has a resume= or resume_offset=' "GRUB, notes"
says out '^Note: /etc/default/grub.d/kdump.cfg is read after .*hibswap.cfg' "GRUB, notes"
same "$(grep -c '^Note: ' out)" 2 "GRUB, notes: no other"
begin
set_up 0 "GRUB, no notes"
if grep -q '^Note: ' out; then bad "GRUB, no notes"; else pass; fi

unset DMHIB_COMMANDS FAIL_AT DO_AT_FORMAT
