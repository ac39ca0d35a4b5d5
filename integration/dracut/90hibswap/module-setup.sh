#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dracut module: what opens the hibswap devices of /etc/hibswaptab. With systemd in
# the initramfs, hibswap-generator makes its units there as it does later; without,
# a hook of the initqueue opens what is there each time udev has settled. Both are
# done before dracut's resume module looks at the device: it waits for it.

# shellcheck disable=SC2154 # dracut's variables
hibswap_tab=/etc/hibswaptab

# called by dracut
check() {
	require_binaries dmhib || return 1
	# Included where there is something to open, or when asked for
	grep -qs '^[[:space:]]*[^#[:space:]]' "$dracutsysrootdir$hibswap_tab" || return 255
	return 0
}

# called by dracut
depends() {
	# "resume" leaves itself out as long as nothing has set /sys/power/resume, as
	# before the first boot with resume=
	echo dm resume
	return 0
}

# called by dracut
installkernel() {
	local compressor=/sys/module/hibernate/parameters/compressor

	modinfo -k "$kernel" dm-hibswap-mod &>/dev/null ||
		dwarn "hibswap: kernel $kernel has no module dm-hibswap-mod: with this initramfs it will not resume from hibswap"
	hostonly='' instmods dm_mod dm-hibswap-mod
	# The image was packed by what is set here, where it can be chosen (6.9 and newer)
	[[ ! -r $compressor ]] || hostonly='' instmods "$(<$compressor)"
	# A missing module is no reason to have no initramfs
	return 0
}

# called by dracut
install() {
	inst_multiple dmhib
	if [[ -e $dracutsysrootdir$hibswap_tab ]]; then
		dmhib tab --tab "$dracutsysrootdir$hibswap_tab" >/dev/null ||
			dwarn "hibswap: $hibswap_tab has errors: what its other lines name is opened at boot, no more"
		inst_simple "$dracutsysrootdir$hibswap_tab" "$hibswap_tab"
		mark_hostonly "$hibswap_tab"
	fi
	inst_rules 61-hibswap.rules
	if dracut_module_included "systemd"; then
		inst_multiple -o \
			"$systemdutildir"/system-generators/hibswap-generator \
			"$systemdsystemunitdir"/hibswap.target \
			"$systemdsystemunitdir"/sysinit.target.wants/hibswap.target
	else
		inst_multiple timeout
		inst_hook initqueue/settled 05 "$moddir/hibswap-open.sh"
		inst_hook initqueue/timeout 05 "$moddir/hibswap-timeout.sh"
		dracut_need_initqueue
	fi
}
