# rubato_sizes_test.sh - jobs that are fixed to a number of GPUs which is no power of two: random traces are audited and
# decided again as recorded, also where nodes fail, are in reserve, or tables are wrong; a job holds the GPUs that it
# asks for, and no more, and one whose block the cluster has not is too large. Whole traces of Chronus run as they were
# published. In a soak there are RUBATO_SOAK times as many traces; RUBATO_SEED is the first seed.
source "$(dirname "$0")/../tools/cli.sh"

first=${RUBATO_SEED:-1}
columns=job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,job_type
echo "RUBATO_SEED=$first"

cat >"$work/draw.py" <<'DRAW'
import random, sys

draw = random.Random(int(sys.argv[1]))
print(sys.argv[2])
at = 0
for job in range(150):
    at += int(draw.expovariate(1 / 40))
    duration = 5 + int(draw.lognormvariate(6, 1))
    gpus = draw.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 20, 24, 33])
    window = 30 + int(duration * (1.05 + 6 * draw.random()))
    best = draw.random() < 0.1
    print(job, f"user{job % 5}", gpus, at, 3 * duration, "alexnet", duration, 7, "" if best else window, "" if best else 10,
          int(best), "best" if best else "strict", sep=",")
DRAW

# Prints how many of them run on a number that is no power of two; each holds as many as it asks for, at its end.
cat >"$work/sizes.py" <<'CHECK'
import csv, sys

def rows(path):
    return csv.DictReader(line for line in open(path) if not line.startswith("#"))

asked = {row["job_id"]: int(row["num_gpu"]) for row in rows(sys.argv[1])}
odd = 0
for row in rows(sys.argv[2]):
    gpus = int(row["gpus_at_end"])
    assert gpus in (0, asked[row["job_id"]]), row
    odd += gpus & (gpus - 1) != 0
print(odd)
CHECK

audited() { # TRACE WHAT: the results of it, and the record
    "$rubato" audit "$work/results" >"$out" || true # 1 where a promise is broken
    same "what the auditor says of $2" "$(tail -1 "$out" | grep -o ' 0 violations')" " 0 violations"
    passes python3 "$work/sizes.py" "$1" "$work/results/jobs.csv"
    [ "$(cat "$out")" -gt 0 ] || fail "no job of $2 runs on a number of GPUs that is no power of two"
    passes "$rubato" replay "$work/record"
}

for seed in $(seq "$first" $((first + 3 * ${RUBATO_SOAK:-1} - 1))); do
    passes python3 "$work/draw.py" "$seed" "$columns"
    cp "$out" "$work/trace.csv"
    for world in "" "--spare-nodes 1" "--node-mtbf 20000 --node-repair 600" "--speed-error 20 --confidence 95"; do
        # shellcheck disable=SC2086
        passes "$rubato" simulate "$work/trace.csv" --cluster n4g8 --slot $((seed % 3 * 30)) --force --seed "$seed" $world \
            --results "$work/results" --record "$work/record"
        audited "$work/trace.csv" "seed $seed, $world"
        [ -n "$world" ] || same "broken without a disturbance" "$(grep -c '"broken": 0,' "$work/results/summary.json")" 1
    done
done

# A job of 20 GPUs is planned as one of 32: two such blocks are all of 64 GPUs.
printf '%s\n' "$columns" 0,a,20,0,3000,alexnet,1000,7,1200,10,0,strict 1,a,32,0,3000,alexnet,1000,7,1200,10,0,strict \
    2,a,12,0,30,alexnet,10,7,3000,10,0,strict >"$work/trace.csv"
passes "$rubato" simulate "$work/trace.csv" --cluster n8g8 --slot 0 --force --results "$work/results" --record "$work/record"
same "verdicts on 64 GPUs" "$(cut -d, -f2,3 "$work/results/outcomes.csv" | sed 1d | sort)" "0,promised
1,promised
2,promised"
audited "$work/trace.csv" "three jobs"
passes "$rubato" simulate "$work/trace.csv" --cluster n1g8 --slot 0 --force --results "$work/results"
same "verdicts on 8 GPUs" "$(cut -d, -f2-4 "$work/results/outcomes.csv" | sed 1d | sort)" "0,declined,too-large
1,declined,too-large
2,declined,too-large"

# Policies that resize jobs and plan in powers of two say who plans such a job.
gives 2 "$rubato" simulate "$work/trace.csv" --policy edf
same "what edf says" "$(cat "$err")" "rubato simulate: model alexnet: GPU counts must be powers of two under this policy, \
found 20; fifo, fifo-first-fit and srtf take any, and rubato takes a single one"

# A table may have any counts for a policy that does not need powers of two. Other policies say where the table has one.
mkdir "$work/tables"
printf '%s\n' model,global_batch_size,gpus,iterations_per_s m,96,1,1 m,96,2,1.9 m,96,3,2.7 m,96,4,3.4 m,96,12,8 \
    >"$work/tables/A100.csv"
{
    echo job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration
    for job in $(seq 60); do
        echo "j$job,$((job * 40)),$((100 + job * 37 % 400)),m,$((job * 40 + 3000)),96,$(echo 1 3 12 2 4 | cut -d ' ' -f $((job % 5 + 1))),100"
    done
} >"$work/trace.csv"
for policy in fifo fifo-first-fit srtf; do
    for world in "" "--node-mtbf 20000 --node-repair 600"; do
        # shellcheck disable=SC2086
        passes "$rubato" simulate "$work/trace.csv" --policy "$policy" --cluster n4g8 --throughputs "$work/tables" --force \
            $world --results "$work/results" --record "$work/record"
        audited "$work/trace.csv" "$policy, counts of the table, $world"
    done
done
for policy in rubato edf ef-accessctrl ef gandiva dlas-gpu themis lsf; do
    gives 2 "$rubato" simulate "$work/trace.csv" --policy "$policy" --cluster n4g8 --throughputs "$work/tables"
    same "what $policy says" "$(cat "$err")" "rubato simulate: $work/tables/A100.csv:4: model m: GPU counts must be powers of two \
under this policy, found 3; fifo, fifo-first-fit and srtf take any"
done

for trace in MIX1 MIX2 SLO; do
    published=${RUBATO_SHARED:-}/peers/chronus/trace_job_Philly_$trace.csv.xz
    [ -e "$published" ] || continue
    # Those of 12 and 20 GPUs, and one job in 20 of all others.
    xz -dc "$published" | awk -F, 'NR == 1 || $3 == 12 || $3 == 20 || NR % 20 == 0' >"$work/trace.csv"
    passes "$rubato" simulate "$work/trace.csv" --cluster n8g8 --slot 60 --force --results "$work/results" --record "$work/record"
    audited "$work/trace.csv" "$trace"
done
done_checking 40
