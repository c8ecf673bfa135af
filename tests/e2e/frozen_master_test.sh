#!/usr/bin/env bash
# frozen_master_test.sh - the master is stopped for so long that the scheduler takes it for gone. The clock goes on, jobs
# come and are planned; when the master is back it gets the plan in force, and no job that trained has noticed.
#
#   frozen_master_test.sh [killed|minute]
#
# killed: meanwhile the scheduler is killed and started again; minute: it takes more than one, which the log of the scheduler
# counts, and no process ends
source tests/e2e/testbed.sh

lease=60
[ "${1:-}" != minute ] || lease=240
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,3,2,40,256 >"$work/n3g2.csv"
start_master 3
for name in a b c; do
    start_worker $name 2 --checkpoint-interval=30
done
begin() {
    start_scheduler "$work/n3g2.csv" tests/e2e/traces/four_jobs.csv fifo --fastforward=False --time_scale=50 \
        --state="$work/state"
}

begin

await master 'event=part job=0 .* state=stable'
await master 'event=part job=1 .* state=stable'
send STOP master
await scheduler 'event=master-gone '
await scheduler 'event=plan .* jobs=3 .* live=3 '
! grep 'event=run job=2 ' "$logs/master.log" || fail "the master was not stopped"
if [ "${1:-}" = killed ]; then
    send KILL scheduler
    ended scheduler 137
    before=$(lines scheduler)
    begin
    await scheduler 'event=waiting ' --after="$before"
fi
if [ "${1:-}" = minute ]; then
    await scheduler 'event=master-gone ' --matches=2
    for pid in "${pids[@]}" $(trainers worker:a) $(trainers worker:b) $(trainers worker:c); do
        kill -0 "$pid" || fail "process $pid has ended"
    done
    ! grep 'event=trainer-exited ' "$logs"/worker-*.log || fail "a trainer has ended"
fi
send CONT master
await master 'event=begin job=2 '
ended scheduler
for name in a b c; do
    ended worker:$name
done
ended master
! grep 'event=lost ' "$logs/scheduler.log" || fail "work was lost"
[ "$(grep -c 'event=run job=0 ' "$logs/master.log")" -eq 1 ] || fail "a job that trained was disturbed"
[ "$(tail -n +2 "$results/jobs.csv" | wc -l)" -eq 4 ] || fail "not all jobs have ended"
judge
