# What exp-08 compares by build/ab, for its run to source. Every comparison asks for /work,
# by the same number of turns for a microsecond in all servers, and leaves a run of the
# record.
# shellcheck shell=bash disable=SC2034,SC2154  # lib.sh and the script that sources us
# read what we set, and set what we read

# Runs of 150 ms are short, but the record of a machine that is quick to measure is worth
# more than none; the blocks' spread says what they are worth.
if [[ ${PROFILE:-quick} == full ]]; then
    ab_options=(--ms 700 --warmup-ms 200 --blocks 10 --tries 14)
else
    ab_options=(--ms 150 --warmup-ms 50 --blocks 6 --tries 9)
fi

# --- what holds for the whole experiment --------------------------------------------------

# Kept until the record is written, so that what was cut short goes on with the same k.
prices=$BUILD/results/ab/$room-prices-${PROFILE:-quick}.json

# Measures this machine's prices once; sets $spins, turns for a microsecond of work, and
# $slow_us, the application in slow motion on one CPU, or nothing where nobody can be bound
# to one.
calibrate() {
    mkdir -p "${prices%/*}"
    if [[ ! -s $prices ]]; then
        "$BUILD/calibrate" --json >"$scratch/prices" || fail "calibrate failed"
        mv "$scratch/prices" "$prices"
    fi
    spins=$(jq .spins_per_us "$prices")
    slow_us=$(jq '.slow_motion.one_cpu.application_us // empty | round' "$prices")
    note_run "$(jq -c '{prices: .}' "$prices")"
    say "$spins turns for a microsecond; slow motion on one CPU: $(jq -r \
        '.slow_motion.one_cpu.k // "not to be had"' "$prices")"
}

# How many CPUs we may use; 0 where programs can't be bound to them.
cpus() { if [[ $(uname -s) == Linux ]]; then nproc; else echo 0; fi; }

# lacks CPUS : why a comparison that needs so many can't be made here, or nothing.
lacks() {
    local have
    have=$(cpus)
    if ((have == 0)); then
        echo "programs can't be bound to CPUs on this system"
    elif ((have < $1)); then
        echo "it needs $1 CPUs, and there are $have"
    fi
}

# --- the comparisons ----------------------------------------------------------------------

# among NAME PLACE CONNECTIONS US ARM... : compares some of the programs below; the ratios
# are to the first. The control, as everywhere, is a program that nobody asks about: the
# executor with sockets of its own.
among() {
    local name=$1 place=$2 connections=$3 us=$4 arm arms=()
    shift 4
    for arm in "$@"; do
        case $arm in
        inversion) arms+=(--arm "$arm=$BUILD/08-inversion --spins-per-us $spins") ;;
        pump | again) arms+=(--arm "$arm=$BUILD/06-pump --spins-per-us $spins") ;;
        *) arms+=(--arm "$arm=$BUILD/06-pump --lock $arm --spins-per-us $spins") ;;
        esac
    done
    compare "$name" --place "$place" --connections "$connections" --path "/work?us=$us" \
        --control "$BUILD/05-executor --spins-per-us $spins" --control-percent 20 "${arms[@]}"
}

# Sets no_one, no_spare and no_sweep, each to why its comparisons weren't made, or to nothing.
# The work of 7 us is the note's application as it is: k is 1. With all CPUs free it is 20,
# with which the client stays idle for most of the time.
compare_all() {
    local connections
    no_one=$(lacks 2) no_spare=$(lacks 3) no_sweep=''
    if [[ -z $no_one ]]; then
        among one_c16 one-cpu 16 7 pump inversion again
        among one_c256 one-cpu 256 7 pump inversion
        among slow_c16 one-cpu 16 "$slow_us" pump inversion
    fi
    [[ -n $no_spare ]] || among spare_c16 spare-core 16 7 inversion free gil
    among free_c16 free 16 20 inversion free gil mutex
    if [[ ${PROFILE:-quick} == full ]]; then
        for connections in 1 64 256; do
            among "free_c$connections" free "$connections" 20 inversion free gil mutex
        done
    else
        no_sweep='only PROFILE=full measures it'
    fi
}
