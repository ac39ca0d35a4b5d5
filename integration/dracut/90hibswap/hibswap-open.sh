#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Each time udev has settled, opens the hibswap devices that can be opened. Sourced
# by dracut's initqueue; without systemd only.

# hibswap_forbidden: hibswap=no or hibswap.tab=no, as hibswap-generator has it: of each word the last
# counts
hibswap_forbidden() (
	set -f
	read -r line </proc/cmdline
	all='' tab=''
	for word in $line; do
		case ${word#rd.} in
		hibswap=*) all=${word#*=} ;;
		hibswap.tab=*) tab=${word#*=} ;;
		esac
	done
	case " $all $tab " in
	*" 0 "* | *" "[Nn]" "* | *" "[Nn][Oo]" "* | *" "[Ff]" "* | *" "[Ff][Aa][Ll][Ss][Ee]" "* | *" "[Oo][Ff][Ff]" "*) ;;
	*) return 1 ;;
	esac
)

if [ -s /etc/hibswaptab ] && ! [ -e /run/hibswap.done ]; then
	if hibswap_forbidden; then
		info "hibswap: turned off on the kernel's command line"
		: >/run/hibswap.done
	elif [ -d /sys/module/dm_hibswap_mod ] || modprobe -q dm-hibswap-mod; then
		# udev has settled: whoever does not answer now has died
		timeout 20 dmhib -q open --all --wait 0 2>/run/hibswap.errors && : >/run/hibswap.done
	else
		warn "hibswap: there is no module dm-hibswap-mod for $(uname -r) in this initramfs: booting without resuming." \
			"Install it, then run dracut -f"
		: >/run/hibswap.done
	fi
fi
