#!/usr/bin/env bash
# cut_off_node_test.sh - the network of a node drops everything, or everything in one direction, without a word, so that
# connections stay open on both sides. Heartbeats notice it, the node's trainers give their GPUs up before any job gets
# their job, and when the network is back so is the node.
#
#   cut_off_node_test.sh [both|in|out] [two_jobs|wide_job|brief]
#
# two_jobs: the other node has a job of its own; wide_job: a job on both nodes stops on both; brief: the network is back
# before the lease is over.
source tests/e2e/testbed.sh

which=${1:-both}
what=${2:-two_jobs}
trace=$what
[ "$what" != brief ] || trace=two_jobs
network 2
start_master 2
start_worker node-0 2 --checkpoint-interval=30
start_worker node-1 2 --checkpoint-interval=30
start_scheduler cluster_specs/n2g2.csv "tests/e2e/traces/$trace.csv" fifo --fastforward=False --time_scale=60

await worker:node-0 'trainer:node-0.[01] event=stable job=[01] incarnation=1 ' >"$work/line"
job=$(sed 's/.* job=\([01]\) .*/\1/' "$work/line")
[ "$trace" != two_jobs ] || await worker:node-0 'trainer:node-0.0 event=checkpoint job=[01] .* step=[1-9]'
cut_off node-0 "$which"
await master 'event=worker-down .* name=node-0 '
if [ "$what" = brief ]; then
    heal node-0
    await master 'event=worker-up .* name=node-0 ' --matches=2
    await master "event=gpu-freed job=$job incarnation=1 .* by=exit" --matches=2
    await master "event=begin job=$job incarnation=[2-9] "
    ended scheduler
    ! grep 'by=lease' "$logs/master.log" || fail "a lease that was not over was taken for over"
else
    await worker:node-0 "trainer:node-0.0 event=release job=$job incarnation=1 "
    await worker:node-0 "trainer:node-0.1 event=release job=$job incarnation=1 "
    await master "event=gpu-freed job=$job incarnation=1 .* by=lease" --matches=2
    heal node-0
    await master 'event=worker-up .* name=node-0 ' --matches=2
    await master "event=begin job=$job incarnation=[2-9] "
    ended scheduler
fi
ended worker:node-0
ended worker:node-1
ended master
judge
