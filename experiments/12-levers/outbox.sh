# What exp-12 measures of the outbox, and of both levers together, for its run to source
# after lib.sh and 08's compare.sh (which sets $spins and knows what a machine lacks).
# shellcheck shell=bash disable=SC2034,SC2154  # lib.sh and the script that sources us
# read what we set, and set what we read

absent=$scratch/absent # a line for each comparison that wasn't made: its name, a tab, why
: >"$absent"
skip() { printf '%s\t%s\n' "$1" "$2" >>"$absent"; }

# --- O2: what a flush costs ---------------------------------------------------------------

price_flushes() {
    local program=$scratch/flush_cost
    # shellcheck disable=SC2086
    ${CC:-cc} ${CFLAGS:--std=c11 -O2 -g -pthread} -Icode -D_GNU_SOURCE -D_DARWIN_C_SOURCE \
        -o "$program" experiments/12-levers/flush_cost.c "$BUILD/servers.a" >&2 ||
        fail "flush_cost.c doesn't build"
    "$program" >"$scratch/flushes" || fail "flush_cost failed"
    note_run "$(jq -cnR '{flushes: [inputs / " " | {outbox: .[0], answers: (.[1] | tonumber), ns: (.[2] | tonumber)}]}' \
        "$scratch/flushes")"
    say "a flush with nothing in it: $(jq -rn --slurpfile runs <(tail -1 "$runs") '
        [$runs[0].flushes[] | select(.answers == 0)] | group_by(.outbox) |
        map("\(.[0].outbox) \(map(.ns) | sort | .[length / 2 | floor]) ns") | join(", ")')"
}

# --- O3, O4: how many slots a request pays for --------------------------------------------

# sweep_of TOPOLOGY OUTBOX CONNECTIONS : one server under load, with the plain parser.
sweep_of() {
    local line beside=() ms=400
    [[ ${PROFILE:-quick} != full ]] || ms=2000
    if [[ -z $(lacks 2) ]]; then
        under=(taskset -c 0)
        beside=(taskset -c 1)
    fi
    start 12-levers --topology "$1" --outbox "$2" --parser plain --stats --spins-per-us "$spins"
    under=()
    line=$(${beside[@]+"${beside[@]}"} "$BUILD/load" --json --connections "$3" --warmup-ms 0 \
        --ms "$ms" "$url/work?us=7") || fail "not every answer was good: $line"
    stop
    note_run "$(jq -c --arg topology "$1" --arg outbox "$2" --argjson c "$3" \
        '{swept: $topology, outbox: $outbox, c: $c, path: "/work?us=7"} + .' <<<"$stats")"
    say "$1, $2, $3 connections: $(jq -r '"\(.passes) passes for \(.requests) requests, " +
        "\(.slots_swept / .requests * 10 | round / 10) slots looked at for each"' <<<"$stats")"
}

count_slots() {
    local topology connections
    for topology in pump inversion; do
        for _ in 1 2 3 4 5 6; do sweep_of "$topology" sweep 16; done
        sweep_of "$topology" list 16
        for connections in 1 256; do sweep_of "$topology" sweep "$connections"; done
    done
}

# --- O1, J1, P3: what the levers buy ------------------------------------------------------

# levers TOPOLOGY PARSER OUTBOX : the command of one server.
levers() { echo "$BUILD/12-levers --topology $1 --parser $2 --outbox $3 --spins-per-us $spins"; }

# On one CPU, where a server that is busy all the time can only serve more by using less for
# each. The control is a program that nobody asks about: the executor with its own sockets.
compare_levers_at() { # compare_levers_at NAME CONNECTIONS ARM...
    local name=$1 connections=$2
    shift 2
    compare "$name" "${short[@]}" --place one-cpu --connections "$connections" --path '/work?us=7' \
        --control "$BUILD/05-executor --spins-per-us $spins" --control-percent 20 "$@"
}

each_lever() { # each_lever TOPOLOGY CONNECTIONS
    compare_levers_at "levers_$1_c$2" "$2" \
        --arm "base=$(levers "$1" plain sweep)" --arm "parser=$(levers "$1" fast sweep)" \
        --arm "outbox=$(levers "$1" plain list)" --arm "both=$(levers "$1" fast list)" \
        --arm "again=$(levers "$1" plain sweep)"
}

# The topologies beside each other, before and after.
standing() { # standing PLACE CONNECTIONS
    compare "standing_$1_c$2" "${short[@]}" --place "$1" --connections "$2" --path '/work?us=7' \
        --control "$BUILD/05-executor --spins-per-us $spins" --control-percent 20 \
        --arm "pump=$(levers pump plain sweep)" --arm "inversion=$(levers inversion plain sweep)" \
        --arm "pump_after=$(levers pump fast list)" \
        --arm "inversion_after=$(levers inversion fast list)"
}

compare_levers() {
    local connections topology why
    why=$(lacks 2)
    for connections in 16 1 256; do
        [[ -n $why || $connections == 16 || ${PROFILE:-quick} == full ]] ||
            why='only PROFILE=full measures it'
        for topology in pump inversion; do
            if [[ -n $why ]]; then skip "levers_${topology}_c$connections" "$why"; else
                each_lever "$topology" "$connections"
            fi
        done
    done
    why=$(lacks 2)
    [[ -n $why || ${PROFILE:-quick} == full ]] || why='only PROFILE=full measures it'
    for connections in 16 1 256; do
        if [[ -n $why ]]; then skip "standing_one-cpu_c$connections" "$why"; else
            standing one-cpu "$connections"
        fi
    done
    why=$(lacks 3)
    if [[ -n $why ]]; then skip standing_spare-core_c16 "$why"; else standing spare-core 16; fi
}

measure_outbox() {
    price_flushes
    count_slots
    compare_levers
}

# Prints the measures of the outbox and of both levers.
outbox_measures() {
    jq -s --rawfile absent "$absent" \
        "$(cat experiments/12-levers/blocks.jq experiments/12-levers/outbox.jq)" "$runs"
}
