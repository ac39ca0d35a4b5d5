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
