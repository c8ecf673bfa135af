# simulate_test.sh - `rubato simulate` as it is typed: text, JSON, result files, mistakes.
source "$(dirname "$0")/cli.sh"

run=("$rubato" simulate "$small" --cluster "$small_cluster" --policy ef-accessctrl)

# The figures for users.
passes "${run[@]}"
same "the text" "$(sed -E 's/^(simulated in .* )[0-9.]+ s$/\1T s/' "$out")" \
    "jobs                    25, 25 with a deadline
on time                 22, 88.0 %
promised                22, 0 of them broken
best effort on time     0
artifact accepted       22, deadline satisfaction 88.0 %
artifact declined       3
JCT                     mean 3797 s, 99th percentile 12865 s
makespan                21299 s in 47 rounds
GPU utilisation         84.7 % of 32 GPUs on 4 nodes
preemptions             0, 37 migrations, 115 resizes
queueing delay          mean 0 s, 99th percentile 10 s
finish-time fairness    mean 0.62, 99th percentile 1.23, worst 1.23; 86.4 % of 22 jobs fair
simulated in            T s
slot 60 s, the default; the README shows the traces that came with Rubato with --slot 240"

# The figures for programs: names and types are a promise.
passes "${run[@]}" --json
cp "$out" "$work/first.json"
same "the schema" "$(schema <"$out")" \
    "schema_version integer
policy string
rules string
trace string
placement string
cluster string
switches integer
nodes integer
gpus integer
gpu_type string
throughputs string
slot_s integer
restart_threshold integer
jobs integer
deadline_jobs integer
folder string
inputs array
    kind string
    path string
    checksum string
    kind string
    path string
    checksum string
    kind string
    path string
    checksum string
options {}
promises boolean
on_time integer
promised integer
promised_at_arrival integer
promised_later integer
withdrawn integer
withdrawals integer
broken integer
failed integer
best_effort_on_time integer
on_time_share real
value_on_time real
gpu_hours_on_time real
accepted integer
declined integer
finished integer
deadline_satisfaction real
jct_mean_s real
jct_p99_s real
makespan_s integer
gpu_utilisation real
rounds integer
wall_s real
version string
preemptions integer
migrations integer
resizes integer
queueing_delay_mean_s real
queueing_delay_p99_s real
finish_time_fairness_jobs integer
finish_time_fairness_mean real
finish_time_fairness_p99 real
finish_time_fairness_max real
fair_share real"
grep -q '"schema_version": 1,' "$out" || fail "the schema has another version"
same "the braces" "$(head -1 "$out")$(tail -1 "$out")" "{}"
if command -v jq >/dev/null; then
    jq -e . "$out" >/dev/null || fail "that is no JSON"
fi

# Finish-time fairness needs to know what was asked for; the service of a policy with queues adds up.
cut -d, -f1-6 "$small" >"$work/no_num_gpu.csv"
passes "$rubato" simulate --policy ef-accessctrl "$work/no_num_gpu.csv"
! grep -q fairness "$out" || fail "fairness without num_gpu: $(cat "$out")"
passes "$rubato" simulate --policy ef-accessctrl "$work/no_num_gpu.csv" --json
grep -q '"fair_share": null' "$out" || fail "fairness without num_gpu: $(cat "$out")"
passes "${run[@]}" --policy dlas-gpu --results "$work/queues"
same "the service by queue" \
    "$(sed -nE 's/^service by queue +(.*) GPU s; [0-9]+ demotions$/\1/p' "$out" | tr -d , |
        awk 'NF == 3 { print $1 + $2 + $3 }')" \
    "$(awk -F, 'NR > 1 { sum += $5 } END { print sum }' "$work/queues/work.csv")"

# A cluster that is not named is null, and the tables are those that came with the program.
passes "$rubato" simulate --policy ef-accessctrl "$small" --json
grep -q '"cluster": null,' "$out" || fail "the default cluster is not null"
grep -q '"throughputs": ".*/throughputs/A100.csv",' "$out" || fail "other tables: $(cat "$out")"

