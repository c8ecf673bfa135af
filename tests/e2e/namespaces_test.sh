#!/usr/bin/env bash
# namespaces_test.sh - what the other tests rest on: networks that are cut in either direction and healed, lines that are
# waited for, processes that are found when they are left.
source tests/e2e/testbed.sh

network 2
# Nothing listens there: an address that is reached refuses at once, one that is not says nothing.
reaches() { # FROM ADDRESS SECONDS
    local status=0

    ip netns exec "$1" timeout "$3" bash -c "</dev/tcp/$2/9" 2>/dev/null || status=$?
    [ $status -eq 1 ]
}

reaches node-0 "$(address_of node-1)" 60 || fail "the nodes do not see each other"
reaches node-0 "$master_address" 60 || fail "a node does not see the master"
for which in in out both; do
    cut_off node-0 $which
    ! reaches node-1 "$(address_of node-0)" 0.5 || fail "a node that is cut off answers"
    heal node-0
    reaches node-1 "$(address_of node-0)" 60 || fail "a node that is healed does not answer"
done

start sleeper sleep 1000
! (dies_within=0 && nothing_is_left) 2>/dev/null || fail "a process that is left is not found"
send TERM sleeper
ended sleeper 143
judge
