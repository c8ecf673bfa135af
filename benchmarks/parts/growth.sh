# growth.sh - how the cost of a round grows with live jobs, and that of the planner with live jobs x
# timeline entries, on clusters of 128, 1,024 and 10,240 GPUs.

# Two sets of traces. In the first a backlog grows on every cluster, up to nearly all jobs of the
# trace; in the second deadlines are loose enough for admission control to let thousands live.
generate_growth() {
    generate growth1k 1000 10 && generate growth10k 10000 1 && generate growth100k 100000 0.2 &&
        generate admit1k 1000 20 --tightness 3:20 --duration 3600:36000 &&
        generate admit10k 10000 5 --tightness 3:20 --duration 3600:36000 &&
        generate admit100k 100000 1 --tightness 3:20 --duration 3600:36000
}

# measure_rounds POLICY TRACES OPTIONS...: on each cluster.
measure_rounds() {
    local policy=$1 set=$2 nodes

    shift 2
    for nodes in 16 128 1280; do
        "$programs/round_growth" --policy "$policy" --nodes "$nodes" --gpus-per-node 8 --seconds 6 \
            --throughputs throughputs "$@" "$work/${set}1k.csv" "$work/${set}10k.csv" \
            "$work/${set}100k.csv" || return 1
    done
}

measure_books() {
    local gpus

    for gpus in 128 1024 8192; do
        "$programs/book_growth" --gpus "$gpus" --throughputs throughputs "$work/growth10k.csv" ||
            return 1
    done
}

part_growth() {
    generate_growth || return 1
    {
        measure_rounds edf growth && measure_rounds ef growth --entries &&
            measure_rounds ef-accessctrl admit --entries && measure_books
    } | keep >"$work/growth.jsonl" || return 1
    grep '"growth"' "$work/growth.jsonl" | table
    echo
    grep '"fit"' "$work/growth.jsonl" | table
}
