# SPDX-License-Identifier: GPL-2.0-only
#
# dmhib setup and its undoing, sourced by run. Below another root it changes files
# and only shows its commands; act stands for those, so that they can fail.
# shellcheck shell=bash disable=SC2154

unset DMHIB_ROOT
R=$work/R
SU=0f0f0f0f-1111-2222-3333-444444444444
export DMHIB LOG=$work/log

# act WORD...: does with the file what the command would do with the device
cat >act <<'END'
#!/bin/bash
echo "$*" >>"$LOG"
[ "$(wc -l <"$LOG")" != "${FAIL_AT:-0}" ] || { echo "made to fail" >&2; exit "${FAIL_WITH:-4}"; }
[ -z "${DO_AT_FORMAT:-}" ] || [ "$3" != format ] || eval "$DO_AT_FORMAT"
case "$1 ${3:-}" in
"dmhib format" | "dmhib wipe") shift; exec "$DMHIB" "$@" ;;
"mkswap -L" | "mkswap "*)
	[ "${*: -1}" != "$PART" ] || exec mkswap "${@:2}"
	;;
esac
exit 0
END
chmod +x act
export PART=$work/part

# part: a swap partition of 256 MiB
part() {
	blank part 256M
	chmod 600 part
	mkswap -L old -U $SU part >out 2>&1 || bad "mkswap"
}

# system: Debian with GRUB and initramfs-tools
system() {
	rm -rf "$R"
	mkdir -p "$R"/boot/grub "$R"/etc/{default/grub.d,initramfs-tools/conf.d,systemd/system} "$R"/usr/{sbin,bin,lib/systemd}
	touch "$R"/usr/sbin/{mkinitramfs,update-initramfs,update-grub}
	cat >"$R/etc/fstab" <<END
# /etc/fstab
UUID=1234-abcd	/	ext4	errors=remount-ro	0 1
UUID=$SU	none	swap	sw,pri=7	0	0	# the swap
/dev/sdz1 none swap sw 0 0
END
	cat >"$R/etc/default/grub" <<END
GRUB_DEFAULT=0
# GRUB_CMDLINE_LINUX="resume=/dev/comment"
GRUB_CMDLINE_LINUX_DEFAULT="quiet resume=UUID=$SU splash"
GRUB_CMDLINE_LINUX="resume_offset=34816"
END
	echo "RESUME=UUID=$SU" >"$R/etc/initramfs-tools/conf.d/resume"
	chmod 640 "$R/etc/default/grub"
}

# tree: all that is in the system, with modes and texts, but not what setup keeps
tree() { (cd "$R" && find . -path ./var -prune -o \( -type f -printf '%m %p\n' -exec md5sum {} \; \) | sort); }
set_up() { t "$1" "$2" setup part --root "$R" --region-size 64M --ram 64M "${@:3}"; }
file() { cat "$R$1" 2>/dev/null; }
# has FILE LINE WHAT, without FILE PATTERN WHAT
has() { if grep -qxF -- "$2" "$R$1"; then pass; else bad "$3: $1 lacks \"$2\""; fi; }
without() { if grep -qE -- "$2" "$R$1"; then bad "$3: $1 has $2"; else pass; fi; }

# ---- words
part
system
before=$(tree)
t 1 "setup, no device" setup
t 1 "setup, three words" setup part hib x
t 1 "setup, a bad name" setup part a/b --root "$R"
t 1 "setup, a name like an option" setup part --root "$R" --region-size 64M --ram 64M -- -b
says err 'cannot be the name of a mapped device' "setup, a name like an option"
t 1 "setup --undo, two words" setup --undo a b
t 1 "setup, root not absolute" setup part --root R
t 4 "setup, no such device" setup nowhere --root "$R"
t 4 "setup of a file, here" setup part
says err 'not a block device' "setup of a file, here"
t 1 "setup, memory not known" setup part --root "$R"
says err '\-\-ram or --region-size' "setup, memory not known"
t 1 "undo of nothing" setup --undo --root "$R"
says err 'hib was not set up by dmhib setup' "undo of nothing"
same "$(tree)" "$before" "refused commands changed something"
if [ -e "$R/var" ]; then bad "refused commands have left something"; else pass; fi

