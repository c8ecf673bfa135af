# reference_test.sh - the oracle's baselines against the published results: jobs.csv and rounds.csv
# line by line where they are there, and otherwise the counts and two sums over the ends of all jobs
# that the specification gives (section 8), and the number of accepted jobs once a quirk is repaired
# (sections 4.8 and 9).
set -euo pipefail

shared=${RUBATO_SHARED:-../shared}
oracle=${RUBATO_BUILD:?is set by ctest}/tests/oracle_cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

if [ ! -d "$shared/reference" ] || [ ! -d "$shared/traces" ]; then
    echo "no reference results in $shared"
    exit 77
fi

# fingerprint TRACE JOBS_CSV: the sum of the ends, and that of row number times end.
fingerprint() {
    awk -F, '
        FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "job_id" || $i == "end_time") at[FILENAME, $i] = i; next }
        NR == FNR { row[$at[FILENAME, "job_id"]] = FNR - 1; next }
        {
            end = $at[FILENAME, "end_time"]
            sum += end
            weighted += row[$at[FILENAME, "job_id"]] * end
        }
        END { printf "%.0f %.0f\n", sum, weighted }' "$1" "$2"
}

# cell TRACE NODES GPUS SLOT GPU_TYPE POLICY ACCEPTED DECLINED SUM WEIGHTED_SUM
cell() {
    local trace=$shared/traces/$1.csv out=$work/$1.$6 counts wanted sums file
    local expected=$shared/reference/$1.n$2g$3.slot$4.$5/$6

    counts=$("$oracle" "$6" "$trace" "1x$2x$3" "$4" "$5" "$shared/throughputs" "$out")
    wanted=$(printf 'accepted jobs: %s\ndeclined jobs: %s' "$7" "$8")
    [ "$counts" = "$wanted" ] || fail "$6 on $1: $counts, expected $wanted"
    sums=$(fingerprint "$trace" "$out/jobs.csv")
    [ "$sums" = "$9 ${10}" ] || fail "$6 on $1: the ends add up to $sums, expected $9 ${10}"
    for file in jobs rounds; do
        [ ! -e "$expected.$file.csv" ] || cmp "$out/$file.csv" "$expected.$file.csv" ||
            fail "$6 on $1: $file.csv differs"
    done
    echo "ok: $6 on $1"
}

t4=(elasticVpollux_e 16 4 60 T4)
cell "${t4[@]}" gandiva 18 177 782279311 77376917801
cell "${t4[@]}" dlas-gpu 56 139 765209521 75689448167
cell "${t4[@]}" themis 61 134 770079195 76119471330

mit=(195job 16 8 240 A100)
cell "${mit[@]}" gandiva 47 148 746324780 73702642051
cell "${mit[@]}" dlas-gpu 90 105 743912606 73417854703
cell "${mit[@]}" themis 80 115 743944695 73414163790

microsoft=(cluster10 32 8 60 A100)
cell "${microsoft[@]}" gandiva 86 174 1113690657 159803050523
cell "${microsoft[@]}" dlas-gpu 124 136 1107711511 158842257468
cell "${microsoft[@]}" themis 123 137 1107712980 158841962010

philly=(philly_103959 32 8 60 A100)
cell "${philly[@]}" gandiva 362 514 3618945954 2009349059818
cell "${philly[@]}" dlas-gpu 408 468 3604057476 2003862729321
cell "${philly[@]}" themis 399 477 3604062780 2003864302260

large=(cluster01 64 8 60 A100)
cell "${large[@]}" gandiva 259 1336 4998410764 4357337541303
cell "${large[@]}" dlas-gpu 787 808 4932588747 4288111364799
cell "${large[@]}" themis 783 812 4932560435 4288091837490

# repaired TAGS POLICY ACCEPTED...: on the five settings, or the first of them.
repaired() {
    local tags=$1 policy=$2 setting accepted
    local settings=("${t4[*]}" "${mit[*]}" "${microsoft[*]}" "${philly[*]}" "${large[*]}")

    shift 2
    for setting in "${settings[@]:0:$#}"; do
        read -r trace nodes gpus slot gpu_type <<<"$setting"
        accepted=$(ORACLE_CLEANED=$tags "$oracle" "$policy" "$shared/traces/$trace.csv" \
            "1x${nodes}x$gpus" "$slot" "$gpu_type" "$shared/throughputs" "$work/repaired" 2>/dev/null |
            sed -n 's/^accepted jobs: //p')
        [ "$accepted" = "$1" ] ||
            fail "$policy without $tags on $trace: $accepted accepted, expected $1"
        shift
    done
    echo "ok: $policy without $tags"
}

repaired GA-Q1 gandiva 23 46 88 365 545
repaired GA-Q2 gandiva 22 44 87 358 279
repaired GA-Q3 gandiva 20 54 86 365 272
repaired GA-Q4 gandiva 36 84 121 385 674
repaired GA-Q5 gandiva 19 50 77 340 273
repaired GA-Q7 gandiva 22 52 90 359 408
repaired GA-Q8 gandiva 19 41 81 344 445
repaired GA-Q9 gandiva 5 42 48 171 164
repaired GA-Q10 gandiva 19 49 87 361 269
repaired GA-Q11 gandiva 19 47 86 362 257
repaired GA-Q3,GA-Q4,GA-Q5 gandiva 37 88 124 407 775
repaired GA-Q1,GA-Q2,GA-Q3,GA-Q4,GA-Q5,GA-Q7,GA-Q8,GA-Q9,GA-Q10,GA-Q11 gandiva 30 76 124 405 793
repaired TH-Q1 themis 49 76 123
repaired TH-Q3 themis 61 80 123
repaired TH-Q5 themis 52 81 123
repaired TH-Q6 themis 61 81 124 405
repaired TH-Q1,TH-Q3 themis 54 80
