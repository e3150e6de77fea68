# A request of 1.5 s that is under way at SIGTERM, in the pump and in the inversion with the
# blocking drain: when each thread sleeps, the drain, and when the answer is written.
newest = system("ls -d experiments/results/reference/*/10-drain.trace.json 2>/dev/null | tail -n 1")
set terminal svg size 460,210 dynamic name "drain" font "sans-serif,13"
set datafile separator tab
unset key
set border 0
set lmargin at screen 0.27
set rmargin at screen 0.97
set tmargin at screen 0.88
set bmargin at screen 0.16
set xrange [0:5.6]
set yrange [0.4:3.6]
set xtics 1 scale 0 textcolor rgb 0x8a8a8a
set ytics ("native loop (pump)" 3, "executor (pump)" 2, "the one thread" 1) scale 0
set label 1 "s" at graph 1.01, screen 0.06 right textcolor rgb 0x8a8a8a
set grid xtics back linetype 1 linewidth 0.5 linecolor rgb "#558a8a8a"

# Spans called `name` of one topology: middle, row, from, to, low, high. Time 0 is the
# reading of the request.
spans(topology, name, half) = "< jq -r '[.".topology."[] | select(.ph == \"X\")] as $all" \
    . " | ([$all[] | select(.name == \"read\")][0].ts) as $zero" \
    . " | ([$all[] | select(.name == \"read\")][0].tid) as $native" \
    . " | $all[] | select(.name == \"".name."\" and .ts + .dur > $zero)" \
    . " | (if \"".topology."\" == \"inversion\" then 1 elif .tid == $native then 3 else 2 end) as $row" \
    . " | ([.ts, $zero] | max - $zero) as $from | (.ts + .dur - $zero) as $to" \
    . " | [$from / 1e6, $row, $from / 1e6, ([$to / 1e6, 5.6] | min), $row - ".half.", $row + ".half."] | @tsv' " . newest
if (newest eq "") {
    set label 2 "drawn from the reference record, which there isn't yet" at graph 0.5, 0.5 center
    plot NaN
} else {
    plot for [t in "pump inversion"] spans(t, "drain", "0.32") using 1:2:3:4:5:6 \
             with boxxyerror fillstyle transparent solid 0.25 noborder linecolor rgb 0xd08700, \
         for [t in "pump inversion"] spans(t, "sleep", "0.1") using 1:2:3:4:5:6 \
             with boxxyerror fillcolor rgb 0x8a8a8a fillstyle solid 0.5 border rgb 0x6a6a6a, \
         for [t in "pump inversion"] spans(t, "write", "0") using 1:2 \
             with points pointtype 7 pointsize 0.9 linecolor rgb 0x3b82c4
}
