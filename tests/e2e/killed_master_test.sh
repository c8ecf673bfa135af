#!/usr/bin/env bash
# killed_master_test.sh MODE - the master is killed three times in a run of ten jobs ("real" time), or while the first plan
# is carried out (fast "forward"), and started again on its port. Workers are back within ten seconds, trainers keep their processes, no job
# that trains is started again, and the run has the counts that it always has.
source tests/e2e/testbed.sh

mode=$1
back_within=10 # seconds
time=(--fastforward=False --time_scale=400)
[ "$mode" = real ] || time=()
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,2,4,40,256 >"$work/n2g4.csv"

# how often a job has begun that was begun neither for a plan's sake nor after a fault
relaunched() {
    grep -c 'event=retry ' "$logs/master.log" || true
}

kill_master() {
    local up before

    up=$(grep -c 'event=worker-up ' "$logs/master.log")
    before=$(date +%s)
    send KILL master
    ended master 137
    [ "$mode" = real ] || for name in a b; do send CONT worker:$name; done
    start_master 2
    await master 'event=worker-up ' --matches=$((up + 2))
    [ $(($(date +%s) - before)) -le "$back_within" ] || fail "not all workers were back in time"
}

start_master 2
for name in a b; do
    start_worker $name 4
done
await master 'event=worker-up ' --matches=2
[ "$mode" = real ] || for name in a b; do send STOP worker:$name; done # or it is over in no time
start_scheduler "$work/n2g4.csv" traces/functionality_10jobs.csv ef-accessctrl "${time[@]}"

if [ "$mode" = real ]; then
    for rounds in '[2-9]' '[4-9]' '[6-9]'; do
        await master "event=settled .* round=$rounds\$"
        kill_master
    done
else
    await master 'event=run '
    kill_master
fi
ended scheduler
for name in a b; do
    ended worker:$name
done
ended master

[ "$(grep -c 'event=trainer-started ' "$logs/worker-a.log")" -eq 4 ] || fail "a trainer was replaced"
[ "$(grep -c 'event=trainer-started ' "$logs/worker-b.log")" -eq 4 ] || fail "a trainer was replaced"
[ "$mode" = forward ] || grep 'event=adopted ' "$logs/master.log" >/dev/null || fail "no job was taken over"
[ "$(relaunched)" -eq 0 ] || fail "a job was tried again"
! grep 'event=lost ' "$logs/scheduler.log" || fail "work was lost"
grep '"accepted": 6' "$results/summary.json" && grep '"declined": 4' "$results/summary.json" || fail "other counts"
judge
