#!/usr/bin/env bash
# valgrind_test.sh - scheduler (which becomes scheduler-live), master and trainers read and free only what is theirs, in a
# run in which jobs start, stop and end. Debian's valgrind does not know pidfd_open, without which a worker sees no trainer
# end: the sanitizers look after the worker.
source tests/e2e/testbed.sh

command -v valgrind >/dev/null || exit 77
[ -z "${RUBATO_SANITIZED:-}" ] || exit 77 # the two do not mix

heartbeat=5 # everything takes its time
lease=60

look=(valgrind --vgdb=no --quiet --leak-check=full --errors-for-leak-kinds=definite --log-file="$work/valgrind.%p")
{
    echo '#!/bin/bash'
    printf 'exec'
    printf ' %q' "${look[@]}" "$(realpath "$bin")/trainer"
    echo ' "$@"'
} >"$work/trainer"
chmod +x "$work/trainer"

start master "${look[@]}" "$bin/master" -p 6888 -n 1 --heartbeat=$heartbeat --lease=$lease --once
start worker:a "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 4 -r "$shared" --name=a --emulate \
    --trainer="$work/trainer"
start scheduler "${look[@]}" "$bin/scheduler-live" --cluster_spec=cluster_specs/n1g4.csv --simulation=False --schedule=themis \
    --trace_file=tests/e2e/traces/two_jobs.csv --scheduling_slot=240 --restart_threshold=3 --log_path="$results"
ended scheduler
ended worker:a
ended master
[ "$(find "$work" -name 'valgrind.*' | wc -l)" -ge 5 ] || fail "some processes were not looked at"
if cat "$work"/valgrind.* | grep .; then
    fail "valgrind has found something"
fi
passed=yes
