#!/usr/bin/env bash
# two_runs_test.sh - the jobs of two runs have nothing in common but the row: each has checkpoints of its own, and its
# run's id in the logs.
source tests/e2e/testbed.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 4
for run in 1 2; do
    start_scheduler cluster_specs/n1g4.csv tests/e2e/traces/two_jobs.csv fifo
    ended scheduler
    mv "$records/scheduler.record" "$records/$run.record"
    mv "$results" "$work/results-$run"
done
end_cluster a

runs=$(sed -n 's/.* event=begin job=0 incarnation=1 .* run=\([0-9a-f]*\) .*/\1/p' "$logs/master.log")
[ "$(wc -l <<<"$runs")" -eq 2 ] || fail "not each run begins its job 0: $runs"
[ "$(ls "$shared/jobs")" = "$(for run in $runs; do printf '%s\n' "$run-0" "$run-1"; done | sort)" ] ||
    fail "not each job has checkpoints of its own: $(ls "$shared/jobs")"
cmp "$work/results-1/jobs.csv" "$work/results-2/jobs.csv" || fail "the runs are not the same"
judge
