#!/usr/bin/env bash
# resumed_both_test.sh - scheduler and master are killed together, three times in a run of ten jobs in real time, and
# started again: no job that trains is started again, no work is lost, and the run has the counts that it always has.
source tests/e2e/testbed.sh

lease=60
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,2,4,40,256 >"$work/n2g4.csv"
begin() {
    start_scheduler "$work/n2g4.csv" traces/functionality_10jobs.csv ef-accessctrl --fastforward=False \
        --time_scale=400 --state="$work/state"
}

start_master 2
for name in a b; do
    start_worker $name 4
done
begin
for round in 2 5 9; do
    await scheduler "event=plan .* round=$round "
    await master "event=settled .* round=$round\$"
    send KILL master
    send KILL scheduler
    ended master 137
    ended scheduler 137
    begin
    await scheduler 'event=waiting '
    start_master 2
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
