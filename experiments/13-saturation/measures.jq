# The measures of exp-13, out of its runs. Comes after 12's blocks.jq. What run hands over:
# $no_switches, $no_calls, $no_sandwich and $no_throttle, why there is none.
def all_connections: 1, 4, 16, 64, 256, 1000;
def with_unit($unit): . + {unit: $unit};
def unless($why; f): if $why == "" then f else {value: null, why: $why} end;
def named(f): map(f) | from_entries;

# --- the topologies beside each other -----------------------------------------------------

def pairs($place; $over; $under): [all_connections as $c | "\($place)_c\($c)" as $name
    | {key: "\($place)_rps_\($over)_\($under)_c\($c)", value: (floored($name; "free"; true; rps;
        ratio_rps($name; $over; $under)) | with_unit("of \($under)"))},
      {key: "\($place)_cpu_\($over)_\($under)_c\($c)", value: (floored($name; "free"; false; cpu;
        ratio_cpu($name; $over; $under)) | with_unit("of \($under)"))}] | from_entries;

def lates($place; $c; $over; $under): "\($place)_c\($c)" as $name | [
    {key: "p50", value: ratio_late($name; $over; $under; .p50_us)},
    {key: "p90", value: ratio_late($name; $over; $under; .p90_us)},
    {key: "p99", value: ratio_late($name; $over; $under; .p99_us)}]
    | map({key: "\($place)_\(.key)_\($over)_\($under)_c\($c)", value: (.value | with_unit("of \($under)"))}) | from_entries;

