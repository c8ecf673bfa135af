#!/usr/bin/env bash
# service_node_sizes_test.sh - nodes come with fewer GPUs than the cluster file has, and with other numbers each time that
# they come back. The service plans with the GPUs that are there, at once, and says how they differ; a scheduler that is
# killed and started again knows them.
source tests/e2e/service.sh

cluster=$work/n2g4.csv
sed 's/^1,2,2,/1,2,4,/' cluster_specs/n2g2.csv >"$cluster"
policy=rubato

# knows NAME GPUS CAUSE: waits until `rubato nodes` shows the node as being up so.
knows() {
    local line

    while :; do
        client 0 nodes
        line=$(grep " $1 " "$work/answer" || true)
        [[ ! $line =~ " up " || ! $line =~ \ $2\ .*$3 ]] || return 0
        kill -0 "${pids[scheduler]}" || fail "the scheduler is gone"
        read -r -t 0.2 <> <(:) || true
    done
}

# holds NAME MOST: no more GPUs of the node are in use.
holds() {
    local used

    client 0 nodes --json
    used=$(tr -d ' \n' <"$work/answer" | grep -o "\"name\":\"$1\"[^}]*" | sed 's/.*"used":\([0-9]*\).*/\1/')
    [ "$used" -le "$2" ] || fail "$used GPUs of node $1 are in use: $(cat "$work/answer")"
}

# comes_back NAME GPUS SIGNAL: its worker ends and is started again with so many GPUs.
comes_back() {
    local status=137 before

    mapfile -t before < <(trainers "worker:$1")
    send "$3" "worker:$1"
    [ "$3" = KILL ] || status=0
    [ "$3" != KILL ] || gone "${before[@]}"
    ended "worker:$1" $status
    start_worker "$1" "$2" --checkpoint-interval=5
}

start_service_again() {
    start_service --scheduling_slot=0 --time_scale=60
}

start master "$bin/master" -p 6888 -n 2 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 4 --checkpoint-interval=5
await master 'event=worker-up .* name=a ' >/dev/null
start_worker b 2 --checkpoint-interval=5 # smaller from the start
start_service_again
served
knows b 2 'it has 2 of the 4 GPUs of the cluster file'
submit 0 --iterations=3000000 --deadline=+90d --promise-or-decline
submit 0 --iterations=3000000 --deadline=+90d --promise-or-decline
await worker:a 'event=checkpoint job=[12] .* step=[1-9]' >/dev/null

comes_back a 1 KILL # within a heartbeat
await master 'event=worker-up .* name=a gpus=1 differs="it has 1 GPU instead of 4"' >/dev/null
knows a 1 'it has 1 of the 4 GPUs of the cluster file'
holds a 1
await scheduler 'node 0 .*it has 1 GPU instead of 4' >/dev/null

comes_back b 4 TERM
knows b 4 'it has 4 GPUs instead of 2'
await worker:b 'event=hold .*gpu=[23]|trainer:b.[23] event=' >/dev/null

send KILL scheduler
ended scheduler 137
start_service_again
served --matches=2
knows a 1 'it has 1 of the 4 GPUs'
holds a 1

comes_back a 8 TERM # more than the cluster file allows
knows a 8 'of its 8 GPUs the cluster file has 4, which are used'
holds a 4

for job in 1 2; do
    client 0 show $job --json
    grep '"promise": "promised"\|"promised_until": [0-9]' "$work/answer" >/dev/null || fail "job $job is promised nothing: $(cat "$work/answer")"
    client 0 cancel $job
done
end_service
ended worker:a
ended worker:b
judge
