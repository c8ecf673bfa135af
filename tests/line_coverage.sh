#!/usr/bin/env bash
# line_coverage.sh BUILD PERCENT - which lines the suite has run of a build with RUBATO_COVERAGE; fails if they are fewer
# than that.
set -euo pipefail
build=$1 percent=$2 counts=$1/counts

[ -d "$counts" ] || { echo "no program of $build has counted lines" >&2 && exit 1; }
# A program that is killed at its first write leaves a file that is none.
llvm-profdata merge --failure-mode=all --output="$counts/sum" "$counts"/*.profraw
mapfile -t tests < <(find "$build/tests" -name '*_test' -executable -printf '--object=%p\n')
llvm-cov report --instr-profile="$counts/sum" "$build/bin/scheduler" \
    "--object=$build/"{bin/{rubato,rubato-more,scheduler-live,master,worker,trainer},lib/rubato/{{milp_cbc,remote_link}.so,milp_serve}} "${tests[@]}" common protocol scheduler tools |
    awk -v percent="$percent" '{ print } $1 == "TOTAL" { lines = $10 }
        END { print lines " of the lines are run, " percent " % have to be"; exit lines + 0 < percent }'
