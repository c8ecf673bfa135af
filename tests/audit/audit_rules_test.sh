#!/bin/bash
# audit_rules_test.sh - a quirk excuses nothing in a run that says it has put it right, nor does the
# reference's audit take a run without it for one of its own.
set -u -o pipefail

bin=${RUBATO_BIN:?the folder of the programs}
here=tests/audit
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cluster=$here/cluster.csv
leasing=(--solver=none --lease_term_interval=60 --admission_interval=60)
failures=0
checks=0

fail()
{
    echo "FAILED $1: $2"
    failures=$((failures + 1))
}

simulate() # POLICY RULES TRACE
{
    "$bin/scheduler" --cluster_spec="$cluster" --trace_file="$3" --schedule="$1" \
        --rules="$2" --restart_threshold=7 --scheduling_slot=10 --throughputs=$here/throughputs \
        "${leasing[@]}" --log_path="$scratch/results" >"$scratch/out" 2>&1
}

# Runs POLICY under RULES on TRACE, lets the results claim to be of CLAIMED, and wants a violation of
# CHECK, or none if CHECK is empty.
claim() # POLICY RULES CLAIMED CHECK [TRACE]
{
    local what="$1, $2 rules that say $3"

    checks=$((checks + 1))
    if ! simulate "$1" "$2" "${5:-$here/small.csv}"; then
        fail "$what" "$(cat "$scratch/out")"
        return
    fi
    sed -i "s/\"rules\": \".*\"/\"rules\": \"$3\"/" "$scratch/results/summary.json"
    "$bin/rubato" audit --all "$scratch/results" >"$scratch/findings"
    if [ -z "$4" ]; then
        ! grep -q '^VIOLATION' "$scratch/findings" || fail "$what" "$(grep -m 3 VIOL "$scratch/findings")"
    elif ! grep -q "^VIOLATION $4[ :]" "$scratch/findings"; then
        fail "$what" "no $4: $(tail -n 1 "$scratch/findings")"
    fi
}

# Both ways, and each for what it is.
put_right() # POLICY TAG CHECK_OF_THE_QUIRK [CHECK_OF_ITS_ABSENCE] [TRACE]
{
    claim "$1" reference reference "" "${5:-$here/small.csv}"
    claim "$1" "$2" "$2" "" "${5:-$here/small.csv}"
    claim "$1" reference "$2" "$3" "${5:-$here/small.csv}"
    [ -z "${4:-}" ] || claim "$1" "$2" reference "$4" "${5:-$here/small.csv}"
}

header=job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration
printf '%s\n' $header a,0,100,vgg16,99,128,4,30 b,4,100,vgg16,99,128,4,30 >"$scratch/last.csv"
printf '%s\n' $header a,0,100,vgg16,99,128,4,30 b,0,100,vgg16,99,128,32,30 >"$scratch/large.csv"

put_right gandiva CO-Q1 end-mismatch end-mismatch
put_right gandiva CO-Q2 slot-cut-short slot-skipped "$scratch/last.csv"
put_right gandiva GA-Q7 gpu-seconds-mismatch work-overcredited
put_right gandiva GA-Q9 slot-skipped slot-cut-short
put_right gandiva GA-Q10 work-uncredited work-overcredited
put_right dlas-gpu CO-Q1 work-uncredited work-overcredited
put_right dlas-gpu CO-Q2 slot-cut-short "" "$scratch/last.csv"
put_right dlas-gpu TI-Q1 work-not-done end-mismatch
put_right dlas-gpu TI-Q2 work-overcredited work-uncredited
put_right dlas-gpu TI-Q4 work-overcredited slot-cut-short
cluster=$scratch/half.csv
sed 's/^2,/1,/' $here/cluster.csv >"$cluster"
put_right dlas-gpu TI-Q9 count-mismatch count-mismatch "$scratch/large.csv"
for policy in gandiva themis; do
    claim $policy TI-Q9 TI-Q9 "" "$scratch/large.csv"
    claim $policy clean clean "" "$scratch/large.csv"
    claim $policy TI-Q9 reference never-started "$scratch/large.csv"
done
cluster=$here/cluster.csv
put_right themis TH-Q6 end-mismatch end-mismatch
put_right ef-accessctrl EF-Q20 work-uncredited
put_right ef-accessctrl EF-Q14 work-uncredited work-overcredited
put_right ef-accessctrl EF-Q33 late-but-accepted
put_right edf EF-Q10 over-cap

# `a` needs no lease, gets none, and ends between the lease boundary that it was promised and its deadline;
# `b`, of best effort, outlives its estimate; `c` can meet both of its deadlines.
printf '%s\n' $header a,0,100,vgg16,62,128,4,0 >"$scratch/late.csv"
printf '%s\n' $header,best_effort b,1,100,vgg16,0,128,32,9,1 >"$scratch/short.csv"
header=job_id,submit_time,iterations,model_name,batch_size,num_gpu,duration,expect_time_list,expect_value_list
printf '%s\n' $header c,0,100,vgg16,128,4,100,190-300,10-5 >"$scratch/soft.csv"
put_right chronus CH-Q1 wait-mismatch wait-mismatch
put_right chronus CH-Q6 idle-gpus leases-mismatch
put_right chronus CH-Q7 promise-mismatch promise-mismatch "$scratch/late.csv"
put_right chronus CH-Q8 starts-mismatch starts-mismatch
put_right chronus CH-Q9 record-mismatch record-mismatch
put_right chronus CH-Q18 "" promise-mismatch "$scratch/soft.csv"
leasing+=(--admission_interval=10)
put_right chronus CH-Q17 class-mismatch class-mismatch "$scratch/short.csv"

# Every tag that a run can have is known, and nothing else.
reads() # RULES EXIT_STATUS
{
    local got

    checks=$((checks + 1))
    sed -i "s/\"rules\": \".*\"/\"rules\": \"$1\"/" "$scratch/results/summary.json"
    "$bin/rubato" audit "$scratch/results" >"$scratch/out" 2>"$scratch/err"
    got=$?
    [ $got -eq "$2" ] || fail "rules \"$1\"" "exit status $got, expected $2: $(cat "$scratch/err")"
    [ "$2" -ne 2 ] || grep -q 'summary.json: rules: expected ' "$scratch/err" ||
        fail "rules \"$1\"" "$(cat "$scratch/err")"
}

simulate fifo reference $here/small.csv || fail fifo "$(cat "$scratch/out")"
for tag in $("$bin/rubato" quirks --csv | awk -F, 'NR > 1 { print $1 }'); do
    reads "$tag" 0
done
reads "GA-Q1,TI-Q9" 0
for rules in XX GA-Q GA-Q1,XX "GA-Q1,,TI-Q9" "GA-Q1," "clean,GA-Q1" ""; do
    reads "$rules" 2
done

echo "$((checks - failures)) of $checks claims seen through"
[ $failures -eq 0 ]
