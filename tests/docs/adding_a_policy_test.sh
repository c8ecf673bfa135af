# adding_a_policy_test.sh - docs/adding-a-policy.md tells the truth: each of its policies is one C file and one
# line of the table, compiles without a warning, and makes programs that know the policy and run it. One that gives
# out more GPUs than there are is told so. Its option and its figure go wherever those of other policies go. One
# solves a linear program in each round and draws lots, and decides the same in a replay and after a snapshot.
set -euo pipefail
source "$(dirname "$0")/blocks.sh"

document=docs/adding-a-policy.md
table=scheduler/policies/policy_table.c
build=${RUBATO_BUILD:?is set by ctest}
rubato=${RUBATO_BIN:?is set by ctest}/rubato
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

[ -e "$document" ] || fail "there is no $document"
[ -e "$build/compile_commands.json" ] || fail "there is no $build/compile_commands.json"
split_blocks "$document" "$work/blocks"

# blocks PATTERN: the C blocks of the document whose first line matches.
blocks() {
    local block

    for block in "$work/blocks"/*.c; do
        ! head -1 "$block" | grep -qE "$1" || echo "$block"
    done
}

# The policies, their files, and their lines of the table, which come before the last one.
cp "$table" "$work/policy_table.c"
names=()
for block in $(blocks '^/\* scheduler/policies/[a-z0-9_]+\.c - '); do
    name=$(sed -nE '1 s|^/\* scheduler/policies/([a-z0-9_]+)\.c - .*|\1|p' "$block")
    row=$(blocks "^    POLICY\\($name\\) +\\\\\$")
    [ -n "$row" ] && [ "$(wc -l <"$row")" = 1 ] || fail "$document: no single line POLICY($name) for the table"
    last=$(grep -nE '^    POLICY\([a-z_]+\)$' "$table" | cut -d: -f1)
    [ -n "$last" ] || fail "$table has no last line POLICY(...)"
    sed -i "$((last - 1))r $row" "$work/policy_table.c"
    cp "$block" "$work/$name.c"
    names+=("$name")
done
[ ${#names[@]} = 3 ] || fail "$document: policies ${names[*]}, expected three"
[ "$(diff "$table" "$work/policy_table.c" | grep -c '^[<>]')" = 3 ] || fail "three lines were not inserted"

# A policy that is none of the page: pairs of jobs on GPUs that they share.
cp tests/policies/pairs.c "$work"
last=$(grep -nE '^    POLICY\([a-z_]+\)$' "$work/policy_table.c" | cut -d: -f1)
sed -i "${last}i\\    POLICY(pairs) \\\\" "$work/policy_table.c"

# The file needs no other line: the build takes all of the folder.
grep -q '^rubato_folder(policies policies)$' scheduler/CMakeLists.txt ||
    fail "scheduler/CMakeLists.txt does not take all of scheduler/policies"

# Compiled as the build compiles the table, warnings being errors.
command=$(tr -d '\n' <"$build/compile_commands.json" | sed 's/},/}\n/g' | grep -F "/$table\"" |
    sed -nE 's/.*"command": "(.*)", *"file".*/\1/p' | sed 's/\\\(["\\]\)/\1/g' || true)
[ -n "$command" ] || fail "compile_commands.json has no command for $table"
eval "compiler=($command)"
flags=()
for ((i = 1; i < ${#compiler[@]}; i++)); do
    case ${compiler[i]} in
    -o | -c | -MF | -MT) i=$((i + 1)) ;;
    -MD) ;;
    *) flags+=("${compiler[i]}") ;;
    esac
done

linked_as=() # as the code is compiled
case " ${flags[*]} " in *" -fno-pie "*) linked_as=(-no-pie) ;; esac

# A folder of another build may stand within that of this one.
mapfile -t libraries < <(find "$build" -mindepth 1 \( -path "$build/tests" -o -type d -exec test -e '{}/CMakeCache.txt' \; \) -prune -o \
    -name 'lib*.a' -print)
[ ${#libraries[@]} -gt 5 ] || fail "$build has only the libraries ${libraries[*]}"
read -ra external < <(pkg-config --libs libconfuse jansson libczmq libzmq msgpack sqlite3 smartcols)

compile() {
    "${compiler[0]}" "${flags[@]}" -Werror -c "$1" -o "$work/$(basename "$1" .c).o" || fail "$1 does not compile"
}

# link PROGRAM OBJECT...: the new table and the new policies come before the library that has the old table.
link() {
    local program=$1

    shift
    "${compiler[0]}" "${flags[@]}" "${linked_as[@]}" -o "$program" "${policies[@]}" "$@" \
        -Wl,--start-group "${libraries[@]}" -Wl,--end-group "${external[@]}" -lcsv -lm -ldl ||
        fail "$program does not link"
}

policies=()
for file in "$work"/*.c; do
    compile "$file"
    policies+=("${file%.c}.o")
done
own=()
for file in scheduler/{main,live_elsewhere,reference/published_options}.c; do
    compile "$file"
    own+=("$work/$(basename "$file" .c).o")
done
ln -s "$build/lib" "$work/lib" # solvers
link "$work/scheduler" "${own[@]}"
mapfile -t objects < <(find "$build/tools/CMakeFiles/rubato.dir" -name '*.o')
link "$work/rubato" "${objects[@]}"

# run_on TRACE CLUSTER PROGRAM POLICY FOLDER
run_on() {
    "$3" --schedule="$4" --trace_file="traces/$1.csv" --cluster_spec="cluster_specs/$2.csv" \
        --throughputs=throughputs --log_path="$5" >"$work/out" 2>&1
}

# check_runs POLICY: the scheduler knows it beside others, and its results are sound.
check_runs() {
    local trace results jobs accepted declined retired

    for schedule in ef-accessctrl edf "$1"; do
        "$work/scheduler" --print-words | grep -qE "^--schedule=.* $schedule( |\$)" ||
            fail "the scheduler does not know $schedule"
    done
    for trace in testbed25:n4g8 testbed195:n16g8; do
        results=$work/$1-${trace%:*}
        jobs=$(($(wc -l <"traces/${trace%:*}.csv") - 1))
        run_on "${trace%:*}" "${trace#*:}" "$work/scheduler" "$1" "$results" ||
            fail "--schedule=$1 fails on $trace: $(cat "$work/out")"
        accepted=$(sed -n 's/^accepted jobs: //p' "$work/out")
        declined=$(sed -n 's/^declined jobs: //p' "$work/out")
        [ $((accepted + declined)) = "$jobs" ] ||
            fail "$trace: $accepted accepted and $declined declined of $jobs jobs"

        # A job without a record never ran, and so was declined.
        retired=$(tail -n +2 "$results/jobs.csv" | cut -d, -f2 | sort -u | wc -l)
        [ "$(wc -l <"$results/jobs.csv")" = $((retired + 1)) ] || fail "$trace: a job is retired twice"
        [ "$retired" -gt 0 ] && [ $((jobs - retired)) -le "$declined" ] ||
            fail "$trace: $retired jobs are retired and $declined declined of $jobs"

        "$rubato" audit "$results" >"$work/audit" 2>&1 || fail "$trace: $(tail -1 "$work/audit")"
        echo "ok: $1 on $trace: $jobs jobs, $accepted accepted, $retired retired, audited"
    done
}

for name in "${names[@]}"; do
    printed=$(sed -nE 's/^ *\.name = "(.*)",$/\1/p' "$work/$name.c")
    [ -n "$printed" ] || fail "$name.c gives no .name"
    check_runs "$printed"

    # Without its count of free GPUs it gives out too many.
    sed -i '/^ *free_gpus -= /d' "$work/$name.c"
    cp "$work/$name.o" "$work/kept.o"
    compile "$work/$name.c"
    link "$work/greedy" "${own[@]}"
    cp "$work/kept.o" "$work/$name.o"
    ! run_on testbed25 n4g8 "$work/greedy" "$printed" "$work/greedy-results" || fail "$printed may give out anything"
    grep -qE "policy $printed gave out [0-9]+ of 32 GPUs in round [0-9]+\$" "$work/out" ||
        fail "$printed is told $(cat "$work/out")"
    echo "ok: $(tail -1 "$work/out")"
done
grep -qE '"policy [a-z]+ gave out [0-9]+ of [0-9]+ GPUs in round [0-9]+"' "$document" ||
    fail "$document does not say what such a policy is told"

# The option of a policy that no other file knows.
run=("$work/rubato" simulate --policy turns --cluster cluster_specs/n4g8.csv --throughputs throughputs --json
    traces/testbed25.csv)
# value_of KEY: of the summary on standard input, and of the objects in it.
value_of() {
    python3 -c 'import functools, json, sys
print(functools.reduce(lambda o, k: o.get(k, {}), sys.argv[1].split("."), json.load(sys.stdin)))' "$1"
}
"${run[@]}" >"$work/usual.json" 2>"$work/out" || fail "turns: $(cat "$work/out")"
"${run[@]}" --turn-rounds 7 --record "$work/run.record" >"$work/seven.json" 2>"$work/out" || fail "turns: $(cat "$work/out")"
[ "$(value_of policy_options <"$work/usual.json")" = "{}" ] || fail "an option as usual is in the summary"
[ "$(value_of policy_options.turn_rounds <"$work/seven.json")" = 7 ] || fail "the summary does not name the option"
[ "$(value_of policy_figures.rounds_given <"$work/seven.json")" -gt 0 ] || fail "the summary has no figure of turns"
[ "$(value_of jct_mean_s <"$work/seven.json")" != "$(value_of jct_mean_s <"$work/usual.json")" ] ||
    fail "the option changes nothing"
grep -qx 'options turn-rounds=7' "$work/run.record" || fail "the record has no option: $(head -5 "$work/run.record")"
"$work/rubato" replay "$work/run.record" >"$work/out" 2>&1 && grep -q 'all decisions as recorded' "$work/out" ||
    fail "replay: $(cat "$work/out")"

compared() { # OPTIONS...: on one trace
    "$work/rubato" compare --cluster cluster_specs/n4g8.csv --throughputs throughputs --csv \
        --columns policy,jct_mean_s "$@" traces/testbed25.csv >"$work/out" 2>&1
}
compared --policies fifo,turns || fail "compare: $(cat "$work/out")"
cp "$work/out" "$work/compared"
compared --policies fifo,turns --turn-rounds 7 || fail "compare: $(cat "$work/out")"
[ "$(grep ^fifo "$work/out")" = "$(grep ^fifo "$work/compared")" ] || fail "an option of turns changes fifo"
[ "$(grep ^turns "$work/out")" != "$(grep ^turns "$work/compared")" ] || fail "compare does not pass the option on"
! compared --policies fifo,srtf --turn-rounds 7 || fail "an option of none of the policies is taken"
grep -q -- '--turn-rounds 7: no policy of --policies has such an option, which is of turns' "$work/out" ||
    fail "compare says $(cat "$work/out")"

# The figure is a column, unknown of other policies, and a line for people.
"$work/rubato" compare --cluster cluster_specs/n4g8.csv --throughputs throughputs --csv --policies fifo,turns \
    --columns policy,rounds_given traces/testbed25.csv >"$work/out" 2>&1 || fail "compare: $(cat "$work/out")"
given=$(value_of policy_figures.rounds_given <"$work/usual.json")
[ "$(cat "$work/out")" = $'policy,rounds_given\r\nfifo,\r\nturns,'"$given"$'\r' ] ||
    [ "$(cat "$work/out")" = $'policy,rounds_given\nfifo,\nturns,'"$given" ] || fail "compare prints $(cat "$work/out")"
"$work/rubato" simulate --policy turns --cluster cluster_specs/n4g8.csv --throughputs throughputs \
    traces/testbed25.csv >"$work/out" 2>&1 || fail "simulate: $(cat "$work/out")"
grep -qx "rounds given            $given rounds" "$work/out" || fail "simulate prints $(cat "$work/out")"

printf 'turn-rounds = 7\n' >"$work/settings"
"${run[@]}" --config "$work/settings" >"$work/config.json" 2>"$work/out" || fail "--config: $(cat "$work/out")"
[ "$(value_of policy_options.turn_rounds <"$work/config.json")" = 7 ] || fail "--config gives turns no option"
"$work/rubato" simulate --print-config >"$work/out"
grep -qx 'turn-rounds = "1"' "$work/out" || fail "--print-config has no turn-rounds"
"$work/scheduler" --help >"$work/out"
grep -q -- '--turn_rounds=ROUNDS' "$work/out" || fail "--help of the scheduler has no turn_rounds"
echo "ok: an option and a figure of turns in help, configs, summary, compare, record and replay"

# A policy that solves and draws: the same seed gives the same run, another one another, and records have it.
drawn() { # FILE OPTIONS...
    local file=$1

    shift
    "$work/rubato" simulate --policy lots --cluster cluster_specs/n4g8.csv --throughputs throughputs --json \
        "$@" traces/testbed25.csv >"$file" 2>"$work/out" || fail "lots: $(cat "$work/out")"
}
drawn "$work/lots.json" --record "$work/lots.record" --force
drawn "$work/again.json"
drawn "$work/other.json" --lots-seed 4 --record "$work/other.record"
grep -v wall_s "$work/lots.json" >"$work/lots" && grep -v wall_s "$work/again.json" | diff "$work/lots" - ||
    fail "two runs with the same seed differ"
[ "$(value_of policy_figures.lots_drawn <"$work/lots.json")" -gt 20 ] || fail "few lots: $(cat "$work/lots.json")"
[ "$(value_of policy_figures.lots_worth <"$work/lots.json")" != "$(value_of policy_figures.lots_worth <"$work/other.json")" ] ||
    fail "the seed changes nothing"
for record in lots other; do
    "$work/rubato" replay "$work/$record.record" >"$work/out" 2>&1 && grep -q 'all decisions as recorded' "$work/out" ||
        fail "replay of lots: $(cat "$work/out")"
done

# Grants that no table has: three GPUs, twice the batch size, a rate of its own, a partner on the same GPUs, each
# start paid by a price of its own. All files say so, and the auditor follows.
paired() { # FOLDER OPTIONS...
    local folder=$1

    shift
    "$work/rubato" simulate --policy pairs --cluster cluster_specs/n4g8.csv --throughputs throughputs --json \
        --results "$folder" "$@" traces/testbed25.csv >"$folder.json" 2>"$work/out" || fail "pairs: $(cat "$work/out")"
    "$rubato" audit "$folder" >"$work/audit" 2>&1 || fail "pairs: $(tail -3 "$work/audit")"
}
paired "$work/pairs" --record "$work/pairs.record"
paired "$work/pairs-40" --pairs-shared 40
paired "$work/pairs-lost" --node-mtbf 2000 --node-repair 300
grep -qE '[, ][0-9]+&[0-9]+@[0-9]+x3( |$)' "$work/pairs/rounds.csv" || fail "rounds.csv has no pair"
head -1 "$work/pairs/grants.csv" | grep -qx 'time,job_id,gpus,batch_size,iterations_per_s,partner,overhead_s' ||
    fail "grants.csv begins with $(head -1 "$work/pairs/grants.csv")"
awk -F, 'NR > 1 && ($3 != 3 || $7 > 6) { bad = 1 } NR > 1 && $6 != "" { pairs++ } END { exit bad || pairs < 10 }' \
    "$work/pairs/grants.csv" || fail "grants.csv: $(head -5 "$work/pairs/grants.csv")"
batch=$(awk -F, 'NR == 2 { print $2 "," $4 }' "$work/pairs/grants.csv")
awk -F, -v want="$batch" 'NR > 1 && $1 "," 2 * $6 == want { found = 1 } END { exit !found }' traces/testbed25.csv ||
    fail "the batch size of $batch is not doubled"
[ "$(value_of policy_figures.pair_rounds <"$work/pairs.json")" -gt 10 ] || fail "few pairs"
[ "$(value_of jct_mean_s <"$work/pairs.json")" != "$(value_of jct_mean_s <"$work/pairs-40.json")" ] ||
    fail "the option of pairs changes nothing"
"$work/rubato" replay "$work/pairs.record" >"$work/out" 2>&1 && grep -q 'all decisions as recorded' "$work/out" ||
    fail "replay of pairs: $(cat "$work/out")"
grep -qE '^> hold [0-9]+ gpus=3 .* batch=[0-9]+ partner=[0-9]+$' "$work/pairs.record" || fail "the record has no partner"
compared --policies fifo,pairs || fail "compare: $(cat "$work/out")"

# A grant that cannot be carried out is told: no rate, a partner that holds less.
faulty() { # SED SENTENCE
    sed -i "$1" "$work/pairs.c"
    cp "$work/pairs.o" "$work/kept.o"
    compile "$work/pairs.c"
    link "$work/greedy" "${own[@]}"
    cp "$work/kept.o" "$work/pairs.o"
    cp tests/policies/pairs.c "$work"
    ! run_on testbed25 n4g8 "$work/greedy" pairs "$work/greedy-results" || fail "pairs may give out anything"
    grep -qE "policy pairs gave job [0-9]+ 3 GPUs $2 in round [0-9]+\$" "$work/out" || fail "pairs is told $(cat "$work/out")"
}
faulty 's/\.rate = /&host ? 0 : /' 'at no rate'
faulty 's/\.gpus = GPUS_OF_PAIR,/.gpus = host ? GPUS_OF_PAIR : 2,/' 'of a partner that does not hold as many of its own'

# The auditor sees a GPU that is counted twice, and a rate that the work does not show.
cp -r "$work/pairs" "$work/twice"
sed -i -E '0,/([0-9]+)&([0-9]+)@/ s/([0-9]+)&([0-9]+)@([0-9]+)x3/\1@\3x3 \2@\3x3/' "$work/twice/rounds.csv"
! "$rubato" audit "$work/twice" >"$work/audit" 2>&1 && grep -q gpu-held-twice "$work/audit" || fail "audit: $(cat "$work/audit")"
cp -r "$work/pairs" "$work/slow"
awk -F, -v OFS=, 'NR > 1 { $5 /= 2 } 1' "$work/pairs/grants.csv" >"$work/slow/grants.csv"
! "$rubato" audit "$work/slow" >"$work/audit" 2>&1 && grep -q work-overcredited "$work/audit" || fail "audit: $(cat "$work/audit")"
echo "ok: pairs shares GPUs, with batch sizes and rates of its own, recorded, replayed and audited"

# Random occurrences, under each policy of the page: another engine that is told the same decides the same, and so
# does one that is written as a snapshot and read back. One whose stream begins anew does not.
mapfile -t objects < <(find "$build/tests/engine/CMakeFiles/occurrence_property_test.dir" -name '*.o')
mapfile -t helpers < <(find "$build/tests" -name 'libboth_worlds.a' -o -name 'libtest_support.a')
[ ${#objects[@]} -gt 0 ] && [ ${#helpers[@]} = 2 ] || fail "the build has no occurrence_property_test"
libraries+=("${helpers[@]}")
external+=(-lcmocka)
link "$work/occurrences" "${objects[@]}"
for name in "${names[@]}" pairs; do
    RUBATO_POLICY=$name RUBATO_TIMES=20 "$work/occurrences" >"$work/out" 2>&1 ||
        fail "random occurrences under $name: $(tail -5 "$work/out")"
done
sed -i '/^ *rng_archive(/d' "$work/lots.c"
compile "$work/lots.c"
link "$work/occurrences" "${objects[@]}"
! RUBATO_POLICY=lots RUBATO_TIMES=20 "$work/occurrences" >"$work/out" 2>&1 || fail "lots may forget its stream"
echo "ok: lots solves and draws, in replays and after snapshots too"
