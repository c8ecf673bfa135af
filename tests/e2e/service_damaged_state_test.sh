#!/usr/bin/env bash
# service_damaged_state_test.sh - the files of a state are emptied, removed, cut or replaced by older copies, in any
# combination, while the service is down and jobs train: no start is an empty one beside jobs, none stops a job before
# it has said so, and no number is given twice, whichever way out its operator takes.
#
# 30 rounds from RUBATO_SEED on; RUBATO_SOAK times as many in a soak.
policy=rubato
heartbeat=0.2
source tests/e2e/service.sh

rounds=$((${RUBATO_TIMES:-30} * ${RUBATO_SOAK:-1}))
RANDOM=${RUBATO_SEED:-$RANDOM}
seed=$RANDOM
RANDOM=$seed
echo "seed $seed, $rounds rounds"
: >"$work/numbers"
ordered=1

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease=600
start_worker a 8
await master 'event=worker-up' >/dev/null

begin() {
    : >"$logs/scheduler.log"
    start_service --time_scale=1
}

serves() {
    helper await_line --pid "${pids[scheduler]}" "$logs/scheduler.log" 'event=serving ' >/dev/null 2>&1
}

finish() {
    local status=137

    [ "$1" = KILL ] || status=0
    send "$1" scheduler
    ended scheduler $status
}

# A number that was never given before.
give_number() {
    local job

    submit 0 --json --iterations=500000000 "$@"
    job=$(field job)
    ! grep -qx "$job" "$work/numbers" || fail "number $job was given twice"
    echo "$job" >>"$work/numbers"
}

damage() { # FILE
    case $((RANDOM % 5)) in
    0) : >"$state/$1" ;;
    1) rm -f "$state/$1" ;;
    2) [ ! -s "$state/$1" ] || truncate -s $((RANDOM * RANDOM % ($(stat -c %s "$state/$1") + 1))) "$state/$1" ;;
    3) [ ! -e "$work/older/$1" ] || cp "$work/older/$1" "$state/$1" ;;
    4) ;;
    esac
}

# No job that trains was told to stop since the last look.
nothing_stopped() {
    ! sed -n "$ordered,\$p" "$logs/master.log" | grep ' event=stop ' || fail "$1: jobs were stopped without a word"
}

begin
served
give_number --deadline=+20000h
await worker:a 'event=part .* state=stable' >/dev/null
for ((round = 1; round <= rounds; round++)); do
    give_number --held
    [ $((RANDOM % 2)) -eq 0 ] || "$bin/rubato" state backup "$state" >/dev/null
    rm -rf "$work/older"
    cp -r "$state" "$work/older"
    give_number --held
    [ $((RANDOM % 2)) -eq 0 ] && finish KILL || finish TERM
    what="round $round:"
    for file in state.db state.db-wal backup.db mark; do
        [ $((RANDOM % 2)) -eq 0 ] || { damage $file && what+=" $file"; }
    done
    : >"$work/said"
    ordered=$(($(lines master) + 1))
    begin
    if ! serves; then
        wait "${pids[scheduler]}" || true
        note ended source=scheduler "pid=${pids[scheduler]}" status=1
        nothing_stopped "$what"
        grep '^scheduler.*: ' "$logs/scheduler.log" >"$work/said" || fail "$what: it ended without a sentence"
        grep -qE 'rubato state (restore|accept-loss)|backup.db' "$work/said" ||
            fail "$what: the sentence names nothing to do: $(cat "$work/said")"
    elif client 0 list --json && total=$(field total) && [ "$total" -lt "$(sort -n "$work/numbers" | tail -1)" ]; then
        # It serves, and would have given these numbers again: it must end before it gives out any.
        status=0
        "$bin/rubato" submit --held --json --model=bert --batch-size=64 --iterations=10 --timeout=20 >"$work/answer" 2>&1 ||
            status=$?
        [ $status -ne 0 ] || fail "$what: of $(tail -1 "$work/numbers") jobs the state has $total, and the service goes on with $(cat "$work/answer")"
        helper await_exit "${pids[scheduler]}" || fail "$what: it does not end"
        wait "${pids[scheduler]}" || true
        note ended source=scheduler "pid=${pids[scheduler]}" status=1
        nothing_stopped "$what"
        grep '^scheduler.*: ' "$logs/scheduler.log" >"$work/said" || fail "$what: it ended without a sentence"
    fi
    if [ -s "$work/said" ]; then
        way=accept-loss
        if [ $((RANDOM % 2)) -eq 0 ] && "$bin/rubato" state restore "$state" >"$work/restored" 2>&1; then
            way=restore
        else
            grep -q 'rubato state accept-loss' "$work/said" || rm -f "$state/state.db" "$state/state.db-wal"
            "$bin/rubato" state accept-loss "$state" >/dev/null
        fi
        begin
        serves || fail "$what, $way: it does not serve after $(cat "$work/said"): $(tail -n 3 "$logs/scheduler.log")"
        echo "$what, $way: $(cut -d : -f 2- "$work/said" | head -c 200)"
    else
        echo "$what: nothing is missing"
    fi
    give_number --held
done
finish TERM
end_cluster a
judge
