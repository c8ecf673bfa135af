#!/usr/bin/env bash
# What becomes of promises where nodes fail, and speeds and overheads are not those of the tables, as docs/promises.md
# has it.
#
#   benchmarks/faults.sh BIN [SEEDS]
#
# A row for each setting and world, and in it for each number K of nodes in reserve: on time / promised / withdrawn /
# broken, means over SEEDS (5) seeds. Needs the traces in ../shared/traces (RUBATO_SHARED).
set -euo pipefail
if [ ! -x "${1:-}/rubato" ]; then
    echo "faults.sh: expected a folder with the program rubato, build/bin for example, found \"${1:-}\"" >&2
    exit 2
fi
bin=$(realpath "$1")
seeds=${2:-5}
cd "$(dirname "$0")/.."
traces=${RUBATO_SHARED:-../shared}/traces
if [ ! -e "$traces/195job.csv" ]; then
    echo "faults.sh: the public traces are not in $traces (set RUBATO_SHARED)" >&2
    exit 2
fi
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# cell TRACE CLUSTER SLOT GPU OPTIONS...: the means over all seeds; "-" for a limit of no node that may be gone.
cell() {
    local trace=$1 cluster=$2 slot=$3 gpu=$4

    shift 4
    case "$* " in *"--nodes-down 0 "*) echo - && return ;; esac
    for seed in $(seq "$seeds"); do
        "$bin/rubato" simulate --cluster "cluster_specs/$cluster.csv" --slot "$slot" --gpu-type "$gpu" --seed "$seed" \
            --results "$results/run" --force "$@" "$traces/$trace.csv" >/dev/null 2>"$results/said"
        cat "$results/run/summary.json"
    done | awk -v seeds="$seeds" -F'[ ,":]+' '
        { sums[$2] += $3 }
        function mean(name) { return sprintf(sums[name] % seeds ? "%.1f" : "%d", sums[name] / seeds) }
        END { print mean("on_time") " / " mean("promised") " / " mean("withdrawn") " / " mean("broken") }'
}

echo "| setting | world | K = 0 | K = 1 | K = 2 |"
echo "| --- | --- | --- | --- | --- |"
while read -r trace cluster slot gpu; do
    while IFS='|' read -r world options; do
        row="| $trace, $cluster, $slot s, $gpu | $world |"
        for spares in 0 1 2; do
            read -ra words <<<"${options//SPARES/$spares}"
            row+=" $(cell "$trace" "$cluster" "$slot" "$gpu" --spare-nodes "$spares" "${words[@]}") |"
        done
        echo "$row"
    done <<'WORLDS'
as the tables have it|
a node fails each 250,000 s, at most K gone|--node-mtbf 250000 --nodes-down SPARES
the same, any number gone|--node-mtbf 250000
a node fails each 50,000 s, at most K gone|--node-mtbf 50000 --nodes-down SPARES
the same, any number gone|--node-mtbf 50000
speeds wrong by up to 10 %|--speed-error 10
speeds wrong by up to 20 %|--speed-error 20
no overheads|--overhead-factor 0
overheads x 3|--overhead-factor 3
WORLDS
done <<'SETTINGS'
195job n16g8 240 A100
elasticVpollux_e n16g4 60 T4
SETTINGS
