#!/usr/bin/env bash
# service_jobs_to_come_test.sh - a promise that is denied for jobs that are likely to come says so, with the rate by which
# that was judged: to submit, a dry run, a quote, show, explain and history.
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8
start_service --time_scale=240 --schedule=rubato --scheduling_slot=0
served
await scheduler 'cause="node 0 joined' >/dev/null

wait_since() { # NANOSECONDS SECONDS: until so many seconds of the service have gone by.
    while [ $((($(date +%s%N) - $1) * 240 / 1000000000)) -lt "$2" ]; do
        client 0 status
    done
}

# Six jobs that are cancelled before they run leave nothing: three minutes later the empty cluster promises to one that
# needs more.
came=$(date +%s%N)
for _ in 1 2 3 4 5 6; do
    client 0 submit --model=bert --batch-size=64 --iterations=26000 --deadline=+2h --json
    client 0 cancel "$(field job)"
done
wait_since "$came" 180
client 0 submit --model=bert --batch-size=64 --iterations=27000 --deadline=+2h --promise-or-decline --json
[ "$(field verdict)" = promised ] || fail "jobs that were cancelled deny a promise: $(cat "$work/answer")"
client 0 cancel "$(field job)"

# Six jobs of 7.4 GPU-hours: a quarter of an hour later they are a rate for questions about 8 hours. A job that needs more
# has room.
some=(--model=resnet50_cifar10 --batch-size=256 --iterations=520000)
job=(--model=resnet50_cifar10 --batch-size=256 --iterations=540000)
for _ in 1 2 3 4 5 6; do
    client 0 submit "${some[@]}" --deadline=+10h --json
    [ "$(field verdict)" = promised ] || fail "a job is not promised: $(cat "$work/answer")"
done
came=$(date +%s%N)
wait_since "$came" 900

why='fits beside all promises, but jobs that are likely to come need the GPUs: the arrivals of the last [0-9.]* [a-z]* '
why+='need [0-9.]* GPU-hours per hour, [0-9]* % of the 8 GPUs'
told() { # CODE COMMAND...: it says why.
    client "$@"
    grep -q "$why" "$work/answer" || fail "$*: $(cat "$work/answer")"
}
told 0 submit "${job[@]}" --deadline=+8h --dry-run
told 3 submit "${job[@]}" --deadline=+8h --promise-or-decline
told 0 explain 14
told 0 submit "${job[@]}" --deadline=+8h
told 0 show 15
told 0 explain 15
told 0 history 15
client 0 show 15 --json
[ "$(grep -c '^ *"over_s": [1-9]' "$work/answer")" -eq 1 ] || fail "show has no rate: $(cat "$work/answer")"
client 0 quote "${job[@]}"
grep -q "denied for jobs that are likely to come: the arrivals" "$work/answer" ||
    fail "the quote does not say why: $(cat "$work/answer")"

send TERM scheduler
ended scheduler
send TERM master
ended master
passed=yes
