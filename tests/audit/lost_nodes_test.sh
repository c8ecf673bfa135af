# lost_nodes_test.sh - results of runs that lose nodes: the auditor finds nothing under any policy, and a job that stands
# still neither moves nor pays when an empty node leaves.
source tests/tools/cli.sh

printf '%s\n' time,node,event 500,1,gone >"$work/one.csv"
for policy in rubato fifo fifo-first-fit srtf ef edf edf-accessctrl gandiva dlas-gpu themis chronus; do
    passes "$rubato" simulate --policy $policy --cluster n4g8 --faults "$work/one.csv" --force --results "$work/$policy" "$small"
    passes "$rubato" audit "$work/$policy"
done

# What is too large for the nodes that are there is declined, be it for the moment.
printf '%s\n' time,node,event 300,1,gone 1300,0,gone 2000,0,up 3300,1,up >"$work/two.csv"
for policy in fifo fifo-first-fit srtf; do
    passes "$rubato" simulate --policy $policy --cluster n2g2 --faults "$work/two.csv" --force --results "$work/$policy" "$small"
    same "jobs that are too large under $policy" "$(grep -c ',declined,too-large,' "$work/$policy/outcomes.csv")" 5
    passes "$rubato" audit "$work/$policy"
done

# One job on four of six nodes; the last one leaves.
printf '%s\n' job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration \
    a,100,300000,resnet50,90000,64,16,30000 >"$work/solo.csv"
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,6,8,40,256 >"$work/n6.csv"
printf '%s\n' time,node,event 1000,5,gone >"$work/last.csv"
for policy in ef edf edf-accessctrl; do
    setting=(--policy $policy --rules clean --restart-threshold 0 --cluster "$work/n6.csv" "$work/solo.csv")
    passes "$rubato" simulate "${setting[@]}" --force --results "$work/whole"
    passes "$rubato" simulate "${setting[@]}" --faults "$work/last.csv" --force --results "$work/lost"
    same "the end of the job under $policy" "$(cat "$work/lost/jobs.csv")" "$(cat "$work/whole/jobs.csv")"
    same "its changes" "$(cat "$work/lost/timeline.csv")" "$(cat "$work/whole/timeline.csv")"
done
done_checking 43
