# shipped_traces_test.sh - every trace that is shipped comes, byte for byte, from the command that
# traces/README.md gives for it, and loads its cluster enough for policies to differ.
set -euo pipefail

root=$PWD
bin=${RUBATO_BIN:?is set by ctest}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# The commands run as they stand, in a folder that looks like the project's root.
mkdir "$work/traces"
ln -s "$root/throughputs" "$work/throughputs"
PATH=$bin:$PATH
commands=0
while read -r -a words; do
    (cd "$work" && "${words[@]}" >/dev/null)
    commands=$((commands + 1))
done < <(grep '^    rubato trace generate ' traces/README.md)

files=0
for file in traces/*.csv; do
    [ -e "$work/$file" ] || fail "traces/README.md has no command for $file"
    cmp "$file" "$work/$file"
    rubato trace validate "$file" --gpu-type A100 --throughputs throughputs 2>/dev/null
    files=$((files + 1))
done
[ "$files" = 4 ] && [ "$commands" = 4 ] || fail "$files traces and $commands commands, expected 4"


# accepted POLICY TRACE CLUSTER SLOT
accepted() {
    "$bin/scheduler" --schedule="$1" --trace_file="traces/$2.csv" --cluster_spec="cluster_specs/$3.csv" \
        --scheduling_slot="$4" --gpu_type=A100 --throughputs=throughputs --simulation=True --scheme=elastic \
        --log_path="$work/results" 2>/dev/null | sed -n 's/^accepted jobs: //p'
}

# loaded TRACE CLUSTER JOBS
loaded() {
    local slot ours edf

    for slot in 60 240; do
        ours=$(accepted ef-accessctrl "$1" "$2" $slot)
        edf=$(accepted edf "$1" "$2" $slot)
        [ "$ours" -ge $((3 * edf)) ] || fail "$1, slot $slot: ef-accessctrl accepts $ours, edf $edf"
        [ "$ours" -ge $(($3 / 4)) ] && [ "$ours" -lt $(($3 * 19 / 20)) ] ||
            fail "$1, slot $slot: $ours of $3 accepted"
    done
}

loaded testbed25 n4g8 25
loaded testbed195 n16g8 195
loaded mixed1000 n32g8 1000

# ten POLICY COUNTS: the published table of the functionality test on a single server.
ten() {
    local found

    found=$("$bin/scheduler" --schedule="$1" --trace_file=traces/functionality_10jobs.csv \
        --cluster_spec=cluster_specs/n1g8.csv --scheduling_slot=240 --throughputs=throughputs |
        sed -n 's/^accepted jobs: //p; s/^declined jobs: //p' | paste -sd /)
    [ "$found" = "$2" ] || fail "the ten jobs under $1: $found, expected $2"
}

ten ef-accessctrl 6/4
ten edf 1/9
ten gandiva 5/5
ten dlas-gpu 2/8
ten themis 3/7

