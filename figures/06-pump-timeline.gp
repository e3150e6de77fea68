# One request through the pump.
room = "06-pump"
load "figures/timeline.gnuplot"
