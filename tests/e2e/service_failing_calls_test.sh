#!/usr/bin/env bash
# service_failing_calls_test.sh - call number 1, 2, 3 ... of each kind fails under the state of the service, once or from
# then on, until none is left to fail. Each time the service is killed, and started again without failures: what was
# acknowledged is there once with its number, what was refused is not there, the same key answers right, and the master
# was told of no job before the disk had it.
#
# Each eleventh call is tried, from RUBATO_SEED on; in a soak, which says RUBATO_SOAK, each of them.
#
#   service_failing_calls_test.sh [profile]
#
# With "profile" it is `rubato profile` that asks, of whose calls some are drawn: what it has said is kept is there.
policy=rubato
asks=${1:-jobs}
source tests/e2e/service.sh
[ -z "$RUBATO_SANITIZED" ] || exit 77 # its library has to be loaded first

stride=11
heartbeat=0.2 # a start waits for one
[ -z "${RUBATO_SOAK:-}" ] || stride=1
seed=${RUBATO_SEED:-$RANDOM}
RANDOM=$seed
echo "seed $seed"
ordered=1
keys_given=0
: >"$work/numbers"

cat >"$work/failing" <<END
#!/bin/sh
LD_PRELOAD=$PWD/$tests/failing_calls.so exec $bin/scheduler "\$@"
END
[ "${tests#/}" = "$tests" ] || sed -i "s|$PWD/||" "$work/failing"
chmod +x "$work/failing"

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease=60
start_worker a 8
await master 'event=worker-up' >/dev/null

# ask KEY VERB...: its exit status and its answer are kept.
ask() {
    local key=$1 status=0

    shift
    "$bin/rubato" "$@" --timeout=20 >"$work/asked/$key" 2>&1 || status=$?
    echo "$status" >"$work/asked/$key.status"
}

serves() {
    helper await_line --pid "${pids[scheduler]}" "$logs/scheduler.log" 'event=serving ' >/dev/null 2>&1
}

work_a_while_profile() {
    keys_given=$((keys_given + 1))
    ask profile profile --model="model-$keys_given" --batch-size=8 --max-gpus=1 -- "$tests/test_program" \
        "say=stable 5 rate 7" wait
}

work_a_while_jobs() {
    local key

    for key in a b c; do
        case $key in
        a) set -- --deadline=+400h ;;
        b) set -- ;;
        c) set -- --held ;;
        esac
        keys_given=$((keys_given + 1))
        ask "$keys_given" submit --json --key="key-$keys_given" --model=resnet50_cifar10 --batch-size=256 \
            --iterations=200 "$@"
    done
    ask cancel cancel "$(sed -n 's/^  "job": \([0-9]*\).*/\1/p' "$work/asked/$keys_given")"
}

# A profile that was said to be kept is there; what was not has a sentence. Jobs that it could not cancel go.
compare_profile() { # WHAT
    local status job

    [ -e "$work/asked/profile.status" ] || return 0
    status=$(cat "$work/asked/profile.status")
    client 0 profiles "model-$keys_given"
    if [ "$status" -eq 0 ]; then
        grep -q "^model-$keys_given .*measured" "$work/answer" || fail "$1: the profile was kept, and is lost: $(cat "$work/answer")"
    else
        [ "$status" -eq 1 ] && grep -q '^rubato profile: ' "$work/asked/profile" &&
            ! grep -q 'no answer within' "$work/asked/profile" ||
            fail "$1: it ended with $status: $(cat "$work/asked/profile")"
        ! grep -q 'nothing was done' "$work/asked/profile" || ! grep -q "^model-$keys_given " "$work/answer" ||
            fail "$1: \"nothing was done\", and there is $(cat "$work/answer")"
    fi
    client 0 list --state=running,waiting --json
    for job in $(sed -n 's/^ *"job": \([0-9]*\),*$/\1/p' "$work/answer"); do client 0 cancel "$job"; done
}

