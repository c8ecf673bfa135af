#!/usr/bin/env bash
# lossy_links_test.sh - between workers and master messages are lost, come twice, late and out of order: the run ends all
# the same, and nothing that must hold is broken.
#
#   lossy_links_test.sh SEED [FAULTS of message_proxy]
source tests/e2e/testbed.sh

seed=$1
faults=${2:-loss=0.2,duplicate=0.3,reorder=0.2,delay=30}
heartbeat=0.5
lease=4
echo "seed $seed, $faults"
start_master 2
start proxy "$tests/message_proxy" --listen=tcp://127.0.0.1:7000 --to=tcp://127.0.0.1:6888 --seed="$seed" \
    --faults="$faults"
for name in a b; do
    start "worker:$name" "$bin/worker" -i 127.0.0.1 -P 7000 -n 2 -r "$shared" --name="$name" --emulate \
        --checkpoint-interval=30
done
start_scheduler cluster_specs/n2g2.csv tests/e2e/traces/three_jobs.csv fifo --fastforward=False --time_scale=60
ended scheduler
ended master
for name in worker:a worker:b; do # one that is taken for gone when the master ends is not told, and waits for the next one
    "$tests/await_exit" --deadline=5 "${pids[$name]}" 2>/dev/null || send TERM "$name"
    ended "$name"
done
send TERM proxy
ended proxy
cat "$logs/proxy.out"
[ "$(tail -n +2 "$results/jobs.csv" | wc -l)" -eq 3 ] || fail "not all jobs have ended"
judge
