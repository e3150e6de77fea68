# What exp-13 does without ab, for its run to source: counts for each request, a sandwich as
# the note made it, one program under two loads, and what a quota does to whom.
# shellcheck shell=bash disable=SC2034,SC2154  # lib.sh and the script that sources us
# read what we set, and set what we read

# --- one server, one load -----------------------------------------------------------------

# serve ARM : starts it, on the first CPU where it can be had; `within` may hold a command
# that it is to run under.
within=()
serve() {
    under=()
    [[ -n $(lacks 2) || ${#within[@]} -gt 0 ]] || under=(taskset -c 0)
    under+=(${within[@]+"${within[@]}"})
    case $1 in
    floor) start 04-pass --stats ;;
    executor) start 05-executor --stats --spins-per-us "$spins" ;;
    inversion) start 08-inversion --stats --spins-per-us "$spins" ;;
    free) start 06-pump --stats --spins-per-us "$spins" ;;
    gil) start 06-pump --stats --lock gil --spins-per-us "$spins" ;;
    esac
    under=()
}

# put_load CONNECTIONS PATH OPTION... : sets $load to what build/load says, on another CPU.
put_load() {
    local connections=$1 path=$2 on=()
    shift 2
    [[ -n $(lacks 2) ]] || on=(taskset -c 1)
    load=$(${on[@]+"${on[@]}"} "$BUILD/load" --json --connections "$connections" "$@" "$url$path") ||
        fail "not every answer was good: $load"
}

# --- counts -------------------------------------------------------------------------------

# Of all the server's threads, so far: "VOLUNTARY INVOLUNTARY".
switches() {
    awk '/^voluntary_ctxt_switches/ {slept += $2} /^nonvoluntary_ctxt_switches/ {pushed += $2}
        END {print slept + 0, pushed + 0}' "/proc/$server/task/"*/status
}

# count ARM CONNECTIONS : wakes by its own count, switches by the kernel's.
count() {
    local ms=300 before after path='/work?us=7'
    [[ -z $full ]] || ms=2000
    [[ $1 != floor ]] || path=/
    serve "$1"
    put_load "$2" "$path" --warmup-ms 0 --ms 300
    before=$(switches)
    put_load "$2" "$path" --warmup-ms 0 --ms "$ms"
    after=$(switches)
    stop
    note_run "$(jq -c --arg arm "$1" --argjson c "$2" --arg before "$before" --arg after "$after" --argjson load "$load" '
        ($before / " " | map(tonumber)) as [$slept, $pushed] | ($after / " " | map(tonumber)) as [$slept2, $pushed2]
        | {counted: $arm, c: $c, wakes: ((.wakes_to_executor + .wakes_to_loop) / .requests), passes: (.passes / .requests),
           slept: (($slept2 - $slept) / $load.requests), pushed: (($pushed2 - $pushed) / $load.requests), stats: .}' <<<"$stats")"
    say "$1, $2 connections, for a request: $(tail -1 "$runs" | jq -r 'def short: . * 1000 | round / 1000;
        "\(.wakes | short) wakes, \(.slept + .pushed | short) switches"')"
}

# The kinds of call that a request makes, and no connection.
calls_of_requests='["read", "recv", "recvfrom", "recvmsg", "readv", "write", "writev", "send", "sendto", "sendmsg",
    "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "futex"]'

# trace_calls ARM CONNECTIONS : by strace, which makes it slow.
trace_calls() {
    local requests=$(($2 * 20 > 4000 ? $2 * 20 : 4000)) path='/work?us=7'
    [[ $1 != floor ]] || path=/
    rm -f "$scratch/calls"
    within=(strace -D -f -c -o "$scratch/calls")
    serve "$1"
    within=()
    put_load "$2" "$path" --warmup-ms 0 --requests "$requests" --timeout-ms 60000
    stop
    wait_until 10 grep -q ' total$' "$scratch/calls" || fail "strace didn't finish"
    note_run "$(awk '$1 ~ /^[0-9.]+$/ && $NF != "total" { print $4, $NF }' "$scratch/calls" |
        jq -nR --arg arm "$1" --argjson c "$2" --argjson load "$load" --argjson of "$calls_of_requests" '
            [inputs / " " | {(.[1]): (.[0] | tonumber)}] | add as $calls
            | {traced: $arm, c: $c, calls: $calls,
               each: ([$calls | to_entries[] | select(.key | IN($of[])).value] | add / $load.requests)}')"
    say "strace of $1, $2 connections: $(tail -1 "$runs" | jq -r '"\(.each * 100 | round / 100) calls for a request"')"
}

watch_all() {
    local arm c some=(16 256)
    no_switches='' no_calls=$(blind)
    [[ -r /proc/self/task ]] || no_switches="this system doesn't say how often a thread was switched"
    [[ -z $full ]] || some=("${all_connections[@]}")
    for arm in floor executor inversion free gil; do
        for c in "${some[@]}"; do
            [[ -n $no_switches ]] || count "$arm" "$c"
            [[ -n $no_calls ]] || [[ -z $full && $c != 16 ]] || trace_calls "$arm" "$c"
        done
    done
}

# --- the sandwich -------------------------------------------------------------------------

