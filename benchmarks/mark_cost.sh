#!/usr/bin/env bash
# mark_cost.sh BIN [PAIRS] - what the mark of a state costs (scheduler/journal/mark.h): submissions a second of one client
# and of 32, and processor time of the service a submission, with the mark and with a library that makes its writes nothing,
# in turns. By hand; prints the pairs and the medians.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/bin}
pairs=${2:-11}
programs=build/benchmarks/bin
cmake -S . -B build/benchmarks -DCMAKE_BUILD_TYPE=Release -DRUBATO_BENCHMARKS=ON >/dev/null
cmake --build build/benchmarks --target service_load no_mark benchmarks_await_line >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ticks() { # of the processor, of the service
    awk '{ print $14 + $15 }' "/proc/$1/stat"
}

# load CLIENTS REQUESTS: the answers a second.
load() {
    "$programs/service_load" --socket "$work/state/rubato.sock" --name load --clients "$1" --requests "$2" --first "$3" |
        sed -n 's/.*"per_s": \([0-9.]*\).*/\1/p'
}

# measure LIBRARY: a line "RATE-OF-ONE RATE-OF-32 MICROSECONDS" of a service on a new state.
measure() {
    local scheduler before one many

    rm -rf "$work/state"
    : >"$work/log"
    LD_PRELOAD=$1 "$bin/scheduler" --serve --state "$work/state" --cluster_spec cluster_specs/n32g8.csv --schedule rubato \
        2>"$work/log" >/dev/null &
    scheduler=$!
    "$programs/await_line" "$work/log" ' event=serving ' >/dev/null
    before=$(ticks $scheduler)
    one=$(load 1 500 1001)
    many=$(load 32 5000 10001)
    awk -v one="$one" -v many="$many" -v ticks="$(($(ticks $scheduler) - before))" -v hz="$(getconf CLK_TCK)" \
        'BEGIN { printf "%.0f %.0f %.0f\n", one, many, 1e6 * ticks / hz / 5500 }'
    kill $scheduler
    wait $scheduler 2>/dev/null || true
}

echo "one client/s, 32 clients/s, processor us a submission: with the mark, without"
for ((pair = 0; pair < pairs; pair++)); do
    if [ $((pair % 2)) = 0 ]; then
        with=$(measure "")
        without=$(measure "$(realpath "$programs/no_mark.so")")
    else
        without=$(measure "$(realpath "$programs/no_mark.so")")
        with=$(measure "")
    fi
    echo "$with $without" | tee -a "$work/pairs"
done
for column in 1 2 3; do
    awk -v a=$column -v b=$((column + 3)) '{ print $a, $b, $a / $b }' "$work/pairs" >"$work/column"
    for field in 1 2 3; do
        sort -g -k $field,$field "$work/column" | awk -v f=$field '{ v[NR] = $f } END { printf "%s ", v[int((NR + 1) / 2)] }'
    done
    echo
done | awk '{ printf "%s: median with %s, without %s, of the ratios of the pairs %.3f\n",
    NR == 1 ? "one client/s" : NR == 2 ? "32 clients/s" : "processor us a submission", $1, $2, $3 }'
