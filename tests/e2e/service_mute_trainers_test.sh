#!/usr/bin/env bash
# service_mute_trainers_test.sh - no trainer of a node can begin, as where a library is missing: the job that waits for one
# fails with the cause, is tried again, and trains as soon as the trainers are mended.
source tests/e2e/service.sh

cluster=$work/n1g1.csv
sed 's/^1,1,8,/1,1,1,/' cluster_specs/n1g8.csv >"$cluster"
policy=rubato

# trainer_is COMMAND: what trainers that start from now on do.
trainer_is() {
    printf '#!/bin/sh\n%s\n' "$1" >"$work/trainer.new"
    chmod +x "$work/trainer.new"
    mv "$work/trainer.new" "$work/trainer"
}

trainer_is 'exit 127'
start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 1 --trainer="$work/trainer"
start_service --scheduling_slot=0
served
submit 0 --deadline=+90d --promise-or-decline
await scheduler 'event=lost job=1 ' --matches=2 >/dev/null
client 0 history 1
grep 'trainer of GPU 0 ended with exit status 127' "$work/answer" >/dev/null || fail "the history does not say why: $(cat "$work/answer")"

trainer_is "exec $bin/trainer \"\$@\""
await worker:a 'event=part job=1 .* state=stable' >/dev/null
client 0 cancel 1
end_service
ended worker:a
judge
