#!/usr/bin/env bash
# Speed, memory and growth of the programs in a folder, beside the machine and the commit.
#
#   benchmarks/run.sh build/bin [cells|traces|memory|load|growth|arrivals|journal|solver|sweep|master|testbed|service|client|backlog]...
#
# Without a part: all but `backlog`, the long one. What each measures is in README.md.
set -euo pipefail
if [ ! -x "${1:-}/scheduler" ] || [ ! -x "$1/rubato" ]; then
    echo "run.sh: expected a folder with the programs scheduler and rubato, build/bin for example," \
        "found \"${1:-}\"" >&2
    exit 2
fi
bin=$(realpath "$1")
shift
cd "$(dirname "$0")/.."

parts=("$@")
[ $# -gt 0 ] || parts=(cells traces memory load growth arrivals journal solver sweep master testbed service client)
build=${RUBATO_BENCHMARKS_BUILD:-build/benchmarks}
programs=$build/bin
traces=${RUBATO_SHARED:-../shared}/traces
record=$build/results.jsonl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for part in "${parts[@]}"; do
    case $part in
    cells | traces | memory | load | growth | arrivals | journal | solver | sweep | master | testbed | service | client | backlog) ;;
    *)
        echo "run.sh: there is no part \"$part\": cells, traces, memory, load, growth, arrivals, journal, solver, sweep, master, testbed, service, client or backlog" >&2
        exit 2
        ;;
    esac
done

# table lays lines of JSON out for users, keep writes them down, show does both.
table() {
    awk -f benchmarks/table.awk
}

keep() {
    tee -a "$record"
}

show() {
    keep | table
}

# generate NAME JOBS ARRIVAL-INTERVAL OPTIONS...: $work/NAME.csv
generate() {
    local name=$1 jobs=$2 interval=$3

    shift 3
    "$bin/rubato" trace generate --jobs "$jobs" --arrival-interval "$interval" --seed 1 \
        --throughputs throughputs --output "$work/$name.csv" "$@" >/dev/null
}

needs_traces() {
    [ ! -e "$traces/cluster01.csv" ] || return 0
    echo "skipped: the public traces are not in $traces (set RUBATO_SHARED)"
    return 1
}

build_programs() {
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
        -DRUBATO_BENCHMARKS=ON >/dev/null
    cmake --build "$build" --target benchmarks >"$work/build.log" 2>&1 || {
        cat "$work/build.log" >&2
        exit 1
    }
}

from_file() { # FILE KEY: the first value of "KEY : value"
    sed -n "s/^$2[^:]*: *//p" "$1" 2>/dev/null | head -n 1
}

describe() {
    local cpu memory compiler commit

    cpu=$(from_file /proc/cpuinfo 'model name')
    memory=$(awk '/^MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo)
    compiler=$(readelf -p .comment "$bin/scheduler" 2>/dev/null | sed -n 's/^ *\[ *0\] *//p')
    commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)
    if [ "$commit" != unknown ] && [ -n "$(git status --porcelain --untracked-files=no)" ]; then
        commit="$commit, with changes"
    fi
    cat <<TEXT
machine   ${cpu:-unknown}, $(nproc) cores, ${memory:-unknown}
load      $(cut -d ' ' -f 1-3 /proc/loadavg) (others that compute make every figure worse)
kernel    $(uname -sr)
compiler  ${compiler:-unknown}
commit    $commit
date      $(date -u +%Y-%m-%dT%H:%M:%SZ)
TEXT
}

for file in benchmarks/parts/*.sh; do
    source "$file"
done
build_programs
describe | tee "$work/about"
awk '{
    key = $1
    sub(/^[a-z]+ +/, "")
    printf "%s\"%s\": \"%s\"", (NR > 1 ? ", " : "{"), key, $0
} END { print "}" }' "$work/about" >"$record"

failed=()
for part in "${parts[@]}"; do
    printf '\n== %s\n' "$part"
    "part_$part" || failed+=("$part")
done

echo
[ $# -gt 0 ] || echo "not run: backlog; ask for it with benchmarks/run.sh $bin backlog"
echo "targets met: $(grep -c '"met": true' "$record" || true)," \
    "missed: $(grep -c '"met": false' "$record" || true); all figures are in $record"
if [ ${#failed[@]} -gt 0 ]; then
    echo "run.sh: could not be measured: ${failed[*]}" >&2
    exit 1
fi
