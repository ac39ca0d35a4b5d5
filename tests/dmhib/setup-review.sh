# SPDX-License-Identifier: GPL-2.0-only
#
# More of dmhib setup, sourced by setup.sh: what a shell has in GRUB's files, regions
# that were there before, systemd-boot, exit codes, and the package that is purged.
# shellcheck shell=bash disable=SC2154,SC2016 # $ and ` are for other shells

# ---- words of GRUB's files that only a shell understands stay, and are told
for words in 'root=x resume=UUID=`blkid -s UUID -o value /dev/sda3` rootflags=y' \
	'root=x resume=UUID=$(blkid -s UUID -o value /dev/sda3) rootflags=y' \
	'resume=$SWAP rootflags=y' 'resume=UUID=\"abc\" y' 'resume_offset=`cat /offset` y' \
	'resume=UUID="$(cat /uuid)" y' $'quiet resume=UUID=abc\\\n y' $'quiet resume=UUID=abc \\\n y'; do
	system
	part
	printf 'GRUB_CMDLINE_LINUX="%s"\nGRUB_TIMEOUT=1\n' "$words" >"$R/etc/default/grub"
	cp "$R/etc/default/grub" was
	set_up 0 "GRUB: $words"
	case $words in
	*'abc \'*)
		# A backslash of its own is none of the word
		same "$(file /etc/default/grub)" $'GRUB_CMDLINE_LINUX="quiet \\\n y"\nGRUB_TIMEOUT=1' "GRUB: $words"
		;;
	*)
		same "$(file /etc/default/grub)" "$(cat was)" "GRUB: $words: changed"
		says out '^Note: /etc/default/grub has a resume= or resume_offset=' "GRUB: $words"
		;;
	esac
	if bash -n "$R/etc/default/grub" 2>err; then pass; else bad "GRUB: $words: no shell reads it"; fi
done
rm -f was

# ---- a region that was there before setup is not setup's to take away
DMHIB_COMMANDS=$work/act
export DMHIB_COMMANDS FAIL_AT=0 DO_AT_FORMAT=
begin
formatted part
swapped part
was=$(sum part)
before=$(tree)
set_up 0 "a region before setup"
same "$(jq -c '[.had_region, .was_swap]' "$kept/manifest.json")" "[true,false]" "a region before setup"
# A later run finds it, too
set_up 0 "a region before setup, again" --no-initramfs
rm -f log
t 0 "a region before setup, undo" setup --undo --root "$R"
if grep -qE 'wipe|close|swapoff|mkswap' log; then bad "a region before setup: its device is touched"; else pass; fi
says out 'had its region before setup, and keeps it' "a region before setup, undo"
same "$(sum part)" "$was" "a region before setup: it was written to"
same "$(tree)" "$before" "a region before setup, undo"
# One that setup has made is none that was there before, however often setup is run
begin
set_up 0 "a region of setup's own"
set_up 0 "a region of setup's own, again"
same "$(jq -c '[.had_region, .was_swap]' "$kept/manifest.json")" "[false,true]" "a region of setup's own"
# Nor has the manifest of an older dmhib it
jq 'del(.had_region)' "$kept/manifest.json" >m && mv m "$kept/manifest.json"
rm -f log
t 0 "an older manifest" setup --undo --root "$R"
says log '^dmhib -q wipe .*/part super$' "an older manifest"
if [ "$(id -u)" = 0 ] && unshare -m mount -t tmpfs none /mnt 2>/dev/null; then
	# One that should be there, and is not: even if undoing was begun
	begin
	formatted part
	swapped part
	set_up 0 "a region that has gone"
	blank part 256M
	manifest '.complete = false'
	here 4 "a region that has gone"
	says err 'has no longer the hibernation region [0-9a-f-]*: is it' "a region that has gone"
fi
unset DMHIB_COMMANDS FAIL_AT DO_AT_FORMAT

# ---- the exit code of a dmhib that fails is setup's; another command's is not
DMHIB_COMMANDS=$work/act
export DMHIB_COMMANDS FAIL_WITH
for FAIL_WITH in 1 2 3 5 6 9; do
	begin
	FAIL_AT=1
	set_up $FAIL_WITH "format fails with $FAIL_WITH"
	says err '^dmhib: "dmhib -q format .*" failed' "format fails with $FAIL_WITH"
	rm log
	FAIL_AT=3
	set_up 4 "mkswap fails with $FAIL_WITH"
	FAIL_AT=0
	set_up 0 "all of it"
	rm log
	FAIL_AT=1
	t $FAIL_WITH "wipe fails with $FAIL_WITH" setup --undo --root "$R"
done
# Nor is one that dmhib does not have, as of a program that is not there
for FAIL_WITH in 12 99 127; do
	begin
	FAIL_AT=1
	set_up 4 "format fails with $FAIL_WITH"
