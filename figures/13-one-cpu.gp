# Requests a second on one CPU against connections.
set terminal svg size 460,320 dynamic name "one_cpu" font "sans-serif,13"
load "figures/saturation.gnuplot"
set yrange [0:*]
set label 1 "thousand requests a second" at graph 0, screen 0.96 left textcolor rgb quiet
set key at graph 0.99, graph 0.04 right bottom vertical Left reverse samplen 2
if (record eq "") {
    set yrange [0:1]
    unset ytics
    plot NaN notitle
} else {
    plot of_arm("one", "inversion", "per_second") using 1:($2 / 1000) with linespoints pointtype 7 pointsize 0.7 \
            linewidth 2 linecolor rgb blue title "inversion", \
         of_arm("one", "free", "per_second") using 1:($2 / 1000) with linespoints pointtype 7 pointsize 0.7 \
            linewidth 2 linecolor rgb red title "pump", \
         of_arm("one", "gil", "per_second") using 1:($2 / 1000) with linespoints pointtype 7 pointsize 0.7 \
            linewidth 2 dashtype 2 linecolor rgb amber title "pump under a lock", \
         of_arm("one", "executor", "per_second") using 1:($2 / 1000) with linespoints pointtype 7 pointsize 0.7 \
            linewidth 2 linecolor rgb green title "the executor's own server"
}
