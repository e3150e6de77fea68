# The measures of exp-08 that its comparisons and watches give, out of its runs. What run
# hands over: $no_one, $no_spare, $no_sweep, $no_calls and $no_memory, why there is none.
# Of blocks. A ratio without an interval has too few of them, and no rule can judge it.
def of_ab($unit; $why; f): measure($unit; $why; f | if .low == null then .value = null else . end);
def inverse: if .value == null then del(.raw) else
    {low, high} as $ends | .value |= 1 / . | .raw |= map(1 / .)
    | if $ends.low == null then . else .low = 1 / $ends.high | .high = 1 / $ends.low end end;
def spread: {value: median, raw: .} + if length > 1 then {low: min, high: max} else {} end;

# --- out of comparisons --------------------------------------------------------------------

# Like ratio, of the first arm to another.
def of_arm($name; $arm; $what): ratio($name; $arm; $what) | inverse;

# How far from 1 the interval of a program beside itself reaches, in %.
def floor_of($name; $arm; $what): ratio($name; $arm; $what) |
    if .low == null then {} else {floor: ([1 - .low, .high - 1] | max * 100)} end;

# A value of each kept block, made of the first arm's and the other's; of a kind that isn't
# judged where the client was the bound.
def of_blocks($name; $arm; f; pair):
    def geometric: map(log) | add / length | exp;
    map(select(.comparison == $name))[0] as $c
    | [$c.blocks[] | select(.kept).block] as $kept
    | [$c.runs[] | select((.arm == $c.base or .arm == $arm) and (.block | IN($kept[])))] as $runs
    | if $kept == [] then {value: null, why: "no block was kept"}
      elif any($runs[]; .client_bound) then {value: null, why: "client-bound"}
      else [$runs | group_by(.block)[] |
            [(map(select(.arm == $c.base) | f) | geometric), (map(select(.arm == $arm) | f) | geometric)] | pair]
        | length as $n | spread
        | if $n < 6 then del(.low, .high) + {why: "\($n) kept blocks are too few for an interval of 95 %"}
          else .coverage = 1 - pow(2; 1 - $n) end end
    | . + {blocks: $c.kept, dropped: ($c.tried - $c.kept)};

def one_cpu: {
    one_cpu_rps_c16: of_ab("of the pump"; $no_one; ratio("one_c16"; "inversion"; "per_second")
        + floor_of("one_c16"; "again"; "per_second")),
    one_cpu_cpu_c16: of_ab("of the pump"; $no_one; ratio("one_c16"; "inversion"; "cpu_us_per_request")
        + floor_of("one_c16"; "again"; "cpu_us_per_request")),
    one_cpu_itself_c16: of_ab("of itself"; $no_one; ratio("one_c16"; "again"; "per_second")),
    one_cpu_rps_c256: of_ab("of the pump"; $no_one; ratio("one_c256"; "inversion"; "per_second")),
    one_cpu_cpu_c256: of_ab("of the pump"; $no_one; ratio("one_c256"; "inversion"; "cpu_us_per_request")),
    slow_rps_c16: of_ab("of the pump, in slow motion"; $no_one; ratio("slow_c16"; "inversion"; "per_second")),
    slow_cpu_c16: of_ab("of the pump, in slow motion"; $no_one; ratio("slow_c16"; "inversion"; "cpu_us_per_request")),
    slow_k: measure("times the note's application"; $no_one;
        map(select(.prices))[0].prices.slow_motion.one_cpu.k | {value: ., raw: [.]})};

def spare_core: [("gil", "free") as $lock |
    {key: "spare_rps_of_\($lock)_c16", value: of_ab("of the pump"; $no_spare;
        of_arm("spare_c16"; $lock; "per_second"))},
    {key: "spare_cores_of_\($lock)_c16", value: of_ab("of the pump"; $no_spare;
        of_arm("spare_c16"; $lock; "cores"))},
    {key: "spare_per_core_of_\($lock)_c16", value: of_ab("of the pump"; $no_spare;
        ratio("spare_c16"; $lock; "cpu_us_per_request"))},
    {key: "spare_p50_of_\($lock)_c16", value: of_ab("of the pump"; $no_spare;
        of_blocks("spare_c16"; $lock; .p50_us; .[0] / .[1]))},
    {key: "spare_mean_gap_\($lock)_c16", value: of_ab("µs"; $no_spare;
        of_blocks("spare_c16"; $lock; 16000000 / .per_second; .[0] - .[1]))}] | from_entries;

def all_cpus: [(1, 16, 64, 256) as $c | ("free", "gil", "mutex") as $lock |
    {key: "cpu_of_\($lock)_c\($c)", value: of_ab("of the pump"; if $c == 16 then "" else $no_sweep end;
        of_arm("free_c\($c)"; $lock; "cpu_us_per_request"))}] | from_entries;

# --- out of watches ------------------------------------------------------------------------

def memory: [("06-pump", "08-inversion") as $program |
    {key: "grown_\($program[3:])", value: measure("KB"; $no_memory;
        [map(select(.grown == $program))[0] | .kb_11008 - .kb_1008] | {value: .[0], raw: .})}] | from_entries;

# A run in which others wanted these CPUs, or the client had no time left, says nothing.
def sleeps:
    def use: map(select((.client_bound or .kept_waiting > 0.02) | not));
    [(7, 20) as $us | map(select(.doze_us == $us)) as $dozes | ($dozes | use) as $used |
    (if $used != [] then "" elif any($dozes[]; .client_bound) then "the client had no time left, so the sleeps may be its"
     else "others wanted the server's CPU for more than a fiftieth of the time" end) as $why |
    {key: "asleep_work_\($us)_c16", value: measure("of the time"; $why; $used | map(.asleep) | spread)},
    {key: "sleep_work_\($us)_c16", value: measure("µs"; $why; $used | map(.median_us) | spread)}] | from_entries;

def calls:
    def each($program; $c): map(select(.calls and .program == $program + ", under strace" and .c == $c)
        | (.calls | add) / .requests);
    [(1, 16) as $c | each("06-pump"; $c) as $pump | each("08-inversion"; $c) as $inversion |
        {key: "calls_pump_c\($c)", value: measure("calls/request"; $no_calls; $pump | spread)},
        {key: "calls_inversion_c\($c)", value: measure("calls/request"; $no_calls; $inversion | spread)},
        {key: "calls_of_pump_c\($c)", value: measure("of the pump"; $no_calls;
            [$inversion, $pump] | transpose | map(.[0] / .[1]) | spread)}] | from_entries;

one_cpu + spare_core + all_cpus + memory + sleeps + calls
