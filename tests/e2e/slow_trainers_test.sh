#!/usr/bin/env bash
# slow_trainers_test.sh - all trainers are slower than their tables say, for good and under fast-forward: whatever a
# policy counts, iterations or seconds, and whether ends are planned or noticed, its run ends.
#
#   slow_trainers_test.sh POLICY FACTOR
source tests/e2e/testbed.sh

policy=$1
factor=$2
options=(--fastforward=True)
[ "$policy" != chronus ] || options+=(--solver=none) # whose time on a busy machine is not that of a replay
[ "$policy" != gandiva ] || options+=(--scheme=gandiva)
start_master 1
start_worker a 8 "--faults=slow=$factor"
start_scheduler cluster_specs/n1g8.csv traces/functionality_10jobs.csv "$policy" "${options[@]}"
ended scheduler
ended worker:a
ended master
grep -q "event=behind .* pace=$factor " "$logs/scheduler.log" || fail "no job is behind"
[ "$(awk '/^(accepted|declined) jobs/ { sum += $NF } END { print sum }' "$logs/scheduler.out")" -eq 10 ] ||
    fail "not all jobs are settled: $(cat "$logs/scheduler.out")"
judge
