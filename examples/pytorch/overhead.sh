#!/usr/bin/env bash
# overhead.sh - what starts, stops, resizes and moves of the example cost on this machine: a master in its debug mode
# carries out the commands of `rubato trace overhead` and prints a table.
#
#   overhead.sh [-c profile|intranode|internode|migration] [-n NODES] [-g GPUS_PER_NODE] [-b BATCH_SIZE]
#               [-t SECONDS_OF_TRAINING_EACH] [-x PYTHON] [-P PROGRAM_FILE] [-r]
#
# All nodes are workers on this machine. With -r they use its GPUs, otherwise emulated ones, on which the example trains
# by CPU. Other programs, and real clusters, are measured in the same way: see docs/operations.md.
set -euo pipefail
cd "$(dirname "$0")/../.."

bin=${RUBATO_BIN:-build/bin}
case=intranode nodes=1 gpus=4 batch=64 seconds=10 python=python3 program=examples/pytorch/program gpu_options=(--emulate)
while getopts c:n:g:b:t:x:P:r option; do
    case $option in
    c) case=$OPTARG ;;
    n) nodes=$OPTARG ;;
    g) gpus=$OPTARG ;;
    b) batch=$OPTARG ;;
    t) seconds=$OPTARG ;;
    x) python=$OPTARG ;;
    P) program=$OPTARG ;;
    r) gpu_options=() ;;
    *) exit 2 ;;
    esac
done

folder=$(mktemp -d)
pids=() workers=()
clear_up() {
    [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
    wait
    rm -rf "$folder"
}
trap clear_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Nothing to wait for before and between. A start that does not train within its seconds has "-" in the table.
"$bin/rubato" trace overhead --case "$case" --model resnet50_cifar10 --batch-size "$batch" --nodes "$nodes" \
    --gpus-per-node "$gpus" --warm-up 0 --train "$seconds" --pause 0 --output "$folder/commands" >/dev/null

mkfifo "$folder/log"
"$bin/master" -p 0 -n "$nodes" -t "$folder/commands" -d 1 --heartbeat 1 --lease 10 >"$folder/table" 2>"$folder/log" &
pids+=($!)
master=$!
exec {log}<"$folder/log"
while read -r -u "$log" line && [[ $line != *" event=up "* ]]; do
    echo "$line" >&2
done
port=${line##*endpoint=tcp://127.0.0.1:}
port=${port%% *}
[[ $port =~ ^[0-9]+$ ]] || exit 2
cat <&"$log" >"$folder/master.log" &
pids+=($!)
exec {log}<&-

for ((node = 0; node < nodes; node++)); do
    "$bin/worker" -i 127.0.0.1 -P "$port" -n "$gpus" -r "$folder/run" --name "node-$node" --address 127.0.0.1 \
        --workload command --program "$program" -x "$python" "${gpu_options[@]}" >"$folder/node-$node.out" \
        2>"$folder/node-$node.log" &
    pids+=($!)
    workers+=($!)
done

# The master is to end first, with everything done; a worker that ends before it cannot run at all.
status=0
wait -n -p ended "$master" "${workers[@]}" || status=$?
[ "$ended" = "$master" ] || [ $status -ne 0 ] || wait "$master" || status=$?
if [ $status -ne 0 ]; then
    tail -n 5 "$folder"/*.log >&2
    exit 1
fi
cat "$folder/table"
