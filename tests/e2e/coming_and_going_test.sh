#!/usr/bin/env bash
# coming_and_going_test.sh - a node says goodbye in the middle of a run and comes back later: its job goes on elsewhere
# from its checkpoint at once, without waiting for a lease, and the node gets jobs again.
#
#   coming_and_going_test.sh POLICY TIME_SCALE
source tests/e2e/testbed.sh

heartbeat=4 # a scheduler that plans on a busy machine is silent for longer than three seconds
lease=60
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,3,2,40,256 >"$work/n3g2.csv"
start_master 3
for name in a b c; do
    start_worker $name 2 --checkpoint-interval=30
done
start_scheduler "$work/n3g2.csv" tests/e2e/traces/three_jobs.csv "$1" --fastforward=False --time_scale="$2"

await master 'event=begin job=0 incarnation=1 ' >/dev/null
await master 'event=begin job=1 incarnation=1 ' >/dev/null
node=$(sed -n 's/.*event=begin job=1 incarnation=1 node=\([0-9]*\) .*/\1/p' "$logs/master.log")
leaver=$(sed -n "s/.*event=worker-up .* node=$node .* name=\([abc]\) .*/\1/p" "$logs/master.log")
await "worker:$leaver" "trainer:$leaver.0 event=checkpoint job=1 .* step=[1-9]"
send TERM "worker:$leaver"
ended "worker:$leaver"
await master "event=worker-down .* name=$leaver .*goodbye"
await master 'event=gpu-freed job=1 incarnation=1 .* by=exit' --matches=2
await master 'event=begin job=1 incarnation=[2-9] '
before=$(lines "worker:$leaver")
start_worker $leaver 2 --checkpoint-interval=30
await master "event=worker-up .* name=$leaver " --matches=2
await "worker:$leaver" "trainer:$leaver.0 event=hold " --after="$before"
ended scheduler
for name in a b c; do
    ended worker:$name
done
ended master
! grep 'by=lease' "$logs/master.log" || fail "a node that said goodbye was waited for"
[ "$(tail -n +2 "$results/jobs.csv" | wc -l)" -eq 3 ] || fail "not all jobs have ended"
judge
