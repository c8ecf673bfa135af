#!/usr/bin/env bash
# outputs_test.sh - what is written harms no other file: "-", devices, FIFOs, links, inputs, foreign folders.
source "$(dirname "$0")/cli.sh"

generate=("$rubato" trace generate --jobs 3 --seed 1 --throughputs throughputs)
search=("$rubato" trace search --jobs 3 --want ef-accessctrl=2/1 --cluster cluster_specs/n1g8.csv)
convert=("$rubato" trace convert --to artifact "$small")
overhead=("$rubato" trace overhead --model resnet50)
simulate=("$rubato" simulate --cluster "$small_cluster" --policy edf)
schedule=("$scheduler" --cluster_spec="$small_cluster" --schedule=edf)

# ---- files ----

# Every verb with --output writes the same to a file, to standard output by two names, to a FIFO and through a link.
for verb in generate search convert overhead; do
    declare -n command=$verb
    file=$work/$verb.csv
    passes "${command[@]}" --output "$file"
    grep -qF "wrote $file: " "$out" || fail "$verb does not say what it wrote: $(cat "$out")"

    gives 0 "${command[@]}" --output -
    cmp "$out" "$file"
    says "wrote standard output: "

    { echo before && "${command[@]}" --output /dev/stdout && echo after; } >"$out" 2>"$err"
    { echo before && cat "$file" && echo after; } | cmp - "$out"

    mkfifo "$work/fifo"
    timeout 600 cat "$work/fifo" >"$work/got" &
    passes "${command[@]}" --output "$work/fifo"
    wait $!
    cmp "$work/got" "$file"
    [ -p "$work/fifo" ] || fail "$verb replaced a FIFO"
    rm "$work/fifo"

    ln -s target.csv "$work/link.csv"
    passes "${command[@]}" --output "$work/link.csv"
    [ -L "$work/link.csv" ] || fail "$verb replaced a link"
    cmp "$work/target.csv" "$file"
    rm "$work/link.csv" "$work/target.csv"

    ln -s /dev/null "$work/null.csv"
    passes "${command[@]}" --output "$work/null.csv"
    [ -L "$work/null.csv" ] && [ -c /dev/null ] || fail "$verb replaced a device"
    rm "$work/null.csv"
    same "what $verb leaves" "$(find "$work" -maxdepth 1 -name '*.tmp')" ""
    if [ -w /dev/full ]; then
        unwritten "/dev/full: cannot be written: No space left on device" "${command[@]}" --output /dev/full
    fi
done

# A reader at the other end of a pipe gets a whole trace.
same "a pipe" "$("${generate[@]}" --output - 2>"$err" | "$rubato" trace info /dev/stdin | head -1)" \
    "$("$rubato" trace info "$work/generate.csv" | head -1 | sed "s|$work/generate.csv|/dev/stdin|")"

# An output that is an input, by any name and whatever it is read for.
cp "$small" "$work/in.csv"
cp "$work/in.csv" "$work/before.csv"
ln -s in.csv "$work/other.csv"
ln "$work/in.csv" "$work/hard.csv"
for name in in other hard; do
    refused "$work/$name.csv: is an input too, and would be overwritten" \
        "$rubato" trace convert --to artifact "$work/in.csv" --output "$work/$name.csv"
done
cmp "$work/in.csv" "$work/before.csv"
cp "$work/in.csv" "$work/appended.csv"
status=0
"$rubato" trace convert --to artifact "$work/appended.csv" --output - >>"$work/appended.csv" 2>"$err" || status=$?
same "the exit status of a conversion onto its input" $status 2
says "standard output: is an input too"
cmp "$work/appended.csv" "$work/before.csv"
cp -r throughputs "$work/tables"
for verb in generate overhead; do
    declare -n command=$verb
    refused "is an input too" "${command[@]}" --throughputs "$work/tables" --output "$work/tables/A100.csv"
done
diff -r throughputs "$work/tables" >&2 || fail "a table was overwritten"
cp cluster_specs/n1g8.csv "$work/cluster.csv"
refused "$work/cluster.csv: is an input too" "${search[@]}" --cluster "$work/cluster.csv" --output "$work/cluster.csv"
echo 'jobs = 3' >"$work/generate.conf"
refused "$work/generate.conf: is an input too" "$rubato" trace generate --throughputs throughputs \
    --config "$work/generate.conf" --output "$work/generate.conf"
same "the config file" "$(cat "$work/generate.conf")" "jobs = 3"

# A file of faults is an input like any other.
faults=$'time,node,event\n1000,0,gone'
echo "$faults" >"$work/faults.csv"
refused "$work/faults.csv: is an input too" "${simulate[@]}" "$small" --faults "$work/faults.csv" --record "$work/faults.csv"
mkdir "$work/faulty"
mv "$work/faults.csv" "$work/faulty/timeline.csv"
refused "$work/faulty/timeline.csv: is an input too" "${simulate[@]}" "$small" --force --results "$work/faulty" \
    --faults "$work/faulty/timeline.csv"
same "the faults" "$(cat "$work/faulty/"*)" "$faults"

