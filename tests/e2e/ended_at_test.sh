#!/usr/bin/env bash
# ended_at_test.sh WHO [SIGNAL:PLACE:NTH|PLACE...] - ten jobs train in real time; when the scheduler is at a named place
# for the NTH time, WHO (scheduler, master or both) is ended there by KILL or TERM, and started again. Verdicts and counts are
# those that the run always has, and no job goes on from before its last confirmed checkpoint.
#
# A PLACE alone is 25 runs there, with signals and numbers of RUBATO_SEED; no argument is one run at one place of it.
# "ended_at_test.sh places" prints the places.
places=(journal-opened journal-begun journal-written journal-commit journal-committed journal-move journal-moved
    master-welcomed nodes-heard report-heard settled-heard step-decided step-kept plan-sent step-replayed run-settled run-ended
    results-ready result-moves results-written run-over)
[ "$1" != places ] || { printf '%s\n' "${places[@]}" && exit; }
source tests/e2e/testbed.sh

who=$1
shift
trace=tests/e2e/traces/loose_deadlines.csv # no verdict depends on when it is given, nor on another
heartbeat=4 # beside what makes a peer silent, however late a busy machine wakes it
lease=60
each=25
rounds=15 # of this run
# A cluster that goes on without a scheduler, unlike that of start_master.
start_cluster() { # [master]
    local up

    up=$(grep -c 'event=worker-up ' "$logs/master.log" 2>/dev/null || true)
    start master "$bin/master" -p 6888 -n 2 --heartbeat="$heartbeat" --lease="$lease"
    if [ "${1:-}" != master ]; then
        start_worker a 4
        start_worker b 4
    fi
    await master 'event=worker-up ' --matches=$((${up:-0} + 2)) >/dev/null
}

# begin [FAILPOINT]
begin() {
    local release=$bin

    if [ $# -gt 0 ]; then
        bin=$work/failing
        export RUBATO_FAILPOINT=$1
    fi
    start_scheduler "$work/n2g4.csv" "$trace" ef-accessctrl --fastforward=False \
        --time_scale="$scale" --state="$work/state"
    bin=$release
    unset RUBATO_FAILPOINT
}

# Some places are reached by a scheduler that takes a run up, and by no other.
begin_until() { # PLACE NTH
    case $1 in
    journal-opened | step-replayed | master-welcomed | nodes-heard)
        begin "step-kept:$2:exit"
        ended scheduler 70
        begin "$1:1:wait"
        ;;
    *) begin "$1:$2:wait" ;;
    esac
}

# One that is told to end says so with 130, or 0 once the run is over, or 143 before it has begun.
end_scheduler() { # SIGNAL
    local status=0

    send "$1" scheduler
    [ "$1" = KILL ] || kill -CONT "${pids[scheduler]}" 2>/dev/null || true
    wait "${pids[scheduler]}" || status=$?
    note ended source=scheduler "pid=${pids[scheduler]}" "status=$status"
    unset "pids[scheduler]"
    case $1:$status in
    KILL:137 | TERM:130 | TERM:0 | TERM:143) ;;
    *) fail "the scheduler ended with status $status" ;;
    esac
}

end_master() { # SIGNAL
    [ "$1" = TERM ] && end_cluster a b && return
    send KILL master
    ended master 137
}

# start_again SIGNAL: what end_master has ended.
start_again() {
    if [ "$1" = TERM ]; then start_cluster; else start_cluster master; fi
}

# Whether the scheduler comes to the place before it ends.
reached() {
    "$tests/await_line" --pid="${pids[scheduler]}" "$logs/scheduler.log" "^failpoint $place [0-9]* wait" >/dev/null
}

disturb() { # SIGNAL
    case $who in
    scheduler) end_scheduler "$1" ;;
    master)
        end_master "$1"
        start_again "$1"
        send CONT scheduler
        return
        ;;
    both)
        end_master "$1"
        end_scheduler "$1"
        start_again "$1"
        ;;
    esac
    begin
}

over() {
    grep -q 'the run is over, its results are in ' "$logs/scheduler.log"
}

