# timeline_test.sh - timeline.csv and cluster.csv: a run that is known to the last line, the words for changes, and
# that both files add up to what the other results say.
source "$(dirname "$0")/cli.sh"

figure() { # NAME
    sed -nE "s/^  \"$1\": (.*),/\1/p" "$work/run/summary.json"
}

# Five jobs on one node of 8 GPUs, as the worked example of the behavioural specification has them.
printf '%s\n' job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration \
    a,0,2000,vgg16,700,128,1,1 b,20,1500,resnet50,400,128,1,1 c,100,3000,bert,300,64,1,1 \
    d,130,1200,gpt2,500,128,1,1 e,400,900,inception3,900,128,1,1 >"$work/five.csv"
passes "$rubato" simulate --policy ef-accessctrl --slot 60 --cluster cluster_specs/n1g8.csv "$work/five.csv" \
    --force --results "$work/run"
same "the timeline" "$(cat "$work/run/timeline.csv")" "time,job_id,pool,gpus,reason
0,a,A100,8,start
60,a,A100,4,shrink
60,b,A100,4,start
180,d,A100,2,start
180,b,A100,2,shrink
242,a,A100,0,done
242,d,A100,4,grow
242,b,A100,4,grow
304,d,A100,0,done
304,b,A100,0,done
400,e,A100,8,start
522,e,A100,0,done"
same "the use of the cluster" "$(cut -d, -f1-5 "$work/run/cluster.csv")" \
    "time,gpus_up,gpus_used,jobs_running,jobs_waiting
0,8,8,1,0
60,8,8,2,0
120,8,8,2,0
180,8,8,3,0
242,8,8,2,0
304,8,0,0,0
400,8,8,1,0
522,8,0,0,0"
# vgg16 of batch size 128 trains 13.573026788365198 / 2.6247764184255065 times faster on 8 GPUs than on one.
same "the efficiency of one job" "$(sed -n 2p "$work/run/cluster.csv" | cut -d, -f6)" 0.646389664
same "the efficiency of none" "$(tail -n 1 "$work/run/cluster.csv" | cut -d, -f6)" 0

# adds_up POLICY OPTIONS...: changes are counted as summary.json counts them, what is used is what is held, and all
# that is held is given back.
adds_up() {
    local policy=$1

    shift
    passes "$rubato" simulate --policy "$policy" --force --results "$work/run" "$@"
    same "preemptions and migrations under $policy" \
        "$(grep -c ',preempted$' "$work/run/timeline.csv") $(grep -c ',move$' "$work/run/timeline.csv")" \
        "$(figure preemptions) $(figure migrations)"
    same "resizes under $policy" "$(grep -cE ',(grow|shrink)$' "$work/run/timeline.csv")" "$(figure resizes)"
    same "times under $policy" "$(cut -d, -f1 "$work/run/cluster.csv")" "$(cut -d, -f1 "$work/run/rounds.csv")"
    awk -F, '
        FNR == 1 { next }
        FILENAME ~ /timeline/ {
            used += $4 - held[$2]
            running += ($4 > 0) - (held[$2] > 0)
            held[$2] = $4
            use[$1] = used "," running
            next
        }
        { if ($1 in use) now = use[$1]; if ($3 "," $4 != now) exit 1 }
        END { if (used != 0) exit 1 }' "$work/run/timeline.csv" "$work/run/cluster.csv" ||
        fail "under $policy, timeline.csv and cluster.csv do not agree"
}
for policy in rubato ef edf gandiva dlas-gpu themis srtf; do
    adds_up $policy --cluster cluster_specs/n16g8.csv --slot 240 traces/testbed195.csv
done
adds_up chronus --cluster cluster_specs/n16g8.csv --slot 240 traces/testbed195.csv
same "efficiency where no rate is asked for" "$(awk -F, 'NR > 1 && ($4 > 0) != ($6 > 0)' "$work/run/cluster.csv")" ""

# A node that is lost: the job on it holds nothing until it restarts, or is elsewhere at once.
printf '%s\n' job_id,submit_time,iterations,model_name,deadline,batch_size,num_gpu,duration \
    alone,0,60000,vgg16,100000,64,1,1000 >"$work/alone.csv"
printf '%s\n' time,node,event 1234,0,gone 2000,1,gone 3000,0,up >"$work/faults.csv"
passes "$rubato" simulate --policy fifo --cluster cluster_specs/n2g2.csv --slot 60 --faults "$work/faults.csv" \
    --force --results "$work/run" "$work/alone.csv"
ended=$(tail -n 1 "$work/run/jobs.csv" | cut -d, -f1)
same "a lost node" "$(cut -d, -f1,4,5 "$work/run/timeline.csv" | tr '\n' ' ')" \
    "time,gpus,reason 0,1,start 1234,1,node-lost 2000,0,node-lost 3000,1,restart $ended,0,done "
same "GPUs that are up" "$(awk -F, '$2 != before { print $1 "," $2; before = $2 }' "$work/run/cluster.csv" | xargs)" \
    "time,gpus_up 0,4 1234,2 2000,0 3000,2"
done_checking 20
