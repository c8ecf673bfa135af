# golden_test.sh - the published results, cell by cell: four settings and the four policies of
# ElasticFlow's artifact give the counts, jobs.csv and rounds.csv of the reference, and give the
# same files when they are run again.
source "$(dirname "$0")/cells.sh"

if [ ! -d "$shared/reference" ] || [ ! -d "$shared/traces" ]; then
    echo "no reference results in $shared"
    exit 77
fi

cells=0
layouts=0

# cell SETTING TRACE NODES GPUS SLOT GPU_TYPE POLICY ACCEPTED DECLINED
cell() {
    local setting=$1 trace=$shared/traces/$2.csv policy=$7 clusters expected=$shared/reference/$1/$7
    local out=$work/$1.$7 again=$work/$1.$7.again counts wanted

    clusters=$(cluster "$3" "$4")
    counts=$(simulate "$scheduler" "$policy" "$trace" "$clusters" "$5" "$6" "$out" | tail -n 2)
    wanted=$(printf 'accepted jobs: %s\ndeclined jobs: %s' "$8" "$9")
    [ "$counts" = "$wanted" ] || fail "$setting, $policy: $counts, expected $wanted"
    cmp "$out/jobs.csv" "$expected.jobs.csv" || fail "$setting, $policy: jobs.csv differs"
    if [ -e "$expected.rounds.csv" ]; then
        cmp "$out/rounds.csv" "$expected.rounds.csv" || fail "$setting, $policy: rounds.csv differs"
        layouts=$((layouts + 1))
    fi
    simulate "$scheduler" "$policy" "$trace" "$clusters" "$5" "$6" "$again" >/dev/null
    same_results "$out" "$again" || fail "$setting, $policy: a second run differs"
    cells=$((cells + 1))
    echo "ok: $setting, $policy: $8 accepted, $9 declined"
}

t4=(elasticVpollux_e.n16g4.slot60.T4 elasticVpollux_e 16 4 60 T4)
cell "${t4[@]}" ef-accessctrl 142 53
cell "${t4[@]}" ef 130 65
cell "${t4[@]}" edf 23 172
cell "${t4[@]}" edf-accessctrl 80 115

mit=(195job.n16g8.slot240.A100 195job 16 8 240 A100)
cell "${mit[@]}" ef-accessctrl 146 49
cell "${mit[@]}" ef 40 155
cell "${mit[@]}" edf 17 178
cell "${mit[@]}" edf-accessctrl 63 132

large=(cluster10.n32g8.slot60.A100 cluster10 32 8 60 A100)
cell "${large[@]}" ef-accessctrl 250 10
cell "${large[@]}" ef 255 5
cell "${large[@]}" edf 202 58
cell "${large[@]}" edf-accessctrl 215 45

philly=(philly_103959.n32g8.slot60.A100 philly_103959 32 8 60 A100)
cell "${philly[@]}" ef-accessctrl 797 79
cell "${philly[@]}" ef 809 67
cell "${philly[@]}" edf 382 494
cell "${philly[@]}" edf-accessctrl 714 162

# The reference leaves out one rounds.csv, for its length: that of ef on philly_103959.
[ "$cells" -eq 16 ] && [ "$layouts" -eq 15 ] || fail "$cells cells and $layouts layouts compared"
