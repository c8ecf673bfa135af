# solver.sh - linear programs one after the other, the integer programs of chronus's lease rounds, by size, and whole runs in which rounds are
# contested.

# small_cluster NODES: a cluster of so many nodes of 8 GPUs.
small_cluster() {
    printf 'num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,%d,8,64,256\n' "$1" \
        >"$work/n$1g8.csv"
}

models() {
    "$programs/lease_models" --trace "$1" --cluster "$2" --setting "$3" "${@:4}"
}

# Jobs with deadlines that are weeks away.
far_deadlines() {
    generate far 120 600 --duration 100000:300000 --tightness 3:8 --gpus-mix 1:30,2:30,4:40
    models "$work/far.csv" cluster_specs/n32g8.csv 'deadlines of weeks, 32x8' --smallest 100000
}

part_solver() {
    local nodes

    "$programs/linear_programs" | show || return 1
    "$programs/linear_programs" --ballast 2048 --rounds 100 | show || return 1
    needs_traces solver || return 0
    {
        models "$traces/elasticVpollux_e.csv" cluster_specs/n16g4.csv 'elasticVpollux_e, 16x4' || return 1
        for nodes in 2 4 8; do
            small_cluster "$nodes"
            models "$traces/195job.csv" "$work/n${nodes}g8.csv" "195job, ${nodes}x8" --contested || return 1
        done
        far_deadlines || return 1
    } | keep | sort -t'"' -k4,4 -s | table
    for nodes in 2 4 6 8; do
        small_cluster "$nodes"
        "$programs/stopwatch" --name "195job/chronus, ${nodes}x8" --runs 3 -- "$bin/scheduler" \
            --trace_file "$traces/195job.csv" --cluster_spec "$work/n${nodes}g8.csv" \
            --scheduling_slot 240 --schedule chronus --throughputs throughputs || return 1
    done | show
}
