#!/usr/bin/env bash
# What becomes of deadlines on the public traces, as the table of docs/promises.md has it.
#
#   benchmarks/promises.sh BIN [POLICY...]
#
# A row for each setting: jobs, how many of them any policy can end on time at most if starts cost nothing and if each
# is paid for (with a ? if perhaps fewer), and for rubato promised at arrival + promised later + best effort on time = on time;
# for each further POLICY, under clean rules, on time / promised and broken. Needs the traces in ../shared/traces
# (RUBATO_SHARED).
set -euo pipefail
if [ ! -x "${1:-}/rubato" ]; then
    echo "promises.sh: expected a folder with the program rubato, build/bin for example, found \"${1:-}\"" >&2
    exit 2
fi
bin=$(realpath "$1")
shift
cd "$(dirname "$0")/.."
traces=${RUBATO_SHARED:-../shared}/traces
if [ ! -e "$traces/cluster01.csv" ]; then
    echo "promises.sh: the public traces are not in $traces (set RUBATO_SHARED)" >&2
    exit 2
fi

# figures TRACE CLUSTER SLOT GPU OPTIONS...: what summary.json says, one member a line.
figures() {
    local trace=$1 cluster=$2 slot=$3 gpu=$4

    shift 4
    "$bin/rubato" simulate --cluster "cluster_specs/$cluster.csv" --slot "$slot" --gpu-type "$gpu" --json "$@" \
        "$traces/$trace.csv" | sed 's/^ *//; s/,$//'
}

member() { # NAME, of figures on stdin
    sed -n "s/^\"$1\": //p"
}

# bound NAME, of figures on stdin.
bound() {
    sed -n "s/^\"$1\": //p; s/^\"$1_gap\": [1-9].*/?/p" | tr -d '\n'
}

head="| setting | jobs | bound, with starts | at arrival + later + best effort = on time | broken |"
line="| --- | --- | --- | --- | --- |"
for policy in "$@"; do
    head+=" \`$policy\`, clean |"
    line+=" --- |"
done
printf '%s\n%s\n' "$head" "$line"
while read -r trace cluster slot gpu; do
    own=$(figures "$trace" "$cluster" "$slot" "$gpu" --policy rubato --bound)
    row="| $trace, $cluster, $slot s, $gpu | $(member jobs <<<"$own")"
    row+=" | $(bound bound <<<"$own"); $(bound bound_with_overheads <<<"$own") | $(member promised_at_arrival <<<"$own")"
    row+=" + $(member promised_later <<<"$own") + $(member best_effort_on_time <<<"$own")"
    row+=" = $(member on_time <<<"$own") | $(member broken <<<"$own") |"
    for policy in "$@"; do
        other=$(figures "$trace" "$cluster" "$slot" "$gpu" --policy "$policy" --rules clean)
        row+=" $(member on_time <<<"$other") / $(member broken <<<"$other") |"
    done
    echo "$row"
done <<'SETTINGS'
195job n16g8 240 A100
elasticVpollux_e n16g4 60 T4
cluster10 n32g8 60 A100
philly_103959 n32g8 60 A100
cluster01 n64g8 60 A100
cluster02 n64g8 60 A100
cluster03 n64g8 60 A100
cluster05 n64g8 60 A100
cluster06 n64g8 60 A100
cluster08 n128g8 60 A100
cluster09 n128g8 60 A100
cluster04 n128g8 60 A100
cluster07 n128g8 60 A100
SETTINGS
