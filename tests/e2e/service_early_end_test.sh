#!/usr/bin/env bash
# service_early_end_test.sh - a program that ends long before its rate says is over then, in time, and its GPUs are free.
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 1
cluster=cluster_specs/n1g1.csv
start_service --schedule=rubato --scheduling_slot=0
served
await scheduler 'cause="node 0 joined' >/dev/null
for job in 1 2; do
    client 0 submit --model=short --batch-size=1 --iterations=100000 --rate=1:1 --deadline=+30d -- true
    client 0 wait "$job"
    client 0 show "$job" --json
    [ "$(field iterations_done)" -eq 100000 ] || fail "not all is done: $(cat "$work/answer")"
    grep -q 'all iterations are done, as promised' "$work/answer" || fail "no promise is kept: $(cat "$work/answer")"
    ! grep -q '"event": "behind"' "$work/answer" || fail "its end is called late: $(cat "$work/answer")"
done

for process in scheduler master; do
    send TERM $process
    ended $process
done
passed=yes
