#!/usr/bin/env bash
# failing_results_test.sh - call number 1, 2, 3 ... of each kind fails under each verb that writes files, once or from then
# on, until none is left to fail. Each time the files there are those of before or those of a good run, never some of each;
# a verb that fails ends with a status and a sentence that names a file, and names what it leaves, which the next run takes
# away. Then a process is killed at each call: the next run there finds one of the two versions whole.
#
# Four calls of each verb are drawn from RUBATO_SEED, and one at which it is killed; in a soak, which says RUBATO_SOAK, all
# are tried.
source "$(dirname "$0")/cli.sh"
[ -z "$RUBATO_SANITIZED" ] || exit 77 # its library has to be loaded first

library=$(realpath "$built/../tests/failing_calls.so")
seed=${RUBATO_SEED:-$RANDOM}
RANDOM=$seed
try=$work/try
noted=$work/noted
lives=0
echo "seed $seed"

printf '%s\n' job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration \
    a,0,2000,vgg16,700,128,1,380 b,20,1500,resnet50,4000,128,2,200 c,30,300,bert,3000,64,4,100 >"$work/three.csv"
nodes=cluster_specs/n2g2.csv

# ---- the verbs: old_NAME makes what is there before, new_NAME is the command whose calls fail ----

failing=() # the environment of such a command
force=$("$rubato" trace generate --help | grep -o -m 1 -e '--force' || true)

simulated() { # POLICY [OPTION...]
    "${failing[@]}" "$rubato" simulate --cluster $nodes --policy "$1" "${@:2}" "$work/three.csv"
}

old_fresh() { :; }
new_fresh() {
    "${failing[@]}" "$scheduler" --schedule=edf --cluster_spec=$nodes --trace_file="$work/three.csv" --log_path="$try/r"
}
old_replaced() { simulated chronus --results "$try/r"; }
new_replaced() { simulated rubato --results "$try/r" --force --node-mtbf 100000; }
old_beside() { # files of others
    mkdir "$try/r"
    echo mine >"$try/r/notes.txt"
    echo mine >"$try/r/other.txt"
    simulated chronus --results "$try/r" --force
}
new_beside() { simulated rubato --results "$try/r" --force; }
old_around() { # a folder within
    simulated chronus --results "$try/r"
    simulated fifo --results "$try/r/inside"
}
new_around() { simulated rubato --results "$try/r" --force; }
old_gift() { :; } # with the inputs of the run
new_gift() { simulated fifo --results "$try/r" --with-inputs; }
old_record() { simulated fifo --record "$try/record"; }
new_record() { simulated edf --force --record "$try/record"; }

exported() { "${failing[@]}" "$rubato" export --to artifact --force --output "$try/logs" "$work/run.$1"; }
old_export() { exported chronus; }
new_export() { exported chronus-later; }
old_exported() { :; }
new_exported() { exported edf; }

old_report() { "$rubato" report "$work/run.edf" --output "$try/page.html"; }
new_report() { "${failing[@]}" "$rubato" report "$work/run.chronus" --force --output "$try/page.html"; }

drawn() { "${failing[@]}" "$rubato" figure sweep --results "$work/swept" --force --output "$try/figures" --width "$1"; }
old_figure() { drawn 300; }
new_figure() { drawn 240; }
old_drawn() { :; }
new_drawn() { drawn 300; }

swept() { # FOLDER [OPTION...]
    "${failing[@]}" "$rubato" sweep --policies edf,fifo --seeds 1,2 --loads 1 --parallel 1 --results "$1" "${@:2}" \
        "$work/three.csv@$nodes"
}
old_sweep() { swept "$try/sweep"; }
new_sweep() { swept "$try/sweep" --interval-confidence 90; }

generated() { "${failing[@]}" "$rubato" trace generate --jobs 5 --seed "$1" --throughputs throughputs $force --output "$try/trace.csv"; }
old_generate() { generated 1; }
new_generate() { generated 2; }
old_import() { generated 1; }
new_import() {
    "${failing[@]}" "$rubato" trace import --from swf --throughputs throughputs $force --output "$try/trace.csv" \
        "$project/tests/trace_import/samples/jobs.swf"
}

# ---- verbs of a trace ----

