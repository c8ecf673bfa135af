#!/usr/bin/env bash
# same_as_simulated_test.sh - a cluster of emulated GPUs, each node in a network of its own, with keys: counts and results
# are those of the simulation, byte for byte.
#
#   same_as_simulated_test.sh NODES TRACE POLICY [JOBS]
#
# Of a trace with more jobs than JOBS only the first so many come, but where a soak says RUBATO_SOAK.
source tests/e2e/testbed.sh

# A machine that is busy with a hundred trainers must not take a node for gone.
heartbeat=10
lease=120
nodes=$1
trace=$2
policy=$3
[ -e "$trace" ] || trace=${RUBATO_SHARED:-../shared}/traces/$(basename "$trace")
if [ ! -e "$trace" ]; then
    echo "skipped: there is no $trace"
    exit 77
fi
if [ -n "${4:-}" ] && [ -z "${RUBATO_SOAK:-}" ]; then
    head -n $(($4 + 1)) "$trace" >"$work/trace.csv"
    trace=$work/trace.csv
fi
cluster=cluster_specs/n${nodes}g8.csv
"$bin/scheduler" --cluster_spec="$cluster" --trace_file="$trace" --schedule="$policy" --scheduling_slot=240 \
    --restart_threshold=70 --gpu_type=A100 --mip_time_limit=0 --log_path="$work/simulated" >"$work/simulated.out"
network "$nodes"
start_master "$nodes"
for ((i = 0; i < nodes; i++)); do
    start_worker "node-$i" 8
done
start_scheduler "$cluster" "$trace" "$policy" --mip_time_limit=0
ended scheduler
for ((i = 0; i < nodes; i++)); do
    ended "worker:node-$i"
done
ended master
same_results "$work/simulated"
tail -n 2 "$work/simulated.out" | cmp - <(tail -n 2 "$logs/scheduler.out") || fail "the counts differ"
if [ "$policy" = gandiva ]; then
    judge --credited
else
    judge
fi
