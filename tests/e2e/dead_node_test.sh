#!/usr/bin/env bash
# dead_node_test.sh - a node is gone for good, and its lease runs on: the job that was there waits for it, and says so.
# The other jobs are planned, begin and end meanwhile; when the lease is over the job goes on elsewhere.
#
#   dead_node_test.sh [real|forward]
source tests/e2e/testbed.sh

how=${1:-real}
lease=20
time=(--fastforward=False --time_scale=100)
[ "$how" = real ] || time=(--fastforward=True)
[ "$how" = real ] || heartbeat=4 # so that a worker may be stopped for a moment
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,3,2,40,256 >"$work/n3g2.csv"
start_master 3
for name in a b c; do
    start_worker $name 2 --checkpoint-interval=30
done
await master 'event=worker-up ' --matches=3 >"$work/line"
dead=$(sed -n 's/.*event=worker-up .* node=0 .* name=\([abc]\) .*/\1/p' "$logs/master.log")
other=$(sed -n 's/.*event=worker-up .* node=1 .* name=\([abc]\) .*/\1/p' "$logs/master.log")

# Fast-forwarded nothing jumps before job 1 trains.
[ "$how" = real ] || send STOP "worker:$other"
start_scheduler "$work/n3g2.csv" tests/e2e/traces/four_jobs.csv fifo "${time[@]}"
await master 'event=part job=0 .* state=stable'
mapfile -t orphans < <(trainers "worker:$dead")
send KILL "worker:$dead"
gone "${orphans[@]}"
ended "worker:$dead" 137
await master "event=worker-down .* name=$dead "
[ "$how" = real ] || send CONT "worker:$other"
await scheduler 'event=waits job=0 .* cause="it waits for the lease of what worker '
# Job 1 ends, job 2 comes, and job 3 after it.
for job in 1 2 3; do
    await scheduler "event=retired job=$job "
done
! grep 'event=gpu-freed job=0 .* by=lease' "$logs/master.log" || fail "the other jobs waited for the lease"
grep -q 'event=behind job=0 ' "$logs/scheduler.log" || fail "the job that waits is not behind"
await master 'event=gpu-freed job=0 incarnation=1 .* by=lease' --matches=2
await master 'event=begin job=0 incarnation=[2-9] '
ended scheduler
for name in a b c; do
    [ "$name" = "$dead" ] || ended "worker:$name"
done
ended master
[ "$(tail -n +2 "$results/jobs.csv" | wc -l)" -eq 4 ] || fail "not all jobs have ended"
judge
