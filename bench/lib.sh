# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-only
#
# One hibernation in a VM, and its numbers: for demo and fresh. Uses their
# variables: top, kernel, out, ram, area, region, anon, file, swapped,
# image_size (MiB), mib, data_start (sectors), disk_mib, iops, bps, hole,
# modules.

# one_run NAME TARGET: leaves VALUE of each key in the array $NAME.
one_run() {
	local name=$1 kind=$2 dir=$out/$1 between status=0
	local -n r=$1

	echo "$name: ageing swap, hibernating, resuming (log: ${dir#"$top"/}/console.log)"
	case $kind in
	plain) between='--at 0' ;;
	linear) between="--at $((data_start * 512))" ;;
	hibswap) between="--at $((data_start * 512)) --map hibswap:0" ;;
	esac
	between="[ \$BOOT != 1 ] || '$top/build/guest/imgruns' $between \"\$OUT/disk.img\" >\"\$OUT/runs\" 2>\"\$OUT/runs.err\" || :"

	local -a extra=()
	[ "$kind" = plain ] || extra=("${modules[@]}")
	"$top/tests/vm/vm" --kernel "$kernel" --script "$top/bench/demo.guest" --out "$dir" \
		--ram $ram --time 420 "${extra[@]}" --between "$between" \
		--disk "disk,size=${disk_mib}M,iops=$iops,bps=$bps" \
		--env TARGET="$kind" --env DATA_START=$data_start \
		--env DATA_SECTORS=$((area * mib)) --env REGION_START=0 \
		--env REGION_SECTORS=$((region * mib)) --env IOPS="$iops" --env BPS="$bps" \
		--env HOLE="$hole" --env ANON=$anon --env FILE=$file --env SWAPPED=$swapped \
		--env IMAGE_SIZE=$((image_size << 20)) || status=$?
	[ $status = 0 ] || { echo "demo: the $name run failed ($status)" >&2; return 1; }

	# "PM: hibernation: Wrote 1084884 kbytes in 5.02 seconds (216.11 MB/s)"
	local wrote='s/.*Wrote \([0-9]*\) kbytes in \([0-9.]*\) seconds.*/\1 \2/p'
	local read_back='s/.*Read \([0-9]*\) kbytes in \([0-9.]*\) seconds.*/\1 \2/p'
	read -r r["image_kib"] r["write_s"] < <(sed -n "$wrote" "$dir/console.log")
	read -r _ r["read_s"] < <(sed -n "$read_back" "$dir/console.log")

	# label boot disk rd_ops rd_bytes wr_ops wr_bytes flush_ops
	read -r r["write_requests"] r["write_request_kib"] r["read_requests"] < <(awk '
		$1 == "hibernate" { ops = $6; bytes = $7 }
		$1 == "off" && $2 == 1 { ops = $6 - ops; bytes = $7 - bytes }
		$1 == "before-resume" && $2 == 2 { reads = $4 }
		$1 == "resumed" { reads = $4 - reads }
		END { printf "%d %.1f %d\n", ops, ops ? bytes / ops / 1024 : 0, reads }' "$dir/stats")
	r["runs"]=$(sed -n 's/^runs=//p' "$dir/runs" 2>/dev/null || true)
	: "${r["runs"]:=null}"
	r["verified"]=false
	! grep -qx 'verified=1' "$dir/results" || r["verified"]=true
}
