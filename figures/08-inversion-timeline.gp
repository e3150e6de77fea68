# One request through the inversion.
room = "08-inversion"
load "figures/timeline.gnuplot"
