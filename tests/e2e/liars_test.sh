#!/usr/bin/env bash
# liars_test.sh - trainers say that their rate is NaN, negative, zero or enormous, or that their steps go backwards. It
# is counted and not believed: all jobs end, and nothing in the results is anything but a number.
#
#   liars_test.sh [real|forward]
source tests/e2e/testbed.sh

how=${1:-real}
time=(--fastforward=False --time_scale=120)
[ "$how" = real ] || time=(--fastforward=True)
start_master 1
start_worker a 8 '--faults=job=0:lie=nan;job=1:lie=negative;job=2:lie=zero;job=3:lie=huge;job=4:lie=backwards'
start_scheduler cluster_specs/n1g8.csv tests/e2e/traces/five_liars.csv fifo "${time[@]}"
ended scheduler
ended worker:a
ended master
[ "$(tail -n +2 "$results/jobs.csv" | wc -l)" -eq 6 ] || fail "not all jobs have ended"
! grep -iE 'nan|inf|e\+|-' "$results/jobs.csv" || fail "something that is no number is in the results"
if [ "$how" = forward ]; then # in real time no rates are needed: steps count
    distrusted=$(sed -n 's/.* event=down .* distrusted=\([0-9]*\).*/\1/p' "$logs/scheduler.log")
    [ "$distrusted" -ge 4 ] || fail "only $distrusted lies were counted"
fi
judge
