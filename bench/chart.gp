# SPDX-License-Identifier: GPL-2.0-only
# The chart of make bench. Variables: data, svg (files). Columns of the data: cell,
# then median, lowest and highest of write stock, write series, read stock, read
# series.
set terminal svg size 1100,760 dynamic font "sans-serif,13" background "white"
set output svg
set datafile missing "-"
set style data histogram
set style histogram errorbars gap 1 lw 1.2
set style fill solid 0.85 noborder
set boxwidth 0.9
set grid ytics lc rgb "#dddddd"
set border 3
set xtics rotate by -25 nomirror scale 0
set ytics nomirror
set logscale y
set yrange [0.2:*]
set ylabel "seconds (log)"
set key top left horizontal
set multiplot layout 2,1
set title "Writing the image: from the snapshot to the power-off"
plot data using 2:3:4:xtic(1) title "stock 7.3" lc rgb "#8a8f98", \
     data using 5:6:7 title "series" lc rgb "#1f77b4"
set title "Reading it: from the start of the resume to the restored kernel"
plot data using 8:9:10:xtic(1) title "stock 7.3" lc rgb "#8a8f98", \
     data using 11:12:13 title "series" lc rgb "#1f77b4"
unset multiplot
