#!/bin/bash
# Where the artifact ends with an error, or never, Rubato says why and prints no numbers; so it does where one
# of its own policies needs what the trace lacks. Each case is a folder: a trace, a cluster and, unless
# the shipped tables do, the throughputs.
. tests/bad_input/refusal.sh

while IFS=$'\t' read -r name policy slot type sentence; do
    folder=$here/aborts/$name
    tables=throughputs
    [ ! -d "$folder/$type" ] || tables=$folder
    run --schedule="$policy" --scheduling_slot="$slot" --gpu_type="$type" \
        --trace_file="$folder/trace.csv" --cluster_spec="$folder/cluster.csv" \
        --throughputs="$tables"
    expect_refusal "$name" "$sentence"
    case $name in # what a quirk of the policy is to blame for, clean rules get over
    end_without_gpus_ef | livelock_* | done_before_its_end_* | stale_end_*)
        run --schedule="$policy" --scheduling_slot="$slot" --gpu_type="$type" \
            --trace_file="$folder/trace.csv" --cluster_spec="$folder/cluster.csv" \
            --throughputs="$tables" --rules=clean
        expect_success "$name, clean rules"
        ;;
    esac
done < <(tail -n +2 "$here/aborts/manifest.tsv")

for folder in "$here"/aborts/*/; do
    cut -f1 "$here/aborts/manifest.tsv" | grep -qx "$(basename "$folder")" ||
        fail "$folder" "is not in the manifest"
done

finish 84
