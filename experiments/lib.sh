# What the experiments share. A script names itself and sources it:
#     me=exp-06 room=06-pump; . "$(dirname "$0")/../lib.sh"
# Every server is started on a free port and stopped by its id; whatever goes wrong is
# an error and not a number.
# shellcheck shell=bash disable=SC2154  # the script that sources us sets me and room

set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

BUILD=${BUILD:-build}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/inversion.XXXXXX")
server=''        # the id of the server that runs, if one does
runs=$scratch/runs # one line of JSON per run

say() { printf "%s: %s\n" "$me" "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# Ends what we started, however we end.
clean_up() {
    [[ -z $server ]] || { kill -KILL "$server" && wait "$server"; } 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

need() { # need COMMAND... : they must be there
    local command
    for command in "$@"; do
        command -v "$command" >/dev/null ||
            fail "there is no $command; experiments/setup reproduce installs it"
    done
}

# wait_until SECONDS COMMAND... : tries the command again and again until it holds.
wait_until() {
    local tries=$(($1 * 50))
    shift
    until "$@"; do
        ((tries-- > 0)) || return 1
        sleep 0.02
    done
}

has_line() { [[ -s $1 ]] && IFS= read -r _ <"$1"; } # has FILE a whole first line?
is_gone() { ! kill -0 "$1" 2>/dev/null; }

# start NAME OPTIONS... : starts build/NAME on a free port; sets $server and $url.
# `under` may hold a command that the server is to run under, such as strace -D.
under=()
start() {
    local name=$1
    shift
    [[ -x $BUILD/$name ]] || fail "there is no $BUILD/$name; make builds it"
    : >"$scratch/out"
    ${under[@]+"${under[@]}"} "$BUILD/$name" --port 0 "$@" \
        >"$scratch/out" 2>"$scratch/err" &
    server=$!
    if ! wait_until 10 has_line "$scratch/out"; then
        fail "$name didn't start: $(cat "$scratch/err")"
    fi
    read -r _ _ url <"$scratch/out"
    [[ $url == http://127.0.0.1:* ]] || fail "$name's first line was: $(head -1 "$scratch/out")"
}

# stop : stops the server; sets $stats to its last line, if it printed more than one, and
# $exit_status.
stop() {
    local status=0
    kill -TERM "$server"
    wait_until 10 is_gone "$server" || fail "the server didn't stop within 10 s of SIGTERM"
    wait "$server" || status=$?
    server=''
    # shellcheck disable=SC2034 # for the script that sources us
    exit_status=$status
    # 143 is 128 + SIGTERM: the plain death of a program that handles no signal, as 01
    [[ $status == 0 || $status == 143 ]] ||
        fail "the server ended with status $status: $(cat "$scratch/err")"
    stats=$(sed -n '2,$p' "$scratch/out" | tail -1)
}

# ask CONNECTIONS PATH SECONDS : load by wrk; sets $answered to the requests it counted
# and $took to the seconds that it measured from its start to its end.
ask() {
    local text
    text=$(wrk -t1 -c"$1" -d"$3"s --timeout 5s "$url$2" 2>&1) || fail "wrk failed: $text"
    if grep -Eq 'Socket errors|Non-2xx' <<<"$text"; then
        fail "not every answer was good: $(grep -E 'Socket errors|Non-2xx' <<<"$text")"
    fi
    answered=$(awk '/ requests in / {print $1}' <<<"$text")
    # shellcheck disable=SC2034 # for the script that sources us
    took=$(awk '/ requests in [0-9.]+s,/ {print $4 + 0}' <<<"$text") # "2.04s," with -d2s
    ((${answered:-0} > 0)) || fail "wrk got no answer: $text"
}

# check_counts CONNECTIONS : the server counted what the client did. wrk leaves with up
# to one request under way on each connection, which it doesn't count.
check_counts() {
    local counted
    counted=$(jq .requests <<<"$stats") || fail "no stats line: $stats"
    ((counted >= answered && counted <= answered + 2 * $1 + 2)) ||
        fail "the server counted $counted requests and wrk $answered"
}

# read_slowly PATH : begins to read an answer at 10 kB/s, and all the time. curl alone doesn't
# (with --limit-rate it takes what there is at once, and then sleeps for minutes), so it
# writes into a pipe. How many bytes were taken stands in the last line of $scratch/slow: at
# any moment we may be ended, and a file that is written anew is empty for a moment.
read_slowly() {
    local n total=0
    rm -f "$scratch/pipe"
    mkfifo "$scratch/pipe"
    echo 0 >"$scratch/slow"
    curl -sN "$url$1" >"$scratch/pipe" &
    reader=$!
    while sleep 0.1 && n=$(dd bs=1000 count=1 2>/dev/null | wc -c) && ((n > 0)); do
        echo $((total += n)) >>"$scratch/slow"
    done <"$scratch/pipe" &
    pace=$!
}

# stop_reading : leaves in the middle; the answer must not have ended before.
stop_reading() {
    kill "$reader" || fail "the answer to the slow reader has ended"
    kill "$pace" || true # it has ended if the pipe was empty
    wait "$reader" "$pace" 2>/dev/null || true
}

# --- interleaved runs -------------------------------------------------------------------

# PROFILE=full: longer runs and more blocks. It takes long, so it says how long, and what was
# cut short goes on where it was: ab keeps its rows until the room's record is written, and
# refuses them if a program was built anew meanwhile.
if [[ ${PROFILE:-quick} == full ]]; then
    ab_options=(--ms 2000 --blocks 12 --tries 16)
    minutes=$(experiments/estimate "${room%%-*}")
    [[ -z $minutes ]] ||
        say "PROFILE=full: about $minutes minutes on quiet cores; interrupted, the same command goes on"
else
    ab_options=(--ms 1000 --blocks 6 --tries 16)
fi
comparisons=$BUILD/results/ab
kept_of_ab=. # what of a comparison goes into the record, in jq

# compare NAME ARGUMENTS... : runs build/ab with the profile's blocks; what it found is kept
# as a run of the record, with {comparison: NAME} before it. Too few blocks are no error:
# the ratios have no interval then, and a "why".
compare() {
    local name=$1 file=$comparisons/$room-$1-${PROFILE:-quick}.json
    shift
    mkdir -p "$comparisons"
    rm -f "$file"
    [[ ${PROFILE:-quick} == full ]] || rm -f "$file.rows"
    "$BUILD/ab" "${ab_options[@]}" --record "$file" "$@" >"$scratch/table" 2>"$scratch/ab" || true
    [[ -s $file ]] || {
        say "to begin anew: rm $comparisons/$room-*.rows"
        fail "ab of $name: $(tail -1 "$scratch/ab")"
    }
    note_run "$(jq -c --arg comparison "$name" "{comparison: \$comparison} + ($kept_of_ab)" "$file")"
    say "$name: $(jq -r '"\(.kept) of \(.tried) blocks kept; " + ([.ratios | to_entries[] |
        "\(.key) / base: CPU \(.value.cpu_us_per_request.value // "?"), " +
        "throughput \(.value.per_second.value // .value.per_second.why)"] | join("; "))' "$file")"
}

# In jq: ratio("NAME"; "ARM"; "cpu_us_per_request") is that ratio of the arm to the first
# arm, as a measure, with how many blocks were kept and how many dropped, and with the
# noise floor if an arm is the first one again. Without an interval it has no value.
# shellcheck disable=SC2016,SC2034 # the dollars are jq's; for the script that sources us
ratio_of='def ratio($name; $arm; $what): map(select(.comparison == $name))[0] |
    .ratios[$arm][$what] + {blocks: .kept, dropped: (.tried - .kept)} |
    if .low == null then .value = null else . end;'

# In jq: measure("UNIT"; $why; F) is the measure F with its unit, or none where $why says why
# there is none; median is that of a list.
# shellcheck disable=SC2016,SC2034 # as above
measure_of='def measure($unit; $why; f):
        if $why != "" then {value: null, unit: $unit, why: $why} else f + {unit: $unit} end;
    def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;'

# --- system calls -----------------------------------------------------------------------

# Why strace can see nothing here, or nothing.
blind() {
    if ! command -v strace >/dev/null; then
        echo 'strace is missing'
    elif ! strace -D -o "$scratch/probe" true 2>/dev/null; then
        echo "strace isn't allowed to trace here"
    fi
}

# client REQUESTS : one connection, over which / is asked for so many times.
client() {
    local request
    for ((request = 0; request < $1; request++)); do
        printf 'url = "%s/"\n' "$url"
    done | curl --silent --show-error --fail --max-time 60 --config -
}

# count_calls NAME CLIENTS OPTION... : one run of build/NAME under strace, asked by so many
# clients beside each other; a run of the record. `calls` is how many requests, in all.
calls=4000 # a multiple of 16
count_calls() {
    local name=$1 clients=$2 one ids=() id
    shift 2
    under=(strace -D -f -c -o "$scratch/calls")
    rm -f "$scratch/calls"
    start "$name" --stats "$@"
    under=()
    for ((one = 0; one < clients; one++)); do
        client $((calls / clients)) >"$scratch/bodies-$one" &
        ids+=($!)
    done
    for id in "${ids[@]}"; do
        wait "$id" || fail "not every request was answered"
    done
    stop
    wait_until 10 grep -q ' total$' "$scratch/calls" || fail "strace didn't finish"
    [[ $(jq .requests <<<"$stats") == "$calls" ]] ||
        fail "the server counted $(jq .requests <<<"$stats") requests and not $calls"
    note_run "$(awk '$1 ~ /^[0-9.]+$/ && $NF != "total" { print $4, $NF }' "$scratch/calls" |
        jq -nR --arg program "${name##*/}, under strace" --arg options "$*" --argjson c "$clients" \
            --argjson requests "$calls" '
            {program: $program, options: $options, c: $c, path: "/", requests: $requests,
             calls: [inputs / " " | {(.[1]): (.[0] | tonumber)}] | add}')"
    say "strace of ${name##*/}, $clients at once: $(tail -1 "$runs" |
        jq -r '.calls | to_entries | sort_by(-.value) | .[:4] | map("\(.value) \(.key)") | join(", ")')"
}

# --- the record -----------------------------------------------------------------------

cpu_name() {
    local name=''
    case $(uname -s) in
    Linux) name=$(awk -F': *' '/^(model name|Model)[ \t]*:/ {print $2; exit}' /proc/cpuinfo) ;;
    Darwin) name=$(sysctl -n machdep.cpu.brand_string) ;;
    *BSD) name=$(sysctl -n hw.model) ;;
    esac
    if [[ -z $name ]] && command -v lscpu >/dev/null; then
        name=$(lscpu 2>/dev/null | awk -F': *' '/^Model name/ {print $2; exit}')
    fi
    printf '%s' "${name:-unknown CPU ($(uname -m))}"
}

