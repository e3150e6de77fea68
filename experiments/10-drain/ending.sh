# ending.c for the experiments of 10 and 11: builds it once, and calls it.
# shellcheck shell=bash disable=SC2034,SC2154  # lib.sh and the script share our variables

ending=$scratch/ending
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -O2 -Icode -D_GNU_SOURCE -D_DARWIN_C_SOURCE -pthread -o "$ending" \
    experiments/10-drain/ending.c "$BUILD/servers.a" || fail "ending.c doesn't build"

# answer SIGNAL_MS MS[,MS...] NAME OPTIONS... : sets $seen to the line of JSON.
answer() {
    local after=$1 asked=$2 name=$3
    shift 3
    seen=$("$ending" answer "$after" "$asked" "$BUILD/$name" "$@" 2>"$scratch/err") ||
        fail "$name: $(cat "$scratch/err")"
}

# all_answered WHO : of $seen, every request was answered, and the exit status is 0.
all_answered() {
    jq -e '(.answered | all) and .status == 0' <<<"$seen" >/dev/null ||
        fail "$1: an answer is missing: $seen"
}

# rolling ROUNDS NAME OPTIONS... : sets $whole to the number of whole rounds.
rolling() {
    local rounds=$1 name=$2
    shift 2
    whole=$("$ending" rolling "$rounds" "$BUILD/$name" --stats "$@" 2>"$scratch/err") ||
        fail "$name: $(cat "$scratch/err")"
    grep '^round' "$scratch/err" >&2 || true
}
