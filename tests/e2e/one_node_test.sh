#!/usr/bin/env bash
# one_node_test.sh - the three command lines of the artifact on one machine, scheduler first: the results are
# those of the simulation, byte for byte, and nothing is left.
source tests/e2e/testbed.sh

policy=${1:-ef-accessctrl}
options=(--cluster_spec=cluster_specs/n1g8.csv --print --scheme=elastic
    --trace_file=traces/functionality_10jobs.csv --schedule="$policy" --scheduling_slot=240
    --restart_threshold=70 --gpu_type=A100)

"$bin/scheduler" "${options[@]}" --simulation=True --log_path="$work/simulated" >"$work/simulated.out"
start scheduler "$bin/scheduler" "${options[@]}" --simulation=False --log_path="$results"
await scheduler 'event=waiting'
start worker:node "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 8 -A 127.0.0.1 -g 6889 -w 8 -r "$shared" -x python3 \
    --dynamic_requests=True --scheduler_port=6890 --scheduler_addr=127.0.0.1 --name=node --emulate
start master "$bin/master" -p 6888 -n 1 --heartbeat=$heartbeat --lease=$lease --once
ended scheduler
ended worker:node
ended master
same_results "$work/simulated"
tail -n 2 "$work/simulated.out" | cmp - <(tail -n 2 "$logs/scheduler.out") || fail "the counts differ"
judge