# ---- dry run
set_up 0 "dry run" --dry-run
same "$(tree)" "$before" "dry run: changed something"
if [ -e "$R/var" ]; then bad "dry run has left something"; else pass; fi
silent err "dry run"
# The diff is one, and has what patch needs
says out "^-UUID=$SU	none	swap	sw,pri=7" "the diff"
says out '^\+/dev/mapper/hib	none	swap	sw,pri=7	0	0	# the swap$' "the diff"
says out '^\+\+\+ /etc/hibswaptab' "the diff"
if command -v patch >/dev/null; then
	cp -a "$R" patched
	sed -n '/^--- /,/^Commands/p' out | sed '/^Commands/d; s,^\(---\|+++\) /,\1 ,' >shown.diff
	(cd patched && patch -p0 -s <../shown.diff >../out 2>&1) || bad "the diff does not apply"
fi

# ---- the whole
set_up 0 "setup"
silent err "setup"
cp out shown
if [ -d patched ]; then
	# But for the UUID, which was another one then
	sed -i 's/UUID=[0-9a-f-]*/UUID=x/' patched/etc/hibswaptab
	same "$(diff -r patched/etc "$R/etc" 2>&1 | grep '^[<O]')" "< hib	UUID=x	x-initrd.attach" "what was shown is what was done"
	rm -rf patched shown.diff
fi
has /etc/fstab "/dev/mapper/hib	none	swap	sw,pri=7	0	0	# the swap" "fstab"
has /etc/fstab "UUID=1234-abcd	/	ext4	errors=remount-ro	0 1" "fstab, other lines"
has /etc/fstab "/dev/sdz1 none swap sw 0 0" "fstab, other swap"
without /etc/fstab "^UUID=$SU" "fstab"
has /etc/initramfs-tools/conf.d/resume RESUME=/dev/mapper/hib "resume"
has /etc/default/grub 'GRUB_CMDLINE_LINUX_DEFAULT="quiet splash"' "grub, resume= taken out"
has /etc/default/grub 'GRUB_CMDLINE_LINUX=""' "grub, resume_offset= taken out"
has /etc/default/grub '# GRUB_CMDLINE_LINUX="resume=/dev/comment"' "grub, comments"
same "$(stat -c %a "$R/etc/default/grub")" 640 "modes stay"
# As grub-mkconfig reads them
same "$(bash -c ". '$R/etc/default/grub'; . '$R/etc/default/grub.d/hibswap.cfg'; echo \$GRUB_CMDLINE_LINUX \$GRUB_CMDLINE_LINUX_DEFAULT")" \
	"resume=/dev/mapper/hib quiet splash" "grub as grub-mkconfig has it"
U=$(sed -n 's/^hib	UUID=\([0-9a-f-]*\)	x-initrd.attach$/\1/p' "$R/etc/hibswaptab")
same "${#U}" 36 "hibswaptab"
t 0 "hibswaptab can be used" tab --tab "$R/etc/hibswaptab"
cp shown out
says out "^  dmhib -q format $work/part --region-size 64M --uuid $U --ram 67108864 --force\$" "commands: format"
says out "^  dmhib -q open $work/part hib\$" "commands: open"
says out "^  mkswap -L old /dev/mapper/hib\$" "commands: mkswap"
says out "^  chroot $R update-initramfs -u -k all\$" "commands: initramfs"
says out "^  chroot $R update-grub\$" "commands: grub"
says out 'gets a new UUID' "the new UUID is told"
if grep -q 'swapon\|systemctl' out; then bad "commands of a running system"; else pass; fi
if [ -e "$R/etc/systemd/system/systemd-logind.service.d" ]; then bad "drop-ins without a window"; else pass; fi
same "$("$DMHIB" probe part >/dev/null; echo $?)" 7 "the partition was formatted"
same "$(find "$R" -name '*.dmhib-*')" "" "temporary files"

