#!/usr/bin/env bash
# earlier_run_test.sh - results never take the place of those of another run, unless that is forced.
source "$(dirname "$0")/cli.sh"

cp "$small" "$work/trace.csv"
cp "$small_cluster" "$work/cluster.csv"
printf '%s\n' time,node,event 1000,0,gone >"$work/faults.csv"
run=("$rubato" simulate --cluster "$work/cluster.csv" --results "$work/run")
passes "${run[@]}" "$work/trace.csv"

# keeps WORDS COMMAND...: it is refused with these words, and the results stay.
keeps() {
    rm -rf "$work/before"
    cp -r "$work/run" "$work/before"
    refused "$work/run: holds the results of another run: its $1" "${@:2}"
    says "name another folder, or say --force to replace them"
    diff -r "$work/run" "$work/before" >&2 || fail "the results changed"
}

# The same run again, also on inputs that lie elsewhere.
passes "${run[@]}" "$work/trace.csv"
passes "${run[@]}" "$small"
passes "${run[@]}" --cluster n4g8 --slot 60 testbed25
gzip -c "$small" >"$work/packed.csv.gz"
passes "${run[@]}" "$work/packed.csv.gz"

keeps "policy is rubato, this one's is edf" "${run[@]}" --policy edf "$small"
keeps "rules is reference, this one's is clean" "${run[@]}" --rules clean "$small"
keeps "slot_s is 60, this one's is 240" "${run[@]}" --slot 240 "$small"
keeps "trace is " "${run[@]}" testbed195
keeps "cluster is " "${run[@]}" --cluster n8g8 "$small"
keeps "cluster is " "$rubato" simulate --results "$work/run" "$small"
keeps "faults is none, this one's is $work/faults.csv (checksum " "${run[@]}" --faults "$work/faults.csv" "$small"
keeps "--spare-nodes is none, this one's is 1" "${run[@]}" --spare-nodes 1 "$small"
keeps "--seed is none, this one's is 7" "${run[@]}" --seed 7 "$small"

# A trace that was changed is another one: its earlier results cannot be had again.
sed -i '3s/,\([0-9]*\)$/,1\1/' "$work/trace.csv"
keeps "trace is " "${run[@]}" "$work/trace.csv"
says "this one's is $work/trace.csv (checksum "

# Results of a version without checksums are told by the names of their inputs.
sed -i '/^  "inputs": \[/,/^  \],/d' "$work/run/summary.json"
keeps "trace is " "${run[@]}" testbed195
passes "${run[@]}" "$work/packed.csv.gz"

passes "${run[@]}" --policy edf --force "$work/trace.csv"
same "the policy" "$(grep -c '"policy": "edf"' "$work/run/summary.json")" 1
keeps "policy is edf, this one's is rubato" "${run[@]}" "$work/trace.csv"

# The command line of the artifact replaces what is in its folder, as it always did.
passes "$scheduler" --schedule=ef --trace_file="$small" --cluster_spec="$small_cluster" --log_path="$work/run"
passes "$scheduler" --schedule=edf --trace_file="$small" --cluster_spec="$small_cluster" --log_path="$work/run"
keeps "policy is edf, this one's is rubato" "${run[@]}" "$small"

# A summary that cannot be read is none of a run.
echo '{' >"$work/run/summary.json"
passes "${run[@]}" "$small"

echo "$checks checks passed"
