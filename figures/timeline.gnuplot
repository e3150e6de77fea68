# Draws one exchange of the trace of `room`, which the caller has set. The scale is that
# of the pump's figure, so that the two can be held against each other.
newest(name) = system("ls -d experiments/results/reference/*/" . name . ".trace.json 2>/dev/null | tail -n 1")
trace = newest(room)
if (trace eq "" || newest("06-pump") eq "") exit error "no reference trace of " . room
per_us = 430.0 / real(system("figures/timeline " . newest("06-pump") . " length"))
length = real(system("figures/timeline " . trace . " length"))
part(what) = sprintf("< figures/timeline %s %s %.3f", trace, what, 17 / per_us)
lanes = int(system("figures/timeline " . trace . " lanes | wc -l"))

width = 460
top = 38
height = top + length * per_us + 12
above = 1 - 14 / height
set terminal svg size width,height dynamic \
    name "timeline_" . room[1:2] font "sans-serif,13"
set lmargin at screen 46.0 / width
set rmargin at screen 1 - 2.0 / width
set tmargin at screen 1 - top / height
set bmargin at screen 12 / height

quiet = 0x8a8a8a
set datafile separator tab
unset key
set border 0
unset xtics
set ytics scale 0.4 out nomirror textcolor rgb quiet format "%g"
set grid ytics back linetype 1 linewidth 0.5 linecolor rgb "#558a8a8a"
set label 1 "µs" at screen 8.0 / width, screen above textcolor rgb quiet
lane(n) = system(sprintf("figures/timeline %s lanes | sed -n %dp | cut -f 2", trace, n))
set label 2 lane(1) at first 0, screen above center
if (lanes > 1) set label 3 lane(2) at first 1, screen above center
set xrange [lanes == 1 ? -0.2 : -1.02:lanes == 1 ? 2.56 : 2.02]
set yrange [length:0]
# A wake: from its system call to the end of the other thread's sleep.
wakes = int(system("figures/timeline " . trace . " wakes | wc -l"))
wake(n, field) = real(system(sprintf("figures/timeline %s wakes | sed -n %dp | cut -f %d", trace, n, field)))
do for [n = 1:wakes] {
    set arrow from wake(n, 1), wake(n, 2) rto wake(n, 3), wake(n, 4) filled \
        size graph 0.03,18 linewidth 1.5 linecolor rgb 0xe0483e front
}

set style fill solid 0.85 noborder

plot part("bars") using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable, \
     part("labels") using 1:2:($3 - $1):($4 - $2) with vectors nohead \
        linewidth 0.7 linecolor rgb quiet, \
     part("labels") using ($3 < $1 ? $3 - 0.03 : NaN):4:5 with labels right, \
     part("labels") using ($3 > $1 ? $3 + 0.03 : NaN):4:5 with labels left