# ---- once more
after=$(tree)
set_up 0 "again"
same "$(tree)" "$after" "again: changed something"
if grep -q '^[-+]' out; then bad "again: a diff"; else pass; fi
says out "format $work/part --region-size 64M --uuid $U " "again: the same UUID"

# ---- undo
t 0 "undo, dry run" setup --undo --root "$R" --dry-run
same "$(tree)" "$after" "undo, dry run: changed something"
t 0 "undo" setup --undo --root "$R"
silent err "undo"
same "$(tree)" "$before" "undo"
if [ -e "$R/var/lib/dmhib/setup-hib" ]; then bad "undo has left something"; else pass; fi
t 1 "undo, again" setup --undo --root "$R"

# Changed by somebody else since
for f in /etc/fstab /etc/hibswaptab /etc/default/grub.d/hibswap.cfg; do
	system
	set_up 0 "changed since: $f"
	echo "# mine" >>"$R$f"
	now=$(tree)
	t 6 "changed since: $f" setup --undo --root "$R"
	says err "^dmhib: $f was changed by somebody else" "changed since: $f"
	says err '/var/lib/dmhib/setup-hib/[0-9]+\.was' "changed since: $f"
	same "$(grep -c 'changed by somebody' err)" 1 "changed since: $f: no other"
	same "$(tree)" "$now" "changed since: $f: changed something"
	t 0 "changed since: $f, forced" setup --undo --root "$R" --force
	same "$(tree)" "$before" "changed since: $f, forced"
done
system
set_up 0 "gone since"
rm "$R/etc/hibswaptab" "$R/etc/initramfs-tools/conf.d/resume"
t 6 "gone since" setup --undo --root "$R"
if grep -q hibswaptab err; then bad "gone since: it was not there before either"; else pass; fi
says err 'conf.d/resume was changed' "gone since"
# What somebody has put back already is fine
system
set_up 0 "put back already"
system_fstab=$(file /etc/fstab)
sed "s,^/dev/mapper/hib,UUID=$SU," <<<"$system_fstab" | grep -v '^# swap lies' >"$R/etc/fstab"
t 0 "put back already" setup --undo --root "$R"
same "$(tree)" "$before" "put back already"

# A later run keeps what the first one has found
system
set_up 0 "first run"
set_up 0 "with a window" --window 16M
for u in logind hibernate hybrid-sleep suspend-then-hibernate; do
	has /etc/systemd/system/systemd-$u.service.d/hibswap.conf \
		Environment=SYSTEMD_BYPASS_HIBERNATION_MEMORY_CHECK=1 "window: drop-ins"
done
says out ' --window 16777216 ' "window: format"
says out '^  dmhib -q open .* --window$' "window: open"
says out '^  mkswap -L old /dev/mapper/hib 196608$' "window: swap without it"
if grep -q '	window,x-initrd.attach$' "$R/etc/hibswaptab"; then pass; else bad "window: hibswaptab"; fi
t 0 "undo of both" setup --undo --root "$R"
same "$(tree)" "$before" "undo of both"
if [ -e "$R/etc/systemd/system/systemd-logind.service.d/hibswap.conf" ]; then bad "undo of both"; else pass; fi
# The package's drop-in, with its reasons, counts
system
mkdir -p "$R/usr/share/dmhib/systemd"
printf '[Service]\nEnvironment=A=b\n' >"$R/usr/share/dmhib/systemd/sleep-check.conf"
set_up 0 "the package's drop-in" --window 16M
has /etc/systemd/system/systemd-logind.service.d/hibswap.conf Environment=A=b "the package's drop-in"

