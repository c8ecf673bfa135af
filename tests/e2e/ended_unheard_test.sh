#!/usr/bin/env bash
# ended_unheard_test.sh - a job ends while its worker is stopped, and the worker is killed before it says so. The worker
# that is started in its place tells the end: nothing of the job is trained again.
#
#   ended_unheard_test.sh [soon|late]
#     soon: the master has not noticed that the worker was stopped
#     late: it has, so that the job is to begin anew
source tests/e2e/testbed.sh

how=${1:-soon}
lease=600
[ "$how" = late ] || heartbeat=60 # of which three may be missed

start_master 1
start_worker a 4
start_scheduler cluster_specs/n1g4.csv tests/e2e/traces/two_jobs.csv fifo --fastforward=False --time_scale=60
await worker:a 'trainer:a.* event=stable job=0 ' >/dev/null
mapfile -t orphans < <(trainers worker:a)
send STOP worker:a
gpus=$(grep -c 'trainer:a.* event=hold job=0 ' "$logs/worker-a.log")
await worker:a 'trainer:a.* event=release job=0 .* why=done' --matches="$gpus" >/dev/null
[ "$how" != late ] || await master 'event=worker-down .* name=a ' >/dev/null
send KILL worker:a
gone "${orphans[@]}"
ended worker:a 137
start_worker a 4
await master 'event=part job=0 incarnation=1 .* state=done ' >/dev/null
ended scheduler
! grep 'event=begin job=0 incarnation=[2-9] ' "$logs/master.log" || fail "the job was trained again"
ended worker:a
ended master
# What ends last may be kept, as workers hear that the master knows with a heartbeat.
! find "$shared/ends" -type f | grep -- '-0\.1\.[0-9]*$' || fail "an end is kept that the master knows"
judge
