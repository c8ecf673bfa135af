#!/usr/bin/env bash
# neighbour_versions.sh - the processes of a run are of this version and of the one before, in each way to mix them:
# the results are those of the simulation, byte for byte.
#
# The version before is built from the history of this repository, or is in the folder RUBATO_OLD_BIN. Part of
# `make soak`: a build takes minutes. In `make test` messages_test reads the bytes of each version that is spoken, and
# link_versions_test has sessions in it.
before=d072865 # the last commit whose WIRE_VERSION is 4

if [ -z "${RUBATO_OLD_BIN:-}" ]; then
    git cat-file -e "$before^{commit}" 2>/dev/null || {
        echo "skipped: there is no commit $before here"
        exit 77
    }
    old=$(mktemp -d)
    trap 'rm -rf "$old"' EXIT
    git archive "$before" | tar -x -C "$old" &&
        cmake -S "$old" -B "$old/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$old/log" 2>&1 &&
        cmake --build "$old/build" --target scheduler master worker trainer rubato >>"$old/log" 2>&1 || {
        tail -n 20 "$old/log"
        exit 1
    }
    RUBATO_OLD_BIN=$old/build/bin bash "$0" "$@"
    exit
fi
source tests/e2e/testbed.sh

options=(--cluster_spec=cluster_specs/n1g8.csv --print --scheme=elastic
    --trace_file=traces/functionality_10jobs.csv --schedule=ef-accessctrl --scheduling_slot=240
    --restart_threshold=70 --gpu_type=A100)

# mixed SCHEDULER MASTER WORKER TRAINER: each is "old" or "new".
mixed() {
    local -A from=([old]=$RUBATO_OLD_BIN [new]=$bin)

    rm -rf "${results:?}" "${shared:?}"/*
    mkdir -p "$shared/locks"
    start scheduler "${from[$1]}/scheduler" "${options[@]}" --simulation=False --log_path="$results"
    await scheduler 'event=waiting'
    start worker:node "${from[$3]}/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 8 -A 127.0.0.1 -g 6889 -w 8 -r "$shared" \
        -x python3 --dynamic_requests=True --scheduler_port=6890 --scheduler_addr=127.0.0.1 --name=node --emulate \
        --trainer="${from[$4]}/trainer"
    start master "${from[$2]}/master" -p 6888 -n 1 --heartbeat=$heartbeat --lease=$lease --once
    ended scheduler
    ended worker:node
    ended master
    same_results "$work/simulated"
    # An old server says so once, before it is spoken to in its version.
    ! grep -h 'event=.*refused' "$logs"/*.log | grep -v 'version [0-9]* of the protocol is not spoken here, but 4' ||
        fail "$*: one refused another"
    echo "scheduler $1, master $2, worker $3, trainer $4: as simulated"
    rm -f "$logs"/*
}

"$bin/scheduler" "${options[@]}" --simulation=True --log_path="$work/simulated" >"$work/simulated.out"
for scheduler in old new; do
    for master in old new; do
        for worker in old new; do
            mixed $scheduler $master $worker old
            mixed $scheduler $master $worker new
        done
    done
done
passed=yes
