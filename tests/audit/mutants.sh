#!/bin/bash
# mutants.sh - breaks the engine in one way after another and requires that the auditor names each by the
# right check. A mutant is one source file with one text replaced, compiled with the flags of this
# build and linked before the libraries that hold the unbroken object. Nothing is written into the
# source tree or the build folder. Sourced.
set -u -o pipefail

build=${RUBATO_BUILD:?the build folder}
bin=${RUBATO_BIN:?the folder of the programs}
here=tests/audit
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
mutants=0
leasing=(--solver=none) # what a run is told of leases

fail()
{
    echo "FAILED $1: $2"
    failures=$((failures + 1))
}

# The compiler call for source file $1, without its input and output.
compile_call()
{
    awk -v file="\"$PWD/$1\"" '
        $1 == "\"command\":" { command = $0 }
        $1 == "\"file\":" && index($0, file) { print command; exit }' \
        "$build/compile_commands.json" |
        sed -e 's/^ *"command": "//' -e 's/",$//' -e 's/\\\(["\\/]\)/\1/g' -e 's/ -o .* -c .*$//'
}

# The call that links the scheduler, and the folder it is made in.
if [ -f "$build/build.ninja" ]; then
    ninja=$(sed -n 's/^CMAKE_MAKE_PROGRAM:[A-Z]*=//p' "$build/CMakeCache.txt")
    link_call=$("$ninja" -C "$build" -t commands bin/scheduler | tail -n 1)
    link_folder=$build
else
    link_call=$(cat "$build/scheduler/CMakeFiles/scheduler.dir/link.txt")
    link_folder=$build/scheduler
fi
case $link_call in
*" -o "*scheduler*) ;;
*)
    echo "cannot tell how the scheduler is linked: $link_call"
    exit 1
    ;;
esac

# Puts $3 in the place of $2 in file $1, which must hold $2 exactly once.
replace()
{
    FROM=$2 TO=$3 awk '
        BEGIN { from = ENVIRON["FROM"]; to = ENVIRON["TO"] }
        {
            line = $0
            out = ""
            while ((at = index(line, from)) > 0) {
                out = out substr(line, 1, at - 1) to
                line = substr(line, at + length(from))
                found++
            }
            print out line
        }
        END { exit found == 1 ? 0 : 1 }' "$1"
}

simulate() # PROGRAM POLICY FOLDER RULES
{
    "$1" --cluster_spec=$here/cluster.csv --trace_file=$here/small.csv --schedule="$2" \
        --rules="$4" --restart_threshold=7 --scheduling_slot=10 --throughputs=$here/throughputs \
        "${leasing[@]}" --log_path="$3" >"$scratch/out" 2>&1
}

# Compiles $scratch/mutant.c in the place of source file $1 and links program $2.
make_mutant()
{
    local call

    call=$(compile_call "$1")
    if [ -z "$call" ]; then
        echo "compile_commands.json does not know $1"
        return 1
    fi
    (cd "$build" && eval "$call -w -o '$scratch/mutant.o' -c '$scratch/mutant.c'") &&
        (cd "$link_folder" &&
            eval "$(sed -E "s# -o (\"[^\"]*scheduler\"|[^ ]*scheduler) # -o '$2' '$scratch/mutant.o' #" <<<"$link_call")")
}

# NAME SOURCE POLICY CHECK TEXT REPLACEMENT [RULES]
mutant()
{
    local name=$1 source=$2 policy=$3 check=$4 program=$scratch/scheduler results=$scratch/results

    mutants=$((mutants + 1))
    rm -rf "$results" "$program"
    if ! replace "$source" "$5" "$6" >"$scratch/mutant.c"; then
        fail "$name" "$source does not hold this text exactly once any more: $5"
        return
    fi
    if ! make_mutant "$source" "$program" >"$scratch/out" 2>&1; then
        fail "$name" "the mutant cannot be built: $(head -n 3 "$scratch/out")"
    elif ! simulate "$program" "$policy" "$results" "${7:-reference}"; then
        fail "$name" "the mutant does not run: $(head -n 3 "$scratch/out")"
    else
        "$bin/rubato" audit --all "$results" >"$scratch/findings"
        if [ $? -ne 1 ]; then
            fail "$name" "the auditor finds nothing wrong: $(tail -n 1 "$scratch/findings")"
        elif ! grep -q "^VIOLATION ${check}[ :]" "$scratch/findings"; then
            fail "$name" "the auditor does not say $check, but $(
                awk '$1 == "VIOLATION" { print $2 }' "$scratch/findings" | sort | uniq -c | tr -s ' \n' ' '
            )"
        else
            echo "ok $name: $(grep -m 1 "^VIOLATION ${check}[ :]" "$scratch/findings")"
        fi
    fi
}

# POLICY...: without a mutant there is nothing to name, whatever the rules.
unbroken()
{
    local policy rules

    for policy in "$@"; do
        for rules in reference clean; do
            if ! simulate "$bin/scheduler" "$policy" "$scratch/$policy" $rules ||
                ! "$bin/rubato" audit "$scratch/$policy" >"$scratch/findings"; then
                fail "$policy" "the unbroken engine, $rules rules: $(
                    grep -h VIOLATION "$scratch/out" "$scratch/findings"
                )"
            fi
        done
    done
}

all_named()
{
    echo "$((mutants - failures)) of $mutants mutants named"
    [ $failures -eq 0 ]
}
