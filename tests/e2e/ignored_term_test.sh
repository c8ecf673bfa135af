#!/usr/bin/env bash
# ignored_term_test.sh - a job that is to make room ignores SIGTERM, and has children outside of its process group that
# ignore it too: all are gone when the grace is over, and no job gets the GPUs before.
#
#   ignored_term_test.sh [emulated|command]     command: a user's program, started as a launch contract says
source tests/e2e/testbed.sh

how=${1:-emulated}
start_master 1
if [ "$how" = emulated ]; then
    start_worker a 4 --checkpoint-interval=30 --grace=1 '--faults=job=0:ignore-term;job=0:fork-children'
else
    printf '%s\n' "$tests/stubborn" '{job}' '{iterations}' >"$work/program"
    start_worker a 4 --workload=command --program="$work/program" --stable-after=0.5 --grace=1
fi
start_scheduler cluster_specs/n1g4.csv tests/e2e/traces/long_then_short.csv srtf --fastforward=False --time_scale=60

await master 'event=stop job=0 incarnation=1 '
await worker:a 'trainer:a.0 event=release job=0 incarnation=1 '
[ "$how" != emulated ] || await worker:a 'trainer:a.[0-3] event=hold job=1 incarnation=1 ' --matches=4
await master 'event=begin job=1 '
if [ "$how" = command ]; then # whose job 0 never ends by itself
    await master 'event=begin job=0 incarnation=2 '
    await worker:a 'trainer:a.0 event=hold job=0 incarnation=2 '
    send INT scheduler
    ended scheduler 130
else
    ended scheduler
fi
ended worker:a
ended master
judge
