#!/usr/bin/env bash
# killed_trainer_test.sh - a trainer is killed again and again: each time the whole incarnation stops and goes on from its
# checkpoint, five times, then the job is held. The other job notices nothing.
source tests/e2e/testbed.sh

start_master 2 --exclude-after=0
start_worker a 2 --checkpoint-interval=15
start_worker b 2 --checkpoint-interval=15
start_scheduler cluster_specs/n2g2.csv tests/e2e/traces/two_jobs.csv fifo --fastforward=False --time_scale=30

await worker:a 'trainer:a.0 event=stable job=[01] incarnation=1 '
job=$(sed -n 's/.*trainer:a.0 event=stable job=\([01]\) .*/\1/p' "$logs/worker-a.log")
for incarnation in 1 2 3 4 5 6; do
    await worker:a "trainer:a.0 event=stable job=$job incarnation=$incarnation "
    await worker:a "trainer:a.0 event=checkpoint job=$job incarnation=$incarnation .* step=[1-9]"
    send KILL "$(trainers worker:a | head -n 1)"
done
await master "event=held job=$job .* cause="
ended scheduler 1 # a job failed
ended worker:a
ended worker:b
ended master
[ "$(grep -c "event=retry job=$job " "$logs/master.log")" -eq 5 ] || fail "it was not tried five times again"
[ "$(sed '/event=held/,$d' "$logs/master.log" | grep -c "event=run job=$((1 - job)) ")" -eq 1 ] ||
    fail "the other job was disturbed"
judge
