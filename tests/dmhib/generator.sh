# SPDX-License-Identifier: GPL-2.0-only
#
# hibswap-generator, sourced by run: the units it makes of hibswaptab(5).
# shellcheck shell=bash disable=SC2154

unset DMHIB_ROOT
# The one that belongs to the program: with the sanitizers, or without
GENERATOR=$BUILD/hibswap-generator
[[ $DMHIB != *-asan ]] || GENERATOR+=-asan
U1=01234567-89ab-cdef-0123-456789abcdef
UNIT=dev-disk-by\\x2duuid-01234567\\x2d89ab\\x2dcdef\\x2d0123\\x2d456789abcdef.device

# generate CMDLINE LINE...: into the empty directory units
generate() {
	local cmdline=$1

	shift
	rm -rf units
	mkdir units
	printf '%s\n' "$@" >tab
	SYSTEMD_LOG_TARGET=console SYSTEMD_HIBSWAPTAB=$work/tab SYSTEMD_PROC_CMDLINE=$cmdline \
		SYSTEMD_IN_INITRD=${INITRD:-0} "$GENERATOR" units units units >out 2>err
	same $? "${WANT:-0}" "generator: $*"
}
# made: all files and links, sorted, in one line
made() { (cd units && find . -mindepth 1 ! -type d | cut -c3- | sort | tr '\n' ' ' | sed 's/ $//'); }
has() {
	if grep -qxF -- "$2" "units/$1" 2>err; then pass; else bad "$1 lacks \"$2\""; fi
}
lacks() {
	if grep -qE -- "$2" "units/$1"; then bad "$1 has \"$2\""; else pass; fi
}

generate "" "hib UUID=${U1^^} window"
silent out "generator"
silent err "generator"
same "$(made)" "$UNIT.wants/hibswap-drop@hib.service dev-mapper-hib.device.d/40-hibswap-timeout.conf dev-mapper-hib.device.requires/hibswap@hib.service hibswap-drop@hib.service hibswap.target.d/40-hibswap-timeout.conf hibswap.target.wants/hibswap-drop@hib.service hibswap.target.wants/hibswap@hib.service hibswap@hib.service" "what it makes"
for l in dev-mapper-hib.device.requires/hibswap@hib.service hibswap.target.wants/hibswap{,-drop}@hib.service \
	"$UNIT.wants/hibswap-drop@hib.service"; do
	if [ -L "units/$l" ] && [ -e "units/$l" ]; then pass; else bad "$l leads nowhere"; fi
done
for line in DefaultDependencies=no IgnoreOnIsolate=true Conflicts=umount.target \
	Before=umount.target "BindsTo=$UNIT" "After=$UNIT" Before=hibswap.target \
	Before=blockdev@dev-mapper-hib.target Wants=blockdev@dev-mapper-hib.target \
	Wants=hibswap-drop@hib.service Type=oneshot RemainAfterExit=yes TimeoutSec=infinity TimeoutStartSec=150s "SourcePath=$work/tab" \
	"ExecStart=/usr/sbin/dmhib -q open hib" "ExecStop=/usr/sbin/dmhib -q close hib"; do
	has hibswap@hib.service "$line"
done
for line in DefaultDependencies=no Wants=hibswap@hib.service Before=dev-mapper-hib.swap \
	After=hibswap@hib.service Type=oneshot \
	"ConditionPathExists=!/etc/initrd-release" \
	"ExecStart=/usr/sbin/dmhib -q drop hib --if-booted"; do
	has hibswap-drop@hib.service "$line"
done
# tmp.mount comes after swap and before this target
lacks hibswap-drop@hib.service local-fs.target
# Nor does it wait for a root file system that is written to
lacks hibswap-drop@hib.service remount-fs
has dev-mapper-hib.device.d/40-hibswap-timeout.conf JobRunningTimeoutSec=120s
has hibswap.target.d/40-hibswap-timeout.conf JobTimeoutSec=180s

