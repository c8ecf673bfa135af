#!/usr/bin/env bash
# service_adopts_test.sh - a state whose steps another version decides otherwise: jobs go on with the GPUs that they held, without a start anew, promises
# and refusals stand as they were told, and the log says so.
policy=rubato
confidence=99.9
source tests/e2e/service.sh

command -v python3 >/dev/null || { echo "skipped: python3 is missing"; exit 77; }
serve() {
    start_service --scheduling_slot=0
    served
}
start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8
serve
await scheduler 'cause="node 0 joined' >/dev/null

# The first job is refused where promises have a confidence of 99.9 %, and would have had the first four GPUs.
job=(--model=mine --batch-size=8 --iterations=1000000 --rate=4:10 --min-gpus=4 --max-gpus=4)
client 0 quote "${job[@]}" --confidence=none --json
tight=$(($(field earliest) + 600))
client 3 submit "${job[@]}" --deadline="$(until_time "$tight")" --promise-or-decline
client 0 submit "${job[@]}" --json # without a deadline
first=$(field job)
client 0 submit "${job[@]}" --deadline=+90d --json
[ "$(field verdict)" = promised ] || fail "no promise with much time: $(cat "$work/answer")"
second=$(field job)
until=$(field promised_until)

# runs JOB: waits until it trains.
runs() {
    for _ in {1..6000}; do
        client 0 show "$1" --json
        [ "$(field reason)" != running ] || return 0
        sleep 0.1
    done
    fail "job $1 does not run: $(cat "$work/answer")"
}
# goes_on WHEN: both jobs train, and were not started again.
goes_on() {
    runs "$first"
    runs "$second"
    [ "$(grep -c 'event=begin ' "$logs/master.log")" -eq "$starts" ] ||
        fail "$1: a job was started again: $(grep 'event=begin ' "$logs/master.log")"
    [ "$(field promised_until)" = "$until" ] || fail "$1: not promised until $until any more: $(cat "$work/answer")"
    client 0 show 1 --json
    [ "$(field state)" = declined ] || fail "$1: a refusal is forgotten: $(cat "$work/answer")"
}
runs "$first"
runs "$second"
starts=$(grep -c 'event=begin ' "$logs/master.log")

version 0
await scheduler 'event=adopts ' --after="$said" >/dev/null
await scheduler 'event=taken-over .*holdings=2 ' --after="$said" >/dev/null
client 0 submit --model=mine --batch-size=8 --iterations=1 --rate=1:1 --max-gpus=1 --held --json
client 0 cancel "$(field job)"
goes_on "after a version that decides otherwise"

# The next start finds what this one took over.
send KILL scheduler
ended scheduler 137
serve
goes_on "after another start"
! tail -n +"$((said + 1))" "$logs/scheduler.log" | grep ' event=adopts ' || fail "it adopts once more"

client 0 cancel "$first" "$second"
end_service
judge
passed=yes
