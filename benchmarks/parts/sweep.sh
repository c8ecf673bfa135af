# sweep.sh - the 77 cells of ElasticFlow's figure 8b, seven policies on eleven traces, in one sweep; and
# whether six policies come to the same tables when the sweep is killed again and again, and in shares.
sweep_operands() {
    local trace cluster

    while read -r trace cluster; do
        printf '%s\n' "$traces/$trace.csv@cluster_specs/$cluster.csv"
    done <<<"$paper_clusters"
}

# sweep_killed FOLDER OPERANDS...: kills the sweep each time that it has kept a few more cells, until it ends.
sweep_killed() {
    local folder=$1 sweep kept kills=0

    shift
    while true; do
        "$bin/rubato" sweep --results "$folder" "$@" >/dev/null 2>&1 &
        sweep=$!
        kept=$(stat -c %s "$folder/sweep.db-wal" 2>/dev/null || echo 0)
        while kill -0 $sweep 2>/dev/null; do
            [ "$(stat -c %s "$folder/sweep.db-wal" 2>/dev/null || echo 0)" -le $((kept + 40000)) ] || break
            sleep 0.1
        done
        kill -9 $sweep 2>/dev/null || break
        wait $sweep 2>/dev/null || true
        kills=$((kills + 1))
    done
    wait $sweep
    echo "killed $kills times"
}

same_tables() {
    cmp "$1/cells.csv" "$2/cells.csv" && cmp "$1/means.csv" "$2/means.csv"
}

part_sweep() {
    local operands share
    local six=(--policies "ef-accessctrl,edf,gandiva,dlas-gpu,themis,chronus" --solver none --throughputs throughputs)

    needs_traces sweep || return 0
    mapfile -t operands < <(sweep_operands)
    # shellcheck disable=SC2016 # a run that finds its results does nothing: each begins without them
    "$programs/stopwatch" --name '77 cells of figure 8b, -j2' --runs 3 --warmup 0 --target 10000 -- \
        bash -c 'rm -rf "$1"; exec "${@:2}"' anew "$work/sweep77" \
        "$bin/rubato" sweep -j2 --results "$work/sweep77" --solver none --throughputs throughputs \
        --policies ef-accessctrl,edf,edf-accessctrl,gandiva,dlas-gpu,themis,chronus "${operands[@]}" | show

    "$bin/rubato" sweep --results "$work/whole" "${six[@]}" "${operands[@]}" >/dev/null
    sweep_killed "$work/killed" "${six[@]}" "${operands[@]}" || return 1
    same_tables "$work/whole" "$work/killed" || return 1
    for share in 0 1 2; do
        "$bin/rubato" sweep --results "$work/shares" --share $share/3 "${six[@]}" "${operands[@]}" || return 1
    done
    "$bin/rubato" sweep --results "$work/shares" "${six[@]}" "${operands[@]}" >/dev/null || return 1
    same_tables "$work/whole" "$work/shares" || return 1
    echo "six policies on eleven traces: killed and in shares, the tables are those of one run"
}
