# outcomes_test.sh - what a reader is told first is what happened: the counts of every policy are those
# that jobs.csv and outcomes.csv add up to, and each job that was declined has a time and a reason.
source "$(dirname "$0")/cli.sh"

told() { # outcomes.csv without slack and history
    cut -d, -f1-6 "$work/run/outcomes.csv"
}

figure() { # NAME
    sed -nE "s/^  \"$1\": (.*),/\1/p" "$work/run/summary.json"
}

# check_counts POLICY PROMISES OPTIONS...
check_counts() {
    local policy=$1 promises=$2

    shift 2
    passes "$scheduler" --schedule="$policy" --log_path="$work/run" "$@"
    same "$policy promises" "$(figure promises)" "$promises"
    same "on time by jobs.csv under $policy" "$(figure on_time)" \
        "$(awk -F, 'NR > 1 && $8 == 0 && $6 <= $7' "$work/run/jobs.csv" | wc -l)"
    same "on time by outcomes.csv under $policy" "$(figure on_time)" \
        "$(told | grep -c ',on-time$')"
    same "promised under $policy" "$(figure promised)" \
        "$(grep -c ',promised,fits,[0-9]*,' "$work/run/outcomes.csv")"
    same "broken under $policy" "$(figure broken)" \
        "$(told | grep -c ',promised,.*,late$')"
    same "on time without a promise under $policy" "$(figure best_effort_on_time)" \
        "$(($(figure on_time) - $(figure promised) + $(figure broken)))"
    same "each job once under $policy" "$(tail -n +2 "$work/run/outcomes.csv" | cut -d, -f2 | sort | uniq | wc -l)" \
        "$(figure jobs)"
    same "nothing else in outcomes.csv under $policy" "$(grep -cvE \
        '^(decided_at,.*|([0-9]+),[^,]+,(promised,fits,([0-9]+),(on-time,|late,-)[0-9]+,"\2 promised by \4"|best-effort,(no-deadline,,done,,"\2 best-effort: no-deadline"|(no-promises|no-room),,(on-time,|late,-)[0-9]+,"\2 best-effort: \7")|declined,(no-room|too-large),,,,"\2 declined: \9"))$' \
        "$work/run/outcomes.csv")" 0
}

for trace in traces/testbed195.csv traces/mixed1000.csv; do
    for policy in ef edf gandiva dlas-gpu themis fifo fifo-first-fit srtf; do
        check_counts $policy false --trace_file=$trace --cluster_spec=cluster_specs/n16g8.csv
        same "the promises of $policy" "$(figure promised),$(figure broken)" "0,0"
    done
    for rules in reference clean; do
        for policy in ef-accessctrl edf-accessctrl chronus; do
            check_counts $policy true --trace_file=$trace --cluster_spec=cluster_specs/n16g8.csv --rules=$rules
        done
    done
done

# The artifact counts 147 jobs as accepted; so many of them have ended by their deadline.
check_counts ef-accessctrl true --trace_file=traces/testbed195.csv \
    --cluster_spec=cluster_specs/n16g8.csv --scheduling_slot=240
same "ef-accessctrl" "$(figure on_time) $(figure promised) $(figure broken) $(figure accepted)" "129 159 30 147"
same "what is printed" "$("$rubato" simulate --policy ef-accessctrl --slot 240 --cluster cluster_specs/n16g8.csv traces/testbed195.csv | sed -n 2,6p)" \
    "on time                 129, 66.2 %
promised                159, 30 of them broken
best effort on time     0
artifact accepted       147, deadline satisfaction 75.4 %
artifact declined       48"

# A decline has a time, and a reason.
same "the declines" "$(told | grep -c ',declined,no-room,,$')" 36
same "the first" "$(grep -m 1 declined "$work/run/outcomes.csv")" '41,0,declined,no-room,,,,"41 declined: no-room"'
printf '%s\n' job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration \
    small,0,700,vgg16,400,64,1,100 large,7,700,vgg16,900,64,8,100 >"$work/large.csv"
passes "$scheduler" --schedule=fifo --trace_file="$work/large.csv" --cluster_spec=cluster_specs/n2g2.csv \
    --scheduling_slot=5 --log_path="$work/run"
same "a job that is too large" "$(told | tail -n 1)" "7,large,declined,too-large,,"

# A job with two deadlines is promised the last one.
printf '%s\n' job_id,submit_time,iterations,model_name,batch_size,num_gpu,duration,expect_time_list,expect_value_list,best_effort,job_type \
    soft,0,700,vgg16,64,1,700,1500-2500,10-7,0,soft any,0,700,vgg16,64,1,100,,,1,best >"$work/soft.csv"
passes "$scheduler" --schedule=chronus --trace_file="$work/soft.csv" --cluster_spec=cluster_specs/n2g2.csv \
    --log_path="$work/run"
