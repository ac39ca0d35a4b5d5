# SPDX-License-Identifier: GPL-2.0-only
#
# Samples into the table, bench.json and the chart's numbers.
# Input: the list of cells (cell target scenario disk compress init clock), then
# the samples. Variables: bps (of the slow disk), json, chart (files to write).

function median(list,   n, a, i, j, t) {
	n = split(list, a, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && a[j - 1] + 0 > a[j] + 0; j--) {
			t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
		}
	lowest = a[1]; highest = a[n]; many = n
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}

function add(cell, kernel, key, x) {
	list[cell, kernel, key] = list[cell, kernel, key] x " "
}

# got CELL KERNEL KEY: is there a number? Its median is left in "med".
function got(cell, kernel, key) {
	if (list[cell, kernel, key] == "")
		return 0
	med = median(list[cell, kernel, key])
	return 1
}

FNR == NR {
	order[++cells] = $1
	target[$1] = $2; scenario[$1] = $3; disk[$1] = $4; compress[$1] = $5; init[$1] = $6
	clock[$1] = $7; clocks[$7]++
	next
}

{
	split("", s)
	for (i = 1; i <= NF; i++) {
		eq = index($i, "=")
		s[substr($i, 1, eq - 1)] = substr($i, eq + 1)
	}
	c = s["cell"]; k = s["kernel"]
	ran[c, k]++
	if ("error" in s) {
		error[c, k] = s["error"]
		next
	}
	add(c, k, "image_kib", s["image_kib"])
	add(c, k, "runs", s["runs"])
	if ("compressed_kib" in s)
		add(c, k, "compressed_kib", s["compressed_kib"])
	# Probes cost time, which a disk of 4000 requests a second hides.
	if (s["level"] == 0 || (s["level"] == 1 && disk[c] == "slow4k")) {
		# Where the clock counts instructions, it jumps when the guest waits.
		waited = clock[c] == "icount"
		add(c, k, "write_s", (s["write_us"] - waited * s["write_idle_us"]) / 1000000)
		add(c, k, "read_s", (s["read_us"] - waited * s["read_idle_us"]) / 1000000)
		add(c, k, "kernel_write_s", s["kernel_write_s"])
		add(c, k, "kernel_read_s", s["kernel_read_s"])
	}
	if (s["level"] >= 1) {
		add(c, k, "write_bios", s["write_bios"])
		add(c, k, "read_bios", s["read_bios"])
		add(c, k, "write_requests", s["write_requests"])
		add(c, k, "read_requests", s["read_requests"])
		add(c, k, "write_kib", s["write_bytes"] / 1024)
		add(c, k, "read_kib", s["read_bytes"] / 1024)
		add(c, k, "write_nonseq", s["write_nonseq"])
		add(c, k, "read_nonseq", s["read_nonseq"])
		add(c, k, "write_flushes", s["write_flushes"])
		# Not a count of its own: for the table
		add(c, k, "nonseq_percent", 100 * s["write_nonseq"] / s["write_requests"])
	}
	if (s["level"] >= 2) {
		add(c, k, "bytes_copied", s["write_copied"] + s["read_copied"])
		add(c, k, "bytes_cleared", s["write_cleared"] + s["read_cleared"])
		if ("read_first_us" in s) {
			add(c, k, "first_data_s", s["read_first_us"] / 1000000)
			add(c, k, "first_data_requests", s["read_first_requests"])
		}
	}
}

# -------------------------------------------------------------------- the table

function number(x) {
	if (x >= 10000000)
		return sprintf("%.0f M", x / 1000000)
	if (x >= 100000)
		return sprintf("%.1f k", x / 1000)
	return x == int(x) ? sprintf("%d", x) : sprintf("%.2f", x)
}

function line(what, a, b, change, goal, met, how) {
	printf "%-43s %10s %10s %9s  %-22s %-6s %s\n", what, a, b, change, goal, met, how
}

# How a number was got
function origin(cell, key, n) {
	if (key ~ /_s$/ && key !~ /^first/) {
		n = "median of " many
		if (clock[cell] == "icount")
			return (many > 1 ? n ", " : "one run, ") "instructions"
		return n ", " (disk[cell] == "slow4k" ? "disk's limit" : "TCG")
	}
	if (key == "first_data_s")
		return "one run, " (clock[cell] == "icount" ? "instructions" : "TCG")
	return key == "runs" ? "count, disk" : "count, one run"
}

