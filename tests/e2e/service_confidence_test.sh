#!/usr/bin/env bash
# service_confidence_test.sh - a service promises with a confidence of 95 % unless it is told otherwise, and a job with its
# own; a quote names the deadlines of several; a job whose trainers are slow is at risk while its promise stands; the state
# keeps its confidence.
policy=rubato
confidence=
source tests/e2e/service.sh

serve() {
    start_service --time_scale=120 --scheduling_slot=900 "$@"
    served
}

# earliest PERCENT: of the last quote.
earliest() {
    tr -d ' \n' <"$work/answer" | sed -n "s/.*{\"confidence\":$1\.0,\"earliest\":\([0-9]*\)}.*/\1/p"
}

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8 --faults=slow=0.5
serve
await scheduler 'cause="node 0 joined' >/dev/null
job=(--model=resnet50_cifar10 --batch-size=256 --iterations=200000 --max-gpus=1)

client 0 quote "${job[@]}" --json
[ "$(field confidence)" = 95.0 ] || fail "the confidence of the service: $(cat "$work/answer")"
[ "$(earliest 95)" -eq "$(field earliest)" ] || fail "the deadline at 95 % is not the earliest: $(cat "$work/answer")"
[ "$(earliest 50)" -lt "$(earliest 95)" ] && [ "$(earliest 95)" -lt "$(earliest 99)" ] ||
    fail "deadlines do not rise with the confidence: $(cat "$work/answer")"
client 0 quote "${job[@]}"
[ "$(grep -cE '^With a confidence of (50|95|99) % the earliest deadline is 20[0-9: -]+' "$work/answer")" -eq 3 ] || fail "$(cat "$work/answer")"
client 0 quote "${job[@]}" --confidence=99 --json
[ "$(field confidence)" = 99.0 ] && [ "$(earliest 99)" -eq "$(field earliest)" ] || fail "$(cat "$work/answer")"

# A job that takes its profile as it is has the earlier deadline.
client 0 submit "${job[@]}" --held --confidence=none
client 0 show 1 --json
[ "$(field confidence)" = 0.0 ] || fail "the job has no confidence of its own: $(cat "$work/answer")"
client 0 show 1
grep -qE '^confidence +none$' "$work/answer" || fail "$(cat "$work/answer")"
client 2 submit "${job[@]}" --confidence=100
grep -qF -- '--confidence: expected none or a number from 0 to 99.9, found "100"' "$work/answer" || fail "$(cat "$work/answer")"
echo '{"model": "resnet50_cifar10", "batch_size": 256, "iterations": 200000, "gpus_max": 1, "confidence": 99.95}' >"$work/job"
client 2 submit --job="$work/job"
grep -qF 'field "confidence": 99.95 is not within 0 to 99.9' "$work/answer" || fail "$(cat "$work/answer")"

# Its trainers do half of what its profile says. That is told once a slot, and its speed is known after three.
client 0 submit "${job[@]}" --deadline=earliest
await scheduler 'event=disturbed .* margin for slow trainers, its deadline is ' >/dev/null
client 0 show 2 --json
[ "$(field verdict)" = at-risk ] && [ "$(field promised_until)" -gt 0 ] || fail "the promise is not at risk: $(cat "$work/answer")"
client 0 list
grep -qE ' at-risk ' "$work/answer" || fail "the list does not say so: $(cat "$work/answer")"
client 0 status --json
[ "$(field at_risk)" -eq 1 ] && [ "$(field promised)" -eq 1 ] || fail "$(cat "$work/answer")"
client 0 promises --json
[ "$(sed -n 's/^ *"at_risk": \([0-9]*\),.*/\1/p' "$work/answer" | head -n 1)" -eq 1 ] || fail "$(cat "$work/answer")"

# The state keeps its confidence.
client 0 cancel 2
send KILL scheduler
ended scheduler 137
serve
client 0 quote "${job[@]}" --json
[ "$(field confidence)" = 95.0 ] || fail "the confidence after a start: $(cat "$work/answer")"
client 0 history 2
grep -qE ' at-risk +[a-z]' "$work/answer" || fail "the risk is forgotten: $(cat "$work/answer")"
send TERM scheduler
ended scheduler
start_service --time_scale=120 --scheduling_slot=900 --confidence=90
ended scheduler 2
grep -q 'is the state of a run with confidence=95' "$logs/scheduler.log" || fail "$(tail -n 3 "$logs/scheduler.log")"
send TERM master
ended master
passed=yes
