#!/usr/bin/env bash
# resumed_test.sh - the scheduler is killed at named places and started again by the same command. Fast-forwarded, counts
# and results are those of the run that nothing disturbed, byte for byte, and no job is started twice; in real time, where
# no two runs are the same, counts are, and no work is lost.
#
#   resumed_test.sh forward|real [PLACE:NTH:ACTION[,PLACE:NTH:ACTION...]...]
#
# Each argument is a run; in it, the scheduler ends at one place after the other. "random" is a run with a place and a
# number of RUBATO_SEED; in a soak, which says RUBATO_SOAK, it is 25 for each place, or one in real time.
source tests/e2e/testbed.sh

cluster=cluster_specs/n1g8.csv
trace=traces/functionality_10jobs.csv
mode=$1
shift
heartbeat=4 # the next scheduler is there before a master that is told "once" ends
lease=60
time=()
each=25
if [ "$mode" = real ]; then
    time=(--fastforward=False --time_scale=400)
    trace=tests/e2e/traces/loose_deadlines.csv # no verdict depends on when it is given, nor on another
    each=1
fi
rounds=17 # of this run
places=(journal-opened journal-begun journal-written journal-commit journal-committed journal-move journal-moved
    step-decided step-kept plan-sent run-settled run-ended results-ready result-moves results-written step-replayed)

# run_scheduler FAILPOINT|none OPTIONS...
run_scheduler() {
    local failpoint=$1 release=$bin

    shift
    if [ "$failpoint" != none ]; then
        bin=$work/failing
        export RUBATO_FAILPOINT=$failpoint
    fi
    start_scheduler "$cluster" "$trace" ef-accessctrl "${time[@]}" "$@"
    bin=$release
    unset RUBATO_FAILPOINT
}

# One run with a scheduler that ends at all these places; a place that is not reached is an end as usual.
disturb() {
    local failpoint status=1

    rm -rf "$results" "$work/state" "$logs"/*.log "$logs"/*.out "$shared"/jobs "${records:?}"/*
    start_master 1
    start_worker a 8
    for failpoint in "$@"; do
        [ "$status" -ne 0 ] || return 0
        run_scheduler "$failpoint" --state="$work/state"
        status=0
        "$tests/await_exit" "${pids[scheduler]}" || fail "scheduler does not end"
        wait "${pids[scheduler]}" 2>/dev/null || status=$?
        [ "$status" -ne 137 ] || note signal "pid=${pids[scheduler]}" signal=KILL
        note ended source=scheduler "pid=${pids[scheduler]}" "status=$status"
        unset "pids[scheduler]"
        case $failpoint:$status in
        *:kill:137 | *:exit:70 | *:0) ;;
        *) fail "with $failpoint the scheduler ended with status $status" ;;
        esac
    done
}

# What is left is as if nothing had happened.
compare() {
    local file

    ended worker:a
    ended master
    [ "$(tail -n 2 "$logs/scheduler.out")" = "$counts" ] || fail "with $1 the counts differ"
    # One that is killed before its first step leaves an empty folder of results.
    ! grep -q 'event=resumed ' "$logs/scheduler.log" || [ -z "$(find "$results" -name 'unfinished-*' -o -name '.rubato-running-*')" ] ||
        fail "with $1 results are left unfinished"
    if [ "$mode" = real ]; then
        ! grep 'event=lost ' "$logs/scheduler.log" || fail "with $1 work was lost"
        return
    fi
    for file in jobs.csv rounds.csv outcomes.csv; do
        cmp "$results/$file" "$work/undisturbed/$file" || fail "with $1 $file differs"
    done
    [ "$(grep -c 'event=run ' "$logs/master.log")" -eq "$runs" ] || fail "with $1 a job was started twice"
}

undisturbed() {
    start_master 1
    start_worker a 8
    run_scheduler none
    ended scheduler
    ended worker:a
    ended master
    mv "$results" "$work/undisturbed"
    counts=$(tail -n 2 "$logs/scheduler.out")
    runs=$(grep -c 'event=run ' "$logs/master.log")
    [ "$counts" = $'accepted jobs: 6\ndeclined jobs: 4' ] || fail "undisturbed: $counts"
}

draw() { # PLACE
    local first=$1:$((RANDOM % rounds + 1)):kill

    [ "$1" != step-replayed ] || first=step-kept:$((RANDOM % rounds + 2)):exit,$first
    echo "$first"
}

disturbances() {
    local argument place i

    for argument in "$@"; do
        if [ "$argument" != random ]; then
            echo "$argument"
        elif [ -z "${RUBATO_SOAK:-}" ]; then
            draw "${places[RANDOM % ${#places[@]}]}"
        else
            for place in "${places[@]}"; do
                for ((i = 0; i < each; i++)); do
                    draw "$place"
                done
            done
        fi
    done
}

[ $# -gt 0 ] || [ "$mode" = forward ] || set -- step-decided:2:kill,step-kept:3:kill,plan-sent:4:kill random
[ $# -gt 0 ] || set -- journal-opened:1:kill journal-written:5:kill journal-commit:9:error journal-commit:7:kill \
    journal-committed:3:kill step-decided:1:exit plan-sent:9:kill,step-replayed:4:kill,step-decided:2:kill \
    results-ready:1:kill result-moves:3:kill run-settled:1:kill,results-written:1:kill random
RANDOM=${RUBATO_SEED:-1}
mkdir "$work/failing"
ln -s "$(realpath "$tests/failing_scheduler")" "$work/failing/scheduler"
undisturbed
disturbances "$@" >"$work/disturbances"
while IFS= read -r disturbance; do
    IFS=, read -ra failpoints <<<"$disturbance"
    disturb "${failpoints[@]}" none
    compare "$disturbance"
done <"$work/disturbances"
! grep -a RUBATO_FAILPOINT "$bin"/* || fail "a program of users has failpoints"
judge
