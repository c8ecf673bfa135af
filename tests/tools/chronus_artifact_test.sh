# chronus_artifact_test.sh - the command line of the published Chronus program, from a trace of ElasticFlow
# on: convert it, then run it as documented there.
source "$(dirname "$0")/cli.sh"

trace=traces/testbed195.csv
converted=$work/T.csv
passes "$rubato" trace convert --to chronus --output "$converted" $trace
cut -d, -f2 "$converted" >"$work/T.lst"

direct=(--schedule=chronus --trace_file=$trace --cluster_spec=cluster_specs/n16g8.csv
    --scheme=best-fit --check_time_interval=240)
passes "$scheduler" "${direct[@]}" --log_path="$work/direct"
cp "$out" "$work/counts"
same "the counts" "$(paste -sd ' ' "$out")" "accepted jobs: 91 declined jobs: 104"

# like_direct FOLDER: the same counts, and the same result files.
like_direct() {
    local file

    cmp "$out" "$work/counts" || fail "the counts: $(cat "$out")"
    same "the result files" "$(ls "$1")" "$(ls "$work/direct")"
    for file in "$1"/*.csv; do
        cmp "$file" "$work/direct/${file##*/}" || fail "$file differs"
    done
    same "placement and cluster" "$(grep -E '"(placement|switches|nodes|gpus)"' "$1/summary.json")" \
        "$(grep -E '"(placement|switches|nodes|gpus)"' "$work/direct/summary.json")"
}

passes "$scheduler" --schedule=time-aware-with-lease --trace="$converted" \
    --save_log_dir="$work/joined" --ident=chronus --aggressive=True --mip_objective=adaptive \
    --placement=local_search --profile=True --check_time_interval=240 --disable_turn_off=True \
    --num_node_p_switch=16 --lease_term_interval=240 --name_list="$work/T.lst" --simulation=True \
    --gpu_type=A100 --num_gpu_p_node=8
like_direct "$work/joined"
passes "$rubato" audit "$work/joined"
passes "$scheduler" --schedule time-aware-with-lease --trace "$converted" \
    --save_log_dir "$work/separate" --ident chronus --aggressive True --mip_objective adaptive \
    --placement local_search --profile True --check_time_interval 240 --disable_turn_off True \
    --num_switch 1 --num_node_p_switch 16 --lease_term_interval 240 --name_list "$work/T.lst" \
    --simulation True --gpu_type A100 --num_gpu_p_node 8 --num_cpu_p_node 96 --mem_p_node 256
like_direct "$work/separate"

# Both names of an option may stand there if they say the same.
passes "$scheduler" "${direct[@]}" --trace=$trace --log_path="$work/both" --save_log_dir="$work/both" \
    --placement=local_search
like_direct "$work/both"
refused "--trace_file and --trace are one option, found \"$trace\" and \"$converted\"" \
    "$scheduler" "${direct[@]}" --trace="$converted"
refused "--log_path and --save_log_dir are one option, found \"$work/a\" and \"$work/b\"" \
    "$scheduler" "${direct[@]}" --log_path="$work/a" --save_log_dir="$work/b"
refused "--scheme and --placement are one option, found \"best-fit\" and \"elastic\"" \
    "$scheduler" "${direct[@]}" --placement=elastic
refused "--placement: expected one of elastic, " "$scheduler" --trace=$trace --placement=random

# A cluster told by some of its numbers: what is not said is as that program has it.
has_cluster() {
    local numbers=$1

    shift
    passes "$scheduler" --trace="$small" --schedule=chronus --print "$@"
    same "the cluster of $*" "$(sed -n 's/^cluster: //p' "$out")" "$numbers"
}
has_cluster "32 nodes, 256 GPUs"
has_cluster "75 nodes, 600 GPUs" --num_switch=1
has_cluster "75 nodes, 300 GPUs" --num_gpu_p_node=4
has_cluster "4 nodes, 32 GPUs" --num_node_p_switch=4
has_cluster "12 nodes, 48 GPUs" --num_switch=3 --num_node_p_switch=4 --num_gpu_p_node=4
passes "$scheduler" --trace="$small" --schedule=edf --num_node_p_switch=4 --log_path="$work/numbers"
passes "$scheduler" --trace="$small" --schedule=edf --cluster_spec="$small_cluster" --log_path="$work/file"
cmp "$work/numbers/rounds.csv" "$work/file/rounds.csv"
passes "$rubato" audit "$work/numbers"
for number in switch node_p_switch gpu_p_node; do
    refused "--cluster_spec describes the cluster, so --num_switch, --num_node_p_switch and --num_gpu_p_node cannot" \
        "$scheduler" --trace="$small" --cluster_spec="$small_cluster" --num_$number=1
done
refused "--num_node_p_switch: expected at most 100000 nodes below all switches, found 150000" \
    "$scheduler" --trace="$small" --num_switch=2000
refused "--num_gpu_p_node: expected at most 1048576 GPUs on all nodes, found 2560000" \
    "$scheduler" --trace="$small" --num_node_p_switch=10000 --num_gpu_p_node=256
refused "--num_gpu_p_node: expected a whole number from 0 to 256, found \"-1\"" \
    "$scheduler" --trace="$small" --num_gpu_p_node=-1

# What plays no role says so.
passes "$scheduler" --print-man
same "options that play no role" "$(grep -c 'it plays no role here' "$out")" 7
refused "--trace_file is missing" "$scheduler" --save_log_dir="$work/left"
[ ! -e "$work/left" ] || fail "a run that failed leaves a folder"
done_checking 38
