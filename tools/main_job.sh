#!/usr/bin/env bash
# The main job: all published policies, our own and a plain elastic one, where the artifact's results are at hand on its four settings
# beside its counts, and the ten jobs of the functionality test on a single server.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/bin}
shared=${RUBATO_SHARED:-../shared}
policies=rubato,lsf,ef-accessctrl,ef,edf,edf-accessctrl,gandiva,dlas-gpu,themis,chronus

# The artifact's four settings: trace cluster slot gpu-type.
on_reference_settings() {
    local trace cluster slot gpu

    while read -r trace cluster slot gpu; do
        echo "$trace on $cluster, slot $slot s, $gpu, beside the published artifact's counts:"
        "$bin/rubato" compare --policies "$policies" --slot "$slot" --gpu-type "$gpu" \
            --reference tests/golden/reference_counts.csv \
            "$shared/traces/$trace.csv@cluster_specs/$cluster.csv"
        echo
    done <<'SETTINGS'
195job n16g8 240 A100
elasticVpollux_e n16g4 60 T4
cluster10 n32g8 60 A100
philly_103959 n32g8 60 A100
SETTINGS
}

echo "195 jobs on 16 nodes of 8 A100 GPUs, slot 240 s (traces/testbed195.csv):"
"$bin/rubato" compare --policies "$policies" --slot 240 traces/testbed195.csv@cluster_specs/n16g8.csv
echo

runs=$(dirname "$bin")/runs
echo "Three of these runs as a page for a browser, in $runs:"
for policy in rubato ef-accessctrl dlas-gpu; do
    "$bin/rubato" simulate --policy "$policy" --bound --slot 240 --cluster cluster_specs/n16g8.csv \
        --results "$runs/$policy" traces/testbed195.csv >/dev/null
done
"$bin/rubato" report "$runs"/{rubato,ef-accessctrl,dlas-gpu} --force --output "$runs/report.html"
echo

if [ -d "$shared/traces" ]; then
    on_reference_settings
else
    echo "The public traces are not at $shared: the reference settings are left out."
    echo
fi

echo "Ten jobs on one server of 8 A100 GPUs, slot 240 s (traces/functionality_10jobs.csv):"
"$bin/rubato" compare --policies ef-accessctrl,edf,gandiva,dlas-gpu,themis --slot 240 \
    --columns policy,on_time,promised,broken,accepted,declined,jct_mean_s,preemptions,queueing_delay_mean_s \
    traces/functionality_10jobs.csv@cluster_specs/n1g8.csv
echo

echo "The same ten jobs on a testbed of emulated GPUs, by real processes: a scheduler, a master, a worker, 8 trainers:"
"$bin/rubato" local --trace traces/functionality_10jobs.csv --policy ef-accessctrl --gpus 8 --slot 240
