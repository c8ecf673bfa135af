#!/usr/bin/env bash
# service_orders_test.sh - jobs that are held, released, changed and cancelled: many orders at once end nothing, and
# what was answered is so after a start, at whatever place the service was killed.
#
#   service_orders_test.sh [POLICY]
policy=${1:-ef-accessctrl}
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease=60
start_worker a 8

# What list says of the job in $1: its state, deadline and whether that is promised.
standing() {
    client 0 show "$1" --json
    echo "$(field state) $(field deadline) $(field promised_until)"
}

begin() { # PLACE:NTH|none
    program=$bin/scheduler
    if [ "$1" != none ]; then
        program=$tests/failing_scheduler
        export RUBATO_FAILPOINT=$1:kill
    fi
    : >"$logs/scheduler.log"
    start_service --time_scale=20
    unset RUBATO_FAILPOINT
    served
}

finish() { # SIGNAL
    local status=0

    send "$1" scheduler
    [ "$1" = TERM ] || status=137
    ended scheduler $status
}

# ---- many at once ----

begin none
await scheduler 'cause="node 0 joined' >/dev/null
client 0 submit --model=bert --batch-size=64 --iterations=9000000 --held --json
orders=()
for ((i = 0; i < 40; i++)); do
    case $((i % 4)) in
    0) order=(release 1) ;;
    1) order=(hold 1) ;;
    2) order=(release 1 1 1) ;;
    3) order=(change 1 --deadline="+$((i + 1000))h") ;;
    esac
    rubato "${order[@]}" >"$work/order-$i" 2>&1 &
    orders+=($!)
done
for pid in "${orders[@]}"; do
    status=0
    wait "$pid" || status=$?
    [ $status -eq 0 ] || [ $status -eq 5 ] || fail "an order ended with $status: $(cat "$work"/order-*)"
done
client 0 hold 1
[[ $(standing 1) == "held "* ]] || fail "it is not held: $(standing 1)"

# ---- what the engine never knew ----

client 0 submit --model=bert --batch-size=64 --iterations=9000 --held --json # 2
client 0 submit --model=bert --batch-size=64 --iterations=9000 --held --json # 3
client 0 cancel 2
client 0 change 3 --deadline=+50h
[[ $(standing 3) == "held "[0-9]*" null" ]] || fail "a held job that is changed is $(standing 3)"
before=$(standing 1)/$(standing 2)/$(standing 3)
finish KILL
begin none
[ "$(standing 1)/$(standing 2)/$(standing 3)" = "$before" ] || fail "$before is $(standing 1)/$(standing 2)/$(standing 3)"
client 1 release 2
client 0 history 2
grep -q cancelled "$work/answer" || fail "the history does not say that 2 was cancelled"
client 0 release 3 --json
[ "$(field verdict)" = promised ] || fail "3 is not promised: $(cat "$work/answer")"
client 0 cancel 1
finish TERM

# ---- a change that is cut in two ----

for place in asked-kept step-decided step-kept plan-sent; do
    for nth in 1 2; do
        rm -rf "${state:?}"/*
        "$bin/rubato" state accept-loss "$state" >/dev/null # jobs of the one before train
        begin none
        await scheduler 'cause="node 0 joined' >/dev/null
        submit 0 --iterations=5000000 --deadline=+100h --json
        job=$(field job)
        finish TERM
        begin "$place:$nth"
        "$bin/rubato" change "$job" --deadline=+90h --timeout=0.5 >/dev/null 2>&1 || true
        kill -KILL "${pids[scheduler]}" 2>/dev/null || true
        wait "${pids[scheduler]}" 2>/dev/null || true
        unset "pids[scheduler]"
        begin none
        client 0 change "$job" --deadline=+80h --json # which comes after all that is to be made up for
        [ "$(field verdict)" = promised ] || fail "after $place $nth it is not promised: $(cat "$work/answer")"
        [[ $(standing "$job") == running* ]] || fail "after $place $nth the job is $(standing "$job")"
        finish TERM
    done
done
passed=yes