# Options
generate "" "hib /dev/sda3 nofail"
lacks hibswap@hib.service Before=hibswap.target
has hibswap@hib.service BindsTo=dev-sda3.device
if [ -L units/dev-mapper-hib.device.wants/hibswap@hib.service ]; then pass; else bad "nofail: no link"; fi
if [ -e units/dev-mapper-hib.device.requires ]; then bad "nofail: requires"; else pass; fi
generate "" "hib /dev/sda3 _netdev"
lacks hibswap@hib.service Before=hibswap.target
has hibswap@hib.service After=remote-fs-pre.target
generate "" "hib /dev/sda3 timeout=7"
has dev-mapper-hib.device.d/40-hibswap-timeout.conf JobRunningTimeoutSec=37s
has dev-sda3.device.d/40-hibswap-timeout.conf JobRunningTimeoutSec=7s
has hibswap@hib.service TimeoutStartSec=67s
has hibswap.target.d/40-hibswap-timeout.conf JobTimeoutSec=97s
generate "" "hib /dev/sda3 timeout=0"
has dev-mapper-hib.device.d/40-hibswap-timeout.conf JobRunningTimeoutSec=infinity
has dev-sda3.device.d/40-hibswap-timeout.conf JobRunningTimeoutSec=infinity
lacks hibswap@hib.service TimeoutStartSec
# The longest of those that are waited for
generate "" "hib /dev/sda3" "b /dev/sdb3 timeout=100" "c /dev/sdc3 timeout=200,nofail"
has hibswap.target.d/40-hibswap-timeout.conf JobTimeoutSec=190s
for options in timeout=0 nofail _netdev; do
	generate "" "hib /dev/sda3 $options"
	if [ -e units/hibswap.target.d ]; then bad "$options: limits the target"; else pass; fi
done
generate "" "hib /dev/sda3 noauto"
same "$(made)" "" "noauto"
generate "" "hib /srv/file"
lacks hibswap@hib.service BindsTo
generate "" "hib /dev/a/../b"
lacks hibswap@hib.service BindsTo
generate "" "hib PARTUUID=E6D0E5B2-03"
has hibswap@hib.service 'BindsTo=dev-disk-by\x2dpartuuid-e6d0e5b2\x2d03.device'
generate "" "hib PARTLABEL=Swap"
has hibswap@hib.service 'BindsTo=dev-disk-by\x2dpartlabel-Swap.device'
generate "" "hib //dev//vg/./sw%p/"
has hibswap@hib.service 'BindsTo=dev-vg-sw\x25p.device'

# Names as systemd has them
for name in a-b a.b .x x+y a:b=c@d_e '#n' A-1.2; do
	[ "$name" = '#n' ] && continue
	generate "" "$name /dev/sda3"
	if command -v systemd-escape >/dev/null; then
		escaped=$(systemd-escape -- "$name")
		if [ -f "units/hibswap@$escaped.service" ]; then pass; else bad "$name: not $escaped: $(made)"; fi
		has "hibswap@$escaped.service" "ExecStart=/usr/sbin/dmhib -q open $name"
		has "hibswap@$escaped.service" "Before=blockdev@dev-mapper-$escaped.target"
	fi
done

# Errors: the other lines count
generate "" "hib /dev/sda3 frob" "b /dev/sdb3" "c" "d /dev/sdb3"
says err '^hibswap-generator: .*/tab:1: unknown option "frob"' "generator: an error"
says err '^hibswap-generator: .*/tab:4: the device "/dev/sdb3" is in line 2' "generator: an error"
same "$(cd units && echo hibswap@*)" "hibswap@b.service" "generator: the other lines"

# Turned off: nothing is opened, but the next boot must not resume an old image
for word in hibswap=no hibswap=0 hibswap=off hibswap.tab=no "hibswap=yes quiet hibswap=no"; do
	generate "root=/dev/sda2 $word" "hib /dev/sda3" "other /dev/sdb3 noauto"
	same "$(made)" "dev-sda3.device.wants/hibswap-drop@hib.service hibswap-drop@hib.service hibswap.target.wants/hibswap-drop@hib.service" "generator: $word"
	for line in Wants=dev-sda3.device After=dev-sda3.device Before=dev-mapper-hib.swap \
		"ConditionPathExists=!/etc/initrd-release" \
		"ExecStart=/usr/sbin/dmhib -q drop hib --if-booted"; do
		has hibswap-drop@hib.service "$line"
	done
	lacks hibswap-drop@hib.service hibswap@
	INITRD=1 generate "$word" "hib /dev/sda3"
	same "$(made)" "" "generator: $word in the initramfs"
