# traces.sh - all eleven public traces on the paper's clusters, two simulations at a time.
paper_clusters='cluster01 n64g8
cluster02 n64g8
cluster03 n64g8
cluster04 n128g8
cluster05 n64g8
cluster06 n64g8
cluster07 n128g8
cluster08 n128g8
cluster09 n128g8
cluster10 n32g8
philly_103959 n32g8'

# flat_rows TARGET-MS TARGET-KIB: the rows of `rubato compare --json`, slowest first, one flat line
# each. 0 is no target for the time, and for the memory 64 MiB and 1 KiB for each job.
flat_rows() {
    awk -v target_ms="$1" -v target_kib="$2" '
        { gsub(/^ +|,$/, "") }
        match($0, /^"[a-z0-9_]+": /) {
            value[substr($0, 2, RLENGTH - 4)] = substr($0, RLENGTH + 1)
        }
        $0 == "}" && "trace" in value {
            gsub(/^.*\//, "", value["trace"])
            gsub(/(\.csv)?"$/, "", value["trace"])
            gsub(/"/, "", value["policy"])
            kib = target_kib > 0 ? target_kib : 65536 + value["jobs"]
            ms = 1000 * value["wall_s"]
            met = value["memory_kib"] + 0 <= kib + 0 && (target_ms == 0 || ms <= target_ms)
            printf "{\"trace\": \"%s\", \"policy\": \"%s\", \"jobs\": %d, \"rounds\": %d, ",
                   value["trace"], value["policy"], value["jobs"], value["rounds"]
            printf "\"wall_ms\": %.1f, \"peak_kib\": %d, \"kib_allowed\": %d, \"met\": %s}\n",
                   ms, value["memory_kib"], kib, met ? "true" : "false"
            delete value
        }' | sort -t: -k6,6nr
}

# compare_traces NAME POLICIES TARGET-MS ARGUMENTS...: one line for the whole comparison; its rows are left in
# $work/compare.json.
compare_traces() {
    local operands=() trace cluster name=$1 policies=$2 target=$3

    shift 3

    while read -r trace cluster; do
        operands+=("$traces/$trace.csv@cluster_specs/$cluster.csv")
    done <<<"$paper_clusters"
    "$programs/stopwatch" --name "$name" --runs 1 --warmup 0 --target "$target" --output "$work/compare.json" \
        -- "$bin/rubato" compare -j2 --json --slot 60 --gpu-type A100 --throughputs throughputs \
        --policies "$policies" "$@" "${operands[@]}"
}

part_traces() {
    needs_traces traces || return 0
    compare_traces '11 traces x 3 policies, -j2' ef-accessctrl,edf,edf-accessctrl 30000 | show &&
        flat_rows 0 0 <"$work/compare.json" | keep | awk 'NR <= 8' | table
    compare_traces '11 traces x 3 baselines, -j2' gandiva,dlas-gpu,themis 30000 | show &&
        flat_rows 0 0 <"$work/compare.json" | keep | awk 'NR <= 8' | table
    compare_traces '11 traces x chronus by plan, -j2' chronus 30000 --solver none | show &&
        flat_rows 0 0 <"$work/compare.json" | keep | awk 'NR <= 8' | table
    compare_traces '11 traces x chronus by cbc, -j2' chronus 30000 | show
}


# Under `ef` every job is admitted, and where more arrives than the cluster can do, the backlog grows.
part_backlog() {
    needs_traces backlog || return 0
    compare_traces '11 traces x ef, -j2' ef 0 | show &&
        flat_rows 300000 1048576 <"$work/compare.json" | keep | table
}
