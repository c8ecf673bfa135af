# terminals_test.sh - the functionality test of the published artifact: its three command lines, in any order, give the
# results of the simulation, and again without a cleanup in between.
source "$(dirname "$0")/testbed.sh"

trace=traces/functionality_10jobs.csv

terminal_1() {
    start master "$bin/master" -p 6888 -n 1
}

terminal_2() {
    start worker "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 8 -A 127.0.0.1 -g 6889 -w 8 -r "$shared" -x python3 \
        --dynamic_requests=True --scheduler_port=6890 --scheduler_addr=127.0.0.1
}

terminal_3() { # POLICY OPTIONS...
    local policy=$1

    shift
    rm -rf "$results"
    start scheduler "$bin/scheduler" --cluster_spec=cluster_specs/n1g8.csv --print --scheme="${scheme[$policy]}" \
        --trace_file="$trace" --schedule="$policy" --log_path="$results" --simulation=False \
        --scheduling_slot=240 --restart_threshold=70 --gpu_type=A100 "$@"
}

declare -A scheme=([ef-accessctrl]=elastic [edf]=elastic [gandiva]=gandiva [dlas-gpu]=elastic [themis]=elastic)
declare -A accepted=([ef-accessctrl]=6 [edf]=1 [gandiva]=5 [dlas-gpu]=2 [themis]=3)

# judge_run POLICY: the scheduler ends by itself, with the results of the simulation.
judge_run() {
    ended scheduler
    [ "$(tail -n 2 "$logs/scheduler.out")" = "accepted jobs: ${accepted[$1]}"$'\n'"declined jobs: $((10 - accepted[$1]))" ] ||
        fail "under $1: $(tail -n 2 "$logs/scheduler.out")"
    rm -rf "$work/simulated"
    "$bin/scheduler" --cluster_spec=cluster_specs/n1g8.csv --print --scheme="${scheme[$1]}" --trace_file="$trace" \
        --schedule="$1" --log_path="$work/simulated" --simulation=True --scheduling_slot=240 \
        --restart_threshold=70 --gpu_type=A100 >"$work/simulated.out"
    same_results "$work/simulated"
    diff "$logs/scheduler.out" "$work/simulated.out" || fail "the figures under $1 are not those of the simulation"
    : >"$logs/scheduler.out"
}

# Every order, each with a policy of its own; between the runs nothing is cleared up but the processes.
policies=(ef-accessctrl edf gandiva dlas-gpu themis ef-accessctrl)
turn=0
for order in "1 2 3" "1 3 2" "2 1 3" "2 3 1" "3 1 2" "3 2 1"; do
    policy=${policies[turn++]}
    for terminal in $order; do
        "terminal_$terminal" "$policy"
    done
    judge_run "$policy"

    # The master and its worker stay for the next scheduler.
    terminal_3 "$policy"
    judge_run "$policy"

    # Ctrl-C in the first terminal.
    send INT master
    ended master
    ended worker
    nothing_is_left
done

# Any of them is killed in the middle; when the others are ended by hand, nothing is left.
for victim in master worker scheduler trainer; do
    rm -f "$logs"/*.log
    terminal_1
    terminal_2
    terminal_3 ef-accessctrl --fastforward=False --time_scale=500
    await scheduler 'event=plan .* round=2 ' >/dev/null
    if [ $victim = trainer ]; then
        trainer=$(trainers worker | sed -n 1p)
        send KILL "$trainer"
        gone "$trainer"
    else
        send KILL $victim
        ended $victim 137
    fi
    for other in scheduler worker master; do # a scheduler that goes may take no other with it
        [ -n "${pids[$other]:-}" ] || continue
        send INT $other
        ended $other $([ $other = scheduler ] && echo 130 || echo 0)
    done
    nothing_is_left
done
passed=yes