scheduler_ends() {
    local status=0

    "$tests/await_exit" "${pids[scheduler]}" || fail "the scheduler does not end"
    wait "${pids[scheduler]}" || status=$?
    note ended source=scheduler "pid=${pids[scheduler]}" "status=$status"
    unset "pids[scheduler]"
    [ $status -eq 0 ] || { [ $status -eq 2 ] && over; } || fail "the scheduler ended with status $status"
}

verdicts() { # FOLDER
    cut -d, -f2,3 "$1/outcomes.csv"
}

# What a job was told it is told by all schedulers, and by the results.
compare() {
    local job

    [ "$(verdicts "$results")" = "$expected" ] || fail "other verdicts: $(verdicts "$results")"
    while IFS= read -r job; do
        grep -qx "$job,promised" <<<"$expected" || fail "job $job was admitted"
    done < <(sed -n 's/.* event=admitted job=\([0-9]*\).*/\1/p' "$logs/scheduler.log")
    grep -A 1 '"accepted": 6,' "$results/summary.json" | grep -q '"declined": 4,' || fail "other counts: $(tail -n 2 "$logs/scheduler.out")"
    ! grep 'event=lost ' "$logs/scheduler.log" || fail "work was lost"
    ! grep 'event=retry ' "$logs/master.log" || fail "a job was tried again"
    [ "$scale" -eq 100 ] || [ "$(grep -c 'event=trainer-started ' "$logs"/worker-a.log)" -eq 4 ] ||
        fail "a trainer was replaced"
    ! grep -q 'event=resumed ' "$logs/scheduler.log" || [ -z "$(find "$results" -name 'unfinished-*' -o -name '.rubato-running-*')" ] ||
        fail "results are left unfinished" # but by one that was killed before it had a state
}

one_run() { # SIGNAL:PLACE:NTH
    local signal nth

    IFS=: read -r signal place nth <<<"$1"
    scale=200 # what a start takes is a part of the run
    [ "$who:$signal" = scheduler:TERM ] || [ "$signal" = KILL ] || scale=100 # nothing trains meanwhile
    rm -rf "$results" "$work/state" "$logs"/*.log "$logs"/*.out "$shared"/jobs "${records:?}"/*
    start_cluster
    begin_until "$place" "$nth"
    if reached; then
        disturb "$signal"
        reached_count=$((reached_count + 1))
    fi
    scheduler_ends
    end_cluster a b
    compare
    nothing_is_left
    records_hold
    "$tests/testbed_check" "$logs" || fail "the judge has found something"
}

draw() { # PLACE
    local signals=(KILL TERM) nth=$((RANDOM % rounds + 1))

    case $1 in
    run-* | results-*) nth=1 ;;
    result-moves) nth=$((nth % 6 + 1)) ;; # files
    esac
    echo "${signals[RANDOM % 2]}:$1:$nth"
}

runs() { # ARGUMENTS
    local argument i

    [ $# -gt 0 ] || draw "${places[RANDOM % ${#places[@]}]}"
    for argument in "$@"; do
        case $argument in
        *:*) echo "$argument" ;;
        *) for ((i = 0; i < each; i++)); do draw "$argument"; done ;;
        esac
    done
}

RANDOM=$((${RUBATO_SEED:-1} + ${#who})) # other places for each
printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node 1,2,4,40,256 >"$work/n2g4.csv"
mkdir "$work/failing"
ln -s "$(realpath "$tests/failing_scheduler")" "$work/failing/scheduler"
"$bin/scheduler" --cluster_spec="$work/n2g4.csv" --trace_file="$trace" --schedule=ef-accessctrl \
    --log_path="$work/simulated" --scheduling_slot=240 --restart_threshold=70 --gpu_type=A100 >"$work/simulated.out"
grep -qx 'accepted jobs: 6' "$work/simulated.out" || fail "the simulation has other counts"
expected=$(verdicts "$work/simulated")
reached_count=0
count=0
runs "$@" >"$work/runs"
while IFS= read -r run; do
    echo "$who $run"
    one_run "$run" </dev/null
    count=$((count + 1))
done <"$work/runs"
echo "$count runs, $reached_count disturbed"
passed=yes
