#!/bin/bash
# Every file of manifest.tsv is refused with exactly the sentence that stands there, or accepted. Of
# kind `rules` there are no files: what stands there is given to --rules, under edf; of kind `leasing`
# it is options of chronus.
. tests/bad_input/refusal.sh

# arguments KIND FILE: the usual inputs, one of them replaced by the file.
arguments() {
    local trace=$here/traces/usual.csv cluster=$here/cluster_specs/usual.csv
    local tables=$here/throughputs type=usual config=

    case $1 in
    trace) trace=$2 ;;
    rules)
        run --trace_file="$trace" --cluster_spec="$cluster" --throughputs="$tables" \
            --gpu_type="$type" --schedule=edf --rules="${2#"$here"/}"
        return
        ;;
    leasing)
        read -ra options <<<"${2#"$here"/}"
        run --trace_file=$here/traces/chronus.csv --cluster_spec="$cluster" --schedule=chronus \
            "${options[@]}"
        return
        ;;
    cluster) cluster=$2 ;;
    config) config=$2 ;;
    table) # TYPE.csv, or a folder TYPE of one file per model
        tables=$(dirname "$2") type=$(basename "$2" .csv)
        case $tables in
        "$here"/*/*) type=$(basename "$tables") tables=$(dirname "$tables") ;;
        esac
        ;;
    *) fail "$2" "the manifest knows no kind $1" ;;
    esac
    set -- --trace_file="$trace" --cluster_spec="$cluster" --throughputs="$tables" \
        --gpu_type="$type"
    run "$@" ${config:+"--config=$config"}
}

while IFS=$'\t' read -r kind file verdict sentence; do
    arguments "$kind" "$here/$file"
    case $verdict in
    refused)
        [ "$kind" = rules ] || [ "$kind" = leasing ] || sentence=$here/$file$sentence
        expect_refusal "$file" "$sentence"
        ;;
    accepted) expect_success "$file" ;;
    *) fail "$file" "the manifest knows no verdict $verdict" ;;
    esac
done < <(tail -n +2 "$here/manifest.tsv")

# No file is forgotten: each stands in the manifest, or beside one that does.
for file in "$here"/{traces,numbers,throughputs,cluster_specs,config}/*; do
    grep -qF "${file#"$here"/}" "$here/manifest.tsv" || fail "$file" "is not in the manifest"
done

finish 283
