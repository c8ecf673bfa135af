# main_job_test.sh - what `make run` runs: it goes through with and without the public traces, and the
# last that it prints is the published table of the ten jobs, then their run on a testbed.
source "$(dirname "$0")/cli.sh"

# ends: the last table of $out, the counts of each policy.
ends() {
    sed -e '1,/^Ten jobs on one server/d' -e '/^$/,$d' "$out" | awk 'NR > 1 { print $1, $5 "/" $6 }'
}

# testbed: the last two lines, and how many rounds stand before them.
testbed() {
    tail -n 2 "$out"
    sed '1,/^The same ten jobs/d' "$out" | grep -c ', round '
}

table="ef-accessctrl 6/4
edf 1/9
gandiva 5/5
dlas-gpu 2/8
themis 3/7"
run="accepted jobs: 6
declined jobs: 4
17"

RUBATO_SHARED=$work/nowhere passes "$project/tools/main_job.sh" "$built"
same "the table of the ten jobs" "$(ends)" "$table"
same "their run on a testbed" "$(testbed)" "$run"
same "the settings of the reference" "$(grep -c 'are left out' "$out")" 1
same "the page" "$(sed -nE 's/^(.*report.html): a report of 3 runs, .*/\1/p' "$out")" "$(dirname "$built")/runs/report.html"
[ -s "$(dirname "$built")/runs/report.html" ] || fail "there is no page"

cd "$project"
if [ -d "${RUBATO_SHARED:-../shared}/traces" ]; then
    passes tools/main_job.sh "$built"
    same "the table of the ten jobs" "$(ends)" "$table"
    same "their run on a testbed" "$(testbed)" "$run"
    same "the settings of the reference" "$(grep -c 'beside the published' "$out")" 4
fi
done_checking 5
