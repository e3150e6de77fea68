# The measures of the parser, out of the runs of exp-12. Comes after $ratio_of.
def parsed($input; $way): map(select(.parse and .parse.input == $input and .parse.way == $way))[0].parse;
def missing($unit; $one; $other): {value: null, unit: $unit, why: ($one.why // $other.why)};

def ns($input; $way): parsed($input; $way) as $p
    | if $p.ns then {value: $p.ns, unit: "ns", raw: $p.raw} else missing("ns"; $p; $p) end;

# One way's time in another's, round by round.
def of($input; $way; $base): parsed($input; $way) as $one | parsed($input; $base) as $other | "of \($base)" as $unit
    | if $one.ns and $other.ns
      then $one["of_\($base)"] + {unit: $unit, raw: ([$one.raw, $other.raw] | transpose | map(.[0] / .[1]))}
      else missing($unit; $one; $other) end;

def times: [("wrk", "browser", "large") as $input | ("plain", "fast", "portable", "http-parser", "demands") as $way
    | {key: "ns_\($way)_\($input)", value: ns($input; $way)}] | from_entries;
def ratios: [("wrk", "browser", "large") as $input
    | {key: "of_plain_\($input)", value: of($input; "fast"; "plain")},
      (("plain", "fast", "portable", "demands") as $way | {key: "\($way)_of_library_\($input)", value: of($input; $way; "http-parser")}),
      (("byte", "memchr", "twice", "names", "ranges", "avx2") as $way
       | {key: "\($way)_of_fast_\($input)", value: of($input; $way; "fast")})] | from_entries;
def saved: [parsed("wrk"; "plain").raw, parsed("wrk"; "fast").raw] | transpose | map(.[0] - .[1])
    | {value: (sort | .[length / 2 | floor]), unit: "ns", raw: .};

# --- servers --------------------------------------------------------------------------------

def pair($unit; f): if $no_pair != "" then {value: null, unit: $unit, why: $no_pair} else f + {unit: $unit} end;
def floor_of($name): ratio($name; "again"; "per_second")
    | if .low == null then {} else {floor: ([1 - .low, .high - 1] | max * 100)} end;
def gain($topology): "saved_\($topology)" as $name | ratio($name; "fast"; "per_second") + floor_of($name);

# The gain, and what it would be if the time saved were all that changed: a request that took
# the server c takes c - saved.
def of_model($topology): (map(select(.padded))[0].saved_ns / 1000) as $saved
    | (map(select(.comparison == "saved_\($topology)"))[0]
       | [.runs[] | select(.arm == "plain") | .cpu_us / .requests] | sort | .[length / 2 | floor]) as $cpu
    | (1 - $saved / $cpu) as $left
    | gain($topology) | del(.floor) | if .value then .value *= $left else . end
    | if .low then .low *= $left | .high *= $left else . end | if .raw then .raw |= map(. * $left) else . end;

times + ratios + {saved_wrk: saved, path_padded: (map(select(.padded))[0] | {value: .padded, unit: "characters", raw: [.padded]}),
    saved_padded: (map(select(.padded))[0] | {value: .saved_ns, unit: "ns", raw: [.saved_ns]})}
    + ([("pump", "inversion") as $topology
        | {key: "saved_rps_\($topology)", value: pair("of the plain one"; gain($topology))},
          {key: "of_model_\($topology)", value: pair("of what the model says"; of_model($topology))}] | from_entries)
