#!/usr/bin/env bash
# The main job: the four policies on the shipped 195-job trace and, where the artifact's results are
# at hand, on its four settings beside its counts.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/bin}
shared=${RUBATO_SHARED:-../shared}

echo "195 jobs on 16 nodes of 8 A100 GPUs, slot 240 s (traces/testbed195.csv):"
"$bin/rubato" compare --slot 240 traces/testbed195.csv@cluster_specs/n16g8.csv

if [ ! -d "$shared/traces" ]; then
    echo
    echo "The public traces are not at $shared: the reference settings are left out."
    exit 0
fi

# trace cluster slot gpu-type
while read -r trace cluster slot gpu; do
    echo
    echo "$trace on $cluster, slot $slot s, $gpu, beside the published artifact's counts:"
    "$bin/rubato" compare --slot "$slot" --gpu-type "$gpu" \
        --reference tests/golden/reference_counts.csv \
        "$shared/traces/$trace.csv@cluster_specs/$cluster.csv"
done <<'SETTINGS'
195job n16g8 240 A100
elasticVpollux_e n16g4 60 T4
cluster10 n32g8 60 A100
philly_103959 n32g8 60 A100
SETTINGS
