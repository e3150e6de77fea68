# Ratios of any two arms of a comparison, out of the runs of an experiment: for 12 and 13.
# $absent is a text with a line "NAME<tab>WHY" for each comparison that wasn't made.
def why_absent($name): $absent | split("\n") | map(split("\t")) | map(select(.[0] == $name)) | .[0][1] // "it wasn't measured";

def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
def geometric: map(log) | add / length | exp;

# The order-statistic interval of chapter 07: the narrowest that covers 95 %.
def choose($n; $k): reduce range($k) as $i (1; . * ($n - $i) / ($i + 1));
def coverage_of($n; $rank): 1 - 2 * ([range($rank) as $k | choose($n; $k)] | add) / pow(2; $n);
def rank_of($n): [range(1; ($n / 2 | floor) + 1) | select(coverage_of($n; .) >= 0.95)] | max // 0;
def interval:
    sort as $sorted | length as $n | rank_of($n) as $rank | {value: median, raw: .}
    | if $rank > 0 then . + {low: $sorted[$rank - 1], high: $sorted[$n - $rank], coverage: coverage_of($n; $rank)}
      else .value = null | . + {why: "\($n) values are too few for an interval of 95 %"} end;

# What a run says.
def rps: .per_second;
def cpu: .cpu_us / .requests;
def cores: .cpu_us / 1e6 / .seconds;

# of_blocks("NAME"; ["ARM" ...]; f; pair) : in each kept block the geometric mean of f over
# the runs of each of these arms, and of those, in that order, `pair` makes a value. Throughput
# and latency aren't judged where the client was the bound: $bound is whether that matters.
def of_blocks($name; $arms; $bound; f; pair):
    map(select(.comparison == $name))[0] as $c
    | if $c == null then {value: null, why: why_absent($name)} else
        [$c.blocks[] | select(.kept).block] as $kept
        | [$c.runs[] | select((.arm | IN($arms[])) and (.block | IN($kept[])))] as $runs
        | if $kept == [] then {value: null, why: "no block was kept"}
          elif $arms - [$runs[].arm] != [] then {value: null, why: "only PROFILE=full measures it"}
          elif $bound and any($runs[]; .client_bound) then {value: null, why: "client-bound"}
          else [$runs | group_by(.block)[] as $block
                | [$arms[] as $arm | $block | map(select(.arm == $arm) | f) | geometric] | pair] | interval end
        | . + {blocks: $c.kept, dropped: ($c.tried - $c.kept)} end;

# A ratio, and beside it how far from 1 the interval of "again", $of once more, reaches, in %.
def floored($name; $of; $bound; f; ratio):
    of_blocks($name; [$of, "again"]; $bound; f; .[1] / .[0]) as $same
    | ratio | if .value == null or $same.low == null then .
      else .floor = ([1 - $same.low, $same.high - 1] | max * 100) end;

def ratio_rps($name; $over; $under): of_blocks($name; [$over, $under]; true; rps; .[0] / .[1]);
def ratio_cpu($name; $over; $under): of_blocks($name; [$over, $under]; false; cpu; .[0] / .[1]);
def ratio_late($name; $over; $under; f): of_blocks($name; [$over, $under]; true; f; .[0] / .[1]);
