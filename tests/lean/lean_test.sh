# lean_test.sh - nobody can tell the lean scheduler from the full one: what it does itself comes out
# the same to the byte, and what it does not do it leaves to the full one.
source "$(dirname "$0")/../tools/cli.sh"

full=$scheduler-full
if [ ! -e "$full" ]; then
    echo "this build has no lean scheduler"
    exit 77
fi

# One that has no full one beside it, and so can do no more than it does itself.
mkdir "$work/alone"
cp "$scheduler" "$work/alone/scheduler"
alone=$work/alone/scheduler

# agree ARGUMENTS...: both end and say the same.
agree() {
    local status=0 expected=0

    "$full" "$@" >"$work/out.full" 2>"$work/err.full" </dev/null || expected=$?
    "$scheduler" "$@" >"$out" 2>"$err" </dev/null || status=$?
    same "the exit status of scheduler $*" $status $expected
    same "stdout of scheduler $*" "$(cat "$out")" "$(cat "$work/out.full")"
    same "stderr of scheduler $*" "$(cat "$err")" "$(cat "$work/err.full")"
}

# same_run WHAT: the result files in $work/lean are those in $work/full, but for wall times.
same_run() {
    local file folder summaries=()

    same "the files of $1" "$(ls "$work/lean")" "$(ls "$work/full")"
    for file in "$work"/full/*.csv; do
        cmp "$file" "$work/lean/${file##*/}" || fail "$1: ${file##*/} differs"
    done
    for folder in lean full; do
        summaries+=("$(grep -v -e wall_s -e '"solve_' -e '"throughputs"' "$work/$folder/summary.json")")
    done
    same "the summary of $1" "${summaries[@]}"
}

# Simulations: every policy and scheme there is, on every trace that is small enough. A solver is loaded
# when it is first wanted, which a static program cannot do: without one the lean scheduler does chronus.
words=$("$full" --print-words)
read -ra policies < <(sed -n 's/^--schedule=[A-Z]* *//p' <<<"$words")
[ ${#policies[@]} -ge 4 ] || fail "only ${#policies[*]} policies in: $words"
for policy in "${policies[@]}"; do
    for setting in testbed25:n4g8:60 testbed195:n16g8:240; do
        IFS=: read -r trace cluster slot <<<"$setting"
        arguments=(--trace_file "traces/$trace.csv" --cluster_spec="cluster_specs/$cluster.csv"
            --schedule "$policy" --scheduling_slot "$slot" --simulation True --print --solver none)
        agree "${arguments[@]}"
        gives 0 "$full" "${arguments[@]}" --log_path "$work/full"
        gives 0 "$alone" "${arguments[@]}" --log_path="$work/lean" --throughputs throughputs
        same_run "$policy on $trace"
        rm -r "$work/full" "$work/lean"
    done
done

# What an input is refused for while it is read, the lean one says itself.
sed '3s/,[^,]*$/,never/' "$small" >"$work/bad.csv"
agree --trace_file "$work/bad.csv"
same "the place of the mistake" "$(grep -c "bad.csv:3: column" "$err")" 1
gives 2 "$alone" --trace_file "$work/bad.csv" --throughputs throughputs
agree --trace_file "$small" --gpu_type H100
agree --trace_file "$small" --simulation false --master nowhere
agree --trace_file "$small" --log_path "$small/below"

# left ARGUMENTS...: the lean one leaves it to the full one, to the same end.
left() {
    agree "$@"
    gives 2 "$alone" "$@"
    same "what it says of scheduler $*" "$(cat "$err")" \
        "scheduler: scheduler-full cannot be started: No such file or directory"
}
chronus=(--schedule=chronus --trace_file traces/testbed195.csv --cluster_spec="$small_cluster")
for solver in --solver=cbc --scheduling_slot=240; do
    left "${chronus[@]}" "$solver" --print
    gives 0 "$full" "${chronus[@]}" "$solver" --log_path "$work/full"
    gives 0 "$scheduler" "${chronus[@]}" "$solver" --log_path "$work/lean"
    same_run "chronus with $solver"
    grep -q ',compacted,optimal,' "$work/lean/leases.csv" || fail "the solver was never asked"
    rm -r "$work/full" "$work/lean"
done
left "${chronus[@]}" --solver=no-such
left --help
left --usage
left --print-words
left --print-config --schedule edf
left --schedul edf --trace_file "$small"
left --schedule=best --trace_file "$small"
left --scheduling_slot 0 --trace_file "$small"
left --scheduling_slot
left --simulation maybe --trace_file "$small"
left --print=perhaps --trace_file "$small"
left --no-such-option
left --trace_file= --print
left --trace_file "$work/none.csv"
left --trace_file traces
left -- --trace_file "$small"
left "$small"
echo "schedule = edf" >"$work/settings"
chmod o-w "$work/settings"
left --config "$work/settings" --trace_file "$small"
gzip -c "$small" >"$work/small.csv.gz"
left --trace_file "$work/small.csv.gz"
cp "$work/small.csv.gz" "$work/disguised.csv"
agree --trace_file "$work/disguised.csv"
cat traces/mixed1000.csv >"$work/large.csv"
for again in 1 2 3 4 5 6; do
    tail -n +2 traces/mixed1000.csv | sed "s/^/again$again-/"
done >>"$work/large.csv"
left --trace_file "$work/large.csv" --schedule edf-accessctrl

# A pipe can be read once.
passes "$scheduler" --trace_file <(cat "$small")
cp "$out" "$work/out.pipe"
passes "$full" --trace_file "$small"
same "what comes out of a pipe" "$(cat "$work/out.pipe")" "$(cat "$out")"


done_checking 100
