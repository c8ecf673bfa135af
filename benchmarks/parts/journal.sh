# journal.sh - how long a scheduler takes to stand where the one before stood, by the state of its run; and how much a
# disk keeps in a second.
part_journal() {
    local policy trace timers

    for trace in testbed195 mixed1000; do
        for policy in ef-accessctrl rubato; do
            timers=0
            [ "$trace $policy" != "testbed195 rubato" ] || timers=1000000
            rm -rf "$work/state"
            "$bin/scheduler" --trace_file="traces/$trace.csv" --cluster_spec=cluster_specs/n16g8.csv \
                --schedule="$policy" --force --record="$work/record" >"$work/out" 2>&1 || return 1
            "$programs/journal_time" --name "$trace/$policy" --timers "$timers" --state "$work/state" "$work/record" || return 1
            [ "$policy" = rubato ] || continue
            rm -rf "$work/state"
            "$programs/journal_time" --name "$trace/$policy, a snapshot" --snapshot --timers "$timers" --state "$work/state" \
                "$work/record" || return 1
        done
    done | show
}
