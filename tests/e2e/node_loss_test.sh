#!/usr/bin/env bash
# node_loss_test.sh - policy rubato on four nodes, and a worker is killed in the middle of the run. Without a node in
# reserve the one promise that this makes impossible is withdrawn, with its cause, and all others are kept. With one in
# reserve none is withdrawn.
#
#   node_loss_test.sh SPARES
source tests/e2e/testbed.sh

spares=$1
lease=16 # 960 s of the run: job 0 cannot be in time any more when what it held is free
hit=$((spares > 0 ? 1 : 0))
names=(a b c d)
start_master 4
for name in "${names[@]}"; do
    start_worker $name 8 --checkpoint-interval=30
done
# What the loss costs at most: the lease, the way to a checkpoint, and as long again for a busy machine.
start_scheduler cluster_specs/n4g8.csv tests/e2e/traces/node_loss.csv rubato --fastforward=False --time_scale=60 \
    --spare_nodes="$spares" --node_loss=1800

await master "event=begin job=$hit incarnation=1 " >"$work/line"
node=$(sed 's/.* node=\([0-9]*\) .*/\1/' "$work/line")
lost=$(sed -n "s/.*event=worker-up .* node=$node .* name=\([abcd]\) .*/\1/p" "$logs/master.log")
await "worker:$lost" "trainer:.* event=checkpoint job=$hit .* step=[1-9]"
mapfile -t orphans < <(trainers "worker:$lost")
send KILL "worker:$lost"
gone "${orphans[@]}"
ended "worker:$lost" 137
await scheduler 'event=node-down '
await master "event=begin job=$hit incarnation=[2-9] "
ended scheduler
for name in "${names[@]}"; do
    [ "$name" = "$lost" ] || ended "worker:$name"
done
ended master

# jobs VERDICT OUTCOME: those that were told so and ended so.
jobs() {
    awk -F, -v verdict="$1" -v outcome="$2" '$3 == verdict && $6 == outcome { print $2 }' "$results/outcomes.csv" |
        sort -n | paste -sd ' '
}

# withdrawn CAUSE: those whose promise was, for a cause like that.
withdrawn() {
    sed -n "s/^[0-9]*,withdrawn,\([0-9]*\),,\"${1:-}.*/\1/p" "$results/disturbances.csv" | paste -sd ' '
}

same() { # WHAT FOUND EXPECTED
    [ "$2" = "$3" ] || fail "$1: expected \"$3\", found \"$2\": $(cat "$results"/{outcomes,disturbances}.csv)"
}

same "promises kept" "$(jobs promised on-time)" "1 2 3 4 5 6"
if [ "$spares" = 0 ]; then
    same "the promise that cannot be kept" "$(withdrawn "it stood still: it waits for the lease of what worker $lost held")" 0
    same "all that are withdrawn" "$(withdrawn)" 0
    same "late jobs with a promise" "$(jobs promised late)" 0
else
    same "all that are withdrawn" "$(withdrawn)" ""
    same "late jobs with a promise" "$(jobs promised late)" ""
fi
judge