done
for word in rd.hibswap=no rd.hibswap.tab=no; do
	generate "$word" "hib /dev/sda3"
	same "$(cd units && echo hibswap@*)" hibswap@hib.service "generator: $word outside"
	INITRD=1 generate "$word" "hib /dev/sda3"
	same "$(made)" "" "generator: $word in the initramfs"
done
for word in hibswap=yes hibswap nohibswap=no xhibswap=no "hibswap=no hibswap=1"; do
	generate "$word" "hib /dev/sda3"
	same "$(cd units && echo hibswap@*)" hibswap@hib.service "generator: $word"
done
INITRD=1 generate "" "hib /dev/sda3"
for l in units/*.wants/hibswap-drop@hib.service; do
	if [ -e "$l" ]; then bad "$l in the initramfs"; else pass; fi
done
lacks hibswap@hib.service hibswap-drop

# Nothing to read, nowhere to write
rm -rf units tab
mkdir units
SYSTEMD_HIBSWAPTAB=$work/tab SYSTEMD_PROC_CMDLINE='' "$GENERATOR" units units units >out 2>err
same $? 0 "generator: no file"
same "$(made)" "" "generator: no file"
generate "" ""
same "$(made)" "" "generator: an empty file"
echo "hib /dev/sda3" >tab
SYSTEMD_LOG_TARGET=console SYSTEMD_HIBSWAPTAB=$work/tab SYSTEMD_PROC_CMDLINE='' "$GENERATOR" nowhere >out 2>err
same $? 1 "generator: no directory"
says err 'cannot create nowhere/hibswap@hib.service' "generator: no directory"
SYSTEMD_LOG_TARGET=console "$GENERATOR" >out 2>err
same $? 1 "generator: no argument"
WANT=1 generate "" "hib /dev/sda3" "$(head -c 2000000 /dev/zero | tr '\0' '#')"
says err 'cannot read .*/tab: File too large' "generator: a huge file"
for ((i = 0; i < 40; i++)); do
	rm -rf units
	mkdir units
	head -c $((RANDOM % 2000 + 1)) /dev/urandom >tab
	SYSTEMD_LOG_TARGET=console SYSTEMD_HIBSWAPTAB=$work/tab SYSTEMD_PROC_CMDLINE='' "$GENERATOR" units >out 2>err
	same $? 0 "generator: random bytes"
done

# What systemd says to them, with the programs and the target that they name in place:
# also of cycles, in all that a boot starts up to the swap area
systemd_says() {
	local unit

	rm -rf verify
	cp -a units verify
	cp "$here/../../integration/systemd/hibswap.target" verify
	mkdir -p verify/hibswap.target.wants
	printf '[Swap]\nWhat=/dev/mapper/hib\n' >verify/dev-mapper-hib.swap
	ln -s ../dev-mapper-hib.swap verify/hibswap.target.wants
	sed -i 's,/usr/sbin/dmhib,/bin/true,' verify/*.service
	for unit in verify/hibswap*; do
		[ -f "$unit" ] || continue
		SYSTEMD_UNIT_PATH=$work/verify: systemd-analyze verify --man=no "$unit" >out 2>err
		same $? 0 "systemd-analyze verify $unit, $1"
		if grep -E 'verify/|hibswap|cycle' err >out; then bad "systemd-analyze verify $unit, $1"; else pass; fi
	done
	rm -rf verify
}
if command -v systemd-analyze >/dev/null; then
	for word in quiet hibswap=no; do
		generate $word "hib UUID=$U1 window" "a-b.c /dev/vg0/swap nofail,timeout=0" "n /dev/sdb1 _netdev"
		systemd_says $word
	done
else
	echo "skip systemd-analyze: it is not here"
fi
rm -rf units tab
