#!/usr/bin/env bash
# service_jobs_to_come_test.sh - a promise that is denied for jobs that are likely to come says so, with the rate by which
# that was judged: to submit, a dry run, a quote, show, explain and history.
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8
start_service --time_scale=240 --schedule=rubato --scheduling_slot=0
served
await scheduler 'cause="node 0 joined' >/dev/null

# Six jobs of 7.4 GPU-hours: a quarter of an hour later they are a rate for questions about 8 hours. A job that needs more
# has room.
some=(--model=resnet50_cifar10 --batch-size=256 --iterations=520000)
job=(--model=resnet50_cifar10 --batch-size=256 --iterations=540000)
for _ in 1 2 3 4 5 6; do
    client 0 submit "${some[@]}" --deadline=+10h --json
    [ "$(field verdict)" = promised ] || fail "a job is not promised: $(cat "$work/answer")"
done
came=$(date +%s%N)
while [ $((($(date +%s%N) - came) * 240 / 1000000000)) -lt 900 ]; do
    client 0 status
done

why='fits beside all promises, but jobs that are likely to come need the GPUs: the arrivals of the last [0-9.]* [a-z]* '
why+='need [0-9.]* GPU-hours per hour, [0-9]* % of the 8 GPUs'
told() { # CODE COMMAND...: it says why.
    client "$@"
    grep -q "$why" "$work/answer" || fail "$*: $(cat "$work/answer")"
}
told 0 submit "${job[@]}" --deadline=+8h --dry-run
told 3 submit "${job[@]}" --deadline=+8h --promise-or-decline
told 0 explain 7
told 0 submit "${job[@]}" --deadline=+8h
told 0 show 8
told 0 explain 8
told 0 history 8
client 0 show 8 --json
[ "$(grep -c '^ *"over_s": [1-9]' "$work/answer")" -eq 1 ] || fail "show has no rate: $(cat "$work/answer")"
client 0 quote "${job[@]}"
grep -q "denied for jobs that are likely to come: the arrivals" "$work/answer" ||
    fail "the quote does not say why: $(cat "$work/answer")"

send TERM scheduler
ended scheduler
send TERM master
ended master
passed=yes
