#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Each time udev has settled, opens the hibswap devices that can be opened. Sourced
# by dracut's initqueue; without systemd only.

if [ -s /etc/hibswaptab ] && ! [ -e /run/hibswap.done ]; then
	if [ -d /sys/module/dm_hibswap_mod ] || modprobe -q dm-hibswap-mod; then
		# udev has settled: whoever does not answer now has died
		timeout 20 dmhib -q open --all --wait 0 2>/run/hibswap.errors && : >/run/hibswap.done
	else
		warn "hibswap: there is no module dm-hibswap-mod for $(uname -r) in this initramfs: booting without resuming." \
			"Install it, then run dracut -f"
		: >/run/hibswap.done
	fi
fi
