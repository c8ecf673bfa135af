#!/usr/bin/env bash
# service_promises_test.sh - a promise that is withdrawn and made again is told so, with its cause, and counted: by history,
# status and promises, also after the service was killed.
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8
start_service --time_scale=60 --schedule=rubato --scheduling_slot=0
served
await scheduler 'cause="node 0 joined' >/dev/null

client 0 submit --model=resnet50_cifar10 --batch-size=256 --iterations=20000 --deadline=+20h --json
[ "$(field verdict)" = promised ] || fail "the job is not promised: $(cat "$work/answer")"
await worker:a 'event=checkpoint job=1 .* step=[1-9]' >/dev/null
mapfile -t orphans < <(trainers worker:a)
before=$(lines scheduler)
send KILL worker:a
ended worker:a 137
gone "${orphans[@]}"
await scheduler 'event=disturbed .* its deadline is ' --after="$before" >/dev/null
client 0 promises --json
grep -q '"open": 1' "$work/answer" || fail "the promise is not open: $(cat "$work/answer")"

# Killed, and started again from what it kept.
send KILL scheduler
ended scheduler 137
start_service --time_scale=60 --schedule=rubato --scheduling_slot=0
served
start_worker a 8
client 0 wait 1

client 0 history 1
for event in promised withdrawn promised-again; do
    grep -qE "20[0-9: -]+ 1 +$event " "$work/answer" || fail "no event $event: $(cat "$work/answer")"
done
grep -qE ' withdrawn +[a-z].* its deadline is ' "$work/answer" || fail "the withdrawal has no cause: $(cat "$work/answer")"
client 0 status --json
[ "$(field promises_withdrawn)" -ge 1 ] && [ "$(field promise_withdrawals)" -ge 1 ] && [ "$(field promises_kept)" -eq 1 ] ||
    fail "the counts: $(cat "$work/answer")"
client 0 promises
grep -qE '^ +1 +1 +0 +0 +0 +0 +0 +1 +[1-9]' "$work/answer" || fail "it is not counted as kept: $(cat "$work/answer")"
grep -qE '^node +[1-9][0-9]* +1 +1 +0 ' "$work/answer" || fail "it is not counted by its cause: $(cat "$work/answer")"
grep -qE "^20[0-9]{2}-W[0-9]{2} +1 +1 " "$work/answer" || fail "it is not counted by week: $(cat "$work/answer")"
grep -qE "^$(id -un) +1 +1 " "$work/answer" || fail "it is not counted by user: $(cat "$work/answer")"

send TERM scheduler
ended scheduler
send TERM master
ended master
passed=yes
