# rubato_soft_test.sh - random traces with soft deadlines, on clusters whose nodes fail and whose tables are wrong: a
# promise is of one of the dates of its job, falls to later dates only, from the one that it has, and none falls once it
# is withdrawn; the auditor, which adds up the value kept from the ends of jobs, has no objection. The objective value
# changes nothing where all jobs are worth 1. In a soak there are RUBATO_SOAK times as many traces; RUBATO_SEED is the
# first seed.
source "$(dirname "$0")/../tools/cli.sh"

clusters=(n1g4 n1g8 n2g2 n4g8)
first=${RUBATO_SEED:-1}
falls=0
echo "RUBATO_SEED=$first"

# Two jobs in three get three dates more, each worth less.
soften() { # SEED
    awk -F, -v OFS=, -v seed="$1" '
        BEGIN { srand(seed) }
        /^#/ { print; next }
        !c { for (i = 1; i <= NF; i++) at[$i] = i; c = 1; print; next }
        $at["best_effort"] != 1 && rand() < 0.67 {
            date = $at["deadline"]; window = date - $at["submission_time"]; steps = date ":10"
            for (value = 8; value > 0; value -= 3)
                steps = steps "," (date += 1 + int(window * rand())) ":" value
            $at["deadline"] = "\"" steps "\""
        }
        { print }' "$work/plain.csv" >"$work/trace.csv"
}

# Prints how often promises fell, or what is wrong with their histories.
cat >"$work/histories.py" <<'CHECK'
import csv, re, sys

def rows(path):
    return csv.DictReader(line for line in open(path) if not line.startswith("#"))

dates = {row["job_id"]: [int(step.split(":")[0]) for step in row["deadline"].split(",")]
         for row in rows(sys.argv[1]) if row["best_effort"] != "1"}
falls = 0
for row in rows(sys.argv[2]):
    stands = None
    for turn in row["history"].split(" | "):
        promised = re.match(r"\d+ promised (?:again )?by (\d+)$", turn)
        fall = re.match(r"\d+ falls: .* falls from (\d+) s to (\d+) s$", turn)
        if promised:
            assert stands is None, (row, turn)
            stands = int(promised[1])
        elif fall:
            assert stands == int(fall[1]) < int(fall[2]), (row, turn)
            stands = int(fall[2])
            falls += 1
        elif re.match(r"\d+ withdrawn: ", turn):
            assert stands is not None, (row, turn)
            stands = None
        assert stands is None or stands in dates[row["job_id"]], (row, turn)
    assert stands is None or stands == int(row["promised"]), row
print(falls)
CHECK

for seed in $(seq "$first" $((first + 6 * ${RUBATO_SOAK:-1} - 1))); do
    cluster=cluster_specs/${clusters[$((seed % 4))]}.csv
    passes "$rubato" trace generate --force --seed "$seed" --jobs 40 --arrival-interval $((40 + seed * 37 % 200)) \
        --tightness 0.5:2 --duration 60:2000 --best-effort 0.1 --output "$work/plain.csv"
    soften "$seed"
    for world in "" "--node-mtbf 20000 --node-repair 600" "--speed-error 20" "--speed-error 30 --confidence 95"; do
        for objective in promises value; do
            # shellcheck disable=SC2086
            passes "$rubato" simulate "$work/trace.csv" --cluster "$cluster" --slot $((10 + seed % 3 * 50)) --force \
                --seed "$seed" --objective $objective $world --results "$work/results"
            "$rubato" audit "$work/results" >"$out" || true # 1 where a promise is broken
            same "what the auditor says of seed $seed, $world" "$(tail -1 "$out" | grep -o ' 0 violations')" " 0 violations"
            passes python3 "$work/histories.py" "$work/trace.csv" "$work/results/outcomes.csv"
            fell=$(cat "$out")
            falls=$((falls + fell))
            passes "$rubato" promises --json "$work/results"
            same "the falls that are counted of seed $seed, $world" "$(sed -nE '1,/"weeks"/s/^ +"falls": ([0-9]+),$/\1/p' "$out")" "$fell"
            [ -n "$world" ] || same "broken without a disturbance" "$(grep -c '"broken": 0,' "$work/results/summary.json")" 1
        done
    done
    for objective in promises value; do
        passes "$rubato" simulate "$work/plain.csv" --cluster "$cluster" --slot 60 --objective $objective \
            --results "$work/$objective$seed"
    done
    for file in jobs outcomes rounds work; do
        cmp "$work/promises$seed/$file.csv" "$work/value$seed/$file.csv" || fail "seed $seed: the objective changes $file.csv"
    done
done
[ $falls -gt 0 ] || fail "no promise falls"
echo "$falls falls"

# A trace as Chronus published them is audited as it is: without batch sizes, jobs that ask for no GPU left out.
cat >"$work/published.csv" <<'TRACE'
job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,job_type
0,a,1,100,5530,mobilenet_v2,96,5,159-189-229,10-8-5,0,soft
1,b,4,50,760,alexnet,106,6,235,10,0,strict
2,b,0,60,760,alexnet,106,6,235,10,0,strict
3,b,2,50,100,alexnet,50,6,,,1,best
TRACE
for policy in rubato chronus fifo; do
    passes "$rubato" simulate "$work/published.csv" --cluster cluster_specs/n1g4.csv --slot 5 --force --policy $policy \
        --results "$work/results"
    passes "$rubato" audit "$work/results"
    same "the jobs of $policy" "$(grep -o ' 3 jobs' "$out")" " 3 jobs"
done
done_checking 150

# A job with soft deadlines is promised a step that it can keep after its parent, beside another chain that waits.
cat >"$work/chained.csv" <<'TRACE'
job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration,after
0,0,42198,bert,"10552:10,17585:5,31651:1",64,1,7033,
1,0,30427,vgg16,25943,256,1,6474,0:any
2,0,465,resnet50,2820,256,1,155,0
4,0,23255,inception3,"5831:10,10482:5,19784:1",128,1,4651,1
9,0,1230,inception3,4242,128,1,246,2
TRACE
for slot in 0 60; do
    passes "$rubato" simulate "$work/chained.csv" --cluster cluster_specs/n1g8.csv --slot $slot --force --results "$work/results"
    passes "$rubato" audit "$work/results"
    same "the promise of the job" "$(grep -cE '^0,4,promised,fits,(10482|19784),on-time,' "$work/results/outcomes.csv")" 1
done
