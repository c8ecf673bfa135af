#!/usr/bin/env bash
# service_full_disk_test.sh - the disk of the state is full: what would have to be kept is refused with the cause, jobs
# train on, whatever only looks is answered. When there is space again all goes on, without a restart of anything.
source tests/e2e/service.sh

mkdir "$state"
mount -t tmpfs -o size=1m,mode=700 none "$state" || exit 77
start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8
start_service --time_scale=240
served
submit 0 --key=first --json
await master 'event=part job=1 .* state=stable' >/dev/null

while ! cat /dev/zero >>"$state/fill" 2>/dev/null; do
    [ "$(df --output=avail "$state" | tail -n 1)" -gt 0 ] || break
done
taken=1
while rubato submit --model=bert --batch-size=64 --iterations=10 --held --key="held-$taken" >"$work/answer" 2>&1; do
    taken=$((taken + 1)) # there is some room in the files of the state
done
grep 'state.db.*full.*; nothing was done' "$work/answer" || fail "the cause is not told: $(cat "$work/answer")"
for order in "cancel 1" "hold 1" "change 1 --deadline=+900h"; do
    # shellcheck disable=SC2086
    client 1 $order
    grep -q 'state.db.*full.*; nothing was done' "$work/answer" || fail "$order: the cause is not told: $(cat "$work/answer")"
done
client 0 status
client 0 show 1
[ "$(grep -c 'state.*running' "$work/answer")" -ge 1 ] || fail "an order that was refused was done: $(cat "$work/answer")"
client 1 submit --model=bert --batch-size=64 --iterations=10 --key="held-$taken"
await worker:a 'event=part job=1 .* state=done' >/dev/null

rm "$state/fill"
status=1
while [ $status -ne 0 ]; do
    status=0
    rubato submit --model=bert --batch-size=64 --iterations=10 --key="held-$taken" --json >"$work/answer" 2>&1 ||
        status=$?
done
job=$(field job)
[ "$job" -eq $((taken + 1)) ] || fail "the number $job is not that after $taken"
client 0 wait 1 "$job"
client 0 list --json
[ "$(field total)" -eq $((taken + 1)) ] || fail "there are $(field total) jobs: $(cat "$work/answer")"
send TERM scheduler
ended scheduler

# What was acknowledged, and no more, is there after a start.
start_service --time_scale=240
await scheduler "event=resumed .* jobs=$((taken + 1))" >/dev/null
served
submit 0 --key=first --json
[ "$(field job)" -eq 1 ] || fail "the first key is another job: $(cat "$work/answer")"
end_service
ended worker:a
umount "$state"
judge
