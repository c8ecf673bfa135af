#!/usr/bin/env bash
# service_beside_test.sh - two services, and a trace run after one of them, at one run folder of workers: numbers of jobs,
# folders of checkpoints and logs never meet.
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 4
cluster=cluster_specs/n1g4.csv

# A service with a state of its own, in which job 1 is done.
serve() { # NAME
    state=$work/$1
    export RUBATO_SOCKET=$state/rubato.sock
    : >"$logs/scheduler.log"
    start_service --time_scale=600
    served
    client 0 submit --model=resnet50_cifar10 --batch-size=256 --iterations=20000 --deadline=+90h --json
    [ "$(field job)" -eq 1 ] || fail "the first job of $1 is $(field job)"
    client 0 wait 1
    send TERM scheduler
    ended scheduler
}

serve one
serve two
end_cluster a
start_master 1
start_worker a 4
start_scheduler "$cluster" tests/e2e/traces/two_jobs.csv fifo
ended scheduler
ended worker:a
ended master

mapfile -t runs < <(find "$shared/jobs" -mindepth 1 -maxdepth 1 -printf '%f\n' | sed 's/-[0-9]*$//' | sort -u)
[ ${#runs[@]} -eq 3 ] || fail "there are not three runs: $(ls "$shared/jobs")"
[ "$(find "$shared/jobs" -mindepth 1 -maxdepth 1 | wc -l)" -eq 4 ] || fail "there are not four jobs: $(ls "$shared/jobs")"
[ "$(find "$shared/jobs" -name checkpoint | wc -l)" -eq 4 ] || fail "not each job has a checkpoint of its own"

# What a state has is there again beside the others.
state=$work/one
export RUBATO_SOCKET=$state/rubato.sock
: >"$logs/scheduler.log"
start_service --time_scale=600
served
client 0 show 1 --json
[ "$(field state)" = done ] || fail "job 1 of the first service is $(field state)"
send TERM scheduler
ended scheduler
passed=yes
