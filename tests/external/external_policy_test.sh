# external_policy_test.sh - policies that are programs: the Python example decides as its twin in C does, byte
# for byte; what a program answers is held to what a plan may be, and each way to answer badly has its sentence.
set -euo pipefail

rubato=${RUBATO_BIN:?is set by ctest}/rubato
scheduler=${RUBATO_BIN}/scheduler
srtf=$PWD/examples/policies/srtf.py
trace=$PWD/traces/functionality_10jobs.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

# twins NAME OPTION...: both give the same files, but for the names and times in the summary.
twins() {
    local name=$1 policy folder

    shift
    for policy in srtf "exec:$srtf"; do
        folder=$work/$name.${policy%%:*}
        "$rubato" simulate --policy "$policy" --results "$folder" "$@" >"$folder.out" 2>"$folder.err" ||
            fail "$policy $*: $(cat "$folder.err")"
        rm "$folder/summary.json"
    done
    diff -r "$work/$name.srtf" "$work/$name.exec" >"$work/diff" || fail "$*: $(head -5 "$work/diff")"
    [ -s "$work/$name.exec/rounds.csv" ] || fail "$*: no rounds"
    checks=$((checks + 1))
}

twins ten "$trace"
twins small traces/testbed25.csv --cluster cluster_specs/n1g8.csv
twins testbed traces/testbed195.csv --cluster cluster_specs/n16g8.csv --slot 240
twins mixed traces/testbed25.csv --cluster cluster_specs/mixed.csv

# compare puts it beside the others, and so does the artifact's command line.
"$rubato" compare --policies "srtf,exec:$srtf" "$trace" >"$work/out" 2>"$work/err" || fail "compare: $(cat "$work/err")"
grep -q "exec:" "$work/out" || fail "compare does not name the program: $(cat "$work/out")"
for policy in srtf "exec:$srtf"; do
    "$scheduler" --trace_file="$trace" --cluster_spec=cluster_specs/n4g8.csv --schedule="$policy" \
        --log_path="$work/log.${policy%%:*}" --simulation=True >"$work/out.${policy%%:*}" 2>"$work/err" ||
        fail "scheduler, $policy: $(cat "$work/err")"
done
diff "$work/out.srtf" "$work/out.exec" || fail "the scheduler counts otherwise"
checks=$((checks + 2))

# A program that promises what is on time with all GPUs to itself, and one that promises nothing at all.
cat >"$work/promises.py" <<'P'
import json, sys
for line in sys.stdin:
    view = json.loads(line)
    if view["ask"] == "admit":
        print(json.dumps({"verdicts": [{"number": j["number"], "verdict": "promise"} for j in view["jobs"] if j["new"]]}))
    else:
        free, jobs = view["pools"][0]["gpus"], []
        for j in sorted(view["jobs"], key=lambda j: (j["deadline"] or 10**15, j["number"])):
            gpus = max([g for g in j["scaling"][0]["gpus"] if g <= free], default=0)
            free -= gpus
            jobs.append({"number": j["number"], "gpus": gpus})
        print(json.dumps({"jobs": jobs}))
    sys.stdout.flush()
P
"$rubato" simulate --policy "exec:python3 $work/promises.py" --json --cluster cluster_specs/n1g8.csv "$trace" >"$work/out" ||
    fail "promises"
python3 - "$work/out" <<'P' || fail "no promises are counted: $(cat "$work/out")"
import json, sys
run = json.load(open(sys.argv[1]))
sys.exit(not (run["promised"] == 10 and run["broken"] > 0))
P
checks=$((checks + 1))

# says LINES WORDS: a program that answers with these lines, one for each question, ends the run with WORDS.
says() {
    local words=$2 status=0

    printf '%s\n' "$1" >"$work/answers"
    timeout 600 "$rubato" simulate --policy "exec:sh $work/teller" --cluster cluster_specs/n1g8.csv \
        --results "$work/none" "$trace" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" != 0 ] || fail "answers \"$1\" are taken"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "more than a sentence: $(cat "$work/err")"
    grep -qF -e "$words" "$work/err" || fail "no \"$words\" in $(cat "$work/err")"
    [ ! -e "$work/none/summary.json" ] || fail "a run that failed left results"
    checks=$((checks + 1))
}
cat >"$work/teller" <<P
exec 3<"$work/answers"
while read -r question; do
    IFS= read -r answer <&3 || exit 3
    printf '%s\n' "\$answer"
