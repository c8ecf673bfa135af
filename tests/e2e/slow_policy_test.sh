#!/usr/bin/env bash
# slow_policy_test.sh - a policy that takes longer over one answer than three heartbeats: the scheduler beats meanwhile,
# so that the master does not take it for gone.
source tests/e2e/testbed.sh

command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
cat >"$work/slow" <<P
#!/bin/bash
while read -r line; do
    [ \$((++asked)) != 3 ] || sleep 5
    echo "\$line"
done | python3 examples/policies/srtf.py
P
chmod +x "$work/slow"
start_master 1
start_worker a 8
start_scheduler cluster_specs/n1g8.csv traces/functionality_10jobs.csv "exec:$work/slow" --fastforward=True
ended scheduler
ended worker:a
ended master
[ "$(grep -c "event=scheduler-up " "$logs/master.log")" = 1 ] || fail "the master took the scheduler for gone"
judge
