#!/usr/bin/env bash
# killed_worker_test.sh - a worker is killed: its trainers die with it, its GPUs are taken for free only behind the
# lease, the job goes on elsewhere from its checkpoint, and a worker that comes back under the same name is welcome.
source tests/e2e/testbed.sh

start_master 2
start_worker a 2 --checkpoint-interval=30
start_worker b 2 --checkpoint-interval=30
start_scheduler cluster_specs/n2g2.csv tests/e2e/traces/two_jobs.csv fifo --fastforward=False --time_scale=60

await worker:a 'trainer:a.0 event=checkpoint job=[01] .* step=[1-9]' >"$work/line"
job=$(sed 's/.* job=\([01]\) .*/\1/' "$work/line")
mapfile -t orphans < <(trainers worker:a)
send KILL worker:a
gone "${orphans[@]}"
ended worker:a 137
await master 'event=worker-down .* name=a '
await master "event=gpu-freed job=$job incarnation=1 .* by=lease"
start_worker a 2 --checkpoint-interval=30
await master 'event=worker-up .* name=a ' --matches=2
await master "event=begin job=$job incarnation=[2-9] "
ended scheduler
ended worker:a
ended worker:b
ended master
judge