# The service without failures has all that was acknowledged, and nothing that was refused.
compare_jobs() { # WHAT
    local file key status total job

    client 0 list --json --limit=1
    total=$(field total)
    for file in "$work"/asked/*.status; do
        key=$(basename "$file" .status)
        status=$(cat "$file")
        [ "$key" != cancel ] || continue
        case $status in
        0) job=$(sed -n 's/^  "job": \([0-9]*\).*/\1/p' "$work/asked/$key") ;;
        1) job= ;;
        *) fail "$1: job $key was answered with $status: $(cat "$work/asked/$key")" ;;
        esac
        if [ "$status" -eq 1 ] && grep -q 'no answer within' "$work/asked/$key"; then
            fail "$1: a client heard nothing"
        fi
        submit 0 --json --key="key-$key" --held
        if [ -n "$job" ]; then
            [ "$(field job)" -eq "$job" ] || fail "$1: job $job is number $(field job) now"
            [ "$job" -le "$total" ] || fail "$1: job $job was acknowledged, and is lost"
        elif grep -q 'nothing was done' "$work/asked/$key" && [ "$(field job)" -le "$total" ]; then
            fail "$1: \"nothing was done\", and it is job $(field job)"
        fi
        echo "$(field job)" >>"$work/numbers"
    done
    [ "$(sort "$work/numbers" | uniq -d | wc -l)" -eq 0 ] || fail "$1: a number was given twice"
    if [ "$(cat "$work/asked/cancel.status")" -eq 0 ]; then
        job=$(sed -n 's/^  "job": \([0-9]*\).*/\1/p' "$work/asked/$keys_given")
        client 0 show "$job" --json
        [ "$(field state)" = cancelled ] || fail "$1: job $job was cancelled, and is not"
    fi
}

# No job holds GPUs of which the state does not know that it was started.
check_orders() { # WHAT
    local job

    for job in $(sed -n "$ordered,\$s/.* event=gpu-given .*job=\([0-9]*\) .*/\1/p" "$logs/master.log" | sort -u); do
        client 0 history "$job"
        grep -q ' started ' "$work/answer" || fail "$1: job $job was started before the disk had it"
    done
    ordered=$(($(lines master) + 1))
}

# The service is killed, where it has not ended with a sentence.
end_it() { # WHAT
    local pid=${pids[scheduler]} status=0

    if kill -KILL "$pid" 2>/dev/null; then
        note signal "pid=$pid" signal=KILL
        wait "$pid" || status=$?
    else
        wait "$pid" || status=$?
        [ $status -eq 1 ] || [ $status -eq 2 ] || fail "$1: the service ended with $status"
        grep -q '^scheduler.*: ' "$logs/scheduler.log" || fail "$1: the service ended without a sentence"
    fi
    note ended source=scheduler "pid=$pid" "status=$status"
}

# One life in which call number NTH fails; false if there is none.
life() { # CALL NTH ON
    local what="$1 $2${3:+ and later}"

    rm -rf "$work/asked" "$work/noted"
    mkdir "$work/asked"
    echo 1 >"$work/asked/cancel.status"
    : >"$logs/scheduler.log"
    export RUBATO_FAIL_CALL=$1 RUBATO_FAIL_NTH=$2 RUBATO_FAIL_UNDER=$state/ RUBATO_FAIL_NOTE=$work/noted
    [ -z "$3" ] || export RUBATO_FAIL_ON=1
    program=$work/failing
    start_service --time_scale=600
    unset RUBATO_FAIL_CALL RUBATO_FAIL_ON
    ! serves || "work_a_while_$asks"
    end_it "$what"
    cp "$logs/scheduler.log" "$work/failed.log"

    program=$bin/scheduler
    : >"$logs/scheduler.log"
    start_service --time_scale=600
    served
    "compare_$asks" "$what"
    check_orders "$what"
    send KILL scheduler
    ended scheduler 137
    [ -e "$work/noted" ]
}

# Each call of a stride, from the seed on.
try_strides() {
    local call on nth

    for call in write fsync rename link open; do
        for on in "" yes; do
            nth=$((seed % stride + 1))
            while life $call $nth "$on"; do
                nth=$((nth + stride))
                lives=$((lives + 1))
            done
            echo "$call${on:+ and later}: up to $nth"
        done
    done
}

# Some of all that there are in a life without failures. A number may be beyond those of a life that has less to do.
try_some() {
    local call on

    life list 1 "" || fail "there are no calls"
    [ "$(cat "$work/asked/profile.status")" -eq 0 ] || fail "without failures: $(cat "$work/asked/profile")"
    mv "$work/noted" "$work/calls"
    for on in "" yes "" yes; do
        call=$(sed -n "$(((RANDOM * 32768 + RANDOM) % $(wc -l <"$work/calls") + 1))p" "$work/calls")
        ! life "$call" $((RANDOM % $(grep -cx "$call" "$work/calls") + 1)) "$on" || lives=$((lives + 1))
    done
}

lives=0
if [ "$asks" = jobs ] || [ $stride = 1 ]; then try_strides; else try_some; fi
echo "$lives lives"

end_cluster a
judge
