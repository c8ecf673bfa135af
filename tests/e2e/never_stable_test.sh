#!/usr/bin/env bash
# never_stable_test.sh - a user's program says that it has started, and never that it is stable: the fast-forward waits
# for it as long as the master has patience, each of its tries; then its job is given up, and the run goes on to its end.
source tests/e2e/testbed.sh

printf '%s\n' "$tests/test_program" say=ready wait >"$work/program"
start_master 1 --stable-within=0.2
start_worker a 4 --workload=command --program="$work/program" --grace=1
start_scheduler cluster_specs/n1g4.csv tests/e2e/traces/two_jobs.csv fifo
for job in 0 1; do
    await master "event=retry job=$job incarnation=1 .* cause=\"not stable within 0.2 s\""
    await master "event=held job=$job incarnation=6 .* cause=\"not stable within 0.2 s\""
done
ended scheduler 1 # no job was done
ended worker:a
ended master
grep -q 'not stable within 0.2 s' "$results/disturbances.csv" || fail "$(cat "$results/disturbances.csv")"
judge
