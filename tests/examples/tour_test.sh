#!/usr/bin/env bash
# tour_test.sh - docs/tour.md: its commands as they stand there, line by line, print what they are said to.
source "$(dirname "$0")/../e2e/testbed.sh"
# shellcheck disable=SC2034 # the tour takes it
source tests/examples/python_with_torch.sh

export CUDA_VISIBLE_DEVICES= PYTHONDONTWRITEBYTECODE=1 TMPDIR=$work RUBATO_BIN=$bin
trap - ERR

# told: what the log of each process says last.
told() {
    for log in "$tour"/*.log "$tour"/runs/logs/*; do
        echo "== $log"
        tail -n 15 "$log"
    done
    rubato show 1
    rubato nodes
}

sed -n '/^```sh$/,/^```$/{/^```/d;p}' docs/tour.md >"$work/tour"
[ "$(grep -c '#=>' "$work/tour")" -ge 15 ] || fail "the tour expects next to nothing"
while read -r -u 3 line; do
    command=${line%%#=>*} expected=
    [ "$command" = "$line" ] || expected=${line##*#=> }
    date '+%T'" $line"
    status=0
    eval "$command" >"$work/printed" 2>&1 </dev/null || status=$?
    [ $status -eq 0 ] || { told; fail "status $status of: $line: $(cat "$work/printed")"; }
    grep -qF -e "$expected" "$work/printed" || [ ! "$expected" ] || { told; fail "$line: $(cat "$work/printed")"; }
done 3<"$work/tour"
nothing_is_left
passed=yes
