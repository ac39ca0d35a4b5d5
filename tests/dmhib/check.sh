# SPDX-License-Identifier: GPL-2.0-only
#
# dmhib check, sourced by run: a made-up machine on which all is well, and for
# each rule the same with one thing wrong.
# shellcheck shell=bash disable=SC2154

# shellcheck source=tests/dmhib/machine.sh
. "$here/machine.sh"

# wrong_setup RULE RESULT CODE PATTERN: what check says of the machine. RESULT
# is failed or warning; nothing else may be wrong, or $ALSO.
wrong_setup() {
	local rule=$1 result=$2 code=$3 pattern=$4 want=0

	[ "$result" = failed ] && want=11
	t $want "$code" check --json
	silent err "$code"
	j ".rules[] | select(.rule == \"$rule\") | [.result, .code]" "[\"$result\",\"$code\"]" "$code"
	j '[.rules[] | select(.result != "ok") | .code] - ["'"$code"'"'"${ALSO:+,\"$ALSO\"}"'] | length' 0 "$code: nothing else"
	j ".rules[] | select(.code == \"$code\") | (.remedy | length) > 3" true "$code: a remedy"
	codes+=" $code"
	t $want "$code" check
	says out "^$result +$rule +.*$pattern" "$code"
	says out '^ +-> ' "$code: a remedy"
}
codes=
seen() { wrong_setup "$@"; ALSO=; }
ALSO=

machine
t 0 "all is well" check
says out 'It will hibernate\.$' "all is well"
silent err "all is well"
t 0 "all is well" check --json
j '[.will_hibernate, .device, .failed, .warnings, (.rules | length)]' '[true,"hib",0,0,23]' "all is well"
j '[.rules[] | select(.result != "ok" or .code != "ok")]' '[]' "all is well"
t 0 "by name" check hib
t 0 "by path" check /dev/mapper/hib
t 1 "bad name" check a/b
t 1 "too many" check a b
rules=$(jq -r '.rules[].rule' out 2>/dev/null)

# ---- kernel
rm "$DMHIB_ROOT/sys/power/disk"
seen kernel failed no-hibernation 'built without'
for word in nohibernate hibernate=no; do
	machine
	put proc/cmdline "resume=/dev/mapper/hib $word"
	put sys/power/disk "[disabled]"
	seen kernel failed nohibernate 'command line forbids'
done
machine
put proc/cmdline "resume=/dev/mapper/hib nohibernatenot hibernate=nocompress"
t 0 "words that only look alike" check
machine
put sys/power/disk "[disabled]"
put sys/power/state "freeze mem"
seen kernel failed disabled 'hibernation is disabled'
machine
put sys/power/disk "[disabled]"
put sys/power/state "freeze mem"
put sys/kernel/security/lockdown "none [integrity] confidentiality"
seen lockdown failed lockdown 'locked down: none \[integrity\]'
mkdir -p "$DMHIB_ROOT/sys/firmware/efi/efivars"
sb=$DMHIB_ROOT/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
printf '\6\0\0\0\1' >"$sb"
seen lockdown failed lockdown 'because of Secure Boot'
put sys/kernel/security/lockdown "[none] integrity confidentiality"
put sys/power/disk "[platform]"
put sys/power/state "freeze mem disk"
t 0 "Secure Boot, and the target is there" check
rm -r "$DMHIB_ROOT/sys/module" "$DMHIB_ROOT/sys/block/dm-0"
t 11 "Secure Boot, no target" check --json
j '[.rules[] | select(.result == "warning") | .code]' '["secure-boot"]' "Secure Boot, no target"
codes+=" secure-boot"

# ---- target and device
machine
rm -r "$DMHIB_ROOT/sys/module" "$DMHIB_ROOT/sys/block/dm-0"
swaps
t 11 "not loaded, not open" check --json
j '[.will_hibernate, .device]' '[false,null]' "not open"
j '[.rules[] | select(.result == "failed") | .code]' '["target-not-loaded","not-open"]' "not loaded, not open"
j '[.rules[] | select(.result == "skipped") | .code] | unique' '["skipped"]' "not loaded, not open"
codes+=" target-not-loaded not-open"
put lib/modules/$REL/modules.dep "kernel/fs/ext4/ext4.ko:"
t 11 "not installed" check --json
j '[.rules[] | select(.result == "failed") | .code]' '["target-missing","not-open"]' "not installed"
codes+=" target-missing"
put lib/modules/$REL/modules.builtin "kernel/drivers/md/dm-hibswap-mod.ko"
t 11 "built in" check --json
j '[.rules[] | select(.result == "failed") | .code]' '["not-open"]' "built in"
machine
t 11 "another name" check other
says out '^failed +device +/dev/mapper/other is not open' "another name"

