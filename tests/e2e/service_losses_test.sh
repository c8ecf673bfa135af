#!/usr/bin/env bash
# service_losses_test.sh - with a node in reserve quote, show and explain say which losses of nodes a promise survives, and
# with which chance; status and nodes count nodes that failed, not those that an operator drained, also after the service
# was killed.
policy=rubato
source tests/e2e/service.sh

cluster=$work/n3g8.csv
sed '2s/^1,1,8/1,3,8/' cluster_specs/n1g8.csv >"$cluster"
start master "$bin/master" -p 6888 -n 3 --heartbeat="$heartbeat" --lease="$lease"
for name in a b c; do
    start_worker $name 8
    await master "event=worker-up .* name=$name" >/dev/null
done
serve() {
    start_service --time_scale=60 --scheduling_slot=0 --spare_nodes=1 --node_loss=3600 --node_mtbf=360000
    served
}
serve
for node in 0 1 2; do
    await scheduler "cause=\"node $node joined" >/dev/null
done

says() {
    grep -qE -e "$1" "$work/answer" || fail "no \"$1\" in: $(cat "$work/answer")"
}

# failures COUNT: so many are seen.
failures() {
    client 0 status --json
    [ "$(field node_failures)" = "$1" ] || fail "not $1 failures: $(cat "$work/answer")"
}

failures 0
[ "$(field node_mtbf_s)" -ge 360000 ] || fail "the stated time between failures does not count: $(cat "$work/answer")"
client 0 nodes
says '^0 node failures seen in [0-9.]+ node-hours; a node fails each 4 d '

job=(--model=resnet50_cifar10 --batch-size=256 --iterations=200000)
client 0 quote "${job[@]}"
says '^With the earliest deadline, its promise survives the loss of 1 node: [0-9.]+ % of such jobs lose no more\.$'
client 0 quote "${job[@]}" --json
says '"losses": 1'
client 0 submit "${job[@]}" --deadline=+60h --json
[ "$(field verdict)" = promised ] || fail "the job is not promised: $(cat "$work/answer")"
client 0 explain 1
says '; its promise survives the loss of 1 node: [0-9.]+ % of such jobs lose no more$'
client 0 show 1
says 'sentence .*; its promise survives the loss of 1 node: '

# A node that is drained, and then stopped, is no failure.
client 0 show 1 --json
held=$(sed -n '/"nodes": \[/,/\]/s/^ *"\([abc]\)".*/\1/p' "$work/answer" | head -1)
[ -n "$held" ] || fail "the job holds no node: $(cat "$work/answer")"
other=a
[ "$held" != a ] || other=b
client 0 drain $other
await scheduler 'event=node-draining|cause="node [0-2] drains' >/dev/null
send TERM worker:$other
ended worker:$other
await scheduler 'cause="node [0-2] left' >/dev/null
failures 0

# The one that the job stands on is.
before=$(lines scheduler)
mapfile -t orphans < <(trainers worker:$held)
send KILL worker:$held
ended worker:$held 137
gone "${orphans[@]}"
await scheduler 'cause="node [0-2] left' --after="$before" >/dev/null
failures 1
client 0 nodes
says '^1 node failure seen in [0-9.]+ node-hours; a node fails each '
client 0 explain 1
says 'its promise survives no loss of a node: [0-9.]+ % of such jobs lose none$'

send KILL scheduler
ended scheduler 137
serve
failures 1
client 0 cancel 1
end_service
passed=yes
