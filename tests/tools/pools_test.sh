# pools_test.sh - a cluster of several GPU types as it is typed: read, shown, and refused where a policy knows one
# type only.
source "$(dirname "$0")/cli.sh"

mixed=cluster_specs/mixed.csv
trace=traces/testbed195.csv
run=("$rubato" simulate "$trace" --cluster "$mixed" --slot 240)

# The tables that come with the project have no model and batch size in common: here T4 does half of what A100 does.
mkdir "$work/tables"
cp throughputs/A100.csv "$work/tables"
awk -F, -v OFS=, 'NR > 1 && $4 != "" { $4 /= 2 } { print }' throughputs/A100.csv >"$work/tables/T4.csv"

for policy in ef ef-accessctrl edf edf-accessctrl gandiva dlas-gpu themis chronus; do
    refused "policy $policy knows one GPU type only, but $mixed has A100 and T4" \
        "${run[@]}" --policy $policy
done
refused "policy ef knows one GPU type only" "$rubato" compare "$trace" --cluster "$mixed" --policies ef
refused "policy ef knows one GPU type only" \
    "$scheduler" --trace_file="$trace" --cluster_spec="$mixed" --schedule=ef

for policy in fifo fifo-first-fit srtf; do
    passes "${run[@]}" --policy $policy --throughputs "$work/tables" --results "$work/$policy" \
        --record "$work/$policy.record"
    same "the pools under $policy" "$(grep -A 1 '^pools' "$out")" \
        "pools                   64 A100 on 8 nodes of 8, pool A100
                        32 T4 on 8 nodes of 4, pool T4"
    grep -q '^GPU utilisation .* of 96 GPUs on 16 nodes$' "$out" || fail "no 96 GPUs: $(cat "$out")"
    passes "$rubato" replay "$work/$policy.record"
    # Ranks are counted through all pools: from 64 on they are those of T4, and both are used.
    ranks=$(tail -n +2 "$work/$policy/rounds.csv" | cut -d, -f2 | tr ' ' '\n' | sed -nE 's/.*@([0-9]+)x.*/\1/p')
    same "the last rank under $policy" "$(sort -n <<<"$ranks" | tail -1 | awk '{ print ($1 >= 64 && $1 < 96) }')" 1
    same "the first rank under $policy" "$(sort -n <<<"$ranks" | head -1)" 0
done

passes "${run[@]}" --policy fifo --json
same "the pools of the summary" "$(python3 -c '
import json, sys
summary = json.load(sys.stdin)
print(summary["nodes"], summary["gpus"], summary["gpu_type"])
for pool in summary["pools"]:
    print(*(pool[key] for key in ("name", "gpu_type", "nodes", "gpus")))' <"$out")" \
    "16 96 None
A100 A100 8 64
T4 T4 8 32"

# A model that one type alone has runs there.
printf '%s\n' job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration \
    a,0,1000,vgg16,100000,64,2,100 t,0,1000,ncf,100000,32768,2,100 >"$work/both.csv"
passes "$rubato" simulate "$work/both.csv" --policy fifo --cluster "$mixed" --results "$work/both"
same "a job for each type" "$(sed -n 2p "$work/both/rounds.csv")" "0,0@0x2 1@64x2"
printf '%s\n' b,0,1000,ncf,100000,64,2,100 >>"$work/both.csv"
refused "expected a batch size of ncf in throughputs/T4.csv, 32768" \
    "$rubato" simulate "$work/both.csv" --policy fifo --cluster "$mixed" --throughputs throughputs
sed -i '$ s/ncf/none/' "$work/both.csv"
refused "expected a model that has throughputs in throughputs/A100.csv or those of another pool" \
    "$rubato" simulate "$work/both.csv" --policy fifo --cluster "$mixed" --throughputs throughputs

# A cluster of one pool is shown as ever, whether it names its type or not.
header=num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node
printf '%s\n' "$header,gpu_type" 1,8,8,0,0,A100 >"$work/named.csv"
printf '%s\n' "$header" 1,8,8,0,0 >"$work/unnamed.csv"
for name in named unnamed; do
    passes "$rubato" simulate "$trace" --cluster "$work/$name.csv" --slot 240 --json
    sed '/"inputs": \[/,/^  \],/d' "$out" | grep -v -e '"cluster"' -e '"wall_s"' >"$work/$name.json"
done
same "a pool that is named" "$(cat "$work/named.json")" "$(cat "$work/unnamed.json")"
passes "$rubato" simulate "$trace" --cluster "$work/named.csv" --slot 240 --json --gpu-type T4
same "the type of the file" "$(grep -c '"gpu_type": "A100"' "$out")" 1

# Each type needs a table of its own.
printf '%s\n' "$header,gpu_type" 1,8,8,0,0,A100 1,1,8,0,0,H100 >"$work/unknown.csv"
refused "no throughput table for GPU type H100 (H100.csv)" \
    "$rubato" simulate "$trace" --policy fifo --cluster "$work/unknown.csv"
printf '%s\n' "$header,gpu_type" 1,8,8,0,0,A100 1,8,4,0,0,A100 >"$work/twice.csv"
refused "policy ef knows one pool only, but $work/twice.csv has 2 pools of A100" \
    "$rubato" simulate "$trace" --policy ef --cluster "$work/twice.csv"
passes "$rubato" simulate "$trace" --policy fifo --cluster "$work/twice.csv" --slot 240
grep -q '32 A100 on 8 nodes of 4, pool A100-2' "$out" || fail "no second pool: $(cat "$out")"

gives 2 "$rubato" audit "$work/fifo"
grep -q 'the run was on several pools, and only runs on one are audited' "$err" || fail "$(cat "$err")"

done_checking 28
