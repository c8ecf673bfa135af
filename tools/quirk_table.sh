#!/usr/bin/env bash
# quirk_table.sh [BIN [FILE]] - what each quirk of the reference costs, on the published artifact's four
# settings: writes docs/reference-quirks.md, or FILE, with the programs in BIN (build/bin).
#
# Policies and tags are those that `rubato quirks` lists, so that a new row of the table of quirks is a
# new row here. The public traces are looked for in ../shared/traces, or $RUBATO_SHARED/traces.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/bin}
file=${2:-docs/reference-quirks.md}
shared=${RUBATO_SHARED:-../shared}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# trace cluster slot gpu-type
settings="elasticVpollux_e n16g4 60 T4
195job n16g8 240 A100
cluster10 n32g8 60 A100
philly_103959 n32g8 60 A100"

if [ ! -d "$shared/traces" ]; then
    echo "quirk_table.sh: there are no public traces in $shared; name their folder in RUBATO_SHARED" >&2
    exit 2
fi

# Each policy that has a quirk, once, in the order of the table.
policies=$("$bin/rubato" quirks --csv | tail -n +2 | cut -d, -f2 | tr ' ' '\n' | awk '!seen[$0]++')

# tags POLICY: of all quirks that it has, one a line.
tags() {
    "$bin/rubato" quirks --policy "$1" --csv | tail -n +2 | grep -v ',"kept"$' | cut -d, -f1
}

# counts POLICY RULES TRACE CLUSTER SLOT GPU_TYPE: accepted/declined, or nothing and a sentence in
# $work/why.
counts() {
    local options=()

    [ "$1" != chronus ] || options=(--mip_time_limit=0)
    "$bin/scheduler" --schedule="$1" --rules="$2" \
        --trace_file="$shared/traces/$3.csv" --cluster_spec="cluster_specs/$4.csv" \
        --scheduling_slot="$5" --gpu_type="$6" --throughputs=throughputs "${options[@]}" </dev/null \
        >"$work/out" 2>"$work/why" || return 0
    tail -n 2 "$work/out" | sed 's/.*: //' | paste -sd /
}

# row POLICY RULES: a row of the table of POLICY; its counts under the reference's rules are in
# $work/reference, one a line.
row() {
    local trace cluster slot gpu found before cell line="| $2 |" column=0

    while read -r trace cluster slot gpu; do
        column=$((column + 1))
        found=$(counts "$1" "$2" "$trace" "$cluster" "$slot" "$gpu")
        if [ "$2" = reference ]; then
            echo "${found%/*}" >>"$work/reference"
        fi
        before=$(sed -n "${column}p" "$work/reference")
        cell=$found
        if [ -z "$found" ]; then
            sed "s/^[a-z]*: //; s#$shared/traces/##g; s/^/- $2, $trace: /" "$work/why" >>"$work/notes"
            cell="stops"
        elif [ -n "$before" ] && [ "${found%/*}" != "$before" ]; then
            cell+=" ($(printf '%+d' $((${found%/*} - before))))"
        fi
        line+=" $cell |"
    done <<<"$settings"
    echo "$line"
}

table_of() {
    local tag trace rest

    rm -f "$work/reference" "$work/notes"
    printf '\n## %s\n\n| rules |' "$1"
    while read -r trace rest; do
        printf ' %s |' "$trace"
    done <<<"$settings"
    printf '\n|---|'
    sed 's/.*/---:|/' <<<"$settings" | tr -d '\n'
    echo
    row "$1" reference
    for tag in $(tags "$1"); do
        row "$1" "$tag"
    done
    row "$1" clean
    if [ -e "$work/notes" ]; then
        printf '\nWhere it stops:\n\n'
        cat "$work/notes"
    fi
}

list_quirks() {
    "$bin/rubato" quirks --csv | tail -n +2 |
        sed -E 's/^([^,]*),([^,]*),([01]),"([^"]*)","([^"]*)"$/| \1 | \2 | \4 | \5 |/'
}

{
    cat <<'TEXT'
# What each quirk of the reference costs

The published policies follow their reference quirk for quirk. `--rules` puts quirks right: one, several
with commas between them, or with `--rules=clean` every defect that the policy has. So each can be seen at
work alone. This page is made by `tools/quirk_table.sh`, which runs every policy on the four settings of
the reference; `rubato quirks` prints the list by itself.

| tag | policies | the reference | put right |
|---|---|---|---|
TEXT
    list_quirks
    cat <<'TEXT'

In the tables below a cell is accepted/declined, and in parentheses how many jobs more than under the
reference's rules are accepted. Accepted are the jobs that started and are not found late, so a rule that
admits more, or finds more jobs late, shows in the same number. Quirks can hide each other: a rule may
accept fewer jobs than none, and `clean` fewer than one of its rules.

| trace | cluster | slot | GPUs |
|---|---|---:|---|
TEXT
    awk '{ print "| " $1 " | " $2 " | " $3 " s | " $4 " |" }' <<<"$settings"
    for policy in $policies; do
        table_of "$policy"
    done
} >"$work/page"
mv "$work/page" "$file"
echo "wrote $file"
