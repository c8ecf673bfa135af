# chronus_test.sh jobs | plan | large | rules | milp | contested NODES - the published results of chronus: in plan
# mode, which asks no solver, those of the reference job by job; in milp mode its figures where no round is
# contested, and elsewhere a band around plan mode, for the choices of a round that are equally good are many.
#
# No solver has a time limit here, so that a busy machine changes no result. Each part is a test of its own:
# they run side by side.
source "$(dirname "$0")/cells.sh"

if [ ! -d "$shared/reference" ] || [ ! -d "$shared/traces" ]; then
    echo "no reference results in $shared"
    exit 77
fi

part=${1:?is one of jobs, plan, large, rules, milp, contested}
checks=0

# chronus TRACE NODES GPUS OPTIONS...: results into $out, accepted jobs into $satisfied.
chronus() {
    out=$work/out
    rm -rf "$out"
    satisfied=$("$scheduler" --schedule=chronus --trace_file="$shared/traces/$1.csv" \
        --cluster_spec="$(cluster "$2" "$3")" --mip_time_limit=0 --log_path="$out" "${@:4}" |
        sed -n 's/accepted jobs: //p')
}

# same WHAT FOUND EXPECTED
same() {
    [ "$2" = "$3" ] || fail "$1: $2, expected $3"
    checks=$((checks + 1))
}

# column NAME FILE: its values, one a line.
column() {
    awk -F, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { print $at }' "$2"
}

sum() { awk '{ sum += $1 } END { printf "%.1f\n", sum }'; }
admitted() { column class "$out/promises.csv" | grep -cx accepted; }
end_sum() { column end_time "$out/jobs.csv" | sum; }
broken() { awk -F, '$2 == "accepted" && $NF != 0' "$out/promises.csv" | wc -l; }
rounds() { column method "$out/leases.csv" | wc -l; }

# outcomes ID END STARTS MISSED FILE...: "id end starts missed" of every job, sorted, from the columns
# of these names in the files.
outcomes() {
    awk -F, -v names="$2 $3 $4" -v id="$1" '
        FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
        {
            seen[$column[id]]
            for (name in column)
                value[$column[id], name] = $column[name]
        }
        END {
            count = split(names, wanted, " ")
            for (job in seen) {
                line = job
                for (i = 1; i <= count; i++)
                    line = line " " value[job, wanted[i]]
                print line
            }
        }' "${@:5}" | sort
}

# by_job SETTING TRACE NODES GPUS SLOT GPU_TYPE: every job as in the reference.
by_job() {
    local expected=$shared/reference/$1/chronus-plan.jobs.csv

    chronus "${@:2:3}" --solver=none --scheduling_slot="$5" --gpu_type="$6"
    outcomes job_id end_time starts missed "$out/jobs.csv" "$out/promises.csv" >"$work/found"
    outcomes job_id end_time starts missed_deadline "$expected" >"$work/expected"
    diff "$work/expected" "$work/found" >"$work/diff" || fail "$1: $(head -4 "$work/diff")"
    same "jobs of $1" "$(wc -l <"$work/found")" "$(($(wc -l <"$expected") - 1))"
    mv "$out" "$work/first"
    chronus "${@:2:3}" --solver=none --scheduling_slot="$5" --gpu_type="$6"
    same_results "$work/first" "$out" || fail "$1: a second run differs"
    rm -r "$work/first"
    echo "ok: $1, every job"
}
jobs() {
    by_job elasticVpollux_e.n16g4.slot60.T4 elasticVpollux_e 16 4 60 T4
    by_job 195job.n16g8.slot240.A100 195job 16 8 240 A100
    by_job cluster10.n32g8.slot60.A100 cluster10 32 8 60 A100
    by_job philly_103959.n32g8.slot60.A100 philly_103959 32 8 60 A100
}

# in_plan_mode: the rows of a table. The traces without last end and starts have figures of an independent
# implementation only.
in_plan_mode() {
    while read -r trace nodes gpus expected jobs promised ends last starts; do
        chronus "$trace" "$nodes" "$gpus" --solver=none
        what="$trace on $nodes nodes, plan mode"
        same "$what: accepted/all jobs" "$satisfied/$(column job_id "$out/jobs.csv" | wc -l)" "$expected/$jobs"
        same "$what: admitted" "$(admitted)" "$promised"
        same "$what: promises that were broken" "$(broken)" 0
        same "$what: sum of ends" "$(end_sum)" "$ends"
        if [ "$last" != - ]; then
            same "$what: last end" "$(column end_time "$out/jobs.csv" | sort -g | tail -n 1)" "$last"
            same "$what: starts" "$(column starts "$out/promises.csv" | sum)" "$starts.0"
        fi
        echo "ok: $what, $expected of $jobs"
    done
}

