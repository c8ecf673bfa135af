# cells.sh - what both golden tests share: where things are, and how one simulation is run. Sourced.
set -euo pipefail

shared=${RUBATO_SHARED:-../shared}
scheduler=${RUBATO_BIN:?is set by ctest}/scheduler
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# cluster NODES GPUS: the file of a cluster of one switch.
cluster() {
    local file=$work/n$1g$2.csv

    printf '%s\n%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node \
        "1,$1,$2,64,256" >"$file"
    echo "$file"
}

# simulate SCHEDULER POLICY TRACE CLUSTER SLOT GPU_TYPE FOLDER OPTIONS...: results into FOLDER, counts to stdout.
simulate() {
    local scheme=elastic

    [ "$2" != gandiva ] || scheme=gandiva
    "$1" --schedule="$2" --trace_file="$3" --cluster_spec="$4" --scheduling_slot="$5" \
        --gpu_type="$6" --log_path="$7" --throughputs=throughputs --simulation=True --scheme=$scheme \
        "${@:8}"
}

# same_results FOLDER FOLDER: every result file is the same to the byte; of summary.json the lines that
# say how long the run and its solver took are left out.
same_results() {
    local file

    [ "$(ls "$1")" = "$(ls "$2")" ] || return 1
    for file in "$1"/*.csv; do
        cmp "$file" "$2/${file##*/}" || return 1
    done
    diff <(grep -v -e '"wall_s"' -e '"solve_' "$1/summary.json") \
        <(grep -v -e '"wall_s"' -e '"solve_' "$2/summary.json")
}