# So is the summary of results.
passes "${simulate[@]}" "$small" --results "$work/page"
refused "$work/page/summary.json: is an input too" "$rubato" report "$work/page" --force --output "$work/page/summary.json"
passes "$rubato" audit "$work/page"

# ---- folders of results ----

# runs DIR ARGUMENTS...: both programs write results there, and say so.
runs() {
    local folder=$1

    shift
    gives 0 "${simulate[@]}" "$small" --results "$folder" "$@"
    same "what rubato says" "$(cat "$err")" "rubato simulate: results are in $folder"
    gives 0 "${schedule[@]}" --trace_file="$small" --log_path="$folder" "$@"
    same "what the scheduler says" "$(cat "$err")" "scheduler: results are in $folder"
    same "the last two lines" "$(tail -n 2 "$out" | cut -d: -f1)" $'accepted jobs\ndeclined jobs'
}

# refuses DIR WORDS ARGUMENTS...: neither does, and nothing changes.
refuses() {
    local folder=$1 words=$2

    shift 2
    rm -rf "$work/kept"
    cp -r "$folder" "$work/kept"
    refused "$words" "${simulate[@]}" "$small" --results "$folder" "$@"
    refused "$words" "${schedule[@]}" --trace_file="$small" --log_path="$folder" "$@"
    diff -r "$folder" "$work/kept" >&2 || fail "$folder changed"
}

runs "$work/results"
runs "$work/results"
runs "$work/results/inside"
runs "$work/results"
mkdir "$work/empty"
runs "$work/empty"
same "the empty folder" "$(ls -A "$work/empty")" \
    "$(printf '%s\n' .rubato-results cluster.csv jobs.csv outcomes.csv rounds.csv summary.json timeline.csv work.csv)"

# A folder of a version that set no marker: all of it are results.
rm "$work/empty/.rubato-results"
runs "$work/empty"
[ -e "$work/empty/.rubato-results" ] || fail "older results are not marked"

# A folder with a trace that has the name of a result.
mkdir "$work/mine"
cp "$small" "$work/mine/jobs.csv"
echo mine >"$work/mine/leases.csv"
echo mine >"$work/mine/notes.txt"
refuses "$work/mine" "$work/mine: holds jobs.csv, which is no result of a run"
for force in --force=false --force; do
    refused "/jobs.csv: is an input too, and would be overwritten" \
        "${simulate[@]}" "$work/mine/jobs.csv" --results "$work/mine" $force
done
same "the files there" "$(ls -A "$work/mine" | xargs)" "jobs.csv leases.csv notes.txt"
cmp "$small" "$work/mine/jobs.csv"
runs "$work/mine" --force
same "another file there" "$(cat "$work/mine/notes.txt")" mine
refuses "$work/mine" "$work/mine: holds notes.txt, which is no result of a run"
rm "$work/mine/notes.txt"
runs "$work/mine"

# A mount point and a folder whose parent is not to be written are replaced in place.
mkdir -p "$work/locked/results" "$work/mounted"
runs "$work/locked/results"
runs "$work/mounted"
if unshare -m true 2>/dev/null; then
    unshare -m bash -c "mount --bind '$work/mounted' '$work/mounted' && exec '$rubato' simulate --cluster $small_cluster \
        --policy fifo --force --results '$work/mounted' $small" >"$out" 2>"$err" </dev/null || fail "in a mount point: $(cat "$err")"
    grep -q '"policy": "fifo"' "$work/mounted/summary.json" || fail "a mount point has the older results"
fi
chmod a-w "$work/locked"
runs "$work/locked/results"
chmod u+w "$work/locked"
same "what is beside them" "$(ls -A "$work/locked")" results
same "the folder of the mount point" "$(ls -A "$work/mounted")" "$(ls -A "$work/empty")"

# A run that fails leaves a foreign folder alone, forced or not.
mkdir "$work/other"
echo mine >"$work/other/jobs.csv"
refused "no-such.csv: cannot be read" "${schedule[@]}" --trace_file=no-such.csv --log_path="$work/other" --force
passes "${schedule[@]}" --trace_file="$small" --log_path="$work/other" --force --check
same "another file there" "$(cat "$work/other/"*)" mine

# Results that find no room are kept aside, and the results before them stay.
cp -r "$work/empty" "$work/full"
rm "$work/full/rounds.csv"
ln -s /dev/full "$work/full/rounds.csv"
unwritten "$work/full/rounds.csv: cannot be written: No space left on device; what the run has written stays in $work/full/unfinished-" \
    "${schedule[@]}" --trace_file=traces/testbed195.csv --log_path="$work/full"
kept=$(sed 's/.* stays in //' "$err")
same "what is kept" "$(ls -A "$kept")" "$(printf '%s\n' .rubato-results cluster.csv jobs.csv outcomes.csv summary.json timeline.csv work.csv)"
same "the jobs that are kept" "$(wc -l <"$kept/jobs.csv")" 196
cmp "$work/full/jobs.csv" "$work/empty/jobs.csv"
cmp "$work/full/summary.json" "$work/empty/summary.json"
rm "$work/full/rounds.csv"
runs "$work/full"
same "what is still kept" "$(wc -l <"$kept/jobs.csv")" 196

done_checking 102
