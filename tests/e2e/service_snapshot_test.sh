#!/usr/bin/env bash
# service_snapshot_test.sh - a service that was told to end starts from its snapshot and decides no step again; one that
# was killed decides those that came later; one whose snapshot cannot be read decides all. Each time all jobs stand as
# they stood, and no job that trains is started again.
policy=rubato
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease=60
start_worker a 8

begin() { # [FAILPOINT]
    program=$bin/scheduler
    if [ $# -gt 0 ]; then
        program=$tests/failing_scheduler
        export RUBATO_FAILPOINT=$1
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

# How all jobs stand, but for how far they are.
standing() {
    local i

    for ((i = 1; i <= jobs; i++)); do
        client 0 show "$i" --json
        grep -vE '"(ended|iterations_done|expected_end|reason|rate|start_s|sentence)"' "$work/answer"
    done
}

# compare WHEN: once the master has told the names of nodes, which no state keeps.
compare() {
    local began=$SECONDS

    standing >"$work/now"
    while grep -q '"node-[0-9]*"' "$work/now" && [ $((SECONDS - began)) -lt 600 ]; do
        standing >"$work/now"
    done
    diff "$work/then" "$work/now" >"$work/differs" || fail "$1 jobs do not stand as they stood: $(cat "$work/differs")"
}

# recalled EXPECTED: how many steps the start decided again.
recalled() {
    local all known

    all=$(sed -n 's/.* event=resumed .* steps=\([0-9]*\).*/\1/p' "$logs/scheduler.log")
    known=$(sed -n 's/.* event=recalled .* steps=\([0-9]*\).*/\1/p' "$logs/scheduler.log")
    case $1 in
    none) [ "${known:-0}" -eq "$all" ] ;;
    some) [ "${known:-0}" -gt 0 ] && [ "$known" -lt "$all" ] ;;
    all) [ -z "$known" ] ;;
    esac || fail "of $all steps ${known:-none} were known, and $1 were to be decided again"
}

begin
await scheduler 'cause="node 0 joined' >/dev/null
submit 0 --iterations=50000000 --deadline=+900h # promised
submit 0 --model=bert --batch-size=64 --iterations=9000000
submit 3 --iterations=50000000 --deadline=+1m --promise-or-decline
submit 0 --iterations=5000 --held
submit 0 --iterations=5000000
client 0 hold 5
submit 0 --iterations=5000 --held
client 0 cancel 6
submit 0 --iterations=5000000 --deadline=+400h
client 0 change 7 --deadline=+500h
await master 'event=part job=7 .* state=stable' >/dev/null
jobs=7
standing >"$work/then"

finish TERM
begin
recalled none
compare "after a start"
submit 0 --iterations=4000000 --deadline=+600h
jobs=8
await master 'event=part job=8 .* state=stable' >/dev/null
standing >"$work/then"
finish KILL
begin
recalled some
compare "after a kill"

# ---- it ends while it keeps a snapshot ----

finish KILL
begin snapshot-written:1:kill
submit 0 --iterations=3000000 --deadline=+700h
jobs=9
await master 'event=part job=9 .* state=stable' >/dev/null
standing >"$work/then"
send TERM scheduler
ended scheduler 137
begin
recalled some
compare "after a snapshot that was not kept"

# ---- a copy of the process writes it ----

# log EVENT: how often it is in the log of the scheduler.
log() {
    grep -c " event=$1 " "$logs/scheduler.log" || true
}

finish KILL
begin snapshot-due:1:error
submit 0 --iterations=5000 --held
jobs=10
await scheduler 'event=snapshot ' >/dev/null
standing >"$work/then"
[ "$(log snapshot)" -eq 1 ] || fail "the copy wrote to the log of the service"
known=$(sed -n 's/.* event=snapshot .*steps=\([0-9]*\) .*/\1/p' "$logs/scheduler.log")
finish KILL
begin
compare "after a snapshot in pieces"
grep -q " event=recalled .* steps=$known\b" "$logs/scheduler.log" || fail "the snapshot of $known steps is not in force"

finish KILL
begin snapshot-due:1:error,snapshot-copy:1:kill
submit 0 --iterations=5000 --held
jobs=11
await scheduler 'event=no-snapshot .*cause="the copy that writes it ended with signal 9"' >/dev/null
client 0 show 11 --json
standing >"$work/then"
finish KILL
begin
recalled some
compare "after a copy that died"

for signal in KILL TERM; do # while a copy is at it
    finish KILL
    begin snapshot-due:1:error,snapshot-copy:1:wait
    submit 0 --iterations=5000 --held
    jobs=$((jobs + 1))
    await scheduler 'failpoint snapshot-copy 1 wait' >/dev/null
    standing >"$work/then"
    finish $signal
    begin
    [ $signal = TERM ] && recalled none || recalled some
    compare "after SIG$signal beside a copy"
done

# ---- a snapshot that cannot be read ----

finish TERM
LC_ALL=C sed -i 's/snapshot version=/snapshot Version=/' "$state/state.db"
begin
grep -q 'event=set-aside .*kind=snapshot' "$logs/scheduler.log" || fail "the snapshot is not set aside"
recalled all
compare "without a snapshot"
finish TERM
begin
recalled none
compare "with the next snapshot"

# ---- the document of a job that cannot be read: only whose it is is not known any more ----

finish TERM
LC_ALL=C sed -i 's/"iterations":4000000,/"iterations":4000001,/' "$state/state.db"
begin
grep -q 'event=set-aside .*kind=job name=8 ' "$logs/scheduler.log" || fail "the document of job 8 is not set aside"
recalled none
client 0 show 8 --json
grep -q '"user": "?"' "$work/answer" || fail "job 8 has a user: $(cat "$work/answer")"
for ((start = SECONDS; SECONDS - start < 600; )); do # until the master has told the names of nodes
    client 0 show 9 --json
    grep -q '"node-[0-9]*"' "$work/answer" || break
done
grep -q "\"user\": \"$(id -un)\"" "$work/answer" || fail "job 9 has another user: $(cat "$work/answer")"
grep -q '"verdict": "promised"' "$work/answer" || fail "job 9 is promised nothing: $(cat "$work/answer")"

end_service
ended worker:a
judge
