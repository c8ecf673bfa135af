# verb_test.sh - the command line of `rubato report`, and what it makes of folders that are not as they should be.
source "$(dirname "$0")/../tools/cli.sh"

passes "$rubato" simulate "$small" --cluster "$small_cluster" --slot 60 --results "$work/run"
page=$work/page.html

# The same bytes each time; what is there with other bytes is replaced with --force alone, and nothing is left aside.
passes "$rubato" report "$work/run" --output "$page"
cp "$page" "$work/first.html"
passes "$rubato" report "$work/run" --output "$page"
same "the bytes" "$(cmp "$page" "$work/first.html" 2>&1)" ""
passes "$rubato" report "$work/run" --output -
same "on standard output" "$(cmp "$out" "$page" 2>&1)" ""
(cd "$work" && passes "$work/tree/$rubato" report run)
same "the page without a name" "$(head -n 2 "$work/report.html" | tail -n 1)" "<!-- rubato report -->"
echo "my notes" >"$page"
refused "page.html: is there already, with other bytes" "$rubato" report "$work/run" --output "$page"
same "what was there" "$(cat "$page")" "my notes"
cp -r "$work/run" "$work/renamed"
"$rubato" report "$work/renamed" --output "$page" --force >"$out"
refused "page.html: is there already, with other bytes" "$rubato" report "$work/run" --output "$page"
passes "$rubato" report "$work/run" --output "$page" --force
same "what is there now" "$(cmp "$page" "$work/first.html" 2>&1)" ""
: >"$page"
refused "is there already" "$rubato" report "$work/run" --output "$page"
same "what is left aside" "$(find "$work" -maxdepth 1 -name '*page*' | wc -l)" 1
unwritten "cannot be" "$rubato" report "$work/run" --output "$work/nowhere/page.html"

# Mistakes.
refused "expected 1 to 12 result folders, found 0" "$rubato" report
refused "expected 1 to 12 result folders, found 13" "$rubato" report 1 2 3 4 5 6 7 8 9 10 11 12 13
refused "nowhere/summary.json: cannot be read" "$rubato" report "$work/nowhere"
passes "$rubato" report "$work/run" --trace "$PWD/$small" --output "$work/named.html"
same "the bytes with the trace named" "$(cmp "$work/named.html" "$work/first.html" 2>&1)" ""
refused "no-such.csv: cannot be read" "$rubato" report "$work/run" --trace no-such.csv
refused "is not the trace of the run" "$rubato" report "$work/run" --trace traces/functionality_10jobs.csv
cp -r "$work/run" "$work/untold"
untold "$work/untold"
refused "is not in the trace of the run" "$rubato" report "$work/untold" --trace traces/functionality_10jobs.csv

# bad WORDS FILE SED: a run is refused whose FILE was changed so.
bad() {
    rm -rf "$work/bad"
    cp -r "$work/run" "$work/bad"
    sed -i "$3" "$work/bad/$2"
    refused "$1" "$rubato" report "$work/bad" --output "$work/bad.html"
    [ ! -e "$work/bad.html" ] || fail "a page of a bad folder is left"
}

bad 'summary.json:3:23: ' summary.json '3 s/$/ x/'
bad 'summary.json: schema_version 2, expected 1' summary.json 's/"schema_version": 1/"schema_version": 2/'
bad 'make no cluster' summary.json 's/"nodes": [0-9]*/"nodes": 0/'
bad 'make no cluster' summary.json 's/"gpus": [0-9]*/"gpus": 33/'
for value in -5 '"x"' 2.5; do
    bad 'summary.json: jobs: expected a whole number of 0 or more' summary.json "s/^\( *\"jobs\"\): [0-9]*/\1: $value/"
    refused 'summary.json: jobs: expected a whole number of 0 or more' "$rubato" show "$work/bad"
done
bad 'summary.json: on_time: expected a whole number' summary.json 's/"on_time": [0-9]*/"on_time": -1/'
bad 'jobs.csv:2: column 6 (end_time): expected seconds' jobs.csv '2 s/[^,]*/x/6'
bad 'jobs.csv: job "stranger" is not in the trace of the run' jobs.csv '2 s/[^,]*/stranger/2'
bad 'outcomes.csv:3: column 3 (verdict): expected one of the words' outcomes.csv '3 s/[^,]*/perhaps/3'
bad 'rounds.csv:2: column 2 (layout): expected runs' rounds.csv '2 s/,.*/,0@0/'
bad 'rounds.csv:2: --trace is not the trace of the run, it has no row 25' rounds.csv '2 s/,.*/,25@0x1/'
bad 'rounds.csv:2: a job holds a GPU after the last one, which is 31' rounds.csv '2 s/,.*/,0@31x2/'
bad 'rounds.csv:2: two jobs hold GPU 5' rounds.csv '2 s/,.*/,0@4x2 1@5x1/'
bad 'rounds.csv:4: the round is earlier than the one before it, at' rounds.csv '4 s/^[0-9]*/0/'

bad 'jobs.csv: job "0" has a time after 1000000000000 s' jobs.csv '/^[0-9]*,0,/ s/^[0-9]*/4000000000000/'
bad 'rounds.csv:4: the round is after the last possible time, 1000000000000' rounds.csv '4 s/^[0-9]*/4000000000000/'

bad 'timeline.csv:2: job "stranger" is not in the trace of the run' timeline.csv '2 s/[^,]*/stranger/2'
bad 'timeline.csv:2: a job holds more GPUs than there are, which is 32' timeline.csv '2 s/[^,]*/33/4'
bad 'timeline.csv:4: the row is earlier than the one before it, at' timeline.csv '4 s/^[0-9]*/0/'
bad 'timeline.csv:2: column 5 (reason): expected' timeline.csv '2 s/[^,]*/whim/5'
bad 'cluster.csv:2: column 6 (efficiency): expected a number' cluster.csv '2 s/[^,]*$/much/'
bad 'cluster.csv:2: more GPUs than there are, which is 32' cluster.csv '2 s/[^,]*/40/3'
bad 'cluster.csv:3: the row is after the last possible time, 1000000000000' cluster.csv '3 s/^[0-9]*/4000000000000/'

# A folder of an earlier version gives a page that says what is not known.
cp -r "$work/run" "$work/older"
rm "$work/older"/{timeline,cluster}.csv
passes "$rubato" report "$work/older" --output "$work/older.html"
same "the timeline of the older folder" "$(grep -c '"has_timeline":false' "$work/older.html")" 1

# A folder of a run without rounds gives a page, too.
rm -rf "$work/bad"
cp -r "$work/run" "$work/bad"
sed -i '2,$ d' "$work/bad/rounds.csv" "$work/bad/jobs.csv" "$work/bad/outcomes.csv" "$work/bad/work.csv" \
    "$work/bad/timeline.csv" "$work/bad/cluster.csv"
passes "$rubato" report "$work/bad" --output "$work/empty.html"
done_checking 52
