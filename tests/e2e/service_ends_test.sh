#!/usr/bin/env bash
# service_ends_test.sh - a node is in use until the time at which it is to drain, across a start of a scheduler that was
# killed; jobs go on elsewhere with what they did. So it is with a node that is reserved for a time, which is in use again
# after the time. An order that would break a promise does nothing unless it is forced.
source tests/e2e/service.sh

cluster=$work/n2g4.csv
sed 's/^1,2,2,/1,2,4,/' cluster_specs/n2g2.csv >"$cluster"
policy=rubato

# node NAME: its state, and the date until which it is known to be there.
node() {
    client 0 nodes --json
    tr -d ' \n' <"$work/answer" | grep -o "\"name\":\"$1\"[^}]*" |
        sed 's/.*"state":"\([a-z]*\)".*"until":\([0-9a-z]*\).*/\1 \2/'
}

# stands NAME STATE: waits until the node is in that state.
stands() {
    while [[ $(node "$1") != "$2 "* ]]; do
        kill -0 "${pids[scheduler]}" || fail "the scheduler is gone"
        read -r -t 0.2 <> <(:) || true
    done
}

start_service_again() {
    start_service --scheduling_slot=0 --time_scale=60
    served
}

start master "$bin/master" -p 6888 -n 2 --heartbeat="$heartbeat" --lease=60
start_worker a 4 --checkpoint-interval=5
await master 'event=worker-up .* name=a ' >/dev/null
start_worker b 4 --checkpoint-interval=5
start_service_again
stands a up
stands b up

# ---- an order that would break a promise ----

submit 0 --iterations=3000000 --min-gpus=8 --deadline=+90d --promise-or-decline # 1
client 1 drain --at=+1h a
grep -q '1 promise would be broken: of job 1; nothing was done' "$work/answer" || fail "it says $(cat "$work/answer")"
[ "$(node a)" = "up null" ] || fail "after an order that was refused node a is $(node a)"
client 0 drain --at=+1d --force a
client 0 history 1
grep -q 'withdrawn .*drained by' "$work/answer" || fail "the history does not say why: $(cat "$work/answer")"
client 0 resume a
[ "$(node a)" = "up null" ] || fail "node a is $(node a) after it was resumed"
client 0 cancel 1

# ---- an end that breaks none ----

submit 0 --iterations=3000000 --max-gpus=4 --deadline=+90d --promise-or-decline # 2
client 0 nodes --json
from=$(tr -d ' \n' <"$work/answer" | grep -o '"name":"[ab]"[^}]*"jobs":\[2\]' | sed 's/"name":"\(.\)".*/\1/')
to=$(tr "ab" "ba" <<<"$from")
await "worker:$from" 'event=checkpoint job=2 .* step=[1-9]' >/dev/null
client 0 drain --at=+1h "$from" # a minute of real time
grep -q "node $from is in use until then" "$work/answer" || fail "it says $(cat "$work/answer")"
end=$(node "$from")
[[ $end == "up "[1-9]* ]] || fail "node $from is $end"
send KILL scheduler
ended scheduler 137
start_service_again
[ "$(node "$from")" = "$end" ] || fail "after a start node $from is $(node "$from") and was $end"
stands "$from" draining
await "worker:$to" 'event=checkpoint job=2 .* step=[1-9]' >/dev/null
[ "$(node "$to")" = "up null" ] || fail "node $to is $(node "$to")"
client 0 status --json
[ "$(field promised) $(field promises_broken)" = "1 0" ] || fail "the promise does not stand: $(cat "$work/answer")"
[ "$(field promise_withdrawals)" -eq 1 ] || fail "the promise was withdrawn: $(cat "$work/answer")"
client 0 resume "$from"
[ "$(node "$from")" = "up null" ] || fail "node $from is $(node "$from") after it was resumed"

# ---- reservations ----

client 1 reserve --nodes="$from,$to" --from=+1h --to=+100d
grep -q '1 promise would be broken: of job 2; nothing was done' "$work/answer" || fail "it says $(cat "$work/answer")"
client 6 reserve --nodes=nowhere --from=+1h --to=+2h
client 0 reserve --gpus=3 --from=+20m --to=+50m # of 30 s of real time, on the node without a job
grep -q "^reservation 1 of $from, from " "$work/answer" || fail "it says $(cat "$work/answer")"
client 0 reserve --nodes="$from" --from=+500h --to=+501h --every=week
client 0 reserve --cancel=2
client 0 reserve --nodes="$from" --from=+500h --to=+501h --every=week
grep -q '^reservation 3 of .*, every week$' "$work/answer" || fail "it says $(cat "$work/answer")"
stands "$from" draining
grep -q '"cause": "reservation 1 of operator ' "$work/answer" || fail "it says $(cat "$work/answer")"
send KILL scheduler
ended scheduler 137
start_service_again
client 0 reservations
[ "$(grep -cE '^ *[13] +(active|to-come) ' "$work/answer")" -eq 2 ] || fail "it says $(cat "$work/answer")"
stands "$from" up
[[ $(node "$from") == "up "[1-9]* ]] || fail "node $from is $(node "$from")"
client 0 status --json
[ "$(field promised) $(field promises_broken) $(field promise_withdrawals)" = "1 0 1" ] ||
    fail "the promise does not stand: $(cat "$work/answer")"
client 0 cancel 2
end_service
passed=yes