# As the note did it at 256 connections: pump, inversion, pump again, one after the other,
# and the same other server measured beside each. The pumps and that server say how far the
# machine drifted meanwhile.
sandwich() {
    local part arm beside_it round
    part=0
    for arm in free inversion free; do
        part=$((part + 1))
        for round in 1 2 3 4 5 6; do
            for beside_it in executor "$arm"; do
                serve "$beside_it"
                put_load 256 '/work?us=7' --warmup-ms 300 --ms 1000
                stop
                note_run "$(jq -c --argjson part "$part" --argjson round "$round" --arg arm "$beside_it" --argjson load "$load" \
                    '{sandwich: $part, round: $round, arm: $arm, per_second: $load.per_second, p99_us: ($load.latency_ns.p99 / 1000),
                      cpu: (.cpu_us / .requests), client_bound: $load.client_bound}' <<<"$stats")"
            done
        done
        say "sandwich, part $part, $arm: $(jq -rs --argjson part "$part" 'map(select(.sandwich == $part)) | group_by(.arm) |
            map("\(.[0].arm) \(map(.per_second) | sort | .[length / 2 | floor])/s") | join(", ")' "$runs")"
    done
}

# --- what 1,000 connections take away -------------------------------------------------------

# hold ARM : is as much served at 1,000 connections as at 256? In blocks of 256, 1,000, 1,000,
# 256, for ab has one number of connections. The client opens them before it measures.
hold() {
    local block c
    for ((block = 1; block <= 10; block++)); do
        for c in 256 1000 1000 256; do
            serve "$1"
            put_load "$c" '/work?us=7' --warmup-ms 500 --ms 700
            stop
            note_run "$(jq -c --arg arm "$1" --argjson block "$block" --argjson c "$c" '
                {held: $arm, hold_block: $block, c: $c, per_second, client_bound, p99_us: (.latency_ns.p99 / 1000)}' <<<"$load")"
        done
        say "$1, block $block of 10: 1,000 connections / 256: $(jq -s --argjson block "$block" --arg arm "$1" '
            map(select(.hold_block == $block and .held == $arm)) | (map(select(.c == 1000).per_second) | add) as $many
            | $many / (map(select(.c == 256).per_second) | add) * 1000 | round / 1000' "$runs")"
    done
}

# --- a quota ------------------------------------------------------------------------------

# Why a quota can't be set here, or nothing: by trying.
lacks_quota() {
    local status=0
    [[ $(uname -s) == Linux ]] || {
        echo "there are no control groups here"
        return
    }
    "$BUILD/ab" --place quota=0.5 --blocks 1 --tries 1 --ms 20 --warmup-ms 0 --control-percent 1000 \
        --arm "one=$BUILD/04-pass" --arm "same=$BUILD/04-pass" >/dev/null 2>"$scratch/quota" || status=$?
    [[ $status != 2 ]] || echo "control groups aren't ours to change here"
}

# A group of our own, in either version; it goes when we do.
group=''
leave_group() { [[ -z $group ]] || rmdir "$group" 2>/dev/null || true; }

# ANCHOR: quota
# Half a CPU is 50 ms in each 100 ms, on whichever CPUs they are used.
make_group() {
    local root=/sys/fs/cgroup
    trap 'clean_up; leave_group' EXIT
    if [[ -e $root/cgroup.subtree_control ]]; then
        group=$root/exp-13-$$
        mkdir -p "$group"
        echo '50000 100000' >"$group/cpu.max"
    else
        group=$root/cpu/exp-13-$$
        mkdir -p "$group"
        echo 100000 >"$group/cpu.cfs_period_us"
        echo 50000 >"$group/cpu.cfs_quota_us"
    fi
}
# ANCHOR_END: quota

stat_of_group() { awk -v name="$1" '$1 == name {print $2}' "$group/cpu.stat"; }

# throttle ARM RATE : in how many of the quota's periods it had used it up, at that many
# requests a second, whatever comes back.
throttle() {
    local periods throttled
    [[ -n $group ]] || make_group
    # shellcheck disable=SC2016 # that shell is the server until it becomes it
    within=(sh -c 'echo $$ >"$0" && exec "$@"' "$group/cgroup.procs")
    serve "$1"
    within=()
    periods=$(stat_of_group nr_periods) throttled=$(stat_of_group nr_throttled)
    load=$("$BUILD/load" --json --connections 256 --rate "$2" --warmup-ms 0 --ms 5000 "$url/work?us=20") ||
        fail "not every answer was good: $load"
    periods=$(($(stat_of_group nr_periods) - periods)) throttled=$(($(stat_of_group nr_throttled) - throttled))
    stop
    ((periods > 0)) || fail "the quota had no period while $1 was asked"
    note_run "$(jq -c --arg arm "$1" --argjson rate "$2" --argjson periods "$periods" --argjson throttled "$throttled" \
        '{throttled: $arm, rate: $rate, periods: $periods, of_periods: ($throttled / $periods), load: .}' <<<"$load")"
    say "$1 at $2 requests/s: throttled in $throttled of $periods periods, p99 $(jq '.latency_ns.p99 / 1e6 | round' <<<"$load") ms"
}