# ---- superblock and image
machine
rm "$DMHIB_ROOT/dev/sda3"
t 11 "nothing below" check --json
j '[.rules[] | select(.result == "warning" or .result == "failed") | [.result, .code]]' \
	'[["warning","superblock-unseen"],["failed","tab-no-device"]]' "nothing below"
codes+=" superblock-unseen"
blank "$DMHIB_ROOT/dev/sda3" 256M
seen superblock failed superblock-bad 'no superblock can be used'
machine
truncate -s 200M "$DMHIB_ROOT/dev/sda3"
seen superblock failed superblock-bad 'behind the device.s end'
says out 'dmhib resize /dev/sda3' "smaller disk: the remedy"
machine
dd if=/dev/urandom of="$DMHIB_ROOT/dev/sda3" bs=512 seek=2051 count=5 conv=notrunc status=none
seen superblock warning superblock-copy 'copy of the superblock is damaged'
machine
"$CRAFT" set "$DMHIB_ROOT/dev/sda3" A page_size=16384
seen page-size warning page-size 'pages of 16384 bytes'
machine
"$CRAFT" image "$DMHIB_ROOT/dev/sda3" 10:100:0
seen image failed image-present 'not resumed, generation 3'
says out 'dmsetup message hib 0 discard' "image present: the remedy"
printf x | dd of="$DMHIB_ROOT/dev/sda3" bs=1 seek=$((96 << 20)) conv=notrunc status=none
seen image warning image-stale 'nothing names'

# ---- encryption
machine
dm dm-1 254:1 524288 swapcrypt CRYPT-PLAIN-swapcrypt sda/sda3
rm "$DMHIB_ROOT/sys/block/dm-0/slaves/sda3"
ln -s ../../../block/dm-1 "$DMHIB_ROOT/sys/block/dm-0/slaves/dm-1"
ln "$DMHIB_ROOT/dev/sda3" "$DMHIB_ROOT/dev/dm-1"
put dev/mapper/swapcrypt ""
put etc/hibswaptab "hib /dev/mapper/swapcrypt"
seen encryption warning plain-encryption 'swapcrypt below is plain'
put etc/crypttab "# swapcrypt /dev/sda3 /dev/urandom
other /dev/sda9 /dev/urandom swap
swapcrypt /dev/sda3 /dev/urandom swap,cipher=aes-xts-plain64"
seen encryption failed volatile-key 'swapcrypt below has a random key'
put etc/crypttab "swapcrypt /dev/sda3 none luks"
put sys/block/dm-1/dm/uuid CRYPT-LUKS2-0123-swapcrypt
t 0 "LUKS below" check

# ---- swap
machine
swaps
seen swap failed no-swap 'no swap is active'
swaps "/dev/sda3 163836 0 -2"
seen swap failed swap-raw 'active on /dev/sda3, which is below'
machine
dm dm-5 254:5 327680 over CRYPT-LUKS2-0123-over dm-0
swaps "/dev/dm-5 163836 0 -2"
seen swap failed swap-above 'active on /dev/mapper/over, which lies on'
machine
block sdb1 8:17 2000000
swaps "/dev/dm-0 163836 1024 -2" "/dev/sdb1 999996 0 5"
t 0 "another swap area first, and resume is set" check
put sys/power/resume 0:0
ALSO=resume-unset seen other-swap warning other-swap-first '/dev/sdb1 has priority 5, this one -2'
swaps "/dev/dm-0 163836 1024 5" "/dev/sdb1 999996 0 -2"
seen resume-device warning resume-unset 'names no device'
machine
block zram0 251:0 100000
swaps "/dev/zram0 49996 2048 100" "/dev/dm-0 163836 1024 -2"
seen zram warning zram 'the 2 MiB in it stay in memory'