hypervisor() {
    local name=''
    if command -v lscpu >/dev/null; then
        name=$(lscpu 2>/dev/null | awk -F': *' '/^Hypervisor vendor/ {print $2; exit}')
    fi
    if [[ -z $name ]] && grep -qw hypervisor /proc/cpuinfo 2>/dev/null; then
        name='an unnamed hypervisor'
    fi
    printf '%s' "${name:-no hypervisor seen}"
}

commit() {
    local head
    head=$(git rev-parse --short=12 HEAD 2>/dev/null) || {
        printf 'unknown'
        return
    }
    [[ -z $(git status --porcelain --untracked-files=no) ]] || head+=-dirty
    printf '%s' "$head"
}

compiler() {
    local words
    words=$(${CC:-cc} --version)
    case $words in
    *"Free Software"*) printf "gcc %s" "$(${CC:-cc} -dumpfullversion)" ;;
    *) head -1 <<<"$words" ;;
    esac
}

# The Makefile hands CC and CFLAGS over; without it they are asked of make.
machine_json() {
    local clock=/sys/devices/system/clocksource/clocksource0/current_clocksource
    local flags=${CFLAGS:-}
    [[ -n $flags ]] ||
        flags=$(env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory \
            --eval="flags-of-ours: ; @echo \$(CFLAGS)" flags-of-ours 2>/dev/null || true)
    jq -n --arg cpu "$(cpu_name)" --argjson cores "$(getconf _NPROCESSORS_ONLN)" \
        --arg kernel "$(uname -s) $(uname -r) $(uname -m)" --arg hypervisor "$(hypervisor)" \
        --arg clocksource "$(cat "$clock" 2>/dev/null || echo unknown)" \
        --arg compiler "$(compiler)" --arg flags "${flags:-unknown}" \
        '$ARGS.named'
}

