#!/usr/bin/env bash
# away_scheduler_test.sh - in real time a scheduler is told to end, is killed, and is away while jobs train: the next one
# takes the run up, no job that trained has noticed, and each has what it did meanwhile.
source tests/e2e/testbed.sh

heartbeat=3 # a master that is told "once" waits for three of them for the next scheduler
lease=60
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,3,2,40,256 >"$work/n3g2.csv"
again() {
    start_scheduler "$work/n3g2.csv" tests/e2e/traces/four_jobs.csv fifo --fastforward=False --time_scale=50 \
        --state="$work/state" "$@"
}

start_master 3
for name in a b c; do
    start_worker $name 2 --checkpoint-interval=30
done
again
await master 'event=part job=0 .* state=stable'
send TERM scheduler
ended scheduler 130
grep "its jobs train on, and the same command goes on with the run" "$logs/scheduler.log" || fail "it does not say so"
! grep -q 'event=scheduler-down .*goodbye' "$logs/master.log" || fail "it said goodbye"

again
await scheduler 'event=resumed '
await master 'event=part job=1 .* state=stable'
send KILL scheduler
ended scheduler 137

again --schedule=srtf
ended scheduler 2
grep 'state.db: is the state of a run with policy="fifo", not with policy="srtf"' "$logs/scheduler.log"
before=$(lines scheduler)
again
await scheduler 'event=resumed ' --after="$before"
"$bin/scheduler" --cluster_spec="$work/n3g2.csv" --trace_file=tests/e2e/traces/four_jobs.csv --simulation=False \
    --state="$work/state" 2>"$work/second.log" && fail "two use one state"
grep "state: is used by process ${pids[scheduler]}" "$work/second.log" || fail "it does not say who uses the state"
ended scheduler
for name in a b c; do
    ended worker:$name
done
ended master

! grep 'event=lost ' "$logs/scheduler.log" || fail "work was lost"
! grep 'event=behind ' "$logs/scheduler.log" | grep -v 'its trainers have not begun yet' ||
    fail "a job lost what it did meanwhile" # one that is planned late begins late
for job in 0 1 2 3; do
    [ "$(grep -c "event=run job=$job " "$logs/master.log")" -eq 1 ] || fail "job $job was started twice"
done
[ "$(tail -n +2 "$results/jobs.csv" | wc -l)" -eq 4 ] || fail "not all jobs have ended"
again
ended scheduler 2
grep "state: the run is over, its results are in $results; name another folder" "$logs/scheduler.log" || fail "it began again"
judge