plan() {
    in_plan_mode <<'TABLE'
elasticVpollux_e 16 4 84 195 48 766692969.0 4876367 72445
195job 16 8 94 195 64 744155892.0 4570435 16431
195job 4 8 76 195 38 763697670.5 4670275 17951
cluster10 32 8 121 260 76 1108485672.5 5147677 27942
philly_103959 32 8 394 876 268 3607283911.5 7915108.5 173777
cluster01 64 8 771 1595 489 4933838055.0 4893346 72158
cluster03 64 8 1383 3011 846 11513752230.5 5200065 230612
cluster06 64 8 1098 2396 629 7971758050.5 5243877 201370
TABLE
}

large() {
    in_plan_mode <<'TABLE'
cluster02 64 8 2656 5778 1569 15887304617.0 - -
cluster05 64 8 1690 3629 1050 8885977284.0 - -
cluster04 128 8 7341 15802 4708 32729168819.5 - -
cluster07 128 8 6017 12699 3715 29194578723.0 - -
cluster08 128 8 6024 13047 3623 24083491919.5 - -
cluster09 128 8 5282 11134 3623 31070222460.5 - -
TABLE
}

# What an option or a rule makes of plan mode: accepted/admitted.
rules() {
    while read -r trace nodes gpus option expected; do
        chronus "$trace" "$nodes" "$gpus" --solver=none "$option"
        same "$trace with $option" "$satisfied/$(admitted)" "$expected"
    done <<'TABLE'
elasticVpollux_e 16 4 --admission_interval=60 84/53
elasticVpollux_e 16 4 --check_time_interval=240 84/48
elasticVpollux_e 16 4 --rules=CH-Q1 80/48
elasticVpollux_e 16 4 --rules=CH-Q2 84/51
elasticVpollux_e 16 4 --rules=CH-Q1,CH-Q2 78/51
cluster03 64 8 --rules=CH-Q1 1370/846
cluster03 64 8 --rules=CH-Q2 1383/865
cluster03 64 8 --rules=CH-Q1,CH-Q2 1369/865
TABLE
}

# Milp mode where no round is contested. On cluster03 the later slots, of which any are right, reach an
# admission: its sum is open, and 841 to 846 jobs may be admitted.
milp() {
    while read -r trace nodes gpus expected least most ends held; do
        chronus "$trace" "$nodes" "$gpus" --solver=cbc
        what="$trace on $nodes nodes, milp mode"
        same "$what: accepted" "$satisfied" "$expected"
        [ "$(admitted)" -ge "$least" ] && [ "$(admitted)" -le "$most" ] ||
            fail "$what: $(admitted) admitted, expected $least to $most"
        same "$what: promises that were broken" "$(broken)" 0
        [ "$ends" = - ] || same "$what: sum of ends" "$(end_sum)" "$ends"
        same "$what: lease rounds with jobs to choose from" "$(rounds)" "$held"
        same "$what: chosen by" "$(column method "$out/leases.csv" | sort -u)" closed-form
        echo "ok: $what, $expected"
    done <<'TABLE'
elasticVpollux_e 16 4 83 48 48 766652968.0 4810
195job 16 8 94 64 64 744142900.0 1067
cluster10 32 8 121 76 76 1108382591.5 4448
philly_103959 32 8 394 268 268 3607054804.0 24834
cluster01 64 8 771 489 489 4933744676.0 3368
cluster03 64 8 1383 841 846 - 14012
cluster06 64 8 1098 629 629 7971452284.5 18885
TABLE
}

# contested NODES: accepted within 5 % of all 195 jobs around plan mode, and every promise kept.
contested() {
    local -A accepted=([2]=57 [4]=76 [6]=87 [8]=92)
    local by_plan=${accepted[$1]} what="195job on $1 nodes of 8 GPUs"

    chronus 195job "$1" 8 --solver=none
    same "$what, plan mode" "$satisfied" "$by_plan"
    chronus 195job "$1" 8 --solver=cbc --mip_time_limit=0
    [ $(((satisfied - by_plan) * (satisfied - by_plan) * 400)) -le $((195 * 195)) ] ||
        fail "$what: $satisfied accepted, expected $by_plan and 5 % of 195 more or less"
    same "$what: promises that were broken" "$(broken)" 0
    same "$what: answers that are none" \
        "$(column answer "$out/leases.csv" | grep -cvx -e - -e optimal -e feasible || true)" 0
    same "$what: rounds left to the plan" "$(column method "$out/leases.csv" | grep -cx plan || true)" 0
    echo "ok: $what, $satisfied, in plan mode $by_plan"
}

case $part in
jobs) checks_wanted=4 ;;
plan) checks_wanted=48 ;;
large) checks_wanted=24 ;;
rules) checks_wanted=8 ;;
milp) checks_wanted=34 ;;
contested) checks_wanted=4 ;;
*) fail "there is no part \"$part\"" ;;
esac
"$@"
[ "$checks" -eq "$checks_wanted" ] || fail "$checks checks of $part, expected $checks_wanted"
