#!/bin/bash
# mutants.sh - breaks the engine in one way after another and requires that it is noticed: by the auditor,
# which names the right check, or, where only a policy's own rules are broken, by the golden runs. A mutant
# is one source file with one text replaced, compiled with the flags of this build and linked before the
# libraries that hold the unbroken object. Nothing is written into the source tree or the build folder.
# Sourced.
set -u -o pipefail

build=${RUBATO_BUILD:?the build folder}
bin=${RUBATO_BIN:?the folder of the programs}
here=tests/audit
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
mutants=0
untried=0
shared=${RUBATO_SHARED:-../shared}
# What a run is told of leases.
leasing=(--solver=none --lease_term_interval=60 --admission_interval=60)
export RUBATO_SOLVERS=$build/lib/rubato # a mutant is not where it could find them

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

# NAME SOURCE TEXT REPLACEMENT: the mutant as $program.
build_mutant()
{
    program=$scratch/bin/scheduler
    mutants=$((mutants + 1))
    rm -rf "$scratch/results" "$scratch/bin"
    mkdir "$scratch/bin"
    if ! replace "$2" "$3" "$4" >"$scratch/mutant.c"; then
        fail "$1" "$2 does not hold this text exactly once any more: $3"
        return 1
    fi
    make_mutant "$2" "$program" >"$scratch/out" 2>&1 && return
    fail "$1" "the mutant cannot be built: $(head -n 3 "$scratch/out")"
    return 1
}

# NAME SOURCE POLICY CHECK TEXT REPLACEMENT [RULES]: the auditor names it.
mutant()
{
    local name=$1 policy=$3 check=$4 results=$scratch/results

    build_mutant "$name" "$2" "$5" "$6" || return
    if ! simulate "$program" "$policy" "$results" "${7:-reference}"; then
        fail "$name" "the mutant does not run: $(head -n 3 "$scratch/out")"
        return
    fi
    "$bin/rubato" audit --all "$results" >"$scratch/findings"
    if [ $? -ne 1 ]; then
        fail "$name" "the auditor finds nothing wrong: $(tail -n 1 "$scratch/findings")"
    elif ! grep -qE "^(VIOLATION|BROKEN) ${check}[ :]" "$scratch/findings"; then
        fail "$name" "the auditor does not say $check, but $(
            awk '$1 == "VIOLATION" { print $2 }' "$scratch/findings" | sort | uniq -c | tr -s ' \n' ' '
        )"
    else
        echo "ok $name: $(grep -m 1 -E "^(VIOLATION|BROKEN) ${check}[ :]" "$scratch/findings")"
    fi
}

# TEST [PART]: the golden runs with the scheduler of the last mutant; what they say is in $scratch/out.
run_golden()
{
    local words

    read -ra words <<<"$1"
    RUBATO_BIN=$scratch/bin bash "tests/golden/${words[0]}" "${words[@]:1}" >"$scratch/out" 2>&1
}

# NAME SOURCE TEST TEXT REPLACEMENT: the auditor knows no rules of a policy; golden runs differ.
guarded()
{
    if [ ! -d "$shared/reference" ]; then
        untried=$((untried + 1))
        return
    fi
    build_mutant "$1" "$2" "$4" "$5" || return
    if run_golden "$3"; then
        fail "$1" "the golden runs pass"
    else
        echo "ok $1: $(grep -m 1 FAILED "$scratch/out" || tail -n 1 "$scratch/out")"
    fi
}

# SOURCE TEST TEXT: golden runs pass where nothing is broken.
guarded_alone()
{
    [ -d "$shared/reference" ] || return
    build_mutant "no mutant" "$1" "$3" "$3" || return
    run_golden "$2" || fail "no mutant" "$(tail -n 1 "$scratch/out")"
}

# POLICY...: without a mutant there is nothing to name, whatever the rules.
unbroken()
{
    local policy rules

    for policy in "$@"; do
        for rules in reference clean; do
            simulate "$bin/scheduler" "$policy" "$scratch/$policy" $rules &&
                "$bin/rubato" audit "$scratch/$policy" >"$scratch/findings"
            grep -q ' broken, 0 violations, ' "$scratch/findings" || fail "$policy" "the unbroken engine, $rules rules: $(
                grep -h VIOLATION "$scratch/out" "$scratch/findings"
            )"
        done
    done
}

all_named()
{
    echo "$((mutants - failures)) of $mutants mutants noticed, $untried not tried for want of $shared"
    [ $failures -eq 0 ]
}
