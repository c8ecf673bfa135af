# client.sh - what a start costs: of the scheduler for a simulation, of a verb of a service beside one, and submits of 32
# clients at a time beside those of sbatch to a slurmctld on the same machine.

submits_at_once=640

# rate NAME PER_S TARGET: a row.
rate() {
    awk -v name="$1" -v rate="$2" -v target="$3" 'BEGIN {
        printf "{\"client\": \"%s\", \"per_s\": %.0f, \"target\": %.0f, \"met\": %s}\n", name, rate, target,
               (rate >= target ? "true" : "false")
    }'
}

# Nothing where Slurm or root is not there.
sbatch_rate() {
    local program

    for program in slurmctld slurmd sbatch unshare; do
        command -v $program >/dev/null || return 0
    done
    [ "$(id -u)" -eq 0 ] || return 0
    unshare --net --pid --fork --kill-child --mount-proc \
        bash benchmarks/sbatch_rate.sh "$work/slurm" $submits_at_once 32 || true
}

# beside_service: verbs that ask a service without jobs.
beside_service() {
    local started slurm

    "$programs/stopwatch" --name "rubato status" --runs 200 --cpu-target 4 -- \
        "$bin/rubato" status --socket "$state/rubato.sock" || return 1
    started=$(date +%s%N)
    seq $submits_at_once | xargs -P 32 -I{} "$bin/rubato" submit --socket "$state/rubato.sock" --held \
        --model resnet50 --batch-size 256 --iterations 1000 >/dev/null || return 1
    started=$(awk -v count=$submits_at_once -v ns="$(($(date +%s%N) - started))" 'BEGIN { print count / (ns / 1e9) }')
    slurm=$(sbatch_rate)
    [ -z "$slurm" ] || rate "sbatch, 32 at a time" "$slurm" 0
    rate "rubato submit, 32 at a time" "$started" "${slurm:-0}"
}

part_client() {
    local scheduler state=$work/client service_port=9 # where no master is

    head -2 traces/testbed25.csv >"$work/one_job.csv"
    {
        "$programs/stopwatch" --name /bin/true --runs 200 -- /bin/true &&
            "$programs/stopwatch" --name "scheduler, one job" --runs 200 --cpu-target 2.7 -- "$bin/scheduler" \
                --trace_file "$work/one_job.csv" --cluster_spec cluster_specs/n4g8.csv --schedule ef-accessctrl \
                --throughputs throughputs
    } >"$work/rows" || return 1
    show <"$work/rows"
    serve "$state"
    beside_service >"$work/rows" || return 1
    show <"$work/rows"
    unserve TERM
}
