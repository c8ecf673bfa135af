#!/usr/bin/env bash
# full_state_test.sh - the disk of a scheduler's state is full for a while: it says so and waits, jobs train on and
# heartbeats go on; once there is room it goes on by itself. What it decided meanwhile was neither done nor forgotten.
source tests/e2e/testbed.sh

heartbeat=4 # beside what makes a scheduler silent on a busy machine
lease=60
mkdir "$work/state"
mount -t tmpfs -o size=512k,mode=700 none "$work/state"
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,3,2,40,256 >"$work/n3g2.csv"
begin() {
    start_scheduler "$work/n3g2.csv" tests/e2e/traces/four_jobs.csv fifo --fastforward=False --time_scale=50 \
        --state="$work/state"
}
start_master 3
for name in a b c; do
    start_worker $name 2 --checkpoint-interval=30
done
begin
await master 'event=part job=1 .* state=stable'
cat /dev/zero >"$work/state/filler" 2>/dev/null || true
await scheduler 'event=not-kept .*state.db: '
! grep 'event=master-gone ' "$logs/scheduler.log" || fail "the session was lost"
rm "$work/state/filler"
await scheduler 'event=kept'
! sed -n '/event=not-kept /,/event=kept /p' "$logs/scheduler.log" | grep 'event=plan ' ||
    fail "what was not kept was acted on"
send KILL scheduler
ended scheduler 137
begin
ended scheduler
for name in a b c; do
    ended worker:$name
done
ended master
! grep 'event=lost ' "$logs/scheduler.log" || fail "work was lost"
for job in 0 1 2 3; do
    [ "$(grep -c "event=run job=$job " "$logs/master.log")" -eq 1 ] || fail "job $job was started twice"
done
[ "$(tail -n +2 "$results/jobs.csv" | wc -l)" -eq 4 ] || fail "not all jobs have ended"
judge
umount "$work/state"
