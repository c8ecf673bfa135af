#!/usr/bin/env bash
# two_types_test.sh - a cluster of two GPU types: workers say which type they have, and come in an order of their own. A run
# of a policy of fixed sizes has the results of the simulation, byte for byte, and each job runs on nodes of the type that the
# plan gave it. A service does the same with jobs of users.
source tests/e2e/service.sh

heartbeat=10
lease=120
cluster=$work/mixed.csv
cat >"$cluster" <<'END'
gpu_type,num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node
A100,1,2,4,1,1
T4,1,2,2,1,1
END

# The tables that come with Rubato know no model on both types: a T4 is half as fast here.
mkdir "$work/tables"
cp throughputs/A100.csv "$work/tables"
awk -F, -v OFS=, 'NR > 1 { $4 /= 2 } 1' throughputs/A100.csv >"$work/tables/T4.csv"
tables=--throughputs=$work/tables

# starts_workers: those of T4 first, so that no node's number is its place.
starts_workers() {
    local name

    for name in T4-a A100-a T4-b A100-b; do
        case $name in
        T4*) start_worker "$name" 2 --gpu-type=T4 ;;
        *) start_worker "$name" 4 --gpu-type=A100 ;;
        esac
        await master "event=worker-up .* name=$name " >/dev/null
    done
}

# pools_of_plan: each job with the type that the plan gave it, as the results of the run have it.
pools_of_plan() {
    sed -n 's/^[0-9]*,\([^,]*\),\([A-Z0-9]*\),[1-9].*/\1 \2/p' "$results/timeline.csv" | sort -u
}

# types_of_nodes: each job with the type of the nodes on which its trainers trained, as the master saw it.
types_of_nodes() {
    awk '
        function value(name, at) { return match($0, " " name "=[^ ]*") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : "" }
        FILENAME ~ /scheduler/ && / event=(admitted|retired) / { id[value("job")] = value("name") }
        / event=worker-up / { type[value("node")] = value("name"); sub(/-.*/, "", type[value("node")]) }
        / event=part .* state=stable / { print id[value("job")], type[value("node")] }
    ' "$logs/scheduler.log" "$logs/master.log" | sort -u
}

# Eight GPUs of A100 are taken by the first two jobs, so that those that come next have T4.
cat >"$work/trace.csv" <<'END'
job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration
wide-1,0,40000,resnet50,1000000,128,4,4000
wide-2,10,40000,resnet50,1000000,128,4,4000
small-1,20,3000,resnet50,1000000,128,2,1000
small-2,30,3000,resnet50,1000000,128,1,1000
small-3,40,3000,resnet50,1000000,128,1,1000
late,5000,3000,resnet50,1000000,128,2,1000
END
"$bin/scheduler" --cluster_spec="$cluster" --trace_file="$work/trace.csv" --schedule=fifo-first-fit --scheduling_slot=240 \
    --restart_threshold=70 "$tables" --log_path="$work/simulated" >"$work/simulated.out"
start_master 4
starts_workers
start_scheduler "$cluster" "$work/trace.csv" fifo-first-fit "$tables"
ended scheduler
for name in T4-a A100-a T4-b A100-b; do
    ended "worker:$name"
done
ended master
same_results "$work/simulated"
[ "$(pools_of_plan | grep -c T4)" -ge 2 ] && [ "$(pools_of_plan | grep -c A100)" -ge 2 ] ||
    fail "the plans used one type only: $(pools_of_plan)"
cmp <(pools_of_plan) <(types_of_nodes) || fail "jobs trained on another type than planned: $(types_of_nodes)"

# ---- a service ----

# trains_on JOB TYPE: waits until the job trains there.
trains_on() {
    await master "event=part job=$1 .* state=stable " --after="$began" >/dev/null
    client 0 show "$1" --json
    tr -d ' \n' <"$work/answer" | grep -q "\"nodes\":\[\"$2-[ab]\"" || fail "job $1 is not on $2: $(cat "$work/answer")"
}

policy=fifo-first-fit
rm -rf "$shared"/jobs
start master "$bin/master" -p 6888 -n 4 --heartbeat="$heartbeat" --lease="$lease"
began=0
starts_workers
start_service --scheduling_slot=0 --time_scale=60 "$tables"
served
for gpus in 4 4 2 1; do
    client 0 submit --model=resnet50 --batch-size=128 --iterations=1000000 --min-gpus="$gpus" --max-gpus="$gpus"
done
trains_on 1 A100
trains_on 2 A100
trains_on 3 T4
trains_on 4 T4
client 0 nodes
for node in A100-a:4 A100-b:4 T4-a:2 T4-b:2; do
    grep -qE " ${node%:*} +up +${node%-*} +${node#*:} " "$work/answer" || fail "$node has another type: $(cat "$work/answer")"
done
send TERM scheduler
ended scheduler
send TERM master
ended master
for name in T4-a A100-a T4-b A100-b; do
    ended "worker:$name"
done
passed=yes
