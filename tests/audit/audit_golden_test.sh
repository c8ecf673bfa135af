#!/bin/bash
# audit_golden_test.sh - every golden run, some public traces on several switches and the traces that
# come with the project pass the audit under all policies: whatever deviates from a clean run is named
# by the tag of a quirk. So do runs under clean rules, in which there are fewer quirks to name. Promises
# break under the published policies that give any; then the exit status says so.
set -u -o pipefail

bin=${RUBATO_BIN:?the folder of the programs}
shared=${RUBATO_SHARED:-../shared}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source "$(dirname "$0")/audited.sh"
failures=0
runs=0

elastic=(ef-accessctrl ef edf edf-accessctrl)
fixed=(gandiva dlas-gpu themis)
leased=(chronus)
solvers=(none cbc) # of the leases
# Under sanitizers the process of a solver takes long to begin, and there is one for each program.
[ -z "${RUBATO_SANITIZED:-}" ] || solvers=(none)
plain=(fifo fifo-first-fit srtf) # they have no rules but their own

# RULES POLICY TRACE CLUSTER SLOT GPU_TYPE [THROUGHPUTS], with $solver if it hands out leases
audit_run()
{
    runs=$((runs + 1))
    if ! "$bin/scheduler" --trace_file="$3" --cluster_spec="$4" --scheduling_slot="$5" \
        --gpu_type="$6" --schedule="$2" --rules="$1" --throughputs="${7:-throughputs}" \
        --solver="${solver:-none}" --log_path="$scratch/$2" >"$scratch/out" 2>&1; then
        echo "FAILED $3, $2, $1 rules: $(cat "$scratch/out")"
        failures=$((failures + 1))
    elif ! audited "$scratch/$2"; then
        echo "FAILED $3, $2, $1 rules: $(grep VIOLATION "$scratch/out")"
        failures=$((failures + 1))
    else
        echo "ok $(basename "$3"), $1 rules, $(tail -n 1 "$scratch/out")"
    fi
}

# TRACE CLUSTER SLOT GPU_TYPE [THROUGHPUTS]
audit_all()
{
    local policy

    for policy in "${elastic[@]}" "${fixed[@]}" "${plain[@]}"; do
        audit_run reference $policy "$@"
    done
    audit_leases reference "$@"
}

# RULES, and the rest of audit_run
audit_leases()
{
    local rules=$1 policy solver

    shift
    for policy in "${leased[@]}"; do
        for solver in "${solvers[@]}"; do
            audit_run "$rules" $policy "$@"
        done
    done
}

# As audit_all, under clean rules as well.
audit_all_rules()
{
    local policy

    audit_all "$@"
    for policy in "${elastic[@]}" "${fixed[@]}"; do
        audit_run clean $policy "$@"
    done
    audit_leases clean "$@"
}

# SWITCHES NODES_PER_SWITCH GPUS_PER_NODE
cluster()
{
    printf 'num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n%s,%s,%s,64,256\n' \
        "$1" "$2" "$3" >"$scratch/$1x$2x$3.csv"
    echo "$scratch/$1x$2x$3.csv"
}

for trace in traces/testbed25.csv traces/testbed195.csv traces/mixed1000.csv; do
    audit_all_rules $trace "$(cluster 1 16 8)" 60 A100
done

if [ ! -d "$shared/traces" ]; then
    echo "no public traces in $shared"
    [ $failures -eq 0 ] && exit 77
    exit 1
fi

audit_all_rules "$shared/traces/195job.csv" "$(cluster 1 16 8)" 240 A100
audit_all_rules "$shared/traces/elasticVpollux_e.csv" "$(cluster 1 16 4)" 60 T4
# The same from tables in the published layout: a folder with a file for each model.
audit_all "$shared/traces/elasticVpollux_e.csv" "$(cluster 1 16 4)" 60 T4 "$shared/throughputs"
audit_all_rules "$shared/traces/cluster10.csv" "$(cluster 1 32 8)" 60 A100
audit_all_rules "$shared/traces/philly_103959.csv" "$(cluster 1 32 8)" 60 A100
if [ ${#solvers[@]} -gt 1 ]; then # the large ones
    audit_all_rules "$shared/traces/cluster01.csv" "$(cluster 2 32 8)" 60 A100
    audit_all "$shared/traces/cluster06.csv" "$(cluster 4 16 8)" 60 A100
fi

echo "$((runs - failures)) of $runs runs without a violation"
[ $failures -eq 0 ]
