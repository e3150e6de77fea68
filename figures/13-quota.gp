# Half a CPU over two: the latencies of each arm at 256 connections.
set terminal svg size 460,300 dynamic name "quota" font "sans-serif,13"
load "figures/saturation.gnuplot"
unset logscale x
unset xlabel
set xrange [-0.5:2.5]
set xtics ("p50" 0, "p90" 1, "p99" 2) scale 0 textcolor rgb quiet
set yrange [0:*]
set label 1 "ms, closed loop of 256 connections" at graph 0, screen 0.96 left textcolor rgb quiet
set key at graph 0.01, graph 0.97 left top vertical Left reverse samplen 2
late(arm) = "< jq -r '.runs[] | select(.comparison == \"quota_c256\") | .medians." . arm \
    . " // empty | [.p50_us, .p90_us, .p99_us][] | . / 1000' " . record
if (record eq "") {
    set yrange [0:1]
    unset ytics
    plot NaN notitle
} else {
    plot late("free") using ($0 - 0.12):1 with impulses linewidth 9 linecolor rgb red title "pump", \
         late("gil") using ($0):1 with impulses linewidth 9 linecolor rgb amber title "pump under a lock", \
         late("inversion") using ($0 + 0.12):1 with impulses linewidth 9 linecolor rgb blue title "inversion"
}