# --flag=value and --flag value are the same, before and after the trace.
without_wall() { grep -v '"wall_s"' "$1"; }
passes "$rubato" simulate --cluster="$small_cluster" --policy=ef-accessctrl --slot=60 --json=true \
    --gpu-type=A100 --placement=elastic --unknown-model=refuse "$small"
same "joined values" "$(without_wall "$out")" "$(without_wall "$work/first.json")"
passes "$rubato" simulate "$small" --json yes --cluster "$small_cluster" --policy ef-accessctrl \
    --slot 60 --gpu-type A100 --placement elastic --unknown-model refuse
same "separate values" "$(without_wall "$out")" "$(without_wall "$work/first.json")"
passes "$rubato" simulate --policy edf --slot 240 --cluster "$small_cluster" --print-config
cp "$out" "$work/config"
passes "$rubato" simulate --config "$work/config" --json "$small"
grep -q '"policy": "edf",' "$out" || fail "the config file was not read"
grep -q '"slot_s": 240,' "$out" || fail "the config file was not read"

# --rules: what is asked for is told, changes what a policy does, and has to exist.
passes "${run[@]}" --policy edf --json
grep -q '"rules": "reference",' "$out" || fail "other rules: $(cat "$out")"
cp "$out" "$work/reference.json"
passes "${run[@]}" --policy edf --json --rules reference
same "the reference by name" "$(without_wall "$out")" "$(without_wall "$work/reference.json")"
passes "${run[@]}" --policy edf --json --rules EF-Q10,EF-Q15,EF-Q23,EF-Q37,EF-Q38,EF-Q40,EF-Q48
grep -q '"rules": "EF-Q10,EF-Q15,EF-Q23,EF-Q37,EF-Q38,EF-Q40,EF-Q48",' "$out" || fail "other rules: $(cat "$out")"
grep -q '"restart_threshold": 100,' "$out" || fail "another threshold: $(cat "$out")"
cp "$out" "$work/tags.json"
passes "${run[@]}" --policy edf --json --rules clean
same "all tags of edf" "$(without_wall "$out" | sed 's/"clean"/"EF-Q10,EF-Q15,EF-Q23,EF-Q37,EF-Q38,EF-Q40,EF-Q48"/')" \
    "$(without_wall "$work/tags.json")"
[ "$(grep accepted "$out")" != "$(grep accepted "$work/reference.json")" ] || fail "no rule changed"
refused "quirks of edf (EF-Q10, EF-Q15, EF-Q23, EF-Q37, EF-Q38, EF-Q40, EF-Q48), found \"EF-Q3\"" "${run[@]}" --policy edf --rules EF-Q3
refused "--rules: expected a text that is not empty" "${run[@]}" --rules=

# --results: seven files, their marker and no other, the summary being what --json prints; an old run is replaced.
for policy in edf ef-accessctrl; do
    passes "${run[@]}" --policy $policy --json --force --results "$work/results/new"
    same "the result files" "$(ls -A "$work/results/new")" \
        "$(printf '%s\n' .rubato-results cluster.csv jobs.csv outcomes.csv rounds.csv summary.json timeline.csv work.csv)"
    cmp "$out" "$work/results/new/summary.json"
done
same "the jobs" "$(wc -l <"$work/results/new/jobs.csv")" 23
same "the header" "$(head -1 "$work/results/new/jobs.csv")" \
    "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,best_effort"
same "the header" "$(head -1 "$work/results/new/rounds.csv")" "time,layout"
same "the header" "$(head -1 "$work/results/new/work.csv")" \
    "job_id,measure,asked,credited,gpu_seconds"
same "the header" "$(head -1 "$work/results/new/outcomes.csv")" \
    "decided_at,job_id,verdict,reason,promised,outcome,slack,history"
same "the verdicts" "$(wc -l <"$work/results/new/outcomes.csv")" 26
same "the rounds" "$(wc -l <"$work/results/new/rounds.csv")" 48

