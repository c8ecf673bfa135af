#!/bin/bash
# audit_random_test.sh - random small traces, on clusters of one and of several switches,
# with slots from one second up, under all policies: no run has a violation, be it of the reference, of
# clean rules or of some quirks put right and others not. So has none of those with jobs of fixed size on
# nodes of 16 GPUs and of no power of two, with some jobs larger than the cluster. A run that the engine
# refuses, because the published policies abort or never end there, is not audited; under clean rules it
# refuses none, but where the free GPUs of such nodes are scattered, or the nodes lost. Placed by best
# fit they never are, and no job that holds as many as before moves to other GPUs. Leases are handed out for all kinds of
# intervals, with and without a solver, to jobs with one deadline, several or none.
set -u -o pipefail

bin=${RUBATO_BIN:?the folder of the programs}
here=tests/audit
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source "$(dirname "$0")/audited.sh"
shapes=("1,1,8" "1,2,4" "2,1,4" "2,2,4" "4,2,1" "2,4,4")
gpus_log2=(3 3 3 4 3 5) # of each cluster
odd_shapes=("1,4,16" "1,4,3" "2,2,16" "1,3,6" "2,3,5" "1,2,12" "2,2,12")
slots=(1 5 10 30 60 120)
intervals=("240 240 60" "60 60 20" "60 120 60" "120 60 20" "90 60 30" "32 32 32" "48 72 24" "20 10 5"
    "30 30 10" "45 45 15" "45 45 45" "20 20 20" "31 31 1") # of leases, admissions and checks
leasing=()
failures=0
audited=0
refused=0

# POLICY RULES [SCHEME]: runs $scratch/trace.csv, made from $seed, and audits that.
check()
{
    rm -rf "$scratch/results"
    if ! "$bin/scheduler" --trace_file="$scratch/trace.csv" --schedule="$1" --rules="$2" ${3:+--scheme="$3"} \
        --cluster_spec="$scratch/cluster.csv" --scheduling_slot="$slot" \
        --restart_threshold=$((5 + seed % 20)) --throughputs=$here/throughputs "${leasing[@]}" \
        --log_path="$scratch/results" >"$scratch/out" 2>&1; then
        refused=$((refused + 1))
        grep -q "$excuses" "$scratch/out" && return
        [ "$2" != clean ] && grep -q 'EF-Q\|abort\|for ever\|the run never ends' "$scratch/out" && return
        echo "FAILED seed $seed, slot $slot, $1, $2 rules: $(cat "$scratch/out")"
        failures=$((failures + 1))
    elif ! audited "$scratch/results"; then
        echo "FAILED seed $seed, slot $slot, $1, $2 rules: $(
            grep VIOLATION "$scratch/out" || cat "$scratch/out"
        )"
        failures=$((failures + 1))
    elif [ "${3:-}" = best-fit ] && ! grep -q '"migrations": 0,' "$scratch/results/summary.json"; then
        echo "FAILED seed $seed, slot $slot, $1, $2 rules: best fit moves jobs"
        failures=$((failures + 1))
    else
        audited=$((audited + 1))
    fi
}

# POLICY: some of its quirks, one for each bit of $seed, the lowest one first.
some_quirks()
{
    "$bin/rubato" quirks --csv --policy="$1" | awk -F, -v bits=$((seed * 2654435761 % 65536)) '
        $3 == 1 { if (bits % 2) list = list (list == "" ? "" : ",") $1; bits = int(bits / 2) }
        END { print list == "" ? "reference" : list }'
}

# SHAPE GPUS_LOG2: a trace of $seed for a cluster.
draw()
{
    slot=${slots[seed % 6]}
    printf 'num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n%s,64,256\n' \
        "$1" >"$scratch/cluster.csv"
    awk -v seed="$seed" -v jobs=$((5 + seed % 30)) -v mean_gap=$((4 + seed % 40)) \
        -v gpus_log2="$2" -f $here/random_trace.awk >"$scratch/trace.csv"
}

# seeds FIRST LAST STEP: in a soak all of them RUBATO_SOAK times, a thousand further on each time; otherwise
# one in STEP, by which each cluster, slot and interval still has its turn. Under sanitizers, where a run takes four
# times as long, it is a third of these.
share=1
[ -z "${RUBATO_SANITIZED:-}" ] || share=3
seeds()
{
    local further

    [ -n "${RUBATO_SOAK:-}" ] || seq "$1" $(($3 * share)) "$2"
    for further in $(seq 0 1000 $((1000 * (${RUBATO_SOAK:-0} - 1)))); do
        seq $(($1 + further)) $(($2 + further))
    done
}

excuses='^$'
for seed in $(seeds 1 36 5); do
    draw "${shapes[seed / 6 % 6]}" "${gpus_log2[seed / 6 % 6]}"
    for policy in ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu themis; do
        check $policy reference
        check $policy clean
    done
    for policy in gandiva dlas-gpu themis; do
        check $policy "$(some_quirks $policy)"
    done
    check fifo reference
    check fifo-first-fit reference
    check srtf reference
done

excuses='EF-Q40\|EF-Q23'
for seed in $(seeds 101 121 3); do
    shape=${odd_shapes[seed % 7]}
    draw "$shape" $((3 + seed / 7 % 3))
    check gandiva reference
    check gandiva clean
    check gandiva "$(some_quirks gandiva)"
    # With several switches the nodes of a set are in no order by which the engine tells it from others.
    case $shape in 2,*,5 | 2,*,12) continue ;; esac
    for policy in dlas-gpu themis; do
        check $policy reference
        check $policy clean
        check $policy "$(some_quirks $policy)"
    done
    check fifo reference
    check fifo-first-fit reference
    check srtf reference
done

excuses='^$'
for seed in $(seeds 157 177 3); do
    shape=${odd_shapes[seed % 7]}
    draw "$shape" $((3 + seed / 7 % 3))
    for policy in dlas-gpu themis; do
        check $policy reference best-fit
        check $policy clean best-fit
    done
    check fifo reference best-fit
    check fifo-first-fit reference best-fit
    check srtf reference best-fit
    draw "${shapes[seed % 6]}" "${gpus_log2[seed % 6]}"
    for policy in ef-accessctrl ef edf edf-accessctrl; do
        check $policy reference best-fit
        check $policy clean best-fit
    done
done

# SOLVER
check_leases()
{
    local lease admission check

    read -r lease admission check <<<"${intervals[seed % 13]}"
    leasing=(--solver="$1" --lease_term_interval="$lease" --admission_interval="$admission"
        --check_time_interval="$check")
    check chronus reference
    check chronus clean
    check chronus "$(some_quirks chronus)"
}

for seed in $(seeds 227 252 2); do
    draw "${shapes[seed / 6 % 6]}" "${gpus_log2[seed / 6 % 6]}"
    check_leases none
    draw "${odd_shapes[seed % 7]}" 3
    awk -F, -v seed="$seed" -f $here/soften.awk "$scratch/trace.csv" >"$scratch/soft.csv"
    mv "$scratch/soft.csv" "$scratch/trace.csv"
    check_leases none
    check_leases cbc
done

echo "$audited runs audited, $refused refused by the engine, $failures failed"
least=$((${RUBATO_SOAK:-0} > 0 ? 1300 * RUBATO_SOAK : 400 / share))
[ $failures -eq 0 ] && [ $audited -ge $least ]
