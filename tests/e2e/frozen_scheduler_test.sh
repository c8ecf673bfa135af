#!/usr/bin/env bash
# frozen_scheduler_test.sh - the scheduler is stopped for so long that the master takes it for gone. Jobs train on, with
# checkpoints; when it wakes up it goes on with the plan in force, no job is told anything, and the run ends.
source tests/e2e/testbed.sh

lease=60
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,3,2,40,256 >"$work/n3g2.csv"
start master "$bin/master" -p 6888 -n 3 --heartbeat="$heartbeat" --lease="$lease" # with --once it would end, too
for name in a b c; do
    start_worker $name 2 --checkpoint-interval=30
done
start_scheduler "$work/n3g2.csv" tests/e2e/traces/four_jobs.csv fifo --fastforward=False --time_scale=50

await master 'event=part job=0 .* state=stable'
await master 'event=part job=1 .* state=stable'
node=$(sed -n 's/.*event=begin job=0 incarnation=1 node=\([0-9]*\) .*/\1/p' "$logs/master.log")
name=$(sed -n "s/.*event=worker-up .* node=$node .* name=\([abc]\) .*/\1/p" "$logs/master.log")
send STOP scheduler
await master 'event=scheduler-down '
told=$(lines master)
# The round at 240 s is overdue once job 0 is at step 900: it takes 261 s for these.
await "worker:$name" 'event=checkpoint job=0 incarnation=1 .* step=(9|[1-9][0-9])[0-9][0-9]$'
await master 'event=part job=1 .* state=done'
[ "$(tail -n +$((told + 1)) "$logs/master.log" | grep -cE 'event=(run|begin|stop) ')" -eq 0 ] ||
    fail "the master did something without a plan"
send CONT scheduler
await scheduler 'event=plan .* at=240 .* accepted=3 ' # with job 1 or without it: its end may still have been told
await master 'event=begin job=2 '
ended scheduler
end_cluster a b c
! grep 'event=lost ' "$logs/scheduler.log" || fail "work was lost"
for job in 0 1 2 3; do
    [ "$(grep -c "event=run job=$job " "$logs/master.log")" -eq 1 ] || fail "job $job was started again"
done
[ "$(tail -n +2 "$results/jobs.csv" | wc -l)" -eq 4 ] || fail "not all jobs have ended"
judge
