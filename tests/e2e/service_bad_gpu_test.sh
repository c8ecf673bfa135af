#!/usr/bin/env bash
# service_bad_gpu_test.sh - what runs on one GPU of a node fails again and again: that GPU is left out, `rubato nodes` and
# `rubato history` say which and why, and the other GPUs of the node stay in use. When the GPU is exchanged, the node has
# all its GPUs again.
source tests/e2e/service.sh
source tests/e2e/real_gpus.sh

cluster=$work/n1g4.csv
sed 's/^1,1,8,/1,1,4,/' cluster_specs/n1g8.csv >"$cluster"
policy=rubato

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
shows a '0 1 2 3'
start_real_worker a 0 --faults='gpu=3:fail-at=100'
start_service --scheduling_slot=0 --time_scale=60
served
knows a 4 ''
submit 0 --iterations=3000000 --max-gpus=1 --deadline=+90d --promise-or-decline
await worker:a 'event=checkpoint job=1 .* step=[1-9]' >/dev/null
submit 0 --iterations=30000000 --deadline=+90d --promise-or-decline
left_out='GPU 3 \(GPU-00000003-nvml\) is left out: 3 failures in a row, at last: failed at step [0-9]+'
knows a 3 "$left_out"
await worker:a 'event=checkpoint job=2 incarnation=4 .* step=[1-9]' >/dev/null
await worker:a 'event=checkpoint job=1 .* step=[1-9]' --matches=2 >/dev/null
client 0 history 2
grep -E "$left_out" "$work/answer" >/dev/null || fail "the history of job 2 does not name the GPU: $(cat "$work/answer")"
grep -E "event=disturbed .*node 0 has 3 GPUs instead of 4: a: $left_out" "$logs/scheduler.log" >/dev/null || fail "the scheduler does not name the GPU"

shows a '0 1 2 7'
knows a 4 ''
for job in 1 2; do
    client 0 show $job --json
    grep '"promise": "promised"\|"promised_until": [0-9]' "$work/answer" >/dev/null || fail "job $job is promised nothing: $(cat "$work/answer")"
    client 0 cancel $job
done
[ "$(grep -c 'event=excluded .* gpu=3 name=a uuid=GPU-00000003-nvml' "$logs/master.log")" = 1 ] || fail "GPU 3 was not excluded once"
! grep 'event=held\|event=excluded .* gpu=-' "$logs/master.log" || fail "a job or the node is blamed for a GPU"
end_service
ended worker:a
judge
