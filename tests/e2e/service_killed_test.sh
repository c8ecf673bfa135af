#!/usr/bin/env bash
# service_killed_test.sh - the service ends at named places and at any moment while a client submits jobs, and is
# started again by the same command: what was acknowledged is there once, with its number and its promise, no job that
# trains is started again, and all end.
#
#   service_killed_test.sh [PLACE:NTH:ACTION|KILL:JOBS|TERM:JOBS|random...]
#
# Each argument is an end of the service: at a place, or by a signal after so many answers. "random" is a number of
# RUBATO_SEED; in a soak, which says RUBATO_SOAK, there are so many lives of eight random ends.
source tests/e2e/service.sh

jobs=20
deadlines=(+200h +1m +100h none) # the second cannot be kept
places=(journal-opened journal-begun journal-written journal-commit journal-committed asked-kept step-decided step-kept
    plan-sent asked-answered step-replayed)

draw() {
    local place=${places[RANDOM % ${#places[@]}]}

    case $((RANDOM % 4)) in
    0) echo "KILL:$((RANDOM % 6))" ;;
    1) echo "TERM:$((RANDOM % 6))" ;;
    *) echo "$place:$((RANDOM % 8 + 1)):kill" ;;
    esac
}

# submit_one NUMBER FILE: again as long as no service is there.
submit_one() {
    local status=1

    while [ $status -eq 1 ]; do
        status=0
        rubato submit --json --key="key-$1" --model=resnet50_cifar10 --batch-size=256 \
            --iterations=8000 --deadline="${deadlines[$1 % 4]}" >"$2" 2>>"$work/away" || status=$?
    done
    [ $status -eq 0 ] || [ $status -eq 3 ]
}

# Submits the jobs one after the other; answers go to files, a line for each to "answers".
submit_all() { # FOLDER
    local i

    "$tests/await_line" "$logs/scheduler.log" 'cause="node 0 joined' >/dev/null # no promise without one
    for ((i = 1; i <= jobs; i++)); do
        submit_one "$i" "$1/$i" || return 1
        echo "$i" >>"$1/answers"
    done
}

# What an answer promises. On a machine that stands still a promise may be withdrawn for a while, and the answer says so.
promise() { # FILE
    grep -E '"(job|verdict)"' "$1"
    grep -oE 'promised until [^,"]*' "$1" || grep '"promised_until"' "$1"
}

# One start of the service, which ends so, or goes on if it says "none".
life() { # END
    local after=${1#*:}

    program=$bin/scheduler
    unset RUBATO_FAILPOINT
    case $1 in
    none | KILL:* | TERM:*) ;;
    *)
        program=$tests/failing_scheduler
        export RUBATO_FAILPOINT=$1
        ;;
    esac
    start_service --time_scale=600
    unset RUBATO_FAILPOINT
    case $1 in
    KILL:* | TERM:*)
        await scheduler 'event=serving ' --after="$log_lines" >/dev/null
        "$tests/await_line" --pid="$submitter" --after="$(wc -l <"$work/first/answers")" --matches="$((after + 1))" \
            "$work/first/answers" . >/dev/null || true
        send "${1%:*}" scheduler
        ;;
    esac
}

# Whether the service ends before the client does; one that has a signal does in any case.
has_ended() { # END
    local status=0 ended=${pids[scheduler]}

    case $1 in
    KILL:* | TERM:*) ;;
    *) # "wait -n" would never hear of a service that has ended before it
        if "$tests/await_line" --pid="$ended" --matches="$jobs" "$work/first/answers" . >/dev/null; then
            ended=$submitter
        elif kill -0 "$ended" 2>/dev/null; then
            fail "neither are all jobs submitted, nor does the service end"
        fi
        ;;
    esac
    wait "$ended" || status=$?
    if [ "$ended" = "$submitter" ]; then
        [ $status -eq 0 ] || fail "not all jobs are submitted"
        return 1
    fi
    [ "$status" -ne 137 ] || note signal "pid=$ended" signal=KILL
    note ended source=scheduler "pid=$ended" "status=$status"
    unset "pids[scheduler]"
    [ "$status" -eq 137 ] || [ "$status" -eq 0 ] || fail "the service ended with status $status"
}

# All jobs are as they were answered, and the same keys are the same jobs.
compare() {
    local i

    client 0 list --json --limit=1000
    [ "$(field total)" -eq "$jobs" ] || fail "of $jobs jobs there are $(field total)"
    rm -rf "$work/again"
    mkdir "$work/again"
    submit_all "$work/again" || fail "a job cannot be submitted again"
    for ((i = 1; i <= jobs; i++)); do
        [ "$(promise "$work/first/$i")" = "$(promise "$work/again/$i")" ] ||
            fail "job $i was answered $(cat "$work/first/$i"), then $(cat "$work/again/$i")"
    done
    [ "$(grep -h '"job"' "$work"/first/* | sort -u | wc -l)" -eq "$jobs" ] || fail "two jobs have one number"
}

# A job that trains is left alone, whatever became of the service: it begins again only on other GPUs, or after a pause.
count_starts() {
    local i runs

    for ((i = 1; i <= jobs; i++)); do
        client 0 show "$i" --json
        runs=$(grep "event=run job=$i " "$logs/master.log" || true)
        [ -z "$(grep -o 'incarnation=[0-9]*' <<<"$runs" | sort | uniq -d)" ] ||
            fail "an incarnation of job $i was started twice: $runs"
        [ -z "$(grep -o 'gpus=[^ ]*' <<<"$runs" | uniq -d)" ] || grep -q '"event": "paused"' "$work/answer" ||
            fail "job $i was started where it trained: $runs"
    done
}

# Jobs that were promised are done, all others were declined.
await_all() {
    local i status

    for ((i = 1; i <= jobs; i++)); do
        status=0
        rubato wait "$i" >"$work/answer" 2>&1 || status=$?
        [ $status -eq 0 ] || [ $status -eq 3 ] || fail "wait for job $i: $status, $(cat "$work/answer")"
    done
}

# A state from its first start to the end of all jobs; the service ends so and so meanwhile.
run() { # END...
    local end log_lines

    echo "ends: $*"
    rm -rf "$state" "$work/first" "$work/again" "$logs"/*.log "$shared"/jobs "$shared"/mark-*
    mkdir "$work/first"
    touch "$work/first/answers" "$logs/scheduler.log"
    start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease=60
    start_worker a 8
    submit_all "$work/first" &
    submitter=$!
    for end in "$@" none; do
        log_lines=$(lines scheduler)
        kill -0 "$submitter" 2>/dev/null || end=none # all is submitted
        life "$end"
        has_ended "$end" || break
    done
    served --after="$log_lines"
    compare
    await_all
    compare
    count_starts
    end_service
    ended worker:a
}

random_ends() {
    local i

    for ((i = 0; i < 8; i++)); do
        draw
    done
}

[ $# -gt 0 ] || set -- asked-kept:2:kill step-decided:2:kill KILL:1 step-kept:1:kill plan-sent:2:kill TERM:0 \
    asked-answered:1:kill journal-committed:4:kill step-replayed:3:kill random
RANDOM=${RUBATO_SEED:-1}
ends=()
for end in "$@"; do
    [ "$end" != random ] || end=$(draw)
    ends+=("$end")
done
run "${ends[@]}"
for ((round = 0; round < ${RUBATO_SOAK:-0}; round++)); do
    mapfile -t ends < <(random_ends)
    run "${ends[@]}"
done
! grep -a RUBATO_FAILPOINT "$bin"/* || fail "a program of users has failpoints"
judge