done
begin
t 1 "format knows better" setup part --root "$R" --region-size 2M --ram 64M
says err 'too small' "format knows better"
unset DMHIB_COMMANDS FAIL_AT FAIL_WITH DO_AT_FORMAT

# ---- JSON is UTF-8, whatever bytes there are; what undoing needs stays as it was
cat >utf8.py <<'END2'
import json, sys
print(*(e["text"] for e in json.loads(open(sys.argv[1], "rb").read().decode("utf-8", "strict"))["errors"]))
END2
# utf8 BYTES WANT: an option of them, as printf has it, is unknown
utf8() {
	# shellcheck disable=SC2059 # it is a format
	{ printf 'hib /dev/sda3 '; printf "$1"; echo; } >tab
	t 1 "JSON of $1" tab --tab tab --json
	same "$(python3 utf8.py out 2>&1)" "unknown option \"$(printf '%b' "$2")\"" "JSON of $1"
}
utf8 'a\377b' 'a?b'
utf8 'gr\303\274n' 'gr\0303\0274n'
utf8 '\303' '?'
utf8 '\303\303\274' '?\0303\0274'
utf8 '\342\202\254\360\237\230\200' '\0342\0202\0254\0360\0237\0230\0200'
utf8 '\300\200\340\200\200' '?????'
utf8 '\355\240\200\364\220\200\200' '???????'
utf8 '\360\237\230' '???'
# Cut in the middle of a character
{ printf 'hib /dev/sda3 '; printf 'a%.0s' {1..39}; for ((i = 0; i < 300; i++)); do printf '\303\274'; done; echo; } >tab
t 1 "JSON, cut" tab --tab tab --json
same "$(python3 utf8.py out 2>&1)" "an option is too long: \"$(printf 'a%.0s' {1..39})?...\"" "JSON, cut"
rm -f tab utf8.py
DMHIB_COMMANDS=$work/act
export DMHIB_COMMANDS
begin
blank part 256M
mkswap -L $'caf\351' -U $SU part >out 2>&1
echo RESUME=/dev/x >"$R/etc/initramfs-tools/conf.d/"$'caf\351'
before=$(tree)
blkid -p -o value -s LABEL part >label
set_up 0 "names that are not UTF-8"
t 0 "names that are not UTF-8, undo" setup --undo --root "$R"
same "$(blkid -p -o value -s LABEL part)" "$(cat label)" "names that are not UTF-8, undo"
same "$(tree)" "$before" "names that are not UTF-8, undo"
unset DMHIB_COMMANDS FAIL_AT DO_AT_FORMAT
rm -f label

# ---- a window is of use only to a kernel that knows it
system
part
mkdir -p machine/proc
for kernel in stock window; do
	echo "ffffffff81234567 T hibernate$([ $kernel = stock ] || echo _window_register)" >machine/proc/kallsyms
	export DMHIB_ROOT=$work/machine
	set_up 0 "a window, $kernel kernel" --window 16M
	if [ $kernel = stock ]; then
		says out '^Note: this kernel makes no use of a window: systemd' "a window, $kernel kernel"
		if [ -e "$R/etc/systemd/system/systemd-logind.service.d" ]; then bad "a window, $kernel kernel: systemd's check is off"; else pass; fi
	else
		# What a run under another kernel has left out
		has /etc/systemd/system/systemd-logind.service.d/hibswap.conf \
			Environment=SYSTEMD_BYPASS_HIBERNATION_MEMORY_CHECK=1 "a window, $kernel kernel"
		if grep -q '^Note: this kernel' out; then bad "a window, $kernel kernel: note"; else pass; fi
	fi
	says out ' --window 16777216 ' "a window, $kernel kernel"
	if [ $kernel = stock ]; then
		t 4 "room, $kernel kernel" setup part hib2 --root "$R" --ram 384M --window 16M --dry-run
		says err 'as much swap as the image is large' "room, $kernel kernel"
	else
		t 0 "room, $kernel kernel" setup part hib2 --root "$R" --ram 384M --window 16M --dry-run
	fi
done
unset DMHIB_ROOT
rm -rf machine

