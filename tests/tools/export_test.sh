# export_test.sh - `rubato export`: the logs of the published artifact, of a run that is known to the last line, and
# against the reference where it is there.
source "$(dirname "$0")/cli.sh"

# Three jobs on two nodes of 2 GPUs.
printf '%s\n' job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration \
    a,0,2000,vgg16,700,128,1,380 b,20,1500,resnet50,4000,128,2,200 c,30,300,bert,3000,64,4,100 >"$work/three.csv"
passes "$rubato" simulate --policy fifo --slot 60 --cluster cluster_specs/n2g2.csv "$work/three.csv" --force --results "$work/run"
passes "$rubato" export --to artifact --output "$work/logs/fifo" "$work/run"
same "the logs" "$(ls "$work/logs/fifo" | xargs)" "final_result.csv job.csv scheduling_events.csv"
same "the events" "$(head -3 "$work/logs/fifo/scheduling_events.csv" | cut -d, -f1-5)" "time,gpu0-0,gpu0-1,gpu1-0,gpu1-1
0,0,,,
60,0,,1,1"
same "their columns" "$(awk -F, '{ print NF }' "$work/logs/fifo/scheduling_events.csv" | sort -u)" 6
same "their efficiency" "$(cut -d, -f6 "$work/logs/fifo/scheduling_events.csv" | tail -n +2)" \
    "$(cut -d, -f6 "$work/run/cluster.csv" | tail -n +2)"
same "the ratio" "$(tail -n 1 "$work/logs/fifo/final_result.csv")" "-,0.6666666666666666,cluster_specs/n2g2.csv,$work/three.csv,fifo,best-fit"
same "a job" "$(grep ,b, "$work/logs/fifo/job.csv")" \
    "$(awk -F, '$2 == "b" { print $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 "," $6 - $5 "," $6 - $4 "," $5 - $4 ",0,0," $8 }' \
        "$work/run/jobs.csv")"

# Files that are there are replaced only by force, the trace of the run among them.
same "where logs are" "$("$rubato" export --to artifact --force --output "$work/logs/fifo" "$work/run" 2>&1)" \
    "rubato export: logs are in $work/logs/fifo"
mkdir "$work/own"
cp "$work/three.csv" "$work/own/job.csv"
refused "$work/own/job.csv: is there already; name another folder for the logs, or say --force to replace it" \
    "$rubato" export --to artifact --output "$work/own" "$work/run"
same "a folder that is refused" "$(ls "$work/own")" job.csv
cmp "$work/three.csv" "$work/own/job.csv"
passes "$rubato" export --to artifact --force --output "$work/own" "$work/run"
diff -r "$work/logs/fifo" "$work/own"
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node,gpu_type 1,2,4,64,256,A100 1,2,2,64,256,T4 \
    >"$work/mixed.csv"
passes "$rubato" simulate --policy fifo --slot 60 --cluster "$work/mixed.csv" "$work/three.csv" --results "$work/pools"
refused "$work/pools/summary.json: a run on several pools; the artifact's logs know one" \
    "$rubato" export --to artifact --output "$work/x" "$work/pools"

passes "$rubato" simulate --policy chronus --slot 240 --cluster cluster_specs/n16g8.csv traces/testbed195.csv --force --results "$work/run"
passes "$rubato" export --to artifact --output "$work/logs/chronus" "$work/run"
cmp "$work/logs/chronus/scheduling_events.csv" "$work/logs/chronus/time-aware-with-lease_resource.csv"
same "GPUs that are free" "$(awk -F, 'NR > 1 && ($2 != 128 || $3 < 0 || $3 > 128 || ($3 < 128) != ($5 > 0))' \
    "$work/logs/chronus/scheduling_events.csv")" ""

# The layouts of the reference, GPU by GPU, and its records.
shared=${RUBATO_SHARED:-../shared}
reference=$shared/reference/195job.n16g8.slot240.A100
if [ -d "$reference" ]; then
    for policy in ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu; do
        passes "$rubato" simulate --policy $policy --slot 240 --cluster cluster_specs/n16g8.csv "$shared/traces/195job.csv" \
            --force --results "$work/run"
        passes "$rubato" export --to artifact --output "$work/logs/$policy" "$work/run"
        awk -F, '
            NR > 1 {
                split("", held)
                count = split($2, words, " ")
                for (i = 1; i <= count; i++) {
                    split(words[i], part, /[@x]/)
                    for (gpu = part[2]; gpu < part[2] + part[3]; gpu++) held[gpu] = part[1]
                }
                line = $1
                for (gpu = 0; gpu < 128; gpu++) line = line "," (gpu in held ? held[gpu] : "")
                print line
            }' "$reference/$policy.rounds.csv" >"$work/expected"
        sed -e 1d -e 's/,[^,]*$//' "$work/logs/$policy/scheduling_events.csv" | cmp - "$work/expected" ||
            fail "the events of $policy differ from the reference"
        same "the jobs of $policy" "$(sed 1d "$work/logs/$policy/job.csv" | cut -d, -f1-7,13)" \
            "$(sed 1d "$reference/$policy.jobs.csv")"
    done
fi

refused "expected --to and --output" "$rubato" export "$work/run"
refused "expected one result folder, found 0" "$rubato" export --to artifact --output "$work/x"
refused "$work/none/summary.json: cannot be read" "$rubato" export --to artifact --output "$work/x" "$work/none"
refused "rounds.csv:2: column 2 (layout): expected JOB@RANKxGPUS within the cluster, found" \
    bash -c "cp -r '$work/run' '$work/bad'; sed -i 's/\"leasing\"/\"other\"/; ' '$work/bad/summary.json'; \
        sed -i '2s/,.*/,0@127x2/' '$work/bad/rounds.csv'; '$rubato' export --to artifact --output '$work/x' '$work/bad'"

# hostile WORDS SED: a summary that SED changes is refused.
hostile() {
    rm -rf "$work/hostile"
    cp -r "$work/run" "$work/hostile"
    sed -i "$2" "$work/hostile/summary.json"
    refused "$work/hostile/summary.json: $1" "$rubato" export --to artifact --output "$work/x" "$work/hostile"
}
cluster="expected nodes with the same number of GPUs each, at most 1048576 in all"
hostile "$cluster" 's/"nodes": [0-9]*/"nodes": 1099511627776/; s/"gpus": [0-9]*/"gpus": 9007199254740992/'
hostile "$cluster" 's/"nodes": [0-9]*/"nodes": 1/; s/"gpus": [0-9]*/"gpus": 1048577/'
hostile "$cluster" 's/"nodes": [0-9]*/"nodes": -1/'
hostile "expected accepted and declined jobs from 0 to 2147483647" \
    's/"accepted": [0-9]*/"accepted": 9223372036854775807/; s/"declined": [0-9]*/"declined": 9223372036854775807/'
hostile "expected accepted and declined jobs" 's/"declined": [0-9]*/"declined": -5/'
same "what a mistake leaves" "$(ls "$work/x" 2>/dev/null)" ""
done_checking 27
