# What exp-12 measures of the parser, for its run to source after lib.sh and 08's compare.sh
# (which sets $spins and knows what a machine lacks).
# shellcheck shell=bash disable=SC2154  # lib.sh and the script that sources us set what we
# read

wanted_ns=1100 # what the note's fast parser saved
no_pair=''     # why no servers were compared, or nothing

# bench OPTIONS... : one run of parse-bench; every way's line is a run of the record.
bench() {
    local rounds=31
    [[ ${PROFILE:-quick} != full ]] || rounds=101
    "$BUILD/parse-bench" --json --rounds "$rounds" "$@" >"$scratch/parse" ||
        fail "parse-bench failed"
    jq -c '{parse: .}' "$scratch/parse" >>"$runs"
}

# saves PATH : what the fast parser saves of the plain one's time for a request for this
# path, in ns.
saves() {
    "$BUILD/parse-bench" --json --rounds 31 --path "$1" >"$scratch/saves" ||
        fail "parse-bench failed"
    jq -s '(map(select(.way == "plain"))[0].ns) - (map(select(.way == "fast"))[0].ns)' "$scratch/saves"
}

padded() { printf '/work?us=7&pad=%0*d' "$1" 0; } # a path that is longer by so much

# How long a path has to be for the parsers to differ by as much as the note's. For both it
# costs so much more for each character, so two lengths say it.
choose_path() {
    local short long
    short=$(saves "$(padded 1)")
    long=$(saves "$(padded 1000)")
    jq -n --argjson short "$short" --argjson long "$long" --argjson wanted "$wanted_ns" \
        '($wanted - $short) / ($long - $short) * 1000 | [., 3900] | min | [., 1] | max | round'
}

measure_parser() {
    local pad topology name saved
    bench
    pad=$(choose_path)
    saved=$(saves "$(padded "$pad")")
    note_run "$(jq -cn --argjson pad "$pad" --argjson saved "$saved" '{padded: $pad, saved_ns: $saved}')"
    say "with $pad characters more in its path, a request is parsed in $saved ns less"
    no_pair=$(lacks 2)
    [[ -z $no_pair ]] || return 0
    for topology in pump inversion; do
        name="$BUILD/12-levers --topology $topology --outbox sweep --spins-per-us $spins"
        compare "saved_$topology" "${short[@]}" --place one-cpu --connections 16 --path "$(padded "$pad")" \
            --control "$BUILD/05-executor --spins-per-us $spins" --control-percent 20 \
            --arm "plain=$name --parser plain" --arm "fast=$name --parser fast" \
            --arm "again=$name --parser plain"
    done
}

# Prints the measures of the parser's rows, but for those that the comparisons of both levers
# give.
parser_measures() {
    jq -s --arg no_pair "$no_pair" "$ratio_of $(cat experiments/12-levers/parser.jq)" "$runs"
}
