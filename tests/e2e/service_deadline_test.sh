#!/usr/bin/env bash
# service_deadline_test.sh - a deadline that cannot be promised is declined with its cause and the earliest one that can,
# which is promised then; and each job that waits says why, by a word of docs/service.md.
source tests/e2e/service.sh

jobs=${RUBATO_SOAK:+1000}
jobs=${jobs:-200}
start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8
start_service --time_scale=1 --schedule=rubato --scheduling_slot=0
served
await scheduler 'cause="node 0 joined' >/dev/null
submit 0 --deadline=+20h

for iterations in 100000 20000 400000; do
    job=(--model=resnet50_cifar10 --batch-size=256 --iterations="$iterations" --promise-or-decline --json)
    client 3 submit --deadline=+5m "${job[@]}"
    [ "$(field reason)" = declined ] && [ "$(field verdict)" = declined ] || fail "it does not decline: $(cat "$work/answer")"
    [ "$(field sentence)" = "declined: no plan ends it by its deadline and keeps all promises" ] ||
        fail "it does not say why: $(cat "$work/answer")"
    client 3 submit --deadline="$(until_time $((($(date +%s) + $(field earliest)) / 2)))" "${job[@]}"
    submit_by_earliest "${job[@]}"
done

# Jobs of all kinds: each explains itself with a word of the list.
submit_some() { # KIND...
    local i

    for ((i = 0; i < jobs / 10; i++)); do
        rubato submit --model=resnet50_cifar10 --batch-size=256 --iterations=50000 "$@" >/dev/null || [ $? -eq 3 ] ||
            return 1
    done
}
some=()
for kind in --held --deadline=none --deadline=+1m --deadline=+100h "--deadline=+1m --promise-or-decline" \
    --min-gpus=8 --max-gpus=1 "--max-gpus=2 --deadline=+40h" --value=9 "--held --deadline=+2h"; do
    # shellcheck disable=SC2086
    submit_some $kind &
    some+=($!)
done
for pid in "${some[@]}"; do
    wait "$pid" || fail "a job cannot be submitted"
done
explain_all() {
    client 0 list --json --limit=1
    # shellcheck disable=SC2046
    client 0 explain --json $(seq 1 "$(field total)")
    [ "$(grep -c '^  "reason"' "$work/answer")" -eq "$(grep -c '^  "sentence": "[^"]' "$work/answer")" ] ||
        fail "a job does not explain itself"
    ! grep '^  "reason"' "$work/answer" | grep -vE ": \"(held|no-nodes|too-large|later|no-free-gpus|lease|starting|\
running|done|failed|cancelled|declined)\",?\$" || fail "a reason is none of the list"
}
explain_all
for reason in held no-free-gpus later declined; do
    grep -q "\"reason\": \"$reason\"" "$work/answer" || fail "no job is $reason"
done
mapfile -t orphans < <(trainers worker:a)
before=$(lines scheduler)
send KILL worker:a # and when there is no node
ended worker:a 137
gone "${orphans[@]}"
await scheduler 'cause="node 0 left' --after="$before" >/dev/null
explain_all
grep -q '"reason": "no-nodes"' "$work/answer" || fail "no job is no-nodes"

send TERM scheduler
ended scheduler
send TERM master
ended master
passed=yes
