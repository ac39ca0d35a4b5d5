# SPDX-License-Identifier: GPL-2.0-only
#
# One VM's console into samples: a line for each hibernation, in KEY=VALUE pairs.
# Variables: cell, kernel, levels (a digit for each hibernation), dir (with
# runs.N), compress (no|lzo), error (what the guest was told instead). Prints what
# is missing and fails; it never makes up a number.

function missing(what) {
	print what >"/dev/stderr"
	failed = 1
	exit 1
}

function need(n, key) {
	if (!((n, key) in value))
		missing("no " key " of hibernation " n)
	return value[n, key]
}

# after TEXT WORD: the number behind WORD= in a line
function after(line, word) {
	if (!match(line, " " word "=[0-9]+"))
		return ""
	return substr(line, RSTART + length(word) + 2, RLENGTH - length(word) - 2)
}

function keep(n, key, x) {
	if (x != "")
		value[n, key] = x
}

# hibcount's line of one direction
function counted(n, dir, line) {
	keep(n, dir "_us", after(line, "us"))
	keep(n, dir "_idle_us", after(line, "idle_us"))
	keep(n, dir "_bios", after(line, "bios"))
	keep(n, dir "_requests", after(line, "requests"))
	keep(n, dir "_bytes", after(line, "bytes"))
	keep(n, dir "_nonseq", after(line, "nonseq"))
	keep(n, dir "_flushes", after(line, "flushes"))
	keep(n, dir "_copied", after(line, "copied"))
	keep(n, dir "_cleared", after(line, "cleared"))
	keep(n, dir "_first_us", after(line, "first_us"))
	keep(n, dir "_first_requests", after(line, "first_requests"))
}

/^======== boot [0-9]+ ========/ { boot = $3 }

# What boot N writes, boot N + 1 reads.
/hibcount: write / { counted(boot, "write", $0) }
/hibcount: read / { counted(boot - 1, "read", $0) }
match($0, /Wrote [0-9]+ kbytes in [0-9.]+ seconds/) {
	split(substr($0, RSTART, RLENGTH), w, " ")
	value[boot, "image_kib"] = w[2]
	value[boot, "kernel_write_s"] = w[5]
}
match($0, /Read [0-9]+ kbytes in [0-9.]+ seconds/) {
	split(substr($0, RSTART, RLENGTH), w, " ")
	value[boot - 1, "kernel_read_s"] = w[5]
}
match($0, /Image size after compression: [0-9]+ kbytes/) {
	split(substr($0, RSTART, RLENGTH), w, " ")
	value[boot, "compressed_kib"] = w[5]
}

END {
	if (failed)
		exit 1
	if (error != "") {
		sub(/^.*write error: /, "", error)
		gsub(/[ \t"\\]+/, "_", error)
		printf "cell=%s kernel=%s n=1 level=0 verified=1 error=%s\n", cell, kernel, error
		exit 0
	}
	for (n = 1; n <= length(levels); n++) {
		level = substr(levels, n, 1)
		line = sprintf("cell=%s kernel=%s n=%d level=%d verified=1", cell, kernel, n, level)
		keys = "image_kib kernel_write_s kernel_read_s write_us read_us write_idle_us read_idle_us"
		if (compress != "no")
			keys = keys " compressed_kib"
		if (level >= 1)
			keys = keys " write_bios read_bios write_requests read_requests write_bytes" \
				" read_bytes write_nonseq read_nonseq write_flushes"
		if (level >= 2) {
			keys = keys " write_copied read_copied write_cleared read_cleared"
			# Compressed, metadata and data are read together
			if (compress == "no")
				keys = keys " read_first_us read_first_requests"
		}
		m = split(keys, k, " ")
		for (i = 1; i <= m; i++)
			line = line " " k[i] "=" need(n, k[i])
		runs = ""
		while ((getline l <(dir "/runs." n)) > 0)
			if (l ~ /^runs=[0-9]+$/)
				runs = substr(l, 6)
		if (runs == "")
			missing("no runs of hibernation " n)
		print line " runs=" runs
	}
}