# ---- systemd-boot: its entry is made anew even if /etc/kernel/cmdline is not there yet
DMHIB_COMMANDS=$work/act
export DMHIB_COMMANDS FAIL_AT=0 DO_AT_FORMAT=
# entry WHAT FILE... [-- OPTION...]: what undo would run where there are these files, and
# of /etc, /boot and /usr/sbin no others
entry() {
	local what=$1

	shift
	unshare -m bash -c '
		mount -t tmpfs none /var/lib && cp -a "$1" /var/lib/dmhib || exit 77
		for dir in /etc /boot /usr/sbin; do mount -t tmpfs none $dir || exit 77; done
		dmhib=$2
		shift 2
		while [ $# -gt 0 ] && [ "$1" != -- ]; do mkdir -p "${1%/*}" && : >"$1"; shift; done
		exec "$dmhib" setup --undo --dry-run "${@:2}" >out 2>err </dev/null' - "$R/var/lib/dmhib" "$DMHIB" "$@"
	same $? 0 "$what"
}
if [ "$(id -u)" = 0 ] && unshare -m mount -t tmpfs none /mnt 2>/dev/null; then
	begin
	set_up 0 "an entry"
	manifest '.partuuid = ""'
	loader='/boot/loader/loader.conf /usr/sbin/kernel-install'
	debian='/usr/sbin/update-initramfs /usr/sbin/mkinitramfs'
	hook=/etc/initramfs/post-update.d/systemd-boot
	# shellcheck disable=SC2086 # they are lists
	for how in "$loader" "$loader $debian" "$loader $hook" "$loader $hook /usr/sbin/dracut" \
		"$loader /usr/sbin/update-initramfs $hook" "$loader $debian $hook -- --no-initramfs" \
		"/usr/sbin/kernel-install /etc/kernel/cmdline"; do
		entry "an entry: $how" $how
		says out '^  kernel-install add [^ ]+ /boot/vmlinuz-' "an entry: $how"
	done
	# Where it is made by somebody else, or there is no systemd-boot
	# shellcheck disable=SC2086
	for how in "$loader $debian $hook" /usr/sbin/kernel-install; do
		entry "no entry: $how" $how
		if grep -q kernel-install out; then bad "no entry: $how"; else pass; fi
	done
else
	echo "skip entries of systemd-boot: no mount namespaces"
fi
# made: setup has made /etc/kernel/cmdline, as it does only on the machine that is booted
made() {
	begin
	set_up 0 "$1"
	mkdir -p "$R/etc/kernel"
	echo "root=/dev/r quiet resume=/dev/mapper/hib" >"$R/etc/kernel/cmdline"
	cp "$R/etc/kernel/cmdline" "$kept/0.made"
	jq '.files = [{path: "/etc/kernel/cmdline", was: false, made: true, mode: 420, uid: 0, gid: 0}]' \
		"$kept/manifest.json" >m && mv m "$kept/manifest.json"
}
# kernel-install would take /proc/cmdline without it, and resume= with that
made "a made cmdline"
rm -f log
FAIL_AT=3
t 4 "a made cmdline, undo, stopped" setup --undo --root "$R"
same "$(file /etc/kernel/cmdline)" "root=/dev/r quiet" "a made cmdline, undo"
FAIL_AT=0
t 0 "a made cmdline, undo, again" setup --undo --root "$R"
same "$(file /etc/kernel/cmdline)" "root=/dev/r quiet" "a made cmdline, undo, again"
made "a made cmdline that has gone"
rm "$R/etc/kernel/cmdline"
t 0 "a made cmdline that has gone, undo" setup --undo --root "$R"
same "$(file /etc/kernel/cmdline)" "root=/dev/r quiet" "a made cmdline that has gone"
made "a made cmdline that was changed"
echo "root=/dev/s" >"$R/etc/kernel/cmdline"
t 6 "a made cmdline that was changed, undo" setup --undo --root "$R"
same "$(file /etc/kernel/cmdline)" "root=/dev/s" "a made cmdline that was changed"
unset DMHIB_COMMANDS FAIL_AT DO_AT_FORMAT

# ---- the package that is purged: no boot waits for what nothing opens any more
debian=$here/../../packaging/debian
mkdir -p bin
for name in dpkg-trigger update-grub; do
	printf '#!/bin/sh\necho "%s $*" >>"$PURGE_LOG"\n' $name >bin/$name
	chmod +x bin/$name
done
# script NAME WORD: a maintainer script, for the system below $R
script() {
	sed "s,\(^\|[^[:alnum:]_/]\)/\(etc\|var\|boot\)/,\1$R/\2/,g; s,\[ ! -e \"\$device\" \],[ ! -e \"$R\$device\" ]," \
		"$debian/dmhib.$1" >maintainer
	rm -f purge.log
	PURGE_LOG=$work/purge.log PATH=$work/bin:$PATH sh -e maintainer "$2" >out 2>err
	same $? 0 "$1 $2"
	: >>purge.log
}
# purged: setup, without undo, then purge
purged() {
	set_up 0 "to be purged"
	script postrm purge
	without /etc/fstab '^[^#]*/dev/mapper/hib' "purge"
	if grep -rq '^RESUME=/dev/mapper/hib' "$R/etc"; then bad "purge: RESUME="; else pass; fi
	if [ -e "$R/etc/hibswaptab" ]; then bad "purge: hibswaptab"; else pass; fi
	if [ -s "$R/var/lib/dmhib/setup-hib/manifest.json" ]; then pass; else bad "purge: what undoing needs"; fi
	says err '/var/lib/dmhib/setup-hib' "purge"
}
part
system
chmod 600 "$R/etc/fstab"
purged
has /etc/fstab "#/dev/mapper/hib	none	swap	sw,pri=7	0	0	# the swap" "purge, fstab"
has /etc/fstab "UUID=1234-abcd	/	ext4	errors=remount-ro	0 1" "purge, fstab"
has /etc/fstab "/dev/sdz1 none swap sw 0 0" "purge, fstab"
same "$(stat -c %a "$R/etc/fstab")" 600 "purge, fstab's mode"
says err '/etc/fstab: /dev/mapper/hib is taken out$' "purge"
if [ -e "$R/etc/initramfs-tools/conf.d/resume" ]; then bad "purge: an empty conf.d/resume"; else pass; fi
same "$(cat purge.log)" $'update-grub \ndpkg-trigger --no-await update-initramfs' "purge"
script postrm purge
same "$(cat purge.log)" "" "purge, again"
# What was added, without a swap line before; other lines; two names; another's device
system
printf '/dev/r / ext4 x 0 1\n' >"$R/etc/fstab"
printf '# x\nRESUME=auto\nOTHER=1\n' >"$R/etc/initramfs-tools/conf.d/resume"
echo 'RESUME=/dev/mapper/hibs' >"$R/etc/initramfs-tools/conf.d/zz"
mkdir -p "$R/etc/kernel" "$R/dev/mapper"
echo "root=/dev/r resume=/dev/x quiet" >"$R/etc/kernel/cmdline"
set_up 0 "two names"
echo 'RESUME=/dev/mapper/hibs' >"$R/etc/initramfs-tools/conf.d/zz"
printf '/dev/mapper/a.b none swap sw 0 0\n/dev/mapper/aXb none swap sw 0 0\n' >>"$R/etc/fstab"
echo 'a.b /dev/sdy1' >>"$R/etc/hibswaptab"
sed -i '1i# swap, behind the hibernation region: dmhib(8)\n  /dev/mapper/a.b\tnone\tswap\n# swap, behind the hibernation region: dmhib(8)\n/dev/mapper/aXb none swap sw 0 0' "$R/etc/fstab"
purged
same "$(file /etc/fstab)" '# swap, behind the hibernation region: dmhib(8)
#  /dev/mapper/a.b	none	swap
# swap, behind the hibernation region: dmhib(8)
/dev/mapper/aXb none swap sw 0 0
/dev/r / ext4 x 0 1
# swap, behind the hibernation region: dmhib(8)
#/dev/mapper/hib none swap sw 0 0
/dev/mapper/a.b none swap sw 0 0
/dev/mapper/aXb none swap sw 0 0' "purge, two names"
same "$(file /etc/initramfs-tools/conf.d/resume)" $'# x\nOTHER=1' "purge, other lines"
same "$(file /etc/kernel/cmdline)" "root=/dev/r quiet" "purge, kernel/cmdline"
says err 'kernel-install add' "purge, kernel/cmdline"
# While the device is open, update-initramfs would take it for the largest swap area
system
mkdir -p "$R/dev/mapper"
: >"$R/dev/mapper/hib"
purged
same "$(file /etc/initramfs-tools/conf.d/resume)" RESUME=none "purge, while it is open"
# Nothing there, or not setup's
system
rm -r "$R/etc/fstab" "$R/etc/initramfs-tools" "$R/etc/default"
echo 'hib /dev/sdx1' >"$R/etc/hibswaptab"
script postrm purge
same "$(cat purge.log)" "" "purge, no files"
system
echo 'hib /dev/sdx1' >"$R/etc/hibswaptab"
echo '/dev/mapper/hib none swap sw 0 0' >"$R/etc/fstab"
script postrm purge
same "$(file /etc/fstab)" '/dev/mapper/hib none swap sw 0 0' "purge, a line of somebody else"
system
mv "$R/etc/fstab" "$R/etc/fstab.real"
ln -s fstab.real "$R/etc/fstab"
before=$(tree)
script postrm purge
same "$(tree)" "$before" "purge, nothing of setup"
# To remove it is not enough, which is told
system
set_up 0 "to be removed"
before=$(tree)
script prerm remove
says err '^dmhib: .*/etc/hibswaptab names hib' "prerm"
says err 'Each boot will wait' "prerm"
says err '"dmhib setup --undo hib"' "prerm"
script postrm remove
same "$(cat purge.log)" "dpkg-trigger --no-await update-initramfs" "remove"
same "$(tree)" "$before" "remove: changed something"
rm -rf bin maintainer purge.log
