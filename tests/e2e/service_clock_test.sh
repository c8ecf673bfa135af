#!/usr/bin/env bash
# service_clock_test.sh - the time of day of scheduler, master and worker is set an hour forward, an hour back, 400 days
# forward and back again while jobs train and are submitted: no lease ends, no job is stopped or declined for that,
# promises are kept, and the service shows the times of its own calendar, which goes on as if nothing had been.
source tests/e2e/service.sh

[ -z "${RUBATO_SANITIZED:-}" ] || exit 77 # sanitizers want to be loaded first

set_clock() { # SECONDS
    printf '%-32s' "$1" | dd of="$work/clock" conv=notrunc status=none
}

: >"$work/clock"
set_clock 0
library=$(realpath "$tests/libset_clock.so")
export SET_CLOCK=$work/clock
set_off() { # NAME COMMAND...
    LD_PRELOAD=$library start "$@"
}

set_off master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
set_off worker:a "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 8 -r "$shared" --name=a --address=127.0.0.1 --emulate
set_off scheduler "$bin/scheduler" --serve --state="$state" --runs="$shared" --cluster_spec="$cluster" --schedule=rubato \
    --gpu_type=A100 --scheduling_slot=0 --time_scale=100
served
await scheduler 'cause="node 0 joined' >/dev/null
begun=$(date +%s)

# The long job trains through all of it.
submit 0 --iterations=90000 --max-gpus=2 --deadline=+10h --promise-or-decline --json
promised=$(field promised_until)
await master 'event=part job=1 .* state=stable' >/dev/null
number=1
was=0
for by in 3600 -3600 34560000 -34560000 0; do
    set_clock $by
    await scheduler "event=clock-was-set .* by=$((by - was))\$" >/dev/null
    was=$by
    number=$((number + 1))
    submit 0 --iterations=3000 --max-gpus=2 --deadline=+3h --promise-or-decline --json
    [ "$(field job)" -eq $number ] || fail "another number: $(cat "$work/answer")"
    await master "event=part job=$number .* state=done" >/dev/null
    if [ "${by#-}" -gt 86400 ]; then # into another year
        for process in master scheduler worker:a; do
            await $process "^$(date -u -d "@$(($(date +%s) + by))" +%Y)-" >/dev/null
        done
    fi
    client 0 show 1 --json
    [ "$(field promised_until)" -eq "$promised" ] || fail "another promise: $(cat "$work/answer")"
    [ "$(field state)" = running ] || fail "it does not train: $(cat "$work/answer")"
done

client 0 list --state=all --json
awk -v from="$begun" -v to=$((begun + 40 * 3600)) -F '[:, ]+' '
    /"(submitted|promised_until|ended|deadline)": [0-9]/ { count++; if ($3 < from - 60 || $3 > to) wrong = $0 }
    END { if (wrong != "" || count < 12) { print count, wrong; exit 1 } }' "$work/answer" ||
    fail "a time that cannot be: $(cat "$work/answer")"
client 0 wait 1
for ((job = 1; job <= number; job++)); do
    client 0 show $job --json
    grep -q 'as promised' "$work/answer" || fail "job $job is not as promised: $(cat "$work/answer")"
done
! grep -E 'event=(lost|worker-down|lease-over|late|withdrawn|slips|at-risk|clock-held) |by=lease' "$logs"/*.log || fail "a clock was followed"

# Nor does one that is started again with the clock set.
set_clock 3600
after=$(lines scheduler)
send KILL scheduler
ended scheduler 137
set_off scheduler "$bin/scheduler" --serve --state="$state" --runs="$shared" --cluster_spec="$cluster" --schedule=rubato \
    --gpu_type=A100 --scheduling_slot=0 --time_scale=100
served --matches=2
await scheduler 'event=clock-was-set .* by=3600$' --after="$after" >/dev/null
submit 0 --iterations=3000 --max-gpus=2 --deadline=+3h --promise-or-decline
end_service
ended worker:a
judge