converted() { "${failing[@]}" "$rubato" trace convert $force --to "$1" --output "$try/converted.csv" "$work/three.csv"; }
old_convert() { converted artifact; }
new_convert() { converted public; }
timed() { "${failing[@]}" "$rubato" trace overhead --model vgg16 --batch-size 64 --case "$1" --force --output "$try/commands.txt"; }
old_overhead() { timed profile; }
new_overhead() { timed migration; }
searched() {
    "${failing[@]}" "$rubato" trace search --cluster $nodes --want edf=3/0 --jobs 3 --seeds "$1" --parallel 1 \
        --throughputs throughputs --force --output "$try/found.csv"
}
old_search() { searched 1:30; }
new_search() { searched 31:90; }

# ---- files of several kinds ----

old_keys() { "$rubato" keys --folder "$try/keys" a; }
new_keys() { "${failing[@]}" "$rubato" keys --folder "$try/keys" b; }
old_first_keys() { :; }
new_first_keys() { "${failing[@]}" "$rubato" keys --folder "$try/keys" a; }
old_policy() { # as much of the sources as the verb changes
    mkdir -p "$try/scheduler/policies" "$try/tests/policies"
    cp "$project/scheduler/policies/policy_table.c" "$try/scheduler/policies"
    cp "$project/tests/policies/CMakeLists.txt" "$try/tests/policies"
}
new_policy() { (cd "$try" && "${failing[@]}" "$work/tree/$rubato" new-policy my-own); }
old_program() { :; }
new_program() { (cd "$try" && "${failing[@]}" "$work/tree/$rubato" new-policy --language python my-own); }
old_backup() { # whose copy is not of this state
    mkdir -m 700 "$try/state"
    tar -xJf "$project/tests/journal/states/e2c0b6a_kill.tar.xz" -C "$try/state"
    cp "$try/state/state.db" "$try/state/backup.db"
}
new_backup() { "${failing[@]}" "$rubato" state backup --force "$try/state"; }

for run in edf chronus; do simulated $run --results "$work/run.$run" >/dev/null 2>&1; done
simulated chronus --slot 120 --results "$work/run.chronus-later" >/dev/null 2>&1
swept "$work/swept" >/dev/null 2>&1

# ---- what is there ----

# tree: all names and bytes of $try, but for clocks, keys, what a state counts as it is opened, and the database of a
# sweep, whose cells come one by one.
tree() {
    (cd "$try" && find . -mindepth 1 ! -name 'sweep.db*' ! -path ./state/mark ! -path ./state/lock ! -path './state/state.db*' ! -path ./sweep/traces/\* ! -path ./sweep/shares/\* -print0 |
        sort -z | while IFS= read -r -d '' name; do
        if [ -d "$name" ]; then
            echo "$name/"
        else
            echo "$name $(sed -E '/"(wall_s|solve_[a-z_]+)": /d; s/^([a-z]+ )?[!-~]{40}( |$)/KEY /; s/(CreationDate|ModDate) \([^)]*\)//' "$name" | cksum)"
        fi
    done)
}

prepare() { # NAME: $try as it is before
    rm -rf "$try"
    cp -a "$work/before" "$try"
}

