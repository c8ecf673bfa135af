# beside_counts_test.sh - `--bound` of `rubato compare` and `rubato simulate`: the figures of `rubato bound` beside
# what policies end on time.
source "$(dirname "$0")/../tools/cli.sh"

cluster=cluster_specs/n1g8.csv
passes "$rubato" bound "$small" --cluster $cluster
same "the bounds" "$(grep '^bound' "$out")" "bound                   18
bound with overheads    18"
head -n 4 "$out" >"$work/bound"

# simulate: text, JSON, summary.json, also of a policy that reads no throughputs itself.
passes "$rubato" simulate "$small" --cluster $cluster --bound
same "the text of simulate" "$(grep ^bound "$out")" "$(tail -n 2 "$work/bound")"
passes "$rubato" simulate "$small" --cluster $cluster --bound --json --results "$work/results"
same "the members" "$(grep '"bound' "$out")" '  "bound": 18,
  "bound_gap": 0,
  "bound_with_overheads": 18,
  "bound_with_overheads_gap": 0'
same "summary.json" "$(grep '"bound' "$work/results/summary.json")" "$(grep '"bound' "$out")"
passes "$rubato" simulate "$small" --cluster $cluster --policy chronus --bound
same "the text under chronus" "$(grep ^bound "$out")" "$(tail -n 2 "$work/bound")"
passes "$rubato" simulate "$small" --cluster $cluster --json
same "members that were not asked for" "$(grep -c bound "$out" || true)" 0

# A trace without a deadline has a bound of 0, and what perhaps is too large says so.
cat >"$work/never.csv" <<'TRACE'
job_id,submit_time,iterations,model_name,ddl,batch_size,best_effort
a,0,1000,resnet50,3600,64,1
TRACE
passes "$rubato" simulate "$work/never.csv" --bound
same "no deadlines" "$(grep -c '^bound.* 0$' "$out")" 2

# compare: a column for users and in CSV, members in JSON, the same for each policy on the trace.
other="$small@cluster_specs/n4g8.csv"
passes "$rubato" compare --csv --bound --columns trace,cluster,policy,bound,bound_with_overheads_gap \
    --policies rubato,fifo,chronus --cluster $cluster "$small" "$other"
same "the rows" "$(sort "$out" | uniq | cut -d, -f2-)" "$(printf '%s\n' \
    cluster,policy,bound,bound_with_overheads_gap \
    $cluster,chronus,18,0 $cluster,fifo,18,0 $cluster,rubato,18,0 \
    cluster_specs/n4g8.csv,chronus,22,0 cluster_specs/n4g8.csv,fifo,22,0 cluster_specs/n4g8.csv,rubato,22,0 |
    sort -t, -k1,1 -s)"
passes "$rubato" compare --bound --policies rubato --cluster $cluster "$small"
same "the table" "$(awk '{print $1, $2, $3, $4}' "$out" | grep '^testbed25.csv rubato')" "testbed25.csv rubato 16 18"
same "the titles" "$(head -1 "$out" | grep -o 'ON TIME BOUND PROMISED')" "ON TIME BOUND PROMISED"
passes "$rubato" compare --bound --json --policies rubato --cluster $cluster "$small"
same "the members of a row" "$(grep -c '"bound' "$out")" 4
passes "$rubato" compare --json --policies rubato --cluster $cluster "$small"
same "columns that were not asked for" "$(grep -c bound "$out" || true)" 0

# Mistakes: each is told once, and a trace without a bound takes nothing else down.
for world in "--overhead-factor 0" "--speed-error 5"; do
    # shellcheck disable=SC2086
    refused "--bound: is of speeds and overheads as the tables have them" "$rubato" simulate --bound $world "$small"
done
refused "--columns: bound needs --bound" "$rubato" compare --columns bound "$small"
gives 2 "$rubato" compare --bound --policies rubato,fifo no-such.csv
same "one complaint" "$(cat "$err")" "rubato compare: no-such.csv: cannot be read: No such file or directory"
gives 2 "$rubato" compare --csv --bound --columns policy,bound --policies fifo "$small@cluster_specs/mixed.csv"
same "an unknown bound" "$(tail -1 "$out")" "fifo,"
says "cluster_specs/mixed.csv: a bound needs one pool of GPUs, found 2"
refused "cluster_specs/mixed.csv: a bound needs one pool of GPUs, found 2" \
    "$rubato" simulate --bound --policy fifo --cluster cluster_specs/mixed.csv --results "$work/none" "$small"
[ ! -e "$work/none" ] || fail "results of a simulation that did not take place"
done_checking 30