# ---- fstab: however the partition is called
for name in "UUID=${SU^^}" "\"UUID=$SU\"" "UUID=\"$SU\"" LABEL=old "/dev/disk/by-uuid/$SU" \
	/dev/disk/by-label/old "$work/part" "${work//\//\\057}\\057part"; do
	system
	printf '  %s none swap defaults,discard 0 0' "$name" >"$R/etc/fstab"
	set_up 0 "fstab: $name"
	same "$(file /etc/fstab | tail -1)" "  /dev/mapper/hib none swap defaults,discard 0 0" "fstab: $name"
	same "$(file /etc/fstab | grep -vc '^#')" 1 "fstab: $name: nothing added"
done
for name in UUID=0f0f0f0f-1111-2222-3333-444444444445 LABEL=older "LABEL=" /dev/sdz9 "#UUID=$SU"; do
	system
	printf '%s none swap sw 0 0\n' "$name" >"$R/etc/fstab"
	set_up 0 "fstab, not meant: $name"
	has /etc/fstab "$name none swap sw 0 0" "fstab, not meant: $name"
	has /etc/fstab "/dev/mapper/hib none swap sw 0 0" "fstab, not meant: $name"
done
system
printf 'UUID=%s none swap sw 0 0\r\n/dev/x / ext4 x 0 1\r\n' $SU >"$R/etc/fstab"
set_up 0 "fstab, DOS lines"
has /etc/fstab $'/dev/mapper/hib none swap sw 0 0\r' "fstab, DOS lines"
system
printf 'UUID=%s none swap sw 0 0\nLABEL=old none swap pri=3 0 0\n' $SU >"$R/etc/fstab"
set_up 0 "fstab, two names"
has /etc/fstab "/dev/mapper/hib none swap sw 0 0" "fstab, two names"
has /etc/fstab "#LABEL=old none swap pri=3 0 0" "fstab, two names"
system
rm "$R/etc/fstab"
set_up 0 "no fstab"
has /etc/fstab "/dev/mapper/hib none swap sw 0 0" "no fstab"
system
printf '# a' >"$R/etc/fstab"
set_up 0 "fstab, no newline"
has /etc/fstab "# a" "fstab, no newline"
system
{ printf 'UUID=%s none swap ' $SU; head -c 200000 /dev/zero | tr '\0' x; echo " 0 0"; } >"$R/etc/fstab"
set_up 0 "fstab, a long line"
same "$(file /etc/fstab | tail -1 | wc -c)" $((15 + 11 + 200000 + 5)) "fstab, a long line"

# refused CODE WHAT PATTERN: and nothing is changed
refused() {
	local now

	now=$(tree)
	set_up "$1" "$2" "${@:4}"
	says err "$3" "$2"
	same "$(tree)" "$now" "$2: changed something"
	if [ -e "$R/var" ]; then bad "$2: left something"; else pass; fi
}
system
echo "UUID=$SU /home ext4 defaults 0 2" >"$R/etc/fstab"
refused 6 "fstab mounts it" '/etc/fstab mounts UUID=.* on /home'
system
printf 'a\0b\n' >>"$R/etc/fstab"
refused 6 "fstab, a zero byte" '/etc/fstab has a zero byte'
system
mv "$R/etc/fstab" "$R/etc/fstab.real"
ln -s fstab.real "$R/etc/fstab"
refused 6 "fstab, a link" '/etc/fstab is a symbolic link'
system
rm "$R/etc/fstab"
mkdir "$R/etc/fstab"
refused 6 "fstab, a directory" '/etc/fstab is not a regular file'
system
head -c 2000000 /dev/zero | tr '\0' x >"$R/etc/fstab"
refused 4 "fstab, too large" 'cannot read /etc/fstab: File too large'
system
rm -rf "$R/etc/systemd"
: >"$R/etc/systemd"
refused 4 "no directory for drop-ins" 'cannot read /etc/systemd/system' --window 16M
for ((i = 0; i < 20; i++)); do
	system
	head -c $((RANDOM % 4000 + 1)) /dev/urandom | tr -d '\0' >"$R/etc/fstab"
	head -c $((RANDOM % 4000 + 1)) /dev/urandom | tr -d '\0' >"$R/etc/default/grub"
	head -c $((RANDOM % 4000 + 1)) /dev/urandom | tr -d '\0' >"$R/etc/initramfs-tools/conf.d/resume"
	now=$(tree)
	set_up 0 "random files"
	set_up 0 "random files, again"
	if grep -q '^[-+]' out; then bad "random files: not idempotent"; else pass; fi
	t 0 "random files, undo" setup --undo --root "$R"
	same "$(tree)" "$now" "random files, undo"
