#!/usr/bin/env bash
# service_straggler_test.sh - the trainers of the only job do a fifth of what its table says, and nothing else happens. It
# is noticed within two rounds and planned anew, not at the end of the job.
source tests/e2e/service.sh

policy=rubato
heartbeat=0.25
slot=240
within=$((2 * slot + 540)) # seconds of the run: a second in which a busy machine does nothing is a minute of them

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8 --faults=slow=0.2
start_service --time_scale=60
served
await scheduler 'event=node-up .* node=0 |cause="node 0 joined' >/dev/null
submit 0 --iterations=3000000 --max-gpus=1 --deadline=+90d --promise-or-decline
await scheduler 'event=decided job=1 ' >"$work/line"
begun=$(sed 's/.* at=\([0-9]*\) .*/\1/' "$work/line")
await scheduler 'event=behind job=1 .* pace=0\.[12]' >"$work/line"
at=$(sed 's/.* at=\([0-9]*\) .*/\1/' "$work/line")
[ $((at - begun)) -le $within ] || fail "it is behind since $at s only, and began at $begun s"
client 0 cancel 1
end_service
ended worker:a
judge