# ---- where a resume looks
machine
put proc/cmdline "resume=/dev/mapper/hib noresume"
seen noresume failed noresume 'has noresume'
machine
put sys/power/resume 8:3
seen resume-device failed resume-raw 'names /dev/sda3, which is below'
put sys/power/resume 8:0
seen resume-device failed resume-raw 'names /dev/sda, which is below'
put sys/power/resume 8:2
seen resume-device failed resume-elsewhere 'names /dev/sda2$'
put sys/power/resume 9:9
seen resume-device failed resume-elsewhere 'names 9:9, which does not exist'
machine
put sys/power/resume_offset 2048
seen resume-offset failed resume-offset 'offset of 2048'
machine
put proc/cmdline "resume=/dev/mapper/hib resume_offset=34816"
seen resume-offset failed resume-offset 'offset of 34816'
machine
put proc/cmdline "quiet"
seen resume-option failed option-missing 'has no resume='
mkdir -p "$DMHIB_ROOT/sys/firmware/efi"
seen resume-option warning option-missing 'has no resume='
put etc/initramfs-tools/conf.d/resume '# comment
RESUME="/dev/mapper/hib"'
t 0 "initramfs-tools' file" check
put etc/initramfs-tools/conf.d/resume 'RESUME=/dev/sda3'
seen resume-option failed option-raw 'resume=/dev/sda3 is /dev/sda3, which is below'
machine
put proc/cmdline "resume=/dev/sda3"
seen resume-option failed option-raw 'which is below'
put proc/cmdline "resume=/dev/sda2"
seen resume-option failed option-elsewhere 'another device'
put proc/cmdline "resume=/dev/mapper/old"
seen resume-option failed option-unknown 'names no device'
put proc/cmdline "resume=UUID=$SWAP_UUID"
seen resume-option failed option-unknown 'names no device'
mkdir -p "$DMHIB_ROOT/dev/disk/by-uuid" "$DMHIB_ROOT/dev/disk/by-partuuid"
ln -s ../../dm-0 "$DMHIB_ROOT/dev/disk/by-uuid/$SWAP_UUID"
: >"$DMHIB_ROOT/dev/dm-0"
t 0 "resume=UUID=" check
ln -s ../../sda3 "$DMHIB_ROOT/dev/disk/by-partuuid/1234-03"
put proc/cmdline "resume=PARTUUID=1234-03"
seen resume-option failed option-raw 'PARTUUID=1234-03 is /dev/sda3'
put proc/cmdline "resume=/dev/disk/by-uuid/$SWAP_UUID"
t 0 "resume=/dev/disk/by-uuid" check
put proc/cmdline "resume=/dev/sda3 resume=/dev/mapper/hib"
t 0 "the last resume= counts" check

# ---- initramfs
machine
rm "$DMHIB_ROOT/boot/initrd.img-$REL"
seen initramfs failed initramfs-missing 'no initramfs'
initramfs gzip init scripts/local-top/hibswap "${TABBED[@]}"
seen initramfs failed initramfs-no-module 'lacks the module'
put lib/modules/$REL/modules.builtin "kernel/drivers/md/dm-hibswap-mod.ko"
t 0 "module built in" check
initramfs gzip init "${TABBED[@]}" usr/lib/modules/$REL/updates/dm-hibswap-mod.ko
seen initramfs failed initramfs-no-activation 'nothing that opens'
for packer in none gzip zstd xz lz4 bzip2; do
	[ $packer = none ] || command -v $packer >/dev/null || continue
	initramfs $packer init scripts/local-top/hibswap "${TABBED[@]}" usr/lib/modules/$REL/updates/dm-hibswap-mod.ko
	t 0 "initramfs, $packer" check
done
initramfs gzip init scripts/local-top/hibswap usr/lib/modules/$REL/updates/dm-hibswap-mod.ko
truncate -s -40 "$DMHIB_ROOT/boot/initrd.img-$REL"
seen initramfs warning initramfs-unreadable 'cannot be read'
printf 'not an archive' >"$DMHIB_ROOT/boot/initrd.img-$REL"
seen initramfs warning initramfs-unreadable 'cannot be read'
: >"$DMHIB_ROOT/boot/initrd.img-$REL"
seen initramfs warning initramfs-unreadable 'cannot be read'

# The file and the program, if there is a line for the device
machine
module=usr/lib/modules/$REL/updates/dm-hibswap-mod.ko
initramfs gzip init scripts/local-top/hibswap usr/sbin/dmhib $module
seen initramfs failed initramfs-no-tab 'lacks /etc/hibswaptab'
initramfs gzip init scripts/local-top/hibswap etc/hibswaptab $module
seen initramfs failed initramfs-no-dmhib 'lacks the program dmhib'

# ---- hibswaptab
machine
rm "$DMHIB_ROOT/etc/hibswaptab"
seen hibswaptab warning tab-missing 'no line of /etc/hibswaptab opens hib'
# A script of somebody's own, or ours that would do nothing
initramfs gzip init scripts/local-top/hibswap "$module"
t 0 "no hibswaptab anywhere" check --json
j '[.rules[] | select(.result != "ok") | [.result, .code]]' \
	'[["warning","tab-missing"],["warning","initramfs-no-tab"]]' "no hibswaptab anywhere"
