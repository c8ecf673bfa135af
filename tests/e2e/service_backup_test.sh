#!/usr/bin/env bash
# service_backup_test.sh - a service that starts on a state answers first and copies the state then, beside its use: the
# copy has what was submitted meanwhile, a client that asks for a copy shares the one at hand, and an end in the middle
# leaves the copy before. A state that went back to its copy has all jobs of it.
policy=rubato
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease=60

begin() {
    : >"$logs/scheduler.log"
    start_service
    served
}

finish() { # SIGNAL
    local status=0

    send "$1" scheduler
    [ "$1" = TERM ] || status=137
    ended scheduler $status
}

# line_of WORDS: of the log of the scheduler.
line_of() {
    grep -n -m 1 "$1" "$logs/scheduler.log" | cut -d : -f 1
}

begin
for ((i = 0; i < 20; i++)); do submit 0 --held; done
finish KILL
[ ! -e "$state/backup.db" ] || fail "a new state has a copy"

begin
submit 0 --held
await scheduler 'event=backup ' >/dev/null
[ "$(line_of 'event=serving ')" -lt "$(line_of 'event=backup ')" ] || fail "the state was copied before clients could come"
cp "$state/backup.db" "$work/first.db"
submit 0 --held
"$bin/rubato" state backup "$state" >/dev/null
! cmp -s "$state/backup.db" "$work/first.db" || fail "a copy that was asked for is the one from the start"
submit 0 --held
finish KILL

cp "$state/backup.db" "$work/second.db"
: >"$logs/scheduler.log"
mkdir "$state/backup.db.copy" # no copy can be begun
start_service
served
await scheduler 'event=no-backup ' >/dev/null
client 0 list --json
[ "$(field total)" -eq 23 ] || fail "$(field total) jobs are there, expected 23"
finish KILL
rmdir "$state/backup.db.copy"
cmp -s "$state/backup.db" "$work/second.db" || fail "a copy that failed replaced the one before"

rm -f "$state/state.db" "$state/state.db-wal"
"$bin/rubato" state restore "$state" >/dev/null
begin
for ((i = 1; i <= 22; i++)); do client 0 show "$i"; done
client 6 show 23
end_service
judge
