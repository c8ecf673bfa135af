#!/usr/bin/env bash
# killed_master_test.sh MODE - the master is killed three times in a run of ten jobs ("real" time), or while the first plan
# is carried out (fast "forward"), and started again on its port. Workers are back ten seconds after it, trainers keep
# their processes, no job that trains is started again, and the run has the counts that it always has.
source tests/e2e/testbed.sh

mode=$1
heartbeat=10 # so that workers may be stopped, and a master away, for as long as a busy machine needs
lease=120
back_within=10 # seconds
trace=traces/functionality_10jobs.csv
time=()
if [ "$mode" = real ]; then
    time=(--fastforward=False --time_scale=200)
    trace=tests/e2e/traces/loose_deadlines.csv # no verdict depends on when it is given, nor on another
fi
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,2,4,40,256 >"$work/n2g4.csv"

# how often a job has begun that was begun neither for a plan's sake nor after a fault
relaunched() {
    grep -c 'event=retry ' "$logs/master.log" || true
}

# since_up: seconds from the last start of the master until its last worker was there, by its log.
since_up() {
    awk '/event=up / { up = $2 } /event=worker-up / { back = $2 } END { print int(back - up) }' "$logs/master.log"
}

kill_master() {
    local up

    up=$(grep -c 'event=worker-up ' "$logs/master.log")
    send KILL master
    ended master 137
    [ "$mode" = real ] || for name in a b; do send CONT worker:$name; done
    start_master 2
    await master 'event=worker-up ' --matches=$((up + 2))
    [ "$(since_up)" -le "$back_within" ] || fail "not all workers were back in time"
}

start_master 2
for name in a b; do
    start_worker $name 4
done
await master 'event=worker-up ' --matches=2
[ "$mode" = real ] || for name in a b; do send STOP worker:$name; done # or it is over in no time
start_scheduler "$work/n2g4.csv" "$trace" ef-accessctrl "${time[@]}"

if [ "$mode" = real ]; then
    await master 'event=settled .* round=2$'
    kill_master
    for _ in 2 3; do # the plan that it finds, and the next
        await master 'event=settled ' --after="$(lines master)" --matches=2
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
