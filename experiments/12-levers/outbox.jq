# The measures of the outbox and of both levers together, out of the runs of exp-12. Comes
# after blocks.jq.
def with_unit($unit): . + {unit: $unit};
def topologies: "pump", "inversion";

# --- what a flush costs ---------------------------------------------------------------------

def flushes($outbox; $answers): [.[] | select(.flushes).flushes[] | select(.outbox == $outbox and .answers == $answers).ns];

def flush_prices: [("sweep", "list") as $outbox | (0, 16, 256, 1024) as $answers |
    {key: "flush_\($outbox)_\($answers)", value: (flushes($outbox; $answers) | map(. / 1000) | interval | with_unit("µs"))}]
    | from_entries;

# Repetition by repetition, for both were measured in turns.
def list_of_sweep($answers): [flushes("list"; $answers), flushes("sweep"; $answers)] | transpose | map(.[0] / .[1]) | interval
    | with_unit("of the sweep");

# Between two numbers of answers the prices are taken for straight lines.
def crossing: [0, 1, 4, 16, 64, 256, 1024] as $at
    | [$at[] as $n | (flushes("list"; $n) | median) - (flushes("sweep"; $n) | median)] as $gap
    | [range(1; $at | length) | select($gap[. - 1] <= 0 and $gap[.] > 0)
       | $at[. - 1] + ($at[.] - $at[. - 1]) * -$gap[. - 1] / ($gap[.] - $gap[. - 1])]
    | if . == [] then {value: null, why: "up to 1,024 answers the list was never dearer"} else {value: (.[0] | round), raw: .} end
    | with_unit("answers");

# --- what a request pays for ----------------------------------------------------------------

def swept($topology; $outbox; $c): map(select(.swept == $topology and .outbox == $outbox and .c == $c));
# The empty flush's price times the passes: the least that the sweep took.
def share($topology; $c): (flushes("sweep"; 0) | median) as $ns | swept($topology; "sweep"; $c)
    | map(.passes * $ns / 1000 / .cpu_us)
    | if length >= 6 then interval else {value: median, raw: .} end | with_unit("of the CPU");
def slots($topology; $outbox; $c): swept($topology; $outbox; $c) | map(.slots_swept / .requests)
    | {value: median, raw: .} + if length > 1 then {low: min, high: max} else {} end | with_unit("slots/request");

def counts: [topologies as $topology |
    ({key: "slots_list_\($topology)_c16", value: slots($topology; "list"; 16)},
     ((1, 16, 256) as $c | {key: "slots_sweep_\($topology)_c\($c)", value: slots($topology; "sweep"; $c)},
      {key: "share_\($topology)_c\($c)", value: share($topology; $c)}))] | from_entries;

# --- what the levers buy --------------------------------------------------------------------

def of_levers($name; $arm): {
    rps: (floored($name; "base"; true; rps; ratio_rps($name; $arm; "base")) | with_unit("of the same without")),
    cpu: (floored($name; "base"; false; cpu; ratio_cpu($name; $arm; "base")) | with_unit("of the same without"))};

def buys: [topologies as $topology | (1, 16, 256) as $c | "levers_\($topology)_c\($c)" as $name
    | ("parser", "outbox", "both", "again") as $arm | of_levers($name; $arm) | to_entries[]
    | {key: "\($arm)_\(.key)_\($topology)_c\($c)", value}] | from_entries;

# Is what both save what each saves, one after the other?
def add_up: [topologies as $topology | "levers_\($topology)_c16" as $name
    | {key: "levers_add_up_\($topology)_c16", value: (
        of_blocks($name; ["base", "parser", "outbox", "both"]; false; cpu; .[3] * .[0] / (.[1] * .[2]))
        | with_unit("of the product"))}] | from_entries;

def after($place; $c): "standing_\($place)_c\($c)" as $name
    | ["inversion_after", "pump_after", "inversion", "pump"] as $arms | {
    rps: (ratio_rps($name; $arms[0]; $arms[1]) | with_unit("of the pump")),
    cpu: (ratio_cpu($name; $arms[0]; $arms[1]) | with_unit("of the pump")),
    moved_rps: (of_blocks($name; $arms; true; rps; (.[0] / .[1]) / (.[2] / .[3])) | with_unit("of before")),
    moved_cpu: (of_blocks($name; $arms; false; cpu; (.[0] / .[1]) / (.[2] / .[3])) | with_unit("of before"))};
def standings: [(["one-cpu", 1], ["one-cpu", 16], ["one-cpu", 256], ["spare-core", 16]) as [$place, $c]
    | after($place; $c) | to_entries[] | {key: "after_\(.key)_\($place | sub("-"; "_"))_c\($c)", value}] | from_entries;

flush_prices + {list_of_sweep_0: list_of_sweep(0), list_of_sweep_16: list_of_sweep(16), answers_crossing: crossing}
    + counts + buys + add_up + standings
