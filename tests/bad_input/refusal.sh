# refusal.sh - sourced by the tests of this folder: runs the scheduler on an input that is wrong in
# one place and checks how that is told.
#
# A refusal is exit status 2, one sentence on stderr, nothing on stdout and no folder of results.

here=tests/bad_input
scheduler=${RUBATO_BIN:?}/scheduler
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
checked=0

# fail WHAT MESSAGE: notes it and goes on.
fail() {
    printf '%s: %s\n' "$1" "$2"
    failures=$((failures + 1))
}

# run ARGUMENTS...: leaves $status, $scratch/stdout, $scratch/stderr and perhaps $scratch/results.
run() {
    rm -rf "$scratch/results"
    "$scheduler" --log_path="$scratch/results" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
    checked=$((checked + 1))
}

# expect_refusal WHAT SENTENCE: what the last run said after "scheduler: ".
expect_refusal() {
    [ "$status" -eq 2 ] || fail "$1" "exit status $status instead of 2"
    printf 'scheduler: %s\n' "$2" | cmp -s - "$scratch/stderr" ||
        fail "$1" "expected \"scheduler: $2\", found \"$(cat -v "$scratch/stderr")\""
    [ ! -s "$scratch/stdout" ] || fail "$1" "printed \"$(head -n 1 "$scratch/stdout")\""
    [ ! -e "$scratch/results" ] || fail "$1" "left a result folder"
}

# expect_success WHAT: the last run ended well and left its results.
expect_success() {
    [ "$status" -eq 0 ] || fail "$1" "exit status $status: $(cat -v "$scratch/stderr")"
    [ -s "$scratch/results/summary.json" ] || fail "$1" "left no results"
    [ "$(tail -n 1 "$scratch/stdout" | cut -d: -f1)" = "declined jobs" ] ||
        fail "$1" "printed no count of declined jobs"
}

# finish COUNT: fails if anything did, or if fewer than COUNT runs were checked.
finish() {
    [ "$checked" -ge "$1" ] || fail "$0" "only $checked runs, expected $1"
    printf '%d runs, %d failures\n' "$checked" "$failures"
    [ "$failures" -eq 0 ]
    exit
}
