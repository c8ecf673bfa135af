#!/usr/bin/env bash
# returning_worker_test.sh - a worker is killed and started again on its node, the only one. It holds a lock that the
# trainers of the worker before it held, too, so the master believes that nothing of it lives, and the job goes on without
# the lease being waited for.
#
#   returning_worker_test.sh [clean|left|hidden]
#     clean: trainers die with their worker
#     left: the keeper of a program is stopped, so that it does not; the new worker ends it
#     hidden: the same, and the new worker cannot see it, so that it has no lock: the lease decides
source tests/e2e/testbed.sh

how=${1:-clean}
lease=60
[ "$how" != hidden ] || lease=20 # in which a busy machine ends what is left, too

keeper() { # the process that keeps a program, which is its child
    local status

    for status in /proc/[0-9]*/status; do
        [ "$(sed -n 's/^Name:\t//p' "$status" 2>/dev/null)" != keeper ] || basename "$(dirname "$status")"
    done
}

printf '%s\n' "$tests/stubborn" '{job}' '{iterations}' >"$work/program"
options=(--checkpoint-interval=30)
[ "$how" = clean ] || options=(--workload=command --program="$work/program" --stable-after=0.5 --grace=1)

start_master 1
start_worker a 4 "${options[@]}"
start_scheduler cluster_specs/n1g4.csv tests/e2e/traces/two_jobs.csv fifo --fastforward=False --time_scale=60
if [ "$how" = clean ]; then
    await worker:a 'trainer:a.0 event=checkpoint job=0 .* step=[1-9]' >/dev/null
else
    await master 'event=part job=0 incarnation=1 .* state=stable' >/dev/null
fi
mapfile -t orphans < <(trainers worker:a)
if [ "$how" != clean ]; then
    mapfile -t keepers < <(keeper)
    [ "${#keepers[@]}" -ge 1 ] || fail "no program has a keeper"
    for pid in "${keepers[@]}"; do
        send STOP "$pid"
    done
fi
send KILL worker:a
gone "${orphans[@]}"
ended worker:a 137
if [ "$how" = hidden ]; then
    bin_of_worker=$bin
    mkdir "$work/hiding"
    printf '#!/bin/sh\nexec unshare --pid --fork --kill-child --mount-proc %s "$@"\n' \
        "$(realpath "$bin")/worker" >"$work/hiding/worker"
    chmod +x "$work/hiding/worker"
    bin=$work/hiding
    start_worker a 4 "${options[@]}"
    bin=$bin_of_worker
    await worker:a 'event=unlocked .*still runs'
    await master 'event=worker-down .* name=a '
    for pid in "${keepers[@]}"; do
        send CONT "$pid"
    done
    gone "${keepers[@]}"
    await master 'event=gpu-freed job=0 incarnation=1 .* by=lease'
    await master 'event=worker-up .* name=a ' --matches=2
else
    start_worker a 4 "${options[@]}"
    await master 'event=vouched '
fi
await master 'event=begin job=0 incarnation=2 '
if [ "$how" = hidden ]; then
    ! grep 'event=gpu-freed job=0 incarnation=1 .* by=vouched' "$logs/master.log" || fail "it was believed"
else
    ! grep 'by=lease' "$logs/master.log" || fail "the lease was waited for"
fi
if [ "$how" = clean ]; then
    ended scheduler
else # whose job 0 never ends by itself
    send INT scheduler
    ended scheduler 130
fi
ended worker:a
ended master
judge
