#!/usr/bin/env bash
# damaged_messages_test.sh - of 100,000 reports that a swarm of workers sends, many have bits flipped, their end cut off or
# another message's end spliced on, and so have the master's answers. A peer that sends that is refused and counted, the master
# goes on, and a run of real workers beside it ends as if nothing were wrong.
#
#   damaged_messages_test.sh [MESSAGES [SEED]]
source "$(dirname "$0")/testbed.sh"

messages=${1:-100000}
seed=${2:-1}
lease=60 # the swarm is gone by then
start master "$bin/master" -p 6888 -n 2 --heartbeat=$heartbeat --lease=$lease
start proxy "$tests/message_proxy" --listen=tcp://127.0.0.1:7000 --to=tcp://127.0.0.1:6888 --seed="$seed" \
    --faults=flip=0.02,truncate=0.01,splice=0.02,loss=0.01
start_worker a 2
start_worker b 2
await master 'event=worker-up ' --matches=2
start_scheduler cluster_specs/n2g2.csv tests/e2e/traces/two_jobs.csv fifo --fastforward=False --time_scale=60
await master 'event=settled .* round=1'
start swarm "$tests/worker_swarm" --master=127.0.0.1:7000 --workers=16 --gpus=2 --reports="$messages" --unanswered
"$tests/await_line" --pid "${pids[swarm]}" "$logs/swarm.out" register
send USR1 swarm
"$tests/await_line" --pid "${pids[swarm]}" "$logs/swarm.out" 'sent without waiting'
ended scheduler
send TERM swarm
ended swarm
send TERM proxy
ended proxy
cat "$logs/proxy.out"
end_cluster a b
[ "$(tail -n +2 "$results/jobs.csv" | wc -l)" -eq 2 ] || fail "not all jobs have ended"
[ "$(sed -n 's/.* event=down .* bad=\([0-9]*\) .*/\1/p' "$logs/master.log")" -gt 100 ] || fail "too few were noticed"
judge