done
P
admit='{"verdicts": []}'
says 'yes' 'question 1: expected one line with a JSON object, found "yes"'
says '[]' 'question 1: expected one line with a JSON object, found "[]"'
says '{}' 'question 1: verdicts: expected a list'
says '{"verdicts": [{"number": 77, "verdict": "try"}]}' 'verdicts[0].number: expected the number of'
says '{"verdicts": [{"number": 0, "verdict": "perhaps"}]}' 'verdicts[0].verdict: expected promise, try or decline'
says '{"verdicts": [3]}' 'verdicts[0].number: expected the number of'
says "$admit" 'question 2: the program ended with exit status 3 before it answered'
says "$admit"$'\n{"jobs": 4}' 'question 2: jobs: expected a list'
says "$admit"$'\n{"jobs": [{"number": 0, "gpus": 3}]}' 'jobs[0].gpus: expected 0 or one of the GPU counts'
says "$admit"$'\n{"jobs": [{"number": 0, "gpus": 16}]}' 'jobs[0].gpus: expected'
says "$admit"$'\n{"jobs": [{"number": 0, "gpus": -1}]}' 'jobs[0].gpus: expected a whole number'
says "$admit"$'\n{"jobs": [{"number": 0, "gpus": 1, "pool": 1}]}' 'jobs[0].pool: expected a whole number'
says "$admit"$'\n{"jobs": [{"number": 0, "gpus": 1}, {"number": 0}]}' 'jobs[1].number: expected a job that was not spoken of before'
says "$admit"$'\n{"jobs": [{"number": 0, "gpus": 1}], "jobs": []}' 'question 2: expected one line with a JSON object'

# A command that is not there, one that says nothing and ends, one that closes its ears, and no command.
refused() {
    local words=$1 status=0

    shift
    timeout 600 "$rubato" simulate "$@" "$trace" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" != 0 ] && [ "$status" != 124 ] || fail "exit status $status of $*"
    grep -qF -e "$words" "$work/err" || fail "no \"$words\" in $(cat "$work/err")"
    checks=$((checks + 1))
}
refused "no-such-program cannot be started" --policy exec:./no-such-program
refused "ended with exit status 0 before it answered" --policy exec:true
refused "ended with signal 9 before it answered" --policy "exec:sh -c kill\${IFS}-9\${IFS}\$\$"
refused "--policy" --policy exec:
refused "expected one line with a JSON object, found" --policy "exec:yes a"

refused "ended with exit status 0 before it answered" --policy "exec:sh -c sleep\${IFS}1000&"
refused "closed its output before it answered" --policy "exec:sh -c exec\${IFS}>&-;sleep\${IFS}1000"

# What a program says on its standard error is said by the run, so much with each question.
cat >"$work/flood" <<P
while IFS= read -r question; do
    echo asked >&2
    head -c 300000 /dev/zero | tr '\\0' x >&2
    printf '%s\n' "\$question"
done | $srtf
P
timeout 600 "$rubato" simulate --policy "exec:sh $work/flood" --results "$work/flooded" "$trace" >"$work/out" 2>"$work/err" ||
    fail "a flood of remarks: $(tail -c 300 "$work/err")"
rm "$work/flooded/summary.json"
diff -r "$work/ten.srtf" "$work/flooded" || fail "a flood of remarks changes what is decided"
questions=$(grep -c '^asked' "$work/err")
[ "$questions" -gt 10 ] || fail "$questions questions"
[ "$(grep -c '^policy exec:.*: question [0-9]*: more than 64 KiB on its standard error; the rest is left out$' "$work/err")" = "$questions" ] ||
    fail "it is not told that remarks are left out"
[ "$(wc -c <"$work/err")" -le $((questions * 66000)) ] || fail "$(wc -c <"$work/err") bytes of remarks on $questions questions"
printf 'read -r question\necho "last words" >&2\nexit 3\n' >"$work/last"
refused "ended with exit status 3 before it answered" --policy "exec:sh $work/last"
grep -qx "last words" "$work/err" || fail "what a program says at last is lost: $(cat "$work/err")"
checks=$((checks + 5))

# A stop is heeded while a program keeps silent: it is sent once the program says that it was asked.
cat >"$work/silent" <<P
read -r question
echo asked >"$work/asked"
sleep 1000
P
mkfifo "$work/asked"
timeout 600 "$rubato" simulate --policy "exec:sh $work/silent" "$trace" >"$work/out" 2>"$work/err" &
run=$!
read -r word <"$work/asked"
kill -TERM "$run"
status=0
wait "$run" || status=$?
[ "$status" = 130 ] || fail "exit status $status of a run that is stopped while a program keeps silent"
grep -q "stopped at [0-9]* s of simulated time" "$work/err" || fail "no word of the stop: $(cat "$work/err")"
checks=$((checks + 1))

# The program ends with the run.
"$rubato" simulate --policy "exec:$srtf" "$trace" >/dev/null 2>&1 || fail "a run alone"
! pgrep -s 0 -f "$srtf" >/dev/null || fail "the program outlives the run"

echo "$checks checks passed"
