#!/usr/bin/env bash
# service_burst_test.sh - forty clients at once submit jobs whose deadlines cannot be promised: each is told the earliest
# one that can be, which is promised then.
source tests/e2e/service.sh

clients=40
[ -z "${RUBATO_SANITIZED:-}" ] || clients=10 # sanitizers take ten minutes over forty
start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8
start_service --time_scale=1 --schedule=rubato --scheduling_slot=0
served
await scheduler 'cause="node 0 joined' >/dev/null
submit 0 --deadline=+20h

job() { # NUMBER: its options, in an array
    job=(--model=resnet50_cifar10 --batch-size=256 --iterations=$((50000 + 1000 * $1)) --promise-or-decline --json)
}

submits=()
for ((i = 0; i < clients; i++)); do
    job "$i"
    rubato submit --deadline=+5m "${job[@]}" >"$work/burst-$i" 2>&1 &
    submits+=($!)
done
for ((i = 0; i < clients; i++)); do
    status=0
    wait "${submits[i]}" || status=$?
    [ "$status" -eq 3 ] || fail "submit $i of a burst ends with $status: $(cat "$work/burst-$i")"
done
for ((i = 0; i < clients; i++)); do
    cp "$work/burst-$i" "$work/answer"
    [[ $(field earliest) =~ ^[0-9]+$ ]] || fail "submit $i of a burst has no earliest deadline: $(cat "$work/answer")"
    job "$i"
    submit_by_earliest "${job[@]}"
    client 0 cancel "$(field job)"
done

job 0
client 3 submit --deadline=+5m --verdict-only "${job[@]}"
[ "$(field earliest)" = null ] || fail "a verdict alone names a deadline: $(cat "$work/answer")"

send TERM scheduler
ended scheduler
send TERM master
ended master
passed=yes
