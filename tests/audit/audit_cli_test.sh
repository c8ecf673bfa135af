#!/bin/bash
# audit_cli_test.sh - what a user sees of `rubato audit`: findings with time, job and tag, as text or
# JSON, and the exit status.
set -u -o pipefail

bin=${RUBATO_BIN:?the folder of the programs}
here=tests/audit
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

fail()
{
    echo "FAILED $1"
    cat "$scratch/out" "$scratch/err"
    status=1
}

# Runs `rubato audit` with the arguments after the expected exit status $1.
audit()
{
    local expected=$1 got
    shift
    "$bin/rubato" audit "$@" >"$scratch/out" 2>"$scratch/err"
    got=$?
    [ $got -eq "$expected" ] || fail "rubato audit $*: exit status $got, expected $expected"
}

says() # TEXT [FILE]
{
    grep -qF -- "$1" "$scratch/${2:-out}" || fail "does not say: $1"
}

simulate() # POLICY FOLDER
{
    "$bin/scheduler" --cluster_spec=$here/cluster.csv --trace_file=$here/small.csv --schedule="$1" \
        --scheduling_slot=10 --throughputs=$here/throughputs --log_path="$2" >"$scratch/out" 2>&1 ||
        fail "scheduler --schedule=$1"
}

results=$scratch/results
simulate ef-accessctrl "$results"

# A promise that is broken is told, and by which quirk, and is the exit status.
audit 1 --all "$results"
says "EF-Q45 promise-broken at 50 s, job j11: promised 48, and ended 2 s later"
says "5 of 20 promises are broken, by EF-Q45: "
says ": 5 promises broken, 0 violations, "
[ "$(grep -c '^EF-Q14 work-uncredited at ' "$scratch/out")" -gt 20 ] || fail "--all leaves some out"
audit 1 "$results"
says "EF-Q14 work-uncredited: 13 more of this kind (--all shows them)"
audit 1 --json "$results"
says '"violations": 0'
says '"promised": 20'
says '"broken": 5'
says '"broken_by": "EF-Q45"'
says '"tag": "EF-Q14"'

# Without a broken promise the effects of quirks alone fail only a strict audit.
simulate themis "$results"
audit 0 "$results"
says "0 promises broken, 0 violations, 25 effects of known quirks"
audit 0 --json "$results"
says '"broken_by": null'
audit 1 --strict "$results"

# The inputs of the summary can be named anew, and the wrong ones are refused or, by results that do not say which they
# were, noticed.
awk -F, -v OFS=, 'NR > 1 { $3 *= 2 } { print }' $here/small.csv >"$scratch/other.csv"
audit 2 --trace "$scratch/other.csv" "$results"
says "other.csv: is not the trace of the run in $results: checksum" err
cp -r "$results" "$scratch/untold"
sed -i '/^  "inputs": \[/,/^  \],/c\  "inputs": [],' "$scratch/untold/summary.json"
audit 1 --trace "$scratch/other.csv" "$scratch/untold"
says "VIOLATION record-mismatch at "
cp -r "$results" "$scratch/moved"
sed -i "s|\"trace\": \".*\"|\"trace\": \"gone.csv\"|" "$scratch/moved/summary.json"
audit 2 "$scratch/moved"
says gone.csv err
audit 0 --trace $here/small.csv --cluster $here/cluster.csv --throughputs $here/throughputs \
    --gpu-type A100 "$scratch/moved"

# The inputs of a run are found from any folder.
(cd "$scratch" && "$bin/rubato" audit "$results") >"$scratch/out" 2>"$scratch/err" ||
    fail "rubato audit from another folder"

# A violation has its time and its job.
awk -F, -v OFS=, 'NR == 2 { $3 = 7 } { print }' "$results/jobs.csv" >"$scratch/moved/jobs.csv"
audit 1 --trace $here/small.csv "$scratch/moved"
job=$(sed -n 2p "$scratch/moved/jobs.csv" | cut -d, -f2)
at=$(sed -n 2p "$scratch/moved/jobs.csv" | cut -d, -f1)
says "VIOLATION size-mismatch at $at s, job $job: gpus_at_end is 7, expected "
says "1 violation,"
audit 1 --json --trace $here/small.csv "$scratch/moved"
says '"check": "size-mismatch"'

# What cannot be read is a user's mistake.
audit 2 "$scratch/nowhere"
says "$scratch/nowhere/summary.json: cannot be read: No such file or directory" err
audit 2
says "expected one result folder" err
audit 2 "$results" "$results"
audit 2 --unknown "$results"
: >"$scratch/moved/rounds.csv"
audit 2 --trace $here/small.csv "$scratch/moved"
says rounds.csv err
audit 0 --help
says --strict

exit $status