version_of() { # the first word of COMMAND's own words that looks like a version
    { "$@" 2>&1 || true; } | grep -Eo '[0-9]+(\.[0-9]+)+[^ ]*' | head -1 || true
}

versions_json() {
    jq -n --arg wrk "$(version_of wrk -v)" --arg curl "$(version_of curl --version)" \
        --arg hyperfine "$(version_of hyperfine --version)" \
        --arg strace "$(version_of strace -V)" --arg jq "$(version_of jq --version)" \
        '$ARGS.named | map_values(if . == "" then "missing" else . end)'
}

# note_run JSON : keeps one run's raw numbers for the record.
note_run() { jq -ce . <<<"$1" >>"$runs" || fail "this isn't a run: $1"; }

# write_record MEASURES : writes this room's record; MEASURES is the JSON object
# {name: {value, unit, raw}}, with a null value and a "why" for what couldn't be had, and,
# where there are such, low, high, coverage, blocks, dropped and floor (chapter 07). Prints
# the room's rows, or the one that ROW names. Every row has to find its measure, in its unit.
write_record() {
    local file=$BUILD/results/$room.json missing
    missing=$(jq -r --argjson measures "$1" \
        '.[] | select($measures[.measure].unit != .unit) | .id' "experiments/$room/claims.json")
    [[ -z $missing ]] || fail "no measure, or one in another unit, for: ${missing//$'\n'/ }"
    mkdir -p "$BUILD/results"
    touch "$runs"
    jq -n --arg room "$room" --arg date "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
        --arg command "make $me" --arg commit "$(commit)" \
        --argjson machine "$(machine_json)" --argjson versions "$(versions_json)" \
        --argjson measures "$1" --slurpfile runs "$runs" \
        '$ARGS.named' >"$scratch/record"
    mv "$scratch/record" "$file"
    rm -f "$comparisons/$room-"*.rows # nothing is left to go on with
    "$BUILD/ledger" --here "$BUILD/results" "${ROW:-${room%%-*}}"
}
