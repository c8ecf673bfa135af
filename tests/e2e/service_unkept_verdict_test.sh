#!/usr/bin/env bash
# service_unkept_verdict_test.sh - the disk of the state is full after a job was taken and before its verdict is kept: no
# verb tells that verdict, nor what comes of it, until the disk has it. A service that is killed meanwhile has told of
# nothing that it forgets.
policy=rubato
source tests/e2e/service.sh

mkdir "$state"
mount -t tmpfs -o size=1m,mode=700 none "$state" || exit 77
start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8

begin() { # [FAILPOINT]
    program=$bin/scheduler
    if [ $# -gt 0 ]; then
        program=$tests/failing_scheduler
        export RUBATO_FAILPOINT=$1
    fi
    : >"$logs/scheduler.log"
    start_service
    unset RUBATO_FAILPOINT
    served
}

# told JOB VERDICT STATE REASON: by show, list and explain.
told() {
    client 0 show "$1" --json
    same "the verdict that show tells" "$(field verdict)" "$2"
    [ "$2" != null ] || same "the promise that show tells" "$(field promised_until)" null
    same "the reason that show tells" "$(field reason)" "$4"
    client 0 list --json --state=all
    grep -A20 "^      \"job\": $1,\$" "$work/answer" | sed 's/^    //' >"$work/listed"
    same "the state that list tells" "$(sed -n 's/^  "state": "\(.*\)",$/\1/p' "$work/listed" | head -n 1)" "$3"
    same "the verdict that list tells" \
        "$(sed -n 's/^  "verdict": "\{0,1\}\([^",]*\).*/\1/p' "$work/listed" | head -n 1)" "$2"
    client 0 explain "$1" --json
    same "the reason that explain tells" "$(field reason)" "$4"
    client 0 history "$1"
    [ "$2" != null ] || ! grep -qE ' (promised|best-effort|declined) ' "$work/answer" || fail "history tells the verdict"
}

same() { # WHAT FOUND EXPECTED
    [ "$2" = "$3" ] || fail "$1 is \"$2\", expected \"$3\": $(cat "$work/answer" "$work/listed" 2>/dev/null)"
}

fill() {
    while ! cat /dev/zero >>"$state/fill" 2>/dev/null; do
        [ "$(df --output=avail "$state" | tail -n 1)" -gt 0 ] || break
    done
}

begin asked-kept:1:wait
await scheduler 'cause="node 0 joined' >/dev/null
rubato submit --model=resnet50_cifar10 --batch-size=256 --iterations=5000000 --deadline=+400h --key=one --json \
    >"$work/submitted" 2>&1 &
submitting=$!
await scheduler 'failpoint asked-kept 1 wait' >/dev/null
fill
send CONT scheduler
await scheduler 'event=stuck ' >/dev/null
told 1 null waiting disk
client 1 cancel 1
rm "$state/fill"
wait $submitting || true
client 0 submit --model=resnet50_cifar10 --batch-size=256 --iterations=5000000 --deadline=+400h --key=one --json
same "the verdict once there is room" "$(field verdict)" promised
client 0 show 1 --json
same "the verdict that show tells then" "$(field verdict)" promised
[ "$(field promised_until)" != null ] || fail "no promise is shown once there is room"
send KILL scheduler
ended scheduler 137
begin
client 0 show 1 --json
same "the verdict after a kill" "$(field verdict)" promised
for end in scheduler master; do
    send TERM $end
    ended $end
done
ended worker:a
umount "$state"
judge
