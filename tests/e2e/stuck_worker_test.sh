#!/usr/bin/env bash
# stuck_worker_test.sh - the main thread of a worker stands still while the threads that serve its sockets go on, so that
# its connection looks alive: the master notices because heartbeats come from the main loop.
source tests/e2e/testbed.sh

start_master 2
start_worker a 2 --checkpoint-interval=30
start_worker b 2 --checkpoint-interval=30
start_scheduler cluster_specs/n2g2.csv tests/e2e/traces/two_jobs.csv fifo --fastforward=False --time_scale=60

await worker:a 'trainer:a.0 event=checkpoint job=[01] .* step=[1-9]' >"$work/line"
job=$(sed 's/.* job=\([01]\) .*/\1/' "$work/line")
mkfifo "$work/hold"
"$tests/hold_thread" "${pids[worker:a]}" <"$work/hold" >"$logs/holder.out" &
pids[holder]=$!
exec 8>"$work/hold"
"$tests/await_line" --pid "${pids[holder]}" "$logs/holder.out" held
[ "$(cat "/proc/${pids[worker:a]}/task/"*/status | grep -c '^State:[[:space:]]*[tT]')" -eq 1 ] ||
    fail "more than its main thread stands still"
await master 'event=worker-down .* name=a '
await worker:a "trainer:a.1 event=release job=$job incarnation=1 "
await master "event=gpu-freed job=$job incarnation=1 .* by=lease" --matches=2
exec 8>&-
ended holder
await master 'event=worker-up .* name=a ' --matches=2
await master "event=begin job=$job incarnation=[2-9] "
ended scheduler
ended worker:a
ended worker:b
ended master
judge