# The number of connections at which a ratio is farthest on the one side, and how it is there.
def farthest($place; $what; $over; $under; pick):
    pairs($place; $over; $under) as $all | [all_connections as $c | $all["\($place)_\($what)_\($over)_\($under)_c\($c)"]] as $each
    | ([$each[] | select(.value == null)][0]) as $without
    | if $without then {value: null, why: ($without.why // "it has no interval")} else $each | pick end | with_unit("of \($under)");

# Where the ratio of medians goes through 1, for straight lines over the logarithms.
def crosses($place; $what; $over; $under):
    pairs($place; $over; $under) as $all
    | [all_connections as $c | [($c | log), ($all["\($place)_\($what)_\($over)_\($under)_c\($c)"].value // null)]] as $at
    | if any($at[]; .[1] == null) then {value: null, why: "not every number of connections has a value"} else
        [range(1; $at | length) | [$at[. - 1][0], ($at[. - 1][1] | log), $at[.][0], ($at[.][1] | log)]
         | select(.[1] * .[3] < 0) | .[0] + (.[2] - .[0]) * -.[1] / (.[3] - .[1]) | exp | round] as $where
        | if $where == [] then {value: null, why: "they don't cross from 1 to 1,000 connections"}
          else {value: $where[0], raw: $where} end end | with_unit("connections");

# What the pump's hand-off takes: its CPU for a request, less the inversion's, times how many
# requests it serves.
def hand_off($name; $pump): of_blocks($name; [$pump, "inversion"]; false; cpu; .[0] - .[1]) as $each
    | of_blocks($name; [$pump]; true; rps; .[0]) as $rps
    | if $each.value == null or $rps.value == null then {value: null, why: ($each.why // $rps.why)} else
      ([$each.raw, $rps.raw] | transpose | map(.[0] * .[1] / 1e6) | interval) + {blocks: $each.blocks, dropped: $each.dropped} end
    | with_unit("cores");

def counted($arm; $c): map(select(.counted == $arm and .c == $c))[0];
# The wakes that were counted at the price of calibrate, of what separates the two.
def wakes_explain: counted("free"; 16) as $count | (map(select(.prices))[0].prices.constants.wake_cpu_one_eventfd.ns // null) as $ns
    | of_blocks("one_c16"; ["free", "inversion"]; false; cpu; .[0] - .[1]) as $each
    | if $count == null or $ns == null or $each.value == null or $each.value <= 0
      then {value: null, why: ($each.why // "the pump isn't the dearer one, or its wakes have no price here")}
      else {value: ($count.wakes * $ns / 1000 / $each.value)} | .raw = [.value] end | with_unit("of the difference");

def topologies:
    pairs("one"; "inversion"; "free") + pairs("one"; "inversion"; "gil") + pairs("one"; "inversion"; "executor")
    + pairs("all"; "inversion"; "free") + pairs("all"; "inversion"; "gil")
    + ([(16, 256) as $c | ("free", "gil") as $pump | lates("one"; $c; "inversion"; $pump), lates("spare"; $c; "inversion"; $pump)] | add)
    + ([(16, 256) as $c | ("free", "gil") as $pump | "spare_c\($c)" as $name
        | {key: "spare_rps_inversion_\($pump)_c\($c)", value: (ratio_rps($name; "inversion"; $pump) | with_unit("of \($pump)"))},
          {key: "spare_cpu_inversion_\($pump)_c\($c)", value: (ratio_cpu($name; "inversion"; $pump) | with_unit("of \($pump)"))},
          {key: "spare_cores_inversion_\($pump)_c\($c)", value: (of_blocks($name; ["inversion", $pump]; true; cores; .[0] / .[1]) | with_unit("of \($pump)"))}] | from_entries)
    + ([(1, 16, 256, 1000) as $c | ("inversion", "free", "gil", "executor") as $arm
        | {key: "floor_\($arm)_c\($c)", value: (ratio_cpu("floor_c\($c)"; $arm; "floor") | with_unit("of the floor"))}] | from_entries)
    + {least_rps_one: farthest("one"; "rps"; "inversion"; "free"; min_by(.value)),
       most_cpu_one: farthest("one"; "cpu"; "inversion"; "free"; max_by(.value)),
       most_cpu_one_gil: farthest("one"; "cpu"; "inversion"; "gil"; max_by(.value)),
       most_cpu_all: farthest("all"; "cpu"; "inversion"; "free"; max_by(.value)),
       crosses_rps_one: crosses("one"; "rps"; "inversion"; "free"),
       crosses_cpu_one: crosses("one"; "cpu"; "inversion"; "free"),
       crosses_cpu_all: crosses("all"; "cpu"; "inversion"; "free"),
       hand_off_spare: hand_off("spare_c16"; "gil"), hand_off_c16: hand_off("one_c16"; "free"),
       hand_off_c256: hand_off("one_c256"; "free"), wakes_explain: wakes_explain};

# --- counts -------------------------------------------------------------------------------

def one_count($arm; $c; f; $unit; $why): unless($why; counted($arm; $c) as $run
    | if $run == null then {value: null, why: "only PROFILE=full measures it"} else {value: ($run | f)} | .raw = [.value] end) | with_unit($unit);
def traced($arm; $c): unless($no_calls; map(select(.traced == $arm and .c == $c))[0] as $run
    | if $run == null then {value: null, why: "only PROFILE=full measures it"} else {value: $run.each, raw: [$run.each]} end) | with_unit("calls/request");
def quotient($a; $b; $unit): if $a.value == null or $b.value == null then {value: null, why: ($a.why // $b.why)}
    elif $b.value == 0 then {value: null, why: "there is nothing to divide by"}
    else {value: ($a.value / $b.value)} | .raw = [.value] end | with_unit($unit);

def counts: [(all_connections) as $c | ("floor", "executor", "inversion", "free", "gil") as $arm
    | {key: "wakes_\($arm)_c\($c)", value: one_count($arm; $c; .wakes; "wakes/request"; $no_switches)},
      {key: "switches_\($arm)_c\($c)", value: one_count($arm; $c; .slept + .pushed; "switches/request"; $no_switches)},
      {key: "calls_\($arm)_c\($c)", value: traced($arm; $c)}] | from_entries
    | . + {wakes_fall: quotient(.wakes_free_c1000; .wakes_free_c256; "of 256"),
           switches_inversion_free: quotient(.switches_inversion_c16; .switches_free_c16; "of the pump"),
           calls_inversion_free: quotient(.calls_inversion_c1000; .calls_free_c1000; "of the pump")};

# --- the sandwich, and the crowd ----------------------------------------------------------

def part($n; $arm): map(select(.sandwich == $n and .arm == $arm)) | sort_by(.round);
# Round by round, the inversion beside the mean of the two pumps around it.
def between(f): [part(1; "free"), part(2; "inversion"), part(3; "free")] | transpose
    | map((.[1] | f) / ([.[0], .[2] | f] | geometric)) | interval;
def drift: [part(1; "free"), part(3; "free")] | transpose | map((.[1].per_second) / (.[0].per_second)) | interval;
def comparator: [1, 2, 3] as $parts | [$parts[] as $n | part($n; "executor") | map(.per_second) | median] | (max / min - 1) * 100;
def held($arm): map(select(.held == $arm)) | [group_by(.hold_block)[]
        | (map(select(.c == 1000).per_second) | geometric) / (map(select(.c == 256).per_second) | geometric)]
    | interval;

def sandwiches: {
    sandwich_rps: (unless($no_sandwich; if any(.[] | select(.sandwich); .client_bound) then {value: null, why: "client-bound"} else between(.per_second) end) | with_unit("of the pump")),
    sandwich_cpu: (unless($no_sandwich; between(.cpu)) | with_unit("of the pump")),
    sandwich_p99: (unless($no_sandwich; between(.p99_us)) | with_unit("of the pump")),
    sandwich_drift: (unless($no_sandwich; drift) | with_unit("of the first")),
    sandwich_comparator: (unless($no_sandwich; {value: comparator} | .raw = [.value]) | with_unit("%")),
    held_free: (unless($no_sandwich; held("free")) | with_unit("of 256")),
    held_inversion: (unless($no_sandwich; held("inversion")) | with_unit("of 256"))};

# --- the quota ----------------------------------------------------------------------------

def p99_ms($name; $arm): of_blocks($name; [$arm]; true; .p99_us / 1000; .[0]) | with_unit("ms");
def throttled($arm): unless($no_throttle; map(select(.throttled == $arm))[0] as $run | {value: $run.of_periods, raw: [$run.of_periods]})
    | with_unit("of the periods");
def quotas: {
    quota_p99_c256: (ratio_late("quota_c256"; "free"; "inversion"; .p99_us) | with_unit("of the inversion")),
    quota_p99_c16: (ratio_late("quota_c16"; "free"; "inversion"; .p99_us) | with_unit("of the inversion")),
    quota_rps_c256: (floored("quota_c256"; "free"; true; rps; ratio_rps("quota_c256"; "inversion"; "free")) | with_unit("of free")),
    quota_p99_gil_c256: (ratio_late("quota_c256"; "gil"; "free"; .p99_us) | with_unit("of free")),
    quota_p99_open: (ratio_late("quota_open"; "free"; "inversion"; .p99_us) | with_unit("of the inversion")),
    unbound_p99_c256: (ratio_late("unbound_c256"; "free"; "inversion"; .p99_us) | with_unit("of the inversion")),
    quota_ms_free: p99_ms("quota_c256"; "free"), quota_ms_inversion: p99_ms("quota_c256"; "inversion"),
    open_ms_free: p99_ms("quota_open"; "free"), open_ms_inversion: p99_ms("quota_open"; "inversion"),
    throttled_free: throttled("free"), throttled_gil: throttled("gil"), throttled_inversion: throttled("inversion")};

topologies + counts + sandwiches + quotas