# row WHAT CELL KEY GOAL X [BASE]: GOAL is one of
#   less    X per cent less than stock		share	at most X per cent of stock's
#   same    not more than stock			most	at most X
#   limit   at most X times what the slow disk needs for as many bytes
# BASE is the cell that stock's number is from.
function row(what, cell, key, goal, x, base,   a, b, change, text, met, how, lim) {
	if (base == "")
		base = cell
	if (!(cell in target) || !(base in target))
		return
	if (error[base, "stock"] != "" || !got(base, "stock", key))
		a = ""
	else
		a = med
	if (error[cell, "series"] != "" || !got(cell, "series", key))
		b = ""
	else
		b = med
	how = a == "" && b == "" ? "" : origin(cell, key)
	change = a != "" && b != "" && a > 0 ? sprintf("%+.1f %%", 100 * (b - a) / a) : ""
	if (goal == "less") {
		text = sprintf("-%g %%", x)
		met = a != "" && b <= a * (1 - x / 100)
	} else if (goal == "share") {
		text = sprintf("<= %g %% of stock's", x)
		met = a != "" && b <= a * x / 100
		if (a != "" && b != "" && a > 0)
			change = sprintf("%.2f %%", 100 * b / a)
	} else if (goal == "same") {
		text = "<= stock's"
		met = a != "" && b <= a
	} else if (goal == "most") {
		text = "<= " x
		met = b <= x
	} else if (goal == "limit") {
		got(cell, "series", "image_kib")
		lim = med * 1024 / bps
		text = sprintf("<= %.2f (%+g %%)", lim * x, (x - 1) * 100)
		met = b <= lim * x
	}
	line(what, a == "" ? "-" : number(a), b == "" ? "-" : number(b), change, text,
	     b == "" ? "?" : met ? "yes" : "NO", how)
}

function outcome(cell, kernel) {
	return !ran[cell, kernel] ? "-" : error[cell, kernel] == "" ? "succeeds" : "fails"
}

function works(what, cell,   b) {
	if (!(cell in target))
		return
	b = outcome(cell, "series")
	line(what, outcome(cell, "stock"), b, "", "succeeds, verified",
	     b == "-" ? "?" : b == "succeeds" ? "yes" : "NO", b == "fails" ? error[cell, "series"] : "one run")
}

# Times of images of different sizes say nothing. (Under pressure the kernel may
# have paged something out first.)
function check_sizes(   i, c) {
	for (i = 1; i <= cells; i++) {
		c = order[i]
		if (list[c, "stock", "image_kib"] == "" || list[c, "series", "image_kib"] == "")
			continue
		median(list[c, "stock", "image_kib"] list[c, "series", "image_kib"])
		if (highest > 1.03 * lowest)
			printf "bench: %s: images from %d to %d KiB, times are not comparable\n", c, lowest, highest
	}
}

