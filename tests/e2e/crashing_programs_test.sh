#!/usr/bin/env bash
# crashing_programs_test.sh - a run in which every program crashed is done, has its results, and ends with the exit
# status 1 and a sentence that says how many jobs failed.
source "$(dirname "$0")/testbed.sh"

mkdir "$work/tmp"
export TMPDIR=$work/tmp
echo /bin/false >"$work/program"
status=0
"$bin/rubato" local tests/e2e/traces/two_jobs.csv --policy fifo --gpus 4 --slot 60 --time-scale 10000 \
    --program "$work/program" --results "$work/results" >"$work/said" 2>"$work/complaint" || status=$?
[ $status = 1 ] || fail "exit status $status, expected 1: $(cat "$work/complaint")"
grep -qx 'rubato local: 2 of 2 jobs failed' "$work/complaint" || fail "$(cat "$work/complaint")"
[ "$(tail -2 "$work/said" | cut -d: -f1 | tr '\n' ' ')" = "accepted jobs declined jobs " ] || fail "$(cat "$work/said")"
[ "$(grep -c '^[^"]*,failed,' "$work/results/outcomes.csv")" = 2 ] || fail "$(cat "$work/results/outcomes.csv")"

# As JSON, too.
status=0
"$bin/rubato" local tests/e2e/traces/two_jobs.csv --policy fifo --gpus 4 --slot 60 --time-scale 10000 --json \
    --program "$work/program" >"$work/said" 2>"$work/complaint" || status=$?
[ $status = 1 ] || fail "exit status $status with --json, expected 1: $(cat "$work/complaint")"
tail -1 "$work/complaint" | grep -qx 'rubato local: 2 of 2 jobs failed' || fail "$(cat "$work/complaint")"
grep -qx '  "failed": 2,' "$work/said" || fail "$(cat "$work/said")"