same "a job with two deadlines" "$(told | grep soft)" "0,soft,promised,fits,2500,on-time"
same "a job without one" "$(told | grep any)" "0,any,best-effort,no-deadline,,done"
same "the counts" "$(figure on_time) $(figure promised) $(figure broken) $(figure deadline_jobs)" "1 1 0 1"

# rubato promises what the objective asks for: of two jobs of which one finds room, the one that is worth more. A job
# that wants a promise or nothing does not run without one.
printf '%s\n' job_id,submit_time,iteration,model_name,ddl,batch_size,value,promise_or_decline \
    short,0,700,vgg16,300,64,1,1 long,0,900,vgg16,300,64,5,1 >"$work/worth.csv"
worth() { # OBJECTIVE
    passes "$rubato" simulate --cluster cluster_specs/n1g1.csv --slot 0 --objective "$1" --force --results "$work/run" \
        "$work/worth.csv"
    passes "$rubato" audit "$work/run"
    told | tail -n +2 | tr '\n' ' '
}
same "as many promises as can be" "$(worth promises)" \
    "0,short,promised,fits,300,on-time 0,long,declined,no-room,, "
same "as much value as can be" "$(worth value)" \
    "0,short,declined,no-room,, 0,long,promised,fits,300,on-time "
same "what that is worth" "$(figure value_on_time)" 5.0
refused '--objective value: policy ef has no such option, which is of rubato' "$rubato" simulate --policy ef --objective value "$work/worth.csv"

# A job that has room beside all promises, and is denied one for jobs that are likely to come, is told so; without the six
# jobs before nothing is known of such jobs.
{
    echo job_id,submit_time,iteration,model_name,ddl,batch_size,promise_or_decline
    for k in 0 1 2 3 4 5; do echo "first-$k,$((k * 600)),25000,resnet50,$((k * 600 + 28800)),256,1"; done
    echo second,3600,199000,resnet50,39600,256,1
} >"$work/flow.csv"
denied() { # ROWS: of the trace, left out
    sed "$1d" "$work/flow.csv" >"$work/part.csv"
    passes "$rubato" simulate --cluster cluster_specs/n1g8.csv --slot 60 --force --results "$work/run" "$work/part.csv"
    passes "$rubato" audit "$work/run"
    told | grep second
}
same "a job denied for jobs to come" "$(denied 9)" "3600,second,declined,jobs-to-come,,"
same "the same without the jobs before" "$(denied 2,7)" "3600,second,promised,fits,39600,on-time"
sed 8d "$work/flow.csv" >"$work/part.csv"
passes "$rubato" quote "$work/part.csv" --cluster cluster_specs/n1g8.csv --slot 60 --model resnet50 --batch-size 256 \
    --iterations 199000 --at 3600 --deadline 39600
same "why it is not quoted" "$(grep -c 'fits beside all promises.*likely to come: the arrivals of the last 1 h need 22.6 GPU-hours per hour, 283 % of the 8 GPUs' "$out")" 1

# Promises are counted by user where the trace says whose jobs they are, also of a folder that was given away; not by
# another trace that has its name now.
printf '%s\n' job_id,submission_time,num_iteration,model_name,deadline,batch_size,user \
    a,0,100,bert,90000,64,ann b,10,100,bert,90000,64,ben c,20,100,bert,90000,64,ann d,30,100,bert,90000,64, >"$work/users.csv"
passes "$rubato" simulate --cluster n1g8 --results "$work/users" --with-inputs "$work/users.csv"
passes "$rubato" promises "$work/users"
same "the promises of each user" "$(grep -E '^(ann|ben) ' "$out" | awk '{ print $1, $2, $3 }' | xargs)" "ann 2 2 ben 1 1"
same "promises by week" "$(grep -cE '^week 1 +4 +4 ' "$out")" 1
rm -r "$work/users/inputs"
passes "$rubato" promises "$work/users"
same "the promises of each user, by the trace" "$(grep -cE '^(ann|ben) ' "$out")" 2
sed -i 's/,ben$/,eve/' "$work/users.csv"
passes "$rubato" promises "$work/users"
same "users of another trace" "$(grep -cE '^(ann|ben|eve) ' "$out")" 0
rm "$work/users.csv"
passes "$rubato" promises "$work/users"
same "users without a trace" "$(grep -cE '^(ann|ben|eve) ' "$out")" 0

# Results without these columns, or without the file, are not counted as if nothing had happened.
passes "$rubato" promises "$work/run"
cp -r "$work/run" "$work/before"
told >"$work/before/outcomes.csv"
refused "$work/before/outcomes.csv does not tell the slack and the history of promises: its rubato was an older one" \
    "$rubato" promises "$work/before"
rm "$work/before/outcomes.csv"
refused "$work/before/outcomes.csv: cannot be read: No such file or directory" "$rubato" promises "$work/before"
done_checking 150
