# SPDX-License-Identifier: GPL-2.0-only
#
# For cases that name it with "# file:".
# shellcheck shell=bash

# three_cycles NAME: hibernate, power off and resume three times in a row; what is
# in memory is compared each time, and each image went through the device
three_cycles() {
	local name=$1 i gen before

	before=0
	for i in 1 2 3; do
		cycle
		held
		dmhib status "$name"
		gen=$(dmhib status "$name" --json | jq_number generation)
		[ "$gen" -gt "$before" ] || die "no image was written through $name: generation $gen"
		before=$gen
		result "cycle$i" "generation $gen"
	done
}

# jq_number MEMBER: of JSON on standard input
jq_number() {
	sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" | head -n 1
}

# quick_initramfs: a small one, since without KVM update-initramfs takes a minute and more
quick_initramfs() {
	printf 'MODULES=dep\nCOMPRESSLEVEL=1\n' >/etc/initramfs-tools/conf.d/quick
}

# by_hand DEVICE [OPTIONS]: what setup would do, as the administrator's guide has it
by_hand() {
	local device=$1

	run dmhib -q format "$device" --region-size 1G
	echo "hib $device ${2:--}" >/etc/hibswaptab
	run dmhib open hib
	run mkswap /dev/mapper/hib
	echo "/dev/mapper/hib none swap sw 0 0" >>/etc/fstab
	kernel_option resume=/dev/mapper/hib
	echo RESUME=/dev/mapper/hib >/etc/initramfs-tools/conf.d/resume
	run update-initramfs -u
}

# kernel_option WORD: on the kernel's command line from the next boot on
kernel_option() {
	mkdir -p /etc/default/grub.d
	# shellcheck disable=SC2016 # expanded by update-grub
	printf 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX %s"\n' "$1" >"/etc/default/grub.d/${1%%=*}.cfg"
	run update-grub
}

# journal_has REGEX: this boot's journal
journal_has() {
	journalctl -b -o cat --no-pager | grep -E -e "$1" || die "no word in the journal: $1"
}
