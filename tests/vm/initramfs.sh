# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by vm: makes the initramfs (or root disk) of its own guests, for the
# kernel or kernels they boot. Leaves boot_kernel and boot_initrd.
# shellcheck shell=bash disable=SC2154

root=$out/.initramfs
rm -rf "$root"
mkdir -p "$root"/{bin,sbin,usr/bin,usr/sbin,etc,lib/vm,lib64,proc,sys,dev,tmp,run,root,modules}

busybox=$(command -v busybox) || die "busybox is missing: run scripts/install-deps"
file_is_static() { ! ldd "$1" >/dev/null 2>&1; }
file_is_static "$busybox" || die "busybox is not static: install busybox-static"
cp "$busybox" "$root/bin/busybox"
applets=$("$busybox" --list)
for applet in $applets; do
	[ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
done

add_program() {
	local path lib

	path=$(command -v "$1" || PATH=/usr/sbin:/sbin command -v "$1") ||
		die "program $1 is missing: run scripts/install-deps"
	cp -L "$path" "$root/usr/bin/${1##*/}"
	rm -f "$root/bin/${1##*/}"
	file_is_static "$path" && return
	while read -r lib; do
		[ -e "$root$lib" ] || { mkdir -p "$root${lib%/*}"; cp -L "$lib" "$root$lib"; }
	done < <(ldd "$path" | grep -o '/[^ ]*' | grep -v ':$')
}
for p in "${programs[@]}"; do add_program "$p"; done
find "$top/build/guest" -maxdepth 1 -type f -perm -u+x -exec cp -t "$root/usr/bin" {} +

add_module() {
	local name=${1##*/}

	name=${name%.xz}
	name=${name%.zst}
	name=${name%.gz}
	[ -e "$root/modules/$name" ] && return
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -dcq "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac >"$root/modules/$name"
	echo "/modules/$name" >>"$root/etc/vm.modules"
}
# add_modules KERNEL MODULE...: the usual ones of that kernel, and these
add_modules() {
	local kernel=$1 release m name deps what path

	release=$(<"$kernel/release")
	shift
	: >"$root/etc/vm.modules"
	for name in "${modnames[@]}"; do
		if ! deps=$(modprobe -S "$release" -d "$kernel" --show-depends "$name" 2>/dev/null); then
			case $required in
			*" $name "*) die "kernel $release has no module $name" ;;
			esac
			continue
		fi
		while read -r what path _; do
			# Of a softdep; its CPU is not the guest's (see vm)
			[[ $path != */crc32c-intel.* ]] || continue
			[ "$what" != insmod ] || add_module "$path"
		done <<<"$deps"
	done
	for m in "$@"; do
		[ -f "$m" ] || die "no module $m"
		add_module "$m"
	done
}
add_modules "$kernel" "${modules[@]}"

for f in "${files[@]}"; do
	src=${f%%:*} dst=${f#*:}
	[ -e "$src" ] || die "no file $src"
	mkdir -p "$root/$(dirname "$dst")"
	cp -RL "$src" "$root/$dst"
done
cp "$guest/init" "$root/init"
chmod 755 "$root/init"
cp "$guest/run" "$guest/lib.sh" "$root/lib/vm/"
cp "$script" "$root/lib/vm/script"
for e in "${env[@]}"; do
	value=${e#*=}
	printf "export %s='%s'\n" "${e%%=*}" "${value//\'/\'\\\'\'}"
done >"$root/etc/vm.env"
# busybox prefers its own applet to a program of the same name.
for p in "${programs[@]}"; do
	p=${p##*/}
	# Not "| grep -q": that leaves early, and the pipe's other end with an error
	grep -qxF -e "$p" <<<"$applets" || continue
	printf '%s() { /usr/bin/%s "$@"; }\n' "$p" "$p"
done >>"$root/etc/vm.env"

pack() { (cd "$root" && find . -print0 | sort -z | cpio -0 -o -H newc -R 0:0 --quiet); }
if [ -n "$rootdisk" ]; then
	rm -f "$rootfs"
	# With as much room again for what the guest writes
	truncate -s "$(($(du -sm "$root" | cut -f 1) * 2 + 32))M" "$rootfs"
	PATH=$PATH:/usr/sbin:/sbin mke2fs -q -F -t ext4 -E root_owner=0:0 -d "$root" "$rootfs" ||
		die "cannot make the root disk"
else
	pack >"$out/initramfs.cpio"
fi
rm -rf "$root"

# --kernel-from: links say which kernel and which initramfs a boot gets. The other
# kernel's modules are a second archive, unpacked over the first.
boot_kernel=$kernel/vmlinuz boot_initrd=$out/initramfs.cpio
if [ ${#later[@]} -gt 0 ]; then
	rm -rf "$out/.boot"
	mkdir "$out/.boot"
	for ((b = 1; b <= boots; b++)); do
		ln -s "$(realpath "$boot_kernel")" "$out/.boot/kernel-$b"
		ln -s "$boot_initrd" "$out/.boot/initrd-$b"
	done
	for k in "${later[@]}"; do
		IFS=, read -r -a k <<<"$k"
		mkdir -p "$root"/{etc,modules}
		add_modules "${k[1]}" "${k[@]:2}"
		{ cat "$boot_initrd"; pack; } >"$out/.boot/initramfs-from-${k[0]}.cpio"
		rm -rf "$root"
		for ((b = k[0]; b <= boots; b++)); do
			ln -sf "$(realpath "${k[1]}/vmlinuz")" "$out/.boot/kernel-$b"
			ln -sf "initramfs-from-${k[0]}.cpio" "$out/.boot/initrd-$b"
		done
	done
	boot_kernel=$out/.boot/kernel-@BOOT@ boot_initrd=$out/.boot/initrd-@BOOT@
fi

