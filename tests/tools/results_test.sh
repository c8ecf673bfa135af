#!/usr/bin/env bash
# results_test.sh - results arrive whole, on standard output and in their folder, or their absence is
# told and nothing is left.
source "$(dirname "$0")/cli.sh"

# Standard output that cannot be written is a failure that is named.
for command in "$scheduler --trace_file=$small --cluster_spec=$small_cluster" \
    "$rubato simulate --cluster $small_cluster $small" \
    "$rubato compare --policies edf $small@$small_cluster" \
    "$rubato trace info $small" "$rubato --help" "$rubato simulate --help" "$rubato help simulate" \
    "$rubato quirks" "$rubato trace validate $small" "$rubato simulate --json $small" \
    "$rubato bound --cluster $small_cluster traces/functionality_10jobs.csv" \
    "$rubato sweep --usage" "$rubato sweep --version" "$scheduler --help" "$scheduler --print-config"; do
    status=0
    $command >/dev/full 2>"$err" || status=$?
    [ $status = 1 ] || fail "exit status $status, expected 1, of $command on a full device"
    says "standard output: cannot be written"
    same "the sentences of $command" "$(wc -l <"$err")" 1
    status=0
    $command <&- >&- 2>"$err" || status=$?
    [ $status = 1 ] || fail "exit status $status, expected 1, of $command with standard output closed"
    says "standard output: cannot be written: Bad file descriptor"
done

# A run that fails takes away every folder that it made, and only those.
mkdir "$work/there"
gives 2 "$scheduler" --schedule=ef \
    --cluster_spec="$project/tests/bad_input/aborts/twelve_gpus_ef/cluster.csv" \
    --trace_file="$project/tests/bad_input/aborts/twelve_gpus_ef/trace.csv" \
    --log_path="$work/there/one/two/three"
same "what is left" "$(find "$work/there")" "$work/there"

# A run that cannot be named leaves the results of an older one as they were.
passes "$scheduler" --schedule=edf --trace_file="$small" --cluster_spec="$small_cluster" \
    --log_path="$work/run"
rm "$work/run/rounds.csv"
mkdir "$work/run/rounds.csv"
cp -r "$work/run" "$work/before"
unwritten "rounds.csv: cannot be written" "$scheduler" --schedule=ef --trace_file="$small" \
    --cluster_spec="$small_cluster" --log_path="$work/run"
diff -r "$work/run" "$work/before" >&2 || fail "the older results changed"

# What a job was done by: seconds where a policy goes by the duration, the iterations where it does not;
# themis ends a job by the one that runs out first.
printf '%s\n' job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration \
    few,0,700,vgg16,400,64,1,1000 short,0,100000,vgg16,400,64,1,90 >"$work/measures.csv"
for run in "edf iterations iterations" "gandiva seconds seconds" "dlas-gpu seconds seconds" \
    "chronus seconds seconds" "themis iterations seconds"; do
    read -r policy few short <<<"$run"
    passes "$scheduler" --schedule="$policy" --trace_file="$work/measures.csv" \
        --cluster_spec=cluster_specs/n2g2.csv --log_path="$work/measured"
    same "what $policy goes by" "$(cut -d, -f1-3 "$work/measured/work.csv" | sort)" \
        "$(printf '%s\n' job_id,measure,asked "few,$few,$([ "$few" = seconds ] && echo 1000 || echo 700)" \
            "short,$short,$([ "$short" = seconds ] && echo 90 || echo 100000)" | sort)"
done

# A signal while the inputs are read is heard: the writer of the pipe waits until it is opened.
mkfifo "$work/trace.csv"
"$scheduler" --schedule=edf --trace_file="$work/trace.csv" --log_path="$work/late" \
    >"$out" 2>"$err" &
reader=$!
exec 3>"$work/trace.csv" # returns once the scheduler reads
kill -TERM $reader
cat "$small" >&3
exec 3>&-
status=0
wait $reader || status=$?
same "the exit status of a run stopped while reading" $status 130
says "stopped"
[ ! -e "$work/late" ] || fail "a stopped run left $(ls "$work/late")"

echo "$checks checks passed"
