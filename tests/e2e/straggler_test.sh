#!/usr/bin/env bash
# straggler_test.sh - the trainers of a job are slower than its table says: its promise is withdrawn within one
# round, and the other job keeps its promise.
#
#   straggler_test.sh [FACTOR] [real|forward] [POLICY]
source tests/e2e/testbed.sh

factor=${1:-0.5}
how=${2:-real}
policy=${3:-edf-accessctrl}
heartbeat=0.25 # so that little of the run's clock passes while the end of a job is awaited
time=(--fastforward=False --time_scale=60)
within=540 # seconds of the run: a second in which a busy machine does nothing is a minute of them
[ "$how" = real ] || time=(--fastforward=True) within=300
start_master 2
start_worker a 2 "--faults=job=0:slow=$factor"
start_worker b 2 "--faults=job=0:slow=$factor"
start_scheduler cluster_specs/n2g2.csv tests/e2e/traces/straggler.csv edf-accessctrl "${time[@]}"
await scheduler 'event=withdrawn job=0 .* cause=' >"$work/line"
at=$(sed 's/.* at=\([0-9]*\) .*/\1/' "$work/line")
[ "$at" -le $within ] || fail "withdrawn at $at s only"
ended scheduler
ended worker:a
ended worker:b
ended master
[ "$how" = real ] || ! grep 'event=withdrawn job=1 ' "$logs/scheduler.log" || fail "the promise of the other job is withdrawn"
awk -F, '$2 == 1 && $6 <= $7 { kept = 1 } END { exit !kept }' "$results/jobs.csv" ||
    fail "the other job is late: $(cat "$results/jobs.csv")"
judge