# settle NAME: takes the files that stderr names out of $try.
settle() {
    local path

    while read -r path; do
        [ "${path#/}" != "$path" ] || path=$try/$path
        case $path in
        "$try"/*)
            rm -rf "$path"
            for path in "$(dirname "$path")" "${path%.rubato-aside}"; do # a folder that was made for it
                [ "$path" = "$try" ] || rmdir "$path" 2>/dev/null || true
            done
            ;;
        esac
    done < <(grep -oE "[^ :;,]+" "$err" | grep -E '/unfinished-[0-9]+$|rubato-(aside|running|older)|\.tmp$|/r/inputs/')
}

# judge WHAT STATUS
judge() {
    local found

    settle
    found=$(tree)
    if [ "$2" -eq 0 ]; then
        [ "$found" = "$newer" ] || fail "$1: succeeded, and left"$'\n'"$(diff <(echo "$newer") <(echo "$found"))"
    elif [ "$2" -eq 1 ] || [ "$2" -eq 2 ]; then
        [ "$found" = "$older" ] || fail "$1: failed, and left"$'\n'"$(diff <(echo "$older") <(echo "$found"))$(cat "$err")"
        grep -qE "^(rubato|scheduler)[a-z -]*: .*($try|scheduler/policies|tests/policies|my_own).*: " "$err" || fail "$1: no sentence names a file: $(cat "$err")"
    else
        fail "$1: ended with $2: $(cat "$err")"
    fi
}

# life NAME CALL NTH ON NUMBER: false if no call was left to fail.
life() {
    local what="$1: $2 $3${4:+ and later}" status=0

    prepare
    rm -f "$noted"
    failing=(env LD_PRELOAD="$library" RUBATO_FAIL_CALL="$2" RUBATO_FAIL_NTH="$3" RUBATO_FAIL_UNDER="$try/"
        RUBATO_FAIL_NOTE="$noted" RUBATO_FAIL_ERRNO="$5" ${4:+RUBATO_FAIL_ON=1})
    "new_$1" >"$out" 2>"$err" </dev/null || status=$?
    failing=()
    [ -e "$noted" ] || return 1
    judge "$what" $status
    lives=$((lives + 1))
}

# killed NAME CALL NTH: a process is killed at that call, and one version is whole after the next run has begun.
killed() {
    local found status=0

    prepare
    failing=(env LD_PRELOAD="$library" RUBATO_FAIL_CALL="$2" RUBATO_FAIL_NTH="$3" RUBATO_FAIL_UNDER="$try/"
        RUBATO_FAIL_KILL=1)
    "new_$1" >"$out" 2>"$err" </dev/null || status=$?
    failing=()
    [ $status -ne 0 ] || return 1
    same "the end of a process that is killed" $status 137
    gives 2 "$scheduler" --schedule=ef --cluster_spec="$project/tests/bad_input/aborts/twelve_gpus_ef/cluster.csv" \
        --trace_file="$project/tests/bad_input/aborts/twelve_gpus_ef/trace.csv" --log_path="$try/r" --force
    rmdir "$try/r" 2>/dev/null || true # made by the one that was killed
    found=$(tree)
    [ "$found" = "$older" ] || [ "$found" = "$newer" ] ||
        fail "$1: killed at $2 $3, and left"$'\n'"$(diff <(echo "$older") <(echo "$found"))"
    lives=$((lives + 1))
}

EIO=5 ENOSPC=28
either() { if [ $((RANDOM % 2)) = 0 ]; then echo "$1"; else echo "$2"; fi; }

# try_all NAME: each call of each kind, and those that come once others have failed.
try_all() {
    local call on nth

    for call in write fsync rename link open close mkdir unlink truncate; do
        for on in "" yes; do
            nth=1
            while life "$1" $call $nth "$on" "$(either $EIO $ENOSPC)"; do nth=$((nth + 1)); done
        done
        nth=1
        while is_killed "$1" && killed "$1" $call $nth; do nth=$((nth + 1)); done
    done
}

# draw: a kind and a number of those that $noted lists, uniformly.
draw() {
    sed -n "$((RANDOM % $(wc -l <"$work/calls") + 1))p" "$work/calls"
}

# try_some NAME
try_some() {
    local call nth

    prepare
    rm -f "$noted"
    failing=(env LD_PRELOAD="$library" RUBATO_FAIL_CALL=list RUBATO_FAIL_UNDER="$try/" RUBATO_FAIL_NOTE="$noted")
    "new_$1" >"$out" 2>"$err" </dev/null || fail "$1: $(cat "$err")"
    failing=()
    awk '{ print $1, ++nth[$1] }' "$noted" >"$work/calls"
    for on in "" yes "" yes; do
        read -r call nth < <(draw)
        life "$1" "$call" "$nth" "$on" "$(either $EIO $ENOSPC)" || fail "$1: $call $nth does not come again"
    done
    if is_killed "$1"; then
        read -r call nth < <(draw)
        killed "$1" "$call" "$nth" || fail "$1: $call $nth does not come again"
    fi
}

# is_killed NAME: whether a killed process may leave a folder half changed.
is_killed() {
    case $1 in fresh | replaced | beside | around) true ;; *) false ;; esac
}

for name in ${RUBATO_SUBJECTS:-fresh replaced beside around gift record export exported report figure drawn sweep generate import convert overhead search keys first_keys policy program backup}; do
    rm -rf "$try"
    mkdir "$try"
    "old_$name" >"$out" 2>"$err" || fail "$name: $(cat "$err")"
    rm -rf "$work/before"
    cp -a "$try" "$work/before"
    older=$(tree)
    "new_$name" >"$out" 2>"$err" || fail "$name: $(cat "$err")"
    newer=$(tree)
    [ "$older" != "$newer" ] || fail "$name: the two runs have the same files"
    before=$lives
    if [ -n "${RUBATO_SOAK:-}" ]; then try_all "$name"; else try_some "$name"; fi
    echo "$name: $((lives - before)) lives"
done
echo "$lives lives"