done

# ---- hibswaptab
system
echo "other /dev/sdy1 window" >"$R/etc/hibswaptab"
set_up 0 "hibswaptab, another"
has /etc/hibswaptab "other /dev/sdy1 window" "hibswaptab, another"
same "$(grep -c '^hib	' "$R/etc/hibswaptab")" 1 "hibswaptab, another"
system
printf '# x\nhib /dev/sdy1 window,timeout=5\nz /dev/z' >"$R/etc/hibswaptab"
set_up 0 "hibswaptab, another device of that name"
same "$(file /etc/hibswaptab | sed -n 2p | cut -c 1-9)" "hib	UUID=" "hibswaptab, replaced in its place"
without /etc/hibswaptab 'timeout' "hibswaptab, another device's options"
has /etc/hibswaptab "z /dev/z" "hibswaptab, the last line"
system
printf 'hib %s discard,timeout=5,nofail\n' "$work/part" >"$R/etc/hibswaptab"
set_up 0 "hibswaptab, as it should be"
has /etc/hibswaptab "hib $work/part discard,timeout=5,nofail" "hibswaptab, as it should be"
set_up 0 "hibswaptab, and a window" --window 16M
if grep -q '	window,discard,timeout=5,nofail,x-initrd.attach$' "$R/etc/hibswaptab"; then pass; else bad "hibswaptab, and a window"; fi
system
echo "swap $work/part" >"$R/etc/hibswaptab"
refused 5 "hibswaptab, another name" '/etc/hibswaptab:1: .*/part is called swap there already'
t 0 "hibswaptab, that name" setup part swap --root "$R" --region-size 64M --ram 64M
has /etc/fstab "/dev/mapper/swap	none	swap	sw,pri=7	0	0	# the swap" "hibswaptab, that name"
system
echo "hib $work/part frob" >"$R/etc/hibswaptab"
refused 1 "hibswaptab, a bad line" '/etc/hibswaptab:1: unknown option "frob"'

# ---- boot loaders, and makers of an initramfs
system
echo 'export GRUB_CMDLINE_LINUX="a resume=/dev/x"' >"$R/etc/default/grub.d/90-x.cfg"
echo "GRUB_CMDLINE_LINUX='resume=/dev/x b'" >"$R/etc/default/grub.d/10-y.cfg"
echo 'OTHER="resume=/dev/x"' >"$R/etc/default/grub.d/z.cfg"
set_up 0 "grub.d"
has /etc/default/grub.d/90-x.cfg 'export GRUB_CMDLINE_LINUX="a"' "grub.d"
has /etc/default/grub.d/10-y.cfg "GRUB_CMDLINE_LINUX='b'" "grub.d"
has /etc/default/grub.d/z.cfg 'OTHER="resume=/dev/x"' "grub.d, what is none of it"
for words in 'resume=/dev/x' 'a resume=/dev/x' 'resume=/dev/x a' 'a  resume=x resume_offset=5  b' \
	'noresume=x aresume=y resumes=z' 'rd.resume=x' ''; do
	system
	rm -r "$R/etc/default" "$R/usr/sbin/update-grub"
	mkdir -p "$R/etc/kernel"
	echo "root=/dev/r $words" >"$R/etc/kernel/cmdline"
	set_up 0 "kernel/cmdline: $words"
	want=$(sed -E 's/(^| )(resume|resume_offset)=[^ ]*//g; s/ +$//' <<<"root=/dev/r $words")
	same "$(file /etc/kernel/cmdline)" "$want resume=/dev/mapper/hib" "kernel/cmdline: $words"
	set_up 0 "kernel/cmdline, again: $words"
	same "$(file /etc/kernel/cmdline)" "$want resume=/dev/mapper/hib" "kernel/cmdline, again: $words"
