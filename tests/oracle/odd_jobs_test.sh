# odd_jobs_test.sh - jobs that the artifact takes and a careful reader refuses: deadlines before the
# submission under --past-deadlines clamp, and 0 iterations where a job is measured by its duration.
# On random traces jobs.csv and rounds.csv are those of the oracle, byte for byte; the audit and the
# replay of the record agree.
set -euo pipefail

tables=${RUBATO_SHARED:-../shared}/throughputs
build=${RUBATO_BUILD:?is set by ctest}
seed=${RUBATO_SEED:-$RANDOM}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

if [ ! -d "$tables" ]; then
    echo "no throughput tables in $tables"
    exit 77
fi
printf 'num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,2,8,64,512\n' >"$work/cluster.csv"

# trace KIND SEED: 20 jobs, a third of them of the kind past or zero.
trace() {
    awk -v kind="$1" -v seed="$2" '
        function below(n) { return int(rand() * n) }
        BEGIN {
            srand(seed)
            split("50 300 2000 8000", durations)
            split("resnet50,128 bert,64 vgg16,128 gpt2,128", models)
            print "job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration"
            for (i = 0; i < 20; i++) {
                at += below(4) * 100
                duration = durations[1 + below(4)]
                odd = below(3) == 0
                split(models[1 + below(4)], model, ",")
                deadline = odd && kind == "past" ? below(at + 1) : at + int(duration * (0.3 + 2.7 * rand()))
                iterations = odd && kind == "zero" ? 0 : 1 + below(duration * 10)
                print i "," at "," iterations "," model[1] "," deadline "," model[2] "," 2 ^ below(4) "," duration
            }
        }' >"$work/trace.csv"
}

# same POLICY: the oracle and the scheduler on $work/trace.csv.
same() {
    local file

    "$build/tests/oracle_cli" "$1" "$work/trace.csv" "$work/cluster.csv" 60 A100 "$tables" "$work/oracle" \
        >/dev/null 2>"$work/err" || fail "the oracle: $1 with seed $seed: $(cat "$work/err")"
    "$build/bin/rubato" simulate --policy "$1" --cluster "$work/cluster.csv" --slot 60 --past-deadlines clamp \
        --throughputs "$tables" --force --results "$work/results" --record "$work/record" "$work/trace.csv" \
        >/dev/null 2>"$work/err" || fail "$1 with seed $seed: $(cat "$work/err")"
    for file in jobs rounds; do
        cmp "$work/oracle/$file.csv" "$work/results/$file.csv" || fail "$1 with seed $seed: $file.csv differs"
    done
    "$build/bin/rubato" replay "$work/record" >"$work/out" 2>&1 || fail "$1 with seed $seed: $(cat "$work/out")"
    "$build/bin/rubato" audit "$work/results" >"$work/out" 2>&1 || grep -q ', 0 violations' "$work/out" ||
        fail "$1 with seed $seed: $(cat "$work/out")"
    rm "$work/record"
}

last=$((seed + 3 * ${RUBATO_SOAK:-1}))
for ((; seed < last; seed++)); do
    trace past "$seed"
    for policy in ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu themis; do
        same "$policy"
    done
    trace zero "$seed"
    for policy in gandiva dlas-gpu; do
        same "$policy"
    done
    "$build/bin/rubato" simulate --policy chronus --cluster "$work/cluster.csv" "$work/trace.csv" >/dev/null 2>&1 ||
        fail "chronus refuses 0 iterations with seed $seed"
    for policy in rubato edf-accessctrl themis; do
        if "$build/bin/rubato" simulate --policy $policy --cluster "$work/cluster.csv" "$work/trace.csv" \
            >/dev/null 2>"$work/err"; then
            fail "$policy takes a job of 0 iterations"
        fi
        grep -q 'expected a whole number from 1 to .* found "0"' "$work/err" || fail "$policy: $(cat "$work/err")"
    done
    echo "ok: seed $seed"
done