function table() {
	print ""
	line("", "stock", "series", "change", "goal", "met", "how")
	row("shuffled: runs", "shuffled", "runs", "most", 1)
	row("shuffled: write bios", "shuffled", "write_bios", "share", 1)
	row("shuffled: write requests", "shuffled", "write_requests", "same")
	row("shuffled: write, s", "shuffled", "write_s", "less", 40)
	row("shuffled: read, s", "shuffled", "read_s", "less", 40)
	row("shuffled: write, s", "shuffled-icount", "write_s", "less", 40)
	row("shuffled: read, s", "shuffled-icount", "read_s", "less", 40)
	row("shuffled, init_on_alloc=1: write, s", "shuffled-init", "write_s", "less", 40)
	row("shuffled, init_on_alloc=1: read, s", "shuffled-init", "read_s", "less", 20)
	row("shuffled, init_on_alloc=1: read, s", "init-icount", "read_s", "less", 20)
	row("shuffled, LZO: write, s", "shuffled-lzo", "write_s", "less", 5)
	row("shuffled, LZO: read, s", "shuffled-lzo", "read_s", "less", 10)
	row("shuffled, LZO: write, s", "lzo-icount", "write_s", "less", 5)
	row("shuffled, LZO: read, s", "lzo-icount", "read_s", "less", 10)
	row("shuffled, LZO: write bios", "shuffled-lzo", "write_bios", "share", 8)
	row("shuffled, hibswap: write, s", "shuffled-hib", "write_s", "same")
	row("shuffled, hibswap: read, s", "shuffled-hib", "read_s", "same")
	row("holes of 64 KiB: runs", "holes", "runs", "most", 1)
	row("holes of 64 KiB: write, s", "holes", "write_s", "less", 40)
	row("holes of 64 KiB: read, s", "holes", "read_s", "less", 40)
	row("clusters for half an image: runs", "scarce", "runs", "same")
	row("clusters for half an image: write bios", "scarce", "write_bios", "share", 55)
	row("4 KiB holes, slow disk, swap: write, s", "holes4k", "write_s", "same")
	row("  hibswap: write, s (stock: plain swap)", "holes4k-hib", "write_s", "limit", 1.1, "holes4k")
	row("  hibswap: read, s (stock: plain swap)", "holes4k-hib", "read_s", "limit", 1.2, "holes4k")
	row("  hibswap: write, s", "holes4k-hib", "write_s", "limit", 1.1)
	row("  hibswap: read, s", "holes4k-hib", "read_s", "limit", 1.2)
	works("swap 100 % full, hibernate=reserve", "full")
	works("swap 100 % full, hibswap's window", "full-hib")
	row("empty swap: % of writes not next to the last", "fresh", "nonseq_percent", "most", 1)
	row("empty swap: requests before the first data", "fresh", "first_data_requests", "most", 16)
	row("empty swap: seconds before the first data", "fresh", "first_data_s", "same")
	row("shuffled: bytes copied", "shuffled", "bytes_copied", "same")
	row("shuffled: bytes cleared", "shuffled", "bytes_cleared", "same")
	row("shuffled, init_on_alloc=1: bytes cleared", "shuffled-init", "bytes_cleared", "same")
	print ""
	print "write: from the snapshot to the power-off; read: from the start of the resume to the jump"
	print "into the restored kernel; both with one clock outside of all that either kernel does."
	if (clocks["icount"])
		print "\"instructions\": one CPU whose clock counts instructions, one a nanosecond (QEMU's icount); time\n" \
		      "in which it waited is left out. Repeats. Copying or clearing a page counts as 512 of them."
	if (clocks["wall"])
		print "\"TCG\": an emulated CPU, on this machine as busy as it was; the kernels took turns. Emulation\n" \
		      "makes copying and clearing pages several times dearer than hardware does, next to the rest:\n" \
		      "of these percentages, expect less there. \"disk's limit\": the modelled disk decides; repeats."
	print "\"count\": exact, in a hibernation of its own with the same settings. Memory was compared in each."
}

# ----------------------------------------------------------------- bench.json

function stat3(cell, kernel, key) {
	if (!got(cell, kernel, key))
		return sprintf("\"%s\": null", key)
	return sprintf("\"%s\": {\"min\": %.10g, \"median\": %.10g, \"max\": %.10g}", key, lowest, med, highest)
}

function write_json(   i, j, k, c, n, keys, sep) {
	n = split("image_kib write_s read_s write_bios write_requests read_requests runs bytes_copied " \
		  "bytes_cleared compressed_kib kernel_write_s kernel_read_s read_bios write_kib read_kib " \
		  "write_nonseq read_nonseq write_flushes first_data_s first_data_requests", keys, " ")
	printf "[" >json
	for (i = 1; i <= cells; i++) {
		c = order[i]
		for (k = "stock"; k != ""; k = k == "stock" ? "series" : "") {
			if (!ran[c, k])
				continue
			printf "%s\n\t{\"cell\": \"%s\", \"kernel\": \"%s\", \"target\": \"%s\", " \
				"\"scenario\": \"%s\", \"disk\": \"%s\", \"compress\": \"%s\", " \
				"\"init_on_alloc\": %d, \"clock\": \"%s\", \"hibernations\": %d", sep, c, k,
				target[c], scenario[c], disk[c], compress[c], init[c], clock[c], ran[c, k] >json
			sep = ","
			for (j = 1; j <= n; j++)
				printf ",\n\t %s", stat3(c, k, keys[j]) >json
			# Every sample was: one that is not ends the run.
			printf ",\n\t \"verified\": true" >json
			if (error[c, k] != "") {
				gsub(/_/, " ", error[c, k])
				printf ", \"error\": \"%s\"", error[c, k] >json
			}
			printf "}" >json
		}
	}
	print "\n]" >json
	close(json)
}

# For gnuplot: a line for each cell, "-" where there is no number
function write_chart(   i, c, k, key, l) {
	printf "" >chart
	for (i = 1; i <= cells; i++) {
		c = order[i]
		l = c
		for (key = "write_s"; key != ""; key = key == "write_s" ? "read_s" : "")
			for (k = "stock"; k != ""; k = k == "stock" ? "series" : "")
				l = l " " (got(c, k, key) ? med " " lowest " " highest : "- - -")
		print l >chart
	}
	close(chart)
}

END {
	check_sizes()
	table()
	write_json()
	write_chart()
}
