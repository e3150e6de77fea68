# CPU for a request, inversion / pump, against connections, with the intervals: where it
# goes through 1 the curves cross.
set terminal svg size 460,320 dynamic name "cross" font "sans-serif,13"
load "figures/saturation.gnuplot"
set label 1 "CPU for a request, inversion / pump" at graph 0, screen 0.96 left textcolor rgb quiet
set key at graph 0.99, graph 0.04 right bottom vertical Left reverse samplen 2
if (record eq "") {
    set yrange [0:1]
    unset ytics
    plot NaN notitle
} else {
    set yrange [*:*]
    plot 1 with lines linewidth 1 linecolor rgb quiet notitle, \
         ratio("one_cpu_inversion_free") using 1:2:3:4 with yerrorbars pointtype 7 pointsize 0.5 \
            linewidth 1 linecolor rgb red notitle, \
         ratio("one_cpu_inversion_free") using 1:2 with lines linewidth 2 linecolor rgb red \
            title "one CPU", \
         ratio("one_cpu_inversion_gil") using 1:2 with linespoints pointtype 7 pointsize 0.5 linewidth 2 \
            dashtype 2 linecolor rgb amber title "one CPU, the pump under a lock", \
         ratio("all_cpu_inversion_free") using 1:2:3:4 with yerrorbars pointtype 7 pointsize 0.5 \
            linewidth 1 linecolor rgb blue notitle, \
         ratio("all_cpu_inversion_free") using 1:2 with lines linewidth 2 linecolor rgb blue \
            title "all CPUs"
}