done
rm "$R/etc/kernel/cmdline"
set_up 0 "no boot loader"
says out '^Note: no boot loader that is known .*add resume=/dev/mapper/hib ' "no boot loader"
mkdir -p "$R/boot/loader"
: >"$R/boot/loader/loader.conf"
set_up 0 "systemd-boot, no cmdline"
says out '^Note: there is no /etc/kernel/cmdline' "systemd-boot, no cmdline"
system
rmdir "$R/boot/grub"
set_up 0 "GRUB that is not used"
says out '^Note: no boot loader that is known' "GRUB that is not used"
if grep -q 'update-grub' out; then bad "GRUB that is not used: update-grub"; else pass; fi
system
rm "$R"/usr/sbin/{mkinitramfs,update-initramfs}
: >"$R/usr/bin/dracut"
set_up 0 "dracut"
# As dracut sources it: without the module's folder nothing is added
same "$(bash -c 'set -e; . "$1"; echo "$add_dracutmodules"' - "$R/etc/dracut.conf.d/hibswap.conf")" \
	"$([ ! -d /usr/lib/dracut/modules.d/90hibswap ] || echo " hibswap ")" "dracut, as it is here"
has /etc/dracut.conf.d/hibswap.conf \
	'[ ! -d /usr/lib/dracut/modules.d/90hibswap ] || add_dracutmodules+=" hibswap "' "dracut"
has /etc/initramfs-tools/conf.d/resume "RESUME=UUID=$SU" "dracut: not the other's file"
says out "chroot $R dracut --force --regenerate-all" "dracut"
mv "$R/usr/bin/dracut" "$R/usr/bin/mkinitcpio"
set_up 0 "mkinitcpio"
says out '^Note: mkinitcpio: add hibswap to HOOKS' "mkinitcpio"
says out "chroot $R mkinitcpio -P" "mkinitcpio"
rm "$R/usr/bin/mkinitcpio"
set_up 0 "no initramfs"
says out '^Note: no maker of an initramfs' "no initramfs"
system
set_up 0 "--no-initramfs" --no-initramfs
if grep -q update-initramfs out; then bad "--no-initramfs"; else pass; fi
says out update-grub "--no-initramfs"
system
printf '# x\nRESUME=none\nOTHER=1\nRESUME=auto\n' >"$R/etc/initramfs-tools/conf.d/resume"
set_up 0 "resume, with other lines"
same "$(file /etc/initramfs-tools/conf.d/resume)" $'# x\nRESUME=/dev/mapper/hib\nOTHER=1' "resume, with other lines"
echo "RESUME=/dev/x" >"$R/etc/initramfs-tools/conf.d/zz"
echo "OTHER=1" >"$R/etc/initramfs-tools/conf.d/yy"
set_up 0 "resume in another file"
has /etc/initramfs-tools/conf.d/zz RESUME=/dev/mapper/hib "resume in another file"
same "$(file /etc/initramfs-tools/conf.d/yy)" "OTHER=1" "resume in another file: not in this one"
# Links are looked through, and not written through
system
echo "x=1" >"$R/etc/else"
ln -s ../../else "$R/etc/initramfs-tools/conf.d/zz"
ln -s ../../else "$R/etc/default/grub.d/zz.cfg"
set_up 0 "links with nothing in them"
t 0 "links with nothing in them: undo" setup --undo --root "$R"
echo "RESUME=/dev/x" >"$R/etc/else"
rm -r "${R:?}/var"
refused 6 "a link with RESUME= in it" 'conf.d/zz is a symbolic link'

# shellcheck source=tests/dmhib/setup-steps.sh
. "$here/setup-steps.sh"
# shellcheck source=tests/dmhib/setup-undo.sh
. "$here/setup-undo.sh"
# shellcheck source=tests/dmhib/setup-review.sh
. "$here/setup-review.sh"
rm -rf "$R" part act log shown
