# What exp-08 sees from outside and in traces, for its run to source: how much memory the
# servers take, how they sleep, and which system calls they make.
# shellcheck shell=bash disable=SC2034,SC2154  # lib.sh and the script that sources us
# read what we set, and set what we read

# --- G1: memory ---------------------------------------------------------------------------

# The resident memory of the server in KB, once it has come to rest.
resident() {
    local before='' now
    for _ in {1..100}; do
        now=$(awk '$1 == "Rss:" {print $2}' "/proc/$server/smaps_rollup")
        [[ $now != "$before" ]] || break
        before=$now
        sleep 0.05
    done
    [[ $now == "$before" && $now -gt 0 ]] || fail "the server's memory doesn't come to rest"
    echo "$now"
}

# grown NAME : 1,008 requests over 16 connections, and 10,000 more.
grown() {
    local line requests before='' after=''
    start "$1" --stats
    for requests in 1008 10000; do
        line=$("$BUILD/load" --json --connections 16 --warmup-ms 0 --requests "$requests" "$url/") ||
            fail "not every answer was good: $line"
        before=$after
        after=$(resident)
    done
    stop
    [[ $(jq .requests <<<"$stats") == 11008 ]] ||
        fail "the server counted $(jq .requests <<<"$stats") requests and not 11008"
    note_run "$(jq -nc --arg program "$1" --argjson before "$before" --argjson after "$after" \
        '{grown: $program, c: 16, path: "/", kb_1008: $before, kb_11008: $after}')"
    say "$1: $before KB after 1,008 requests, $after KB after 11,008"
}

# --- X3: sleep ----------------------------------------------------------------------------

# For how long the server was ready to run while the kernel ran somebody else, in ns; 0
# where the system doesn't say.
kept_waiting() { awk '{print $2}' "/proc/$server/schedstat" 2>/dev/null || echo 0; }

# doze US : 6,000 requests for so much work over 16 connections, with a trace; of the time
# between the 1,000th request read and the 5,000th answer written, how much the thread
# spent in waits that may sleep. The longest twentieth of them is left out of both: those
# are the ones in which the kernel or the hypervisor ran somebody else. Server and client
# have a CPU each, where that can be had.
doze() {
    local line beside=() seen before after
    if [[ -z $(lacks 2) ]]; then
        under=(taskset -c 0)
        beside=(taskset -c 1)
    fi
    start 08-inversion --stats --spins-per-us "$spins" --trace "$scratch/spans"
    under=()
    before=$(kept_waiting)
    line=$(${beside[@]+"${beside[@]}"} "$BUILD/load" --json --connections 16 --warmup-ms 0 \
        --requests 6000 "$url/work?us=$1") || fail "not every answer was good: $line"
    after=$(kept_waiting)
    stop
    seen=$(jq '.traceEvents
        | (map(select(.ph == "M" and .name == "thread_name").args.dropped) | add) as $dropped
        | map(select(.ph == "X"))
        | (map(select(.name == "read").ts) | sort | .[999]) as $from
        | (map(select(.name == "write") | .ts + .dur) | sort | .[4999]) as $to
        | map(select(.name == "sleep" and .ts >= $from and .ts + .dur <= $to).dur) as $sleeps
        | if $dropped > 0 then error("the trace lacks spans") else
            ($sleeps | sort | .[:length - (length / 20 | ceil)]) as $usual
            | (($sleeps | add // 0) - ($usual | add // 0)) as $left_out
            | {asleep: (($usual | add // 0) / ($to - $from - $left_out)),
               asleep_with_all: (($sleeps | add // 0) / ($to - $from)), sleeps: ($sleeps | length),
               median_us: ($sleeps | sort | .[length / 2 | floor] // 0)} end' "$scratch/spans") ||
        fail "the trace can't be read"
    note_run "$(jq -c --argjson us "$1" --argjson load "$line" --argjson ns $((after - before)) \
        '{doze_us: $us, c: 16, client_bound: $load.client_bound, kept_waiting: ($ns / 1e9 / $load.seconds),
          load: $load} + .' <<<"$seen")"
    say "with $1 us of work: asleep for $(jq -r '"\(.asleep * 1000 | round / 10) % of the time, " +
        "in \(.sleeps) sleeps, of \(.median_us * 10 | round / 10) us in the median"' <<<"$seen")"
}

# --- system calls -------------------------------------------------------------------------

calls=2000 # a multiple of 16

count_all_calls() {
    local name
    for name in 06-pump 08-inversion; do count_calls "$name" 1; done
    for _ in 1 2 3; do
        for name in 06-pump 08-inversion; do count_calls "$name" 16; done
    done
}
