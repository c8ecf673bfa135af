#!/usr/bin/env bash
# own_program_test.sh - a job brings its program along: on a worker that emulates the others it is executed, with the
# variables of the launch contract and its own.
source tests/e2e/testbed.sh

start_master 1
start_worker a 2 --stable-after=600
start player "$tests/plan_player" --program=env 0,1
ended player
ended worker:a
ended master
for rank in 0 1; do
    log=$shared/logs/job-0.inc-1.rank-$rank.log
    for line in "RANK=$rank" WORLD_SIZE=2 MINE=1 RUBATO_JOB_NAME=example "PATH=$PATH"; do
        grep -qxF "$line" "$log" || fail "no $line: $(cat "$log")"
    done
done
judge
