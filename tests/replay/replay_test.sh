# replay_test.sh - every run of the golden settings is recorded and decided again; so is one that a signal
# stops, one that is killed up to there, and those that the engine ends.
source tests/golden/cells.sh
rubato=${scheduler%/scheduler}/rubato
record=$work/record
runs=0

# replays STATUS SENTENCE: of $record, where RECORD stands for its name.
replays() {
    local status=0 said

    said=$("$rubato" replay "$record" 2>&1) || status=$?
    [ "$status" = "$1" ] || fail "replay ends with $status, expected $1: $said"
    [[ ${said//$record/RECORD} =~ ^$2$ ]] || fail "replay says \"$said\", expected \"$2\""
}

# same POLICY TRACE CLUSTER SLOT GPU_TYPE OPTIONS...: what is recorded is decided again.
same() {
    rm -f "$record"
    "$rubato" simulate --policy="$1" --cluster="$3" --slot="$4" --gpu-type="$5" --record="$record" \
        "${@:6}" "$2" >/dev/null 2>"$work/err" || fail "$*: $(cat "$work/err")"
    replays 0 "RECORD: [1-9][0-9]* steps, all decisions as recorded"
    runs=$((runs + 1))
}

# setting TRACE NODES GPUS SLOT GPU_TYPE: each policy that has golden results, and those of our own.
setting() {
    local policy where

    where=$(cluster "$2" "$3")
    for policy in ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu themis fifo fifo-first-fit srtf rubato; do
        same $policy "$1" "$where" "$4" "$5"
    done
    same chronus "$1" "$where" "$4" "$5" --solver=none
}

setting traces/testbed25.csv 4 8 60 A100
same chronus traces/testbed25.csv cluster_specs/n4g8.csv 60 A100 --mip-time-limit=0
same chronus traces/testbed25.csv cluster_specs/n4g8.csv 60 A100 --solver=none --lease-term-interval=120 \
    --admission-interval=60 --mip-objective=minimize
same ef traces/testbed25.csv cluster_specs/n4g8.csv 60 A100 --rules=EF-Q3 --restart-threshold=7
same edf traces/testbed25.csv cluster_specs/n4g8.csv 60 A100 --rules=clean --placement=best-fit

{
    echo num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node,gpu_type
    echo 1,2,8,64,256,A100
    echo 1,3,4,64,256,T4
} >"$work/mixed.csv"
same fifo traces/testbed25.csv "$work/mixed.csv" 60 A100
same srtf traces/testbed25.csv "$work/mixed.csv" 60 A100

if [ -d "$shared/traces" ]; then
    setting "$shared/traces/elasticVpollux_e.csv" 16 4 60 T4
    setting "$shared/traces/195job.csv" 16 8 240 A100
    setting "$shared/traces/cluster10.csv" 32 8 60 A100
    setting "$shared/traces/philly_103959.csv" 32 8 60 A100
    same chronus "$shared/traces/195job.csv" "$(cluster 16 8)" 240 A100 --mip-time-limit=0
    for policy in gandiva dlas-gpu themis; do
        same $policy "$shared/traces/cluster01.csv" "$(cluster 64 8)" 60 A100
    done
fi

# ---- how runs end ----

# interrupt SIGNAL: a run that is some way into its record, which goes through a pipe, so that it is not yet
# at its end.
interrupt() {
    local run status=0

    rm -f "$work/pipe"
    mkfifo "$work/pipe"
    "$rubato" simulate --policy=themis --cluster=cluster_specs/n16g8.csv --slot=20 \
        --record="$work/pipe" traces/testbed195.csv >/dev/null 2>"$work/err" &
    run=$!
    exec 3<"$work/pipe"
    head -c 200000 <&3 >"$record"
    kill -s "$1" $run
    cat <&3 >>"$record"
    exec 3<&-
    wait $run || status=$?
    echo $status
}

[ "$(interrupt INT)" = 130 ] || fail "a run that SIGINT stops: $(cat "$work/err")"
grep -q '; no result is written; the record up to there is in ' "$work/err" || fail "$(cat "$work/err")"
replays 0 "RECORD: [1-9][0-9]* steps, all decisions as recorded; the run was stopped then"
[ "$(interrupt KILL)" = 137 ] || fail "a run is killed: $(cat "$work/err")"
replays 2 "rubato replay: RECORD:[0-9]*: the record breaks off (in|after) step [0-9]*; the [0-9]* steps before are decided as recorded"

# Where the artifact aborts, so does a run; that happens again.
failed=0
while IFS=$'\t' read -r name policy slot type _; do
    folder=tests/bad_input/aborts/$name
    tables=throughputs
    [ ! -d "$folder/$type" ] || tables=$folder
    rm -f "$record"
    "$rubato" simulate --policy="$policy" --slot="$slot" --gpu-type="$type" --cluster="$folder/cluster.csv" \
        --throughputs="$tables" --record="$record" "$folder/trace.csv" >/dev/null 2>"$work/err" || true
    [ -e "$record" ] || continue
    replays 0 "RECORD: [1-9][0-9]* steps, all decisions as recorded(; the run failed then: .*)?"
    failed=$((failed + 1))
done < <(tail -n +2 tests/bad_input/aborts/manifest.tsv)
[ $failed -ge 30 ] || fail "only $failed runs that fail"

# ---- where a record goes ----

same fifo traces/testbed25.csv cluster_specs/n4g8.csv 60 A100
gzip -c "$record" >"$record.gz"
record=$record.gz
replays 0 "RECORD: [1-9][0-9]* steps, all decisions as recorded"
record=${record%.gz}
echo "job_id" >"$record"
replays 2 "rubato replay: RECORD: is no record of a run: it does not begin with \"rubato-record\""
cp traces/testbed25.csv "$work/trace.csv"
status=0
"$rubato" simulate --record="$work/trace.csv" "$work/trace.csv" >/dev/null 2>"$work/err" || status=$?
[ $status = 2 ] && cmp -s traces/testbed25.csv "$work/trace.csv" || fail "the trace was overwritten"
for options in "" "--slot=30"; do
    status=0
    echo mine >"$record"
    "$rubato" simulate $options --record="$record" traces/testbed25.csv >/dev/null 2>"$work/err" || status=$?
    grep -qF ": is there already; name another file, or say --force to replace it" "$work/err" && [ $status = 2 ] &&
        [ "$(cat "$record")" = mine ] || fail "a file is replaced by a record, or not: $(cat "$work/err")"
    "$rubato" simulate $options --force --record="$record" traces/testbed25.csv >/dev/null 2>"$work/err" || fail "$(cat "$work/err")"
    replays 0 "RECORD: [1-9][0-9]* steps, all decisions as recorded"
done
"$rubato" simulate --record="$work/none/record" traces/testbed25.csv >/dev/null 2>"$work/err" &&
    fail "a record in a folder that is not there"
"$rubato" simulate --record=/dev/full traces/testbed25.csv >/dev/null 2>"$work/err" &&
    fail "a full disk is not noticed"
grep -q '^rubato simulate: /dev/full: cannot be written: No space left on device$' "$work/err" ||
    fail "$(cat "$work/err")"

[ $runs -ge 16 ] || fail "only $runs runs"
echo "$runs runs and $failed that fail are decided again"
