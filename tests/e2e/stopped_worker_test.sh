#!/usr/bin/env bash
# stopped_worker_test.sh - a worker is stopped for a while. A short sleep changes nothing; a long one is noticed, its
# trainers give their GPUs up themselves when the lease is over, before the master gives the job to others, and on waking
# the worker kills first and then asks.
#
#   stopped_worker_test.sh [short|long]
source tests/e2e/testbed.sh

how=${1:-long}
if [ "$how" = short ]; then # short beside what makes a peer silent, however late a busy machine wakes it
    heartbeat=5
    lease=40
fi
start_master 2
start_worker a 2 --checkpoint-interval=30
start_worker b 2 --checkpoint-interval=30
start_scheduler cluster_specs/n2g2.csv tests/e2e/traces/two_jobs.csv fifo --fastforward=False --time_scale=60

await worker:a 'trainer:a.0 event=checkpoint job=[01] .* step=[1-9]' >"$work/line"
job=$(sed 's/.* job=\([01]\) .*/\1/' "$work/line")
mapfile -t pids_of_trainers < <(trainers worker:a)
send STOP worker:a
if [ "$how" = short ]; then
    # By the other node's checkpoints, two a second.
    await worker:b 'event=checkpoint' --after="$(lines worker:b)" --matches=4
    send CONT worker:a
    ended scheduler
    ! grep -q 'event=worker-down .* name=a ' <(sed '/event=closing/,$d' "$logs/master.log") ||
        fail "a worker that slept for two seconds is taken for gone"
    [ "$(grep -c "event=run job=$job " "$logs/master.log")" -eq 1 ] || fail "its job was disturbed"
else
    await master 'event=worker-down .* name=a '
    await worker:a "trainer:a.0 event=release job=$job incarnation=1 "
    await worker:a "trainer:a.1 event=release job=$job incarnation=1 "
    await master "event=gpu-freed job=$job incarnation=1 .* by=lease" --matches=2
    send CONT worker:a
    await master 'event=worker-up .* name=a ' --matches=2
    await master "event=begin job=$job incarnation=[2-9] "
    ended scheduler
fi
ended worker:a
for pid in "${pids_of_trainers[@]}"; do # whose ends are all told by now
    grep -q "event=trainer-exited .* pid=$pid " "$logs/worker-a.log" || fail "trainer $pid is lost"
done
ended worker:b
ended master
judge
