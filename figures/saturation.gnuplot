# What the figures of chapter 13 share: the newest reference record of exp-13, the axis of
# connections, and an empty frame that says so while there is no record.
record = system("ls -d experiments/results/reference/*/13-saturation.json 2>/dev/null | tail -n 1")

# The median of an arm's runs, against connections: one("all", "free", "cpu_us_per_request").
of_arm(place, arm, what) = "< jq -r '.runs[] | select(.comparison // \"\" | test(\"^" . place . "_c[0-9]+$\")) | " \
    . "[(.comparison | sub(\".*_c\"; \"\")), (.medians." . arm . "." . what . " // empty)] | select(length == 2) | @tsv' " \
    . record . " | sort -n"
# A ratio with its interval, against connections.
ratio(name) = "< jq -r '.measures | to_entries[] | select(.key | test(\"^" . name . "_c[0-9]+$\")) | " \
    . "select(.value.value) | [(.key | sub(\".*_c\"; \"\")), .value.value, .value.low, .value.high] | @tsv' " \
    . record . " | sort -n"

set datafile separator tab
set border 0
set lmargin 6
set rmargin 2
set tmargin 2.2
set bmargin 3.2
quiet = 0x8a8a8a
red = 0xe0483e
amber = 0xd08700
blue = 0x3b82c4
green = 0x4f9a4f
set logscale x 2
set xrange [0.8:1250]
set xtics (1, 4, 16, 64, 256, "1,000" 1000) scale 0 textcolor rgb quiet
set ytics scale 0 textcolor rgb quiet
set grid ytics back linetype 1 linewidth 0.5 linecolor rgb "#558a8a8a"
set xlabel "connections" textcolor rgb quiet offset 0, 0.3
if (record eq "") set label 9 "not measured yet" at graph 0.5, graph 0.5 center textcolor rgb quiet
