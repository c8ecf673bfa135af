# artifact_test.sh - the command line of the published ElasticFlow artifact, as it is documented there.
source "$(dirname "$0")/cli.sh"

last_two() { tail -n 2 "$out"; }

passes "$scheduler" --cluster_spec=cluster_specs/n16g8.csv --print --scheme=elastic \
    --trace_file=traces/testbed195.csv --schedule=ef-accessctrl --log_path="$work/joined" \
    --simulation=True --scheduling_slot=240 --restart_threshold=70 --gpu_type=A100
same "the counters" "$(last_two)" "accepted jobs: 147"$'\n'"declined jobs: 48"
[ "$(wc -l <"$out")" -gt 2 ] || fail "--print prints no figures"
cp "$out" "$work/printed"
same "the result files" "$(ls -A "$work/joined")" \
    "$(printf '%s\n' .rubato-results cluster.csv jobs.csv outcomes.csv rounds.csv summary.json timeline.csv work.csv)"

# The same with values of their own, and a switch by each of its words.
passes "$scheduler" --cluster_spec cluster_specs/n16g8.csv --print --scheme elastic \
    --trace_file traces/testbed195.csv --schedule ef-accessctrl --log_path "$work/separate" \
    --simulation True --scheduling_slot 240 --restart_threshold 70 --gpu_type A100
cmp "$out" "$work/printed"
for file in jobs.csv outcomes.csv rounds.csv work.csv; do
    cmp "$work/joined/$file" "$work/separate/$file"
done
for word in true True yes 1; do
    passes "$scheduler" --trace_file "$small" --cluster_spec "$small_cluster" --simulation=$word
    same "two lines without --print" "$(cat "$out")" "accepted jobs: 22"$'\n'"declined jobs: 3"
done
for word in false False no 0; do
    refused "--master: expected ADDRESS:PORT, found \"nowhere\"" "$scheduler" --trace_file "$small" \
        --simulation $word --master nowhere
done
refused "--simulation: expected true or false, found \"maybe\"" "$scheduler" --simulation=maybe

# It is the same simulator as that of `rubato simulate`.
for policy in ef-accessctrl ef edf edf-accessctrl; do
    passes "$scheduler" --trace_file "$small" --cluster_spec "$small_cluster" --schedule=$policy \
        --log_path="$work/scheduler"
    passes "$rubato" simulate "$small" --cluster "$small_cluster" --policy=$policy \
        --results="$work/rubato" --force
    for file in jobs.csv rounds.csv work.csv; do
        cmp "$work/scheduler/$file" "$work/rubato/$file"
    done
    diff <(grep -vE '"(wall_s|options)"' "$work/scheduler/summary.json") \
        <(grep -vE '"(wall_s|options)"' "$work/rubato/summary.json")
done

refused "--trace_file is missing" "$scheduler"
refused "--schedule: expected one of rubato, " "$scheduler" --schedule=sjf
refused "--scheme: expected one of elastic" "$scheduler" --scheme=none
refused "no-such.csv: cannot be read" "$scheduler" --trace_file=no-such.csv --log_path="$work/left"
[ ! -e "$work/left" ] || fail "a run that failed leaves a folder"
done_checking 29
