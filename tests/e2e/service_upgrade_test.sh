#!/usr/bin/env bash
# service_upgrade_test.sh - states of earlier versions, ended by SIGTERM and by SIGKILL, start and go on: each job stands
# as it stood, each promise stands, numbers go on after the last, and the next start need not adopt anything once more.
#
# tests/journal/states has a state for each of three commits (ccb9bce, 40fc821, e2c0b6a) and each end: state.db, its log,
# and "expected", a line for each job: its number, how it stood, and until when it was promised.
policy=rubato
confidence= # these states have none
source tests/e2e/service.sh

standing() { # JOB: what is expected of it, with one word for jobs that wait or run
    client 0 show "$1" --json
    echo "$1 $(sed -n 's/^  "state": "\([a-z]*\)".*/\1/p' "$work/answer") $(sed -n 's/^  "promised_until": \([a-z0-9]*\).*/\1/p' "$work/answer")" |
        sed 's/ \(waiting\|running\) / live /'
}

# compare WHEN: a promise that was made stands; one more may have been made.
compare() {
    local job stood promised now

    while read -r job stood promised; do
        now=$(standing "$job")
        case $stood in
        waiting | running) stood=live ;;
        esac
        [[ $now == "$job $stood "* ]] || fail "$1: job $job was $stood, and is: $now"
        [ "$promised" = null ] || [ "$now" = "$job $stood $promised" ] ||
            fail "$1: job $job was promised until $promised, and is: $now"
    done <"$state/expected"
}

for archive in tests/journal/states/*.tar.xz; do
    name=$(basename "$archive" .tar.xz)
    rm -rf "${state:?}" "$shared"/mark-*
    mkdir -m 700 "$state"
    tar -xJf "$archive" -C "$state"
    : >"$logs/scheduler.log"
    start_service
    served
    compare "$name"
    submit 0 --held --json
    [ "$(field job)" -eq 21 ] || fail "$name: the next job is number $(field job)"
    send TERM scheduler
    ended scheduler
    : >"$logs/scheduler.log"
    start_service
    served
    ! grep ' event=adopts ' "$logs/scheduler.log" || fail "$name: it adopts once more"
    compare "$name, once more"
    send KILL scheduler
    ended scheduler 137
done
passed=yes
