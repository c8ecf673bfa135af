# chronus_generated_test.sh - on generated traces of some hundred jobs chronus does what the oracle does, by
# plan, and with a solver as long as no lease round is contested: every job ends alike, the same jobs hold
# GPUs whenever leases are given out or jobs admitted, and lease rounds grant the same.
set -euo pipefail

bin=${RUBATO_BIN:?is set by ctest}
oracle=${RUBATO_BUILD:?is set by ctest}/tests/oracle_chronus_cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# jobs_of_engine, jobs_of_oracle: id, retired, end, promise, class, starts, leases, waited and missed, sorted.
jobs_of_engine() {
    awk -F, -v OFS=, '
        FNR == 1 { next }
        NR == FNR { ended[$2] = sprintf("%d,%.17g", $1, $6); next }
        { print $1, ended[$1], $4, $2, $3, $5, $6, $7, $8 }' \
        "$work/engine/jobs.csv" "$work/engine/promises.csv" | LC_ALL=C sort
}
jobs_of_oracle() {
    awk -F, -v OFS=, 'FNR > 1 { print $1, sprintf("%d,%.17g", $12, $3), $8, $6, $7, $4, $9, $10, $5 }' \
        "$work/oracle/jobs.csv" | LC_ALL=C sort
}

# holders_of_engine, holders_of_oracle: the time of each lease round and admission at which a job holds
# GPUs, and the rows of these jobs, sorted.
holders_of_engine() {
    awk -F, -v lease="$1" -v admission="$2" '
        FNR > 1 && $2 != "" && ($1 % lease == 0 || $1 % admission == 0) {
            count = split($2, runs, " ")
            for (i = 1; i <= count; i++) {
                split(runs[i], run, "@")
                print $1 "," run[1]
            }
        }' "$work/engine/rounds.csv" | LC_ALL=C sort -u
}
holders_of_oracle() {
    awk -F, '
        NR == FNR { if (FNR > 1) row[$1] = FNR - 2; next }
        FNR > 1 {
            count = split($2, ids, " ")
            for (i = 1; i <= count; i++) print $1 "," row[ids[i]]
        }' "$work/trace.csv" "$work/oracle/holders.csv" | LC_ALL=C sort -u
}

# same WHAT FILE FILE
same() {
    cmp -s "$2" "$3" || fail "$name: $1 differ (engine <, oracle >):"$'\n'"$(diff "$2" "$3" | head -8)"
}

# run_both MODE NODES GPUS LEASE CHECK ADMISSION RULES: on $work/trace.csv; MODE is plan or the objective.
run_both() {
    local solving=(--solver=none)

    [ "$1" = plan ] || solving=(--solver=cbc --mip_objective="$1")
    printf 'num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,%d,%d,64,256\n' \
        "$2" "$3" >"$work/cluster.csv"
    rm -rf "$work/engine" "$work/oracle"
    "$bin/scheduler" --schedule=chronus "${solving[@]}" --trace_file="$work/trace.csv" \
        --cluster_spec="$work/cluster.csv" --lease_term_interval="$4" --check_time_interval="$5" \
        --admission_interval="$6" --rules="$7" --log_path="$work/engine" >"$work/engine.out" ||
        return 1
    (
        [ "$7" = reference ] || export ORACLE_CLEANED=$7
        "$oracle" "$1" "$work/trace.csv" "1x$2x$3" "$4" "$5" "$6" "$work/oracle" >"$work/oracle.out"
    )
}

# agree NAME, and what run_both takes
agree() {
    local name=$1 file

    run_both "${@:2}" || fail "$name: no results"
    grep -q ', repairs 0$' "$work/oracle.out" || fail "$name: beyond the oracle: $(<"$work/oracle.out")"
    grep -q "^satisfied $(sed -n 's/^accepted jobs: //p' "$work/engine.out") of" "$work/oracle.out" ||
        fail "$name: $(tail -2 "$work/engine.out"), the oracle: $(<"$work/oracle.out")"
    jobs_of_engine >"$work/jobs.engine"
    jobs_of_oracle >"$work/jobs.oracle"
    holders_of_engine "$5" "$7" >"$work/holders.engine"
    holders_of_oracle >"$work/holders.oracle"
    cut -d, -f1,2,5,8 "$work/engine/leases.csv" >"$work/leases.engine"
    awk -F, -v OFS=, '{ print $1, $3, $2, $4 }' "$work/oracle/rounds.csv" >"$work/leases.oracle"
    for file in jobs holders leases; do
        [ "$(wc -l <"$work/$file.oracle")" -gt 100 ] || fail "$name: few $file"
        same "$file" "$work/$file.engine" "$work/$file.oracle"
    done
    echo "ok: $name: $(<"$work/oracle.out")"
}

# generate SEED JOBS OPTION...
generate() {
    "$bin/rubato" trace generate --force --seed "$1" --jobs "$2" --dialect artifact --output "$work/trace.csv" \
        "${@:3}" >/dev/null
}

# resize: 4 and 8 GPUs become 3 and 7.
resize() {
    awk -F, -v OFS=, '
        FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "num_gpu") gpus = i }
        FNR > 1 { $gpus -= $gpus == 4 || $gpus == 8 }
        { print }' "$work/trace.csv" >"$work/resized.csv"
    mv "$work/resized.csv" "$work/trace.csv"
}

all=CH-Q1,CH-Q2,CH-Q6,CH-Q7,CH-Q8,CH-Q9,CH-Q10,CH-Q17,CH-Q18

generate 1 300 --arrival-interval 300 --tightness 1:6
agree "300 jobs on 2x8" plan 2 8 240 60 240 reference
generate 2 1000 --arrival-interval 200 --tightness 0.5:3 --best-effort 0.2
agree "1000 jobs on 4x8" plan 4 8 240 60 240 reference
agree "1000 jobs on 4x8 without quirks" plan 4 8 240 60 240 $all
generate 3 500 --arrival-interval 100 --duration 60:9000 --tightness 1:8
agree "admissions every minute" plan 3 8 240 60 60 reference
agree "leases of a minute" plan 3 8 60 60 120 reference
generate 4 600 --arrival-interval 120 --tightness 1:5 --gpus-mix 1:40,2:20,4:20,8:20
resize
agree "sizes that are no powers of two" plan 4 7 240 120 240 reference
agree "sizes that are no powers of two, without quirks" plan 4 7 240 120 240 $all
generate 5 400 --arrival-interval 40 --duration 10:2000 --tightness 1:6 --best-effort 0.1
agree "short leases" plan 2 8 20 5 5 reference
agree "short leases, checks at odd times" plan 2 8 30 15 60 reference
agree "long leases, checks at odd times" plan 2 8 45 15 45 reference
generate 8 500 --arrival-interval 1 --duration 60:20000 --tightness 1:30
agree "all in three batches" plan 4 8 240 60 240 reference
agree "all in three batches, without quirks" plan 4 8 240 60 240 $all
generate 6 400 --arrival-interval 1500 --duration 600:9000 --tightness 1:4
agree "a solver" adaptive 4 8 240 60 240 reference
agree "a solver without quirks" maximize 4 8 240 60 240 $all
generate 7 400 --arrival-interval 2500 --duration 600:9000 --tightness 1:4
agree "a solver that waits" minimize 4 8 240 60 240 reference
agree "a solver and leases of a minute" adaptive 4 8 60 60 120 reference
