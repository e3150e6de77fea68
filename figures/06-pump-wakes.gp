# Wakes per request against connections, from the newest reference records of the pump
# and of the inversion.
newest(name) = system("ls -d experiments/results/reference/*/" . name . ".json 2>/dev/null | tail -n 1")
if (newest("06-pump") eq "" || newest("08-inversion") eq "") exit error "no reference record of 06 or 08"
pump(which) = "< jq -r '.measures | to_entries[] | select(.key | test(\"^wakes_per_request" \
    . which . "_c[0-9]+$\")) | [(.key | sub(\".*_c\"; \"\")), .value.value] | @tsv' " \
    . newest("06-pump") . " | sort -n"
inversion = "< jq -r '.runs[] | select(.program == \"08-inversion\" and .requests) | " \
    . "[.c, (.wakes_to_executor + .wakes_to_loop) / .requests] | @tsv' " \
    . newest("08-inversion") . " | sort -n"

set terminal svg size 460,300 dynamic name "wakes" font "sans-serif,13"
set datafile separator tab
set border 0
set lmargin 4
set rmargin 2
set tmargin 2.2
set bmargin 3.2

quiet = 0x8a8a8a
set logscale x 2
set xrange [0.8:330]
set yrange [0:2.25]
set xtics (1, 4, 16, 64, 256) scale 0 textcolor rgb quiet
set ytics 0.5 scale 0 textcolor rgb quiet
set grid ytics back linetype 1 linewidth 0.5 linecolor rgb "#558a8a8a"
set xlabel "connections" textcolor rgb quiet offset 0, 0.3
set label 1 "wakes per request" at graph 0, screen 0.96 left textcolor rgb quiet

set key at graph 0.01, graph 0.42 left top vertical reverse Left samplen 2

plot pump("") with linespoints pointtype 7 pointsize 0.7 linewidth 2 linecolor rgb 0xe0483e \
        title "pump, /", \
     pump("_work") with linespoints pointtype 7 pointsize 0.7 linewidth 2 dashtype 2 \
        linecolor rgb 0xd08700 title "pump, /work?us=50", \
     inversion with linespoints pointtype 7 pointsize 0.9 linewidth 2 linecolor rgb 0x3b82c4 \
        title "inversion, /"