# Mistakes are named, and leave nothing.
refused "expected one trace, found 0" "$rubato" simulate
refused "expected one trace, found 2" "$rubato" simulate "$small" "$small"
refused "no-such.csv: cannot be read" "$rubato" simulate no-such.csv
refused "no-such.csv: cannot be read" "${run[@]}" --cluster no-such.csv
refused "--policy: expected one of rubato, " "${run[@]}" --policy sjf
refused "--slot: expected a whole number from 0 to 1000000, found \"-1\"" "${run[@]}" --slot=-1
refused "policy ef-accessctrl needs a slot of 1 s at least" "${run[@]}" --slot=0
refused "no throughput table for GPU type H100" "${run[@]}" --gpu-type H100
refused "no-such: no such folder" "${run[@]}" --throughputs no-such
refused "$work/config/results" "${run[@]}" --results "$work/config/results"
refused "no-such.csv: cannot be read" "$rubato" simulate no-such.csv --results "$work/left"
[ ! -e "$work/left" ] || fail "a run that failed leaves a folder"
gives 2 "$rubato" simulate --no-such-option
says "--no-such-option"
# A deadline before the submission is refused, or taken for the submission, by the run and by its audit. Published
# policies plan with the deadline as it is stated: tests/oracle/odd_jobs_test.sh.
printf 'job_id,submission_time,num_iteration,model_name,deadline,batch_size\n1,100,20000,bert,50,64\n2,100,20,bert,9000,64\n' >"$work/past.csv"
sed 's/,50,64/,100,64/' "$work/past.csv" >"$work/now.csv"
refused "not before the submission, found \"50\"; a simulation with --past-deadlines clamp takes it for the submission" \
    "$rubato" simulate --cluster n1g8 "$work/past.csv"
for policy in ef edf; do
    passes "$rubato" simulate --cluster n1g8 --policy $policy --past-deadlines clamp --force --results "$work/past" "$work/past.csv"
    grep -q '^[0-9]*,1,.*,50,0$' "$work/past/jobs.csv"
    passes "$rubato" audit "$work/past"
    sed -i 's/,50,0$/,51,0/' "$work/past/jobs.csv"
    gives 1 "$rubato" audit "$work/past"
done
for policy in lsf rubato; do
    passes "$rubato" simulate --cluster n1g8 --policy $policy --past-deadlines clamp --force --results "$work/past" "$work/past.csv"
    passes "$rubato" audit "$work/past"
    passes "$rubato" simulate --cluster n1g8 --policy $policy --force --results "$work/now" "$work/now.csv"
    cmp "$work/past/jobs.csv" "$work/now/jobs.csv"
done

# What a run refuses, trace validate refuses in the same words.
for row in 1,0,20000,BERT,9000,64 1,0,20000,bert,9000,48 1,0,20000,resnet-50,9000,64 1,0,20000,bert,,64; do
    printf 'job_id,submission_time,num_iteration,model_name,deadline,batch_size\n%s\n' $row >"$work/row.csv"
    refused "row.csv:2: " "$rubato" simulate --cluster n1g8 "$work/row.csv"
    sentence=$(sed 's/^[^:]*: //' "$err")
    refused "$sentence" "$rubato" trace validate "$work/row.csv"
done
sed -i '2s/.*/1,2026-03-01T08:00:00,20000,bert,2026-03-01T12:00:00,64/' "$work/row.csv"
refused "; write times as whole seconds, and dates as seconds" "$rubato" trace validate "$work/row.csv"
sed -i '2s/.*/1,0,20000,bert,"9.000,00",64/' "$work/row.csv"
refused "; write digits alone, without points, commas" "$rubato" trace validate "$work/row.csv"
sed -i '2s/.*/1,0,20000,BERT,9000,64/' "$work/row.csv"
refused 'found "BERT"; did you mean "bert"?' "$rubato" trace validate "$work/row.csv"
printf 'job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,job_type\n0,u,1,0,9,bert,9,1,159-189,10-8,0,soft\n' >"$work/chronus.csv"
"$rubato" trace info "$work/chronus.csv" >/dev/null || fail "a trace as Chronus published them is refused"

done_checking 40
