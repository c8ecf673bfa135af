#!/usr/bin/env bash
# service_gpus_test.sh - GPUs fall off and come back while a service and its workers run. The service shows how many a node
# has, plans at once with those that are there, and no job is blamed for a GPU that is gone. A worker on a machine without
# GPUs says that its own are made up, until the driver shows some.
source tests/e2e/service.sh
source tests/e2e/real_gpus.sh

cluster=$work/n2g4.csv
sed 's/^1,2,2,/1,2,4,/' cluster_specs/n2g2.csv >"$cluster"
policy=rubato

shows a '0 1 2 3'
shows b 'none'
start master "$bin/master" -p 6888 -n 2 --heartbeat="$heartbeat" --lease="$lease"
start_real_worker a 0
await master 'event=worker-up .* name=a gpus=4' >/dev/null
start_real_worker b 2
start_service --scheduling_slot=0 --time_scale=60
served
knows a 4 ''
[ -e /dev/nvidia0 ] || knows b 2 'its GPUs are made up, as its worker found none'
submit 0 --iterations=3000000 --deadline=+90d --promise-or-decline
submit 0 --iterations=3000000 --deadline=+90d --promise-or-decline
await worker:a 'event=checkpoint job=[12] .* step=[1-9]' >/dev/null

shows a '0 2 3'
await master 'event=worker-gpus .* name=a gpus=3 differs="it has 3 GPUs instead of 4, without GPU-00000001-nvml"' >/dev/null
knows a 3 'it has 3 of the 4 GPUs of the cluster file'
shows a '3'
knows a 1 'it has 1 of the 4 GPUs of the cluster file'
shows a 'none'
knows a '0' 'it has no GPU'
shows a '0 1 2 3'
knows a 4 'it has 4 GPUs instead of 0'
await worker:a 'event=checkpoint job=[12] .* step=[1-9]' --matches=2 >/dev/null

# The driver of the other node is loaded.
if [ ! -e /dev/nvidia0 ]; then
    shows b '4 5'
    knows b 2 'it has 2 of the 4 GPUs of the cluster file *$'
fi

for job in 1 2; do
    client 0 show $job --json
    grep '"promise": "promised"\|"promised_until": [0-9]' "$work/answer" >/dev/null || fail "job $job is promised nothing: $(cat "$work/answer")"
    client 0 cancel $job
done
! grep 'event=held\|event=excluded\|event=suspect' "$logs/master.log" || fail "a job or a node is blamed for GPUs that are gone"
for process in scheduler master; do
    send TERM $process
    ended $process
done
ended worker:a
ended worker:b
judge
