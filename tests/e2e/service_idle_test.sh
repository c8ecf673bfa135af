#!/usr/bin/env bash
# service_idle_test.sh - an idle cluster promises: jobs of one moment that all have room, and a job after a few seconds of
# work of others.
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8
start_service --time_scale=1 --schedule=rubato --scheduling_slot=0
served
await scheduler 'cause="node 0 joined' >/dev/null

# promised OPTIONS...: the job is promised when it is submitted.
promised() {
    client 0 submit --model=resnet50_cifar10 --batch-size=256 "$@" --json
    [ "$(field verdict)" = promised ] || fail "$*: $(cat "$work/answer")"
}

# Three jobs of some seconds come first, and tell nothing of what may come.
for _ in 1 2 3; do
    promised --iterations=10 --deadline=+10m
done
promised --iterations=28000 --deadline=+40m
# Jobs of 1.2 GPU-hours with two hours to go, as many as a cluster of 8 GPUs has room for.
for _ in 1 2 3 4 5 6; do
    promised --iterations=85000 --deadline=+2h --promise-or-decline
done

send TERM scheduler
ended scheduler
send TERM master
ended master
passed=yes
