#!/usr/bin/env bash
# resumed_both_test.sh - scheduler and master are killed together, three times in a run of ten jobs in real time, and
# started again: no job that trains is started again, no work is lost, and the run has the counts that it always has.
source tests/e2e/testbed.sh

heartbeat=4 # so that both may be away for as long as a busy machine needs
lease=60
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,2,4,40,256 >"$work/n2g4.csv"
begin() {
    start_scheduler "$work/n2g4.csv" tests/e2e/traces/loose_deadlines.csv ef-accessctrl --fastforward=False \
        --time_scale=100 --state="$work/state"
}

start_master 2
for name in a b; do
    start_worker $name 4
done
begin
await scheduler 'event=plan .* round=2 '
await master 'event=settled .* round=2$'
for nth in 1 2 3; do
    send KILL master
    send KILL scheduler
    ended master 137
    ended scheduler 137
    before=$(lines scheduler)
    before_master=$(lines master)
    begin
    await scheduler 'event=waiting ' --after="$before"
    start_master 2
    await scheduler 'event=resumed ' --after="$before"
    [ $nth -eq 3 ] || await master 'event=settled ' --after="$before_master"
done
ended scheduler
for name in a b; do
    ended worker:$name
done
ended master

[ "$(grep -c 'event=resumed ' "$logs/scheduler.log")" -eq 3 ] || fail "the run was not taken up"
[ "$(grep -c 'event=trainer-started ' "$logs/worker-a.log")" -eq 4 ] || fail "a trainer was replaced"
! grep 'event=retry ' "$logs/master.log" || fail "a job was tried again"
! grep 'event=lost ' "$logs/scheduler.log" || fail "work was lost"
[ "$(tail -n 2 "$logs/scheduler.out")" = $'accepted jobs: 6\ndeclined jobs: 4' ] || fail "other counts"
judge
