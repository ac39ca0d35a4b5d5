# SPDX-License-Identifier: GPL-2.0-only
#
# A made-up machine for dmhib check and size: a directory in place of the root.
# shellcheck shell=bash disable=SC2154

export DMHIB_ROOT=
REL=6.12.0-made-up
MKCPIO=$BUILD/tests/dmhib/mkcpio
# What dmhib's own scripts in an initramfs need
TABBED=(etc/hibswaptab usr/sbin/dmhib)

# put PATH TEXT: a file of the machine
put() {
	mkdir -p "$DMHIB_ROOT/${1%/*}"
	printf '%s\n' "$2" >"$DMHIB_ROOT/$1"
}

# block NAME MAJOR:MINOR SECTORS [PARENT]: a block device
block() {
	put "sys/block/${4:+$4/}$1/dev" "$2"
	put "sys/block/${4:+$4/}$1/size" "$3"
	[ -z "${4:-}" ] || put "sys/block/$4/$1/partition" 3
	mkdir -p "$DMHIB_ROOT/sys/class/block"
	ln -sfn "../../block/${4:+$4/}$1" "$DMHIB_ROOT/sys/class/block/$1"
}

# dm NAME MAJOR:MINOR SECTORS DM_NAME DM_UUID SLAVE
dm() {
	block "$1" "$2" "$3"
	put "sys/block/$1/dm/name" "$4"
	put "sys/block/$1/dm/uuid" "$5"
	mkdir -p "$DMHIB_ROOT/sys/block/$1/slaves"
	ln -sfn "../../../block/$6" "$DMHIB_ROOT/sys/block/$1/slaves/${6##*/}"
}

# swaps LINE...: NAME SIZE-KIB USED-KIB PRIORITY
swaps() {
	local IFS=' ' s

	put proc/swaps "Filename				Type		Size		Used		Priority"
	for s in "$@"; do
		# shellcheck disable=SC2086 # words are wanted
		set -- $s
		printf '%-40s%s\t%s\t%s\t%s\n' "$1" partition "$2" "$3" "$4" >>"$DMHIB_ROOT/proc/swaps"
	done
}

# memory TOTAL FREE FILE ANON [ACTIVE-ANON]: MiB
memory() {
	put proc/meminfo "MemTotal:       $(($1 * 1024)) kB
MemFree:        $(($2 * 1024)) kB
Active(anon):   $((${5:-$4} * 1024)) kB
Inactive(anon): $((($4 - ${5:-$4}) * 1024)) kB
Active(file):   0 kB
Inactive(file): $(($3 * 1024)) kB
SwapFree:       ${SWAP_FREE:-196608} kB
Dirty:          0 kB
Mapped:         0 kB
SReclaimable:   0 kB"
	put proc/zoneinfo "Node 0, zone   Normal
  pages free     $(($2 * 256))
        present  $(($1 * 256))
        managed  $(($1 * 256))
  pagesets
    cpu: 0
              count:    ${KEPT:-0}
              high:     378"
}

initramfs() {
	local packer=$1

	shift
	mkdir -p "$DMHIB_ROOT/boot"
	"$MKCPIO" "$packer" "$@" >"$DMHIB_ROOT/boot/initrd.img-$REL"
}

# machine: one that hibernates. 128 MiB of memory, 70 in use; /dev/sda3 of 256
# MiB with a region of 96 MiB.
machine() {
	DMHIB_ROOT=$work/root
	rm -rf "$DMHIB_ROOT"
	mkdir -p "$DMHIB_ROOT/dev" "$DMHIB_ROOT/run/systemd/system"
	put proc/sys/kernel/osrelease $REL
	put proc/cmdline "root=/dev/sda2 ro resume=/dev/mapper/hib quiet"
	put proc/kallsyms "0000000000000000 T hibernate"
	put sys/power/state "freeze mem disk"
	put sys/power/disk "[platform] shutdown reboot suspend test_resume"
	put sys/power/resume 254:0
	put sys/power/resume_offset 0
	put sys/power/image_size $((52 << 20))
	put sys/kernel/security/lockdown "[none] integrity confidentiality"
	put sys/module/dm_hibswap_mod/refcnt 1
	put lib/modules/$REL/modules.dep "updates/dm-hibswap-mod.ko: kernel/drivers/md/dm-mod.ko"
	put lib/modules/$REL/modules.builtin "kernel/fs/ext4/ext4.ko"
	memory 128 58 20 30
	block sda 8:0 1000000
	block sda2 8:2 100000 sda
	block sda3 8:3 524288 sda
	dm dm-0 254:0 327680 hib HIBSWAP-0123456789abcdef0123456789abcdef-hib sda/sda3
	swaps "/dev/dm-0 163836 1024 -2"
	cp --sparse=always region "$DMHIB_ROOT/dev/sda3"
	put etc/hibswaptab "hib /dev/sda3"
	initramfs gzip init scripts/local-top/hibswap "${TABBED[@]}" usr/lib/modules/$REL/updates/dm-hibswap-mod.ko.xz
}

blank region 256M
"$DMHIB" format region --region-size 96M --ram 128M >out 2>err || bad "a region for the made-up machine"