machine
put etc/hibswaptab "other /dev/sda3"
seen hibswaptab warning tab-missing 'no line of /etc/hibswaptab opens hib'
put etc/hibswaptab "# x
hib /dev/sda3 frobnicate"
seen hibswaptab failed tab-error 'line 2 of /etc/hibswaptab cannot be used'
put etc/hibswaptab "hib /dev/sdz9"
seen hibswaptab failed tab-no-device '/dev/sdz9 does not exist'
put etc/hibswaptab "hib UUID=01234567-89ab-cdef-0123-456789abcdee"
seen hibswaptab failed tab-no-device 'no block device has a hibswap region'
: >"$DMHIB_ROOT/dev/sda2"
put etc/hibswaptab "hib /dev/sda2"
seen hibswaptab failed tab-elsewhere 'leads to /dev/sda2, but hib is on /dev/sda3'
put etc/hibswaptab "hib /dev/sda3 window"
seen hibswaptab warning tab-differs 'opens it with the window, and it is open without'
mkdir -p "$DMHIB_ROOT/dev/disk/by-partuuid"
ln -s ../../sda3 "$DMHIB_ROOT/dev/disk/by-partuuid/abcd-03"
put etc/hibswaptab "hib PARTUUID=ABCD-03 timeout=5"
t 0 "hibswaptab by PARTUUID" check
put etc/hibswaptab "hib UUID=$("$DMHIB" probe region --json | jq -r .uuid)"
t 0 "hibswaptab by UUID, no link" check

# ---- sizes
machine
"$DMHIB" format "$DMHIB_ROOT/dev/sda3" --region-size 40M --ram 128M --force >/dev/null 2>&1
put sys/block/dm-0/size 442368
seen region warning region-small 'the region holds 37.4 MiB'
machine
memory 1024 960 20 30
put sys/power/image_size $((400 << 20))
seen maps warning maps-small 'the maps have 18432 extents, 147456'
machine
swaps "/dev/dm-0 163836 140000 -2"
memory 128 58 20 30 10
seen slots failed slots-short '23.2 MiB of swap are free'
# A kernel with the window, and a device that shows one
put proc/kallsyms "ffffffff81234567 T hibernate_window_register"
seen slots failed slots-short 'swap are free'
says out 'add a window' "slots: the remedy"
"$DMHIB" format "$DMHIB_ROOT/dev/sda3" --region-size 96M --window 80M --ram 128M --force >/dev/null 2>&1
seen slots failed slots-short 'swap are free'
put sys/block/dm-0/size $((327680 + 163840))
put etc/hibswaptab "hib /dev/sda3 window"
t 0 "the window suffices" check
put proc/kallsyms "ffffffff81234567 T hibernate"
seen slots failed slots-short 'swap are free'

# ---- systemd
machine
swaps "/dev/dm-0 163836 80000 -2"
memory 256 50 20 130 120
put sys/power/image_size $((20 << 20))
t 11 "systemd" check --json
j '[.rules[] | select(.rule == "systemd-space") | .result, .code]' '["failed","systemd-space"]' "systemd"
codes+=" systemd-space"
rm -r "$DMHIB_ROOT/run/systemd"
t 0 "no systemd" check --json
j '[.rules[] | select(.rule == "systemd-space") | .result]' '["ok"]' "no systemd"
machine
put etc/systemd/sleep.conf "[Sleep]
AllowHibernation=no"
seen systemd-allows failed systemd-forbidden 'AllowHibernation=no'
put etc/systemd/sleep.conf "[Sleep]
#AllowHibernation=no
AllowHibernation=yes"
t 0 "systemd is allowed" check
mkdir -p "$DMHIB_ROOT/etc/systemd/system"
ln -s /dev/null "$DMHIB_ROOT/etc/systemd/system/hibernate.target"
seen systemd-allows failed systemd-masked 'is masked'

# No memory known
machine
rm "$DMHIB_ROOT/proc/meminfo"
t 0 "no meminfo" check
# Nothing at all
DMHIB_ROOT=$work/nothing
mkdir -p "$DMHIB_ROOT"
t 11 "nothing at all" check --json
j '[.rules[] | select(.result == "failed") | .code]' '["no-hibernation","target-missing","not-open","initramfs-missing"]' "nothing at all"
rmdir "$DMHIB_ROOT"
DMHIB_ROOT=

# Each code that the rules have was seen, and is in the man page; each rule, too
for code in $(grep -ohE 'found\([^"]*"[a-z-]+"' "$here"/../../tools/dmhib/rules*.c | sed 's/.*"\(.*\)"/\1/' | sort -u) \
	$(grep -ohE '^[[:space:]]+"[a-z-]+", "' "$here"/../../tools/dmhib/rules*.c | sed 's/^[^"]*"\([^"]*\)".*/\1/' | sort -u); do
	case " $codes " in
	*" $code "*) pass ;;
	*) bad "code $code: no test" ;;
	esac
done
for word in $rules $codes; do
	if grep -qF -- "${word//-/\\-}" "$here/../../tools/dmhib/dmhib.8"; then pass; else bad "dmhib.8 lacks $word"; fi
done
unset DMHIB_ROOT
