#!/usr/bin/env bash
# failing_calls_test.sh - call number 1, 2, 3 ... of each kind fails under the state or the results of a run on the real
# testbed, once or from then on, until none is left to fail. A scheduler that ends then has a sentence and a status. Started
# again by the same command it comes to the same counts and results as a run that nothing disturbed, byte for byte: no job
# is lost or started twice, and no result is half written.
#
# Some calls are drawn from RUBATO_SEED; in a soak, which says RUBATO_SOAK, each of them is tried.
source tests/e2e/testbed.sh
[ -z "$RUBATO_SANITIZED" ] || exit 77 # its library has to be loaded first

cluster=cluster_specs/n1g8.csv
trace=traces/functionality_10jobs.csv
kept=$work/kept # the state and the results
results=$kept/results
heartbeat=4
lease=60
RANDOM=${RUBATO_SEED:-$RANDOM}
seed=$RANDOM
RANDOM=$seed
echo "seed $seed"

mkdir "$work/failing"
cat >"$work/failing/scheduler" <<END
#!/bin/sh
LD_PRELOAD=$(realpath "$tests/failing_calls.so") exec $(realpath "$bin/scheduler") "\$@"
END
chmod +x "$work/failing/scheduler"

begin() { # FOLDER-OF-PROGRAMS
    local release=$bin

    bin=$1
    start_scheduler "$cluster" "$trace" ef-accessctrl --state="$kept/state"
    bin=$release
}

fresh() {
    rm -rf "$kept" "$logs"/*.log "$logs"/*.out "$shared"/jobs "$records"/*
    mkdir "$kept"
    start_master 1 --once=false # a scheduler that ends when all jobs have ended comes again
    start_worker a 8
}

# wait_scheduler WHAT: sets `status`.
wait_scheduler() {
    status=0
    helper await_exit "${pids[scheduler]}" || fail "$1: the scheduler does not end"
    wait "${pids[scheduler]}" || status=$?
    note ended source=scheduler "pid=${pids[scheduler]}" "status=$status"
    unset "pids[scheduler]"
}

# The end of a scheduler with failures: by itself, or killed where it waits for a disk.
end_disturbed() { # WHAT
    until "$tests/await_line" --pid "${pids[scheduler]}" "$logs/scheduler.log" 'event=not-kept ' >/dev/null 2>&1; do
        kill -0 "${pids[scheduler]}" 2>/dev/null || break
    done
    if [ -n "$on" ] && grep -q 'event=not-kept ' "$logs/scheduler.log"; then
        send KILL scheduler
    fi
    wait_scheduler "$1"
    case $status in
    0 | 137) ;;
    1 | 2) grep -q '^scheduler: .*: ' "$logs/scheduler.log" || fail "$1: ended without a sentence" ;;
    *) fail "$1: the scheduler ended with $status" ;;
    esac
}

# What is left is as if nothing had happened.
compare() { # WHAT
    local file

    end_cluster a
    if [ "$status" -ne 0 ]; then # the call that failed was one after the results
        grep -q "^scheduler: .*: the run is over, its results are in $results;" "$logs/scheduler.log" ||
            fail "$1: the next scheduler ended with $status"
    else
        [ "$(tail -n 2 "$logs/scheduler.out")" = "$counts" ] || fail "$1: the counts differ"
    fi
    for file in jobs.csv rounds.csv outcomes.csv; do
        cmp "$results/$file" "$work/undisturbed/$file" || fail "$1: $file differs"
    done
    [ "$(grep -c 'event=run ' "$logs/master.log")" -eq "$runs" ] || fail "$1: a job was started twice"
    ! grep 'event=lost ' "$logs/scheduler.log" || fail "$1: work was lost"
}

# One run in which call number NTH fails; false if there is none.
life() { # CALL NTH ON
    local what="$1 $2${3:+ and later}" on=$3 status

    fresh
    rm -f "$work/noted"
    export RUBATO_FAIL_CALL=$1 RUBATO_FAIL_NTH=$2 RUBATO_FAIL_UNDER=$kept/ RUBATO_FAIL_NOTE=$work/noted
    [ -z "$on" ] || export RUBATO_FAIL_ON=1
    begin "$work/failing"
    unset RUBATO_FAIL_CALL RUBATO_FAIL_ON
    end_disturbed "$what"
    if [ $status -ne 0 ]; then
        begin "$bin"
        wait_scheduler "$what"
    fi
    compare "$what"
    lives=$((lives + 1))
    [ -e "$work/noted" ]
}

fresh
begin "$bin"
ended scheduler
end_cluster a
counts=$(tail -n 2 "$logs/scheduler.out")
runs=$(grep -c 'event=run ' "$logs/master.log")
mv "$results" "$work/undisturbed"

# The calls that there are.
fresh
RUBATO_FAIL_CALL=list RUBATO_FAIL_UNDER=$kept/ RUBATO_FAIL_NOTE=$work/calls begin "$work/failing"
ended scheduler
end_cluster a
echo "$(wc -l <"$work/calls") calls: $(sort "$work/calls" | uniq -c | xargs)"

lives=0
if [ -n "${RUBATO_SOAK:-}" ]; then
    for call in write fsync rename link open mkdir unlink truncate; do
        for on in "" yes; do
            nth=1
            while life $call $nth "$on"; do nth=$((nth + 1)); done
            echo "$call${on:+ and later}: up to $nth"
        done
    done
else
    for on in "" yes "" yes; do
        call=$(sed -n "$(((RANDOM * 32768 + RANDOM) % $(wc -l <"$work/calls") + 1))p" "$work/calls")
        nth=$((RANDOM % $(grep -cx "$call" "$work/calls") + 1))
        life "$call" $nth "$on" || fail "$call $nth does not come again"
    done
fi
echo "$lives lives"
judge
