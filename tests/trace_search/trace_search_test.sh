# trace_search_test.sh - `rubato trace search` finds the lowest seed that fits, however many look for it, and
# says how to make the trace again; or why there is none.
source "$(dirname "$0")/../tools/cli.sh"

cluster=cluster_specs/n1g8.csv
recipe=(--jobs 10 --models resnet50_cifar10 --gpus-mix 1:2,2:5,4:2,8:1 --arrival-interval 400
    --duration 2000:8000 --tightness 0.5:2)
found=$work/found.csv
search=("$rubato" trace search "${recipe[@]}" --cluster $cluster --slot 240 --force --output "$found")
wanted=ef-accessctrl=6/4,edf=1/9

# counts TRACE: what the policies of $wanted really give, written as $wanted is.
counts() {
    "$rubato" compare --csv --policies ef-accessctrl,edf --columns policy,accepted,declined --cluster $cluster --slot 240 "$1" |
        awk -F, 'NR > 1 { printf "%s%s=%s/%s", comma, $1, $2, $3; comma = "," }'
}

# first_seed FROM: the lowest seed from there that fits, one after the other.
first_seed() {
    local seed=$1

    while [ "$seed" -le 1000 ]; do
        "$rubato" trace generate --force "${recipe[@]}" --seed "$seed" --output "$work/one.csv" >/dev/null
        [ "$(counts "$work/one.csv")" != $wanted ] || break
        seed=$((seed + 1))
    done
    echo "$seed"
}

# What is found is what trying all seeds from the first one on finds, and it is written.
seed=$(first_seed 1)
[ "$seed" -gt 1 ] || fail "the first seed fits, which tests nothing"
passes "${search[@]}" --want $wanted --seeds 1:1000 -j 1
same "the seed" "$(head -1 "$out")" \
    "seed $seed is the first of 1:1000 that gives ef-accessctrl 6/4, edf 1/9"
same "the counts" "$(counts "$found")" $wanted
same "the columns" "$(head -1 "$found")" \
    "job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration"
cp "$out" "$work/answer"
cp "$found" "$work/alone.csv"
next=$(first_seed $((seed + 1)))
passes "${search[@]}" --want $wanted --seeds $((seed + 1)):1000 -j 2
same "the next seed" "$(head -1 "$out" | cut -d' ' -f2)" "$next"
passes "${search[@]}" --want $wanted --seeds "$next:$next"
same "the only seed" "$(head -1 "$out" | cut -d' ' -f2)" "$next"

# The same answer and the same bytes from any number of processes, in any order of the policies.
for parallel in 1 2 3 16; do
    rm "$found"
    passes "${search[@]}" --want $wanted --seeds 1:1000 -j $parallel
    cmp "$out" "$work/answer"
    cmp "$found" "$work/alone.csv"
done
passes "${search[@]}" --want edf=1/9,ef-accessctrl=6/4 --seeds 1:1000
same "the other order" "$(head -1 "$out")" \
    "seed $seed is the first of 1:1000 that gives edf 1/9, ef-accessctrl 6/4"
cmp "$found" "$work/alone.csv"
passes "${search[@]}" --want $wanted
same "the default range" "$(head -1 "$out" | cut -d' ' -f2)" "$seed"

# again: the command that is printed writes the same bytes.
again() {
    local file=$1

    same "where the command stands" "$(sed -n '2s/.*, //p' "$out")" "as this command does:"
    tail -1 "$out" >"$work/again.sh"
    mv "$file" "$work/before"
    PATH=$PWD/build/bin:$PATH passes bash "$work/again.sh"
    cmp "$file" "$work/before"
}

cp "$work/answer" "$out"
again "$found"
odd="$work/it's \$odd.txt"
passes "${search[@]}" --want $wanted --dialect artifact --best-effort 0 --tightness 0.7:2 \
    --throughputs throughputs --gpu-type A100 --output "$odd"
same "the delimiter and the dialect" "$(head -1 "$odd")" \
    "job_id submit_time iteration model_name ddl batch_size num_gpu duration"
again "$odd"
passes "${search[@]}" --want edf=1/7 --best-effort 0.2
same "best-effort jobs" "$(cut -d, -f9 "$found" | tr '\n' ' ' | tr -d '0 ')" "best_effort11"
again "$found"

# No seed fits: one sentence, and no trace.
none() {
    local words=$1

    shift
    gives 1 "$@"
    [ ! -s "$out" ] || fail "$* finds nothing and yet prints $(cat "$out")"
    same "the complaint" "$(cat "$err")" "rubato trace search: $words"
}

rm "$found"
lowest=1:$((seed - 1))
none "no seed of $lowest gives ef-accessctrl 6/4, edf 1/9" "${search[@]}" --want $wanted \
    --seeds "$lowest"
none "no seed of 3:3 gives edf 10/0" "${search[@]}" --want edf=10/0 --seeds 3

# Nor where a policy cannot run: on 32 GPUs this model has no rate.
"$rubato" trace generate --force "${recipe[@]}" --seed 4 --output "$work/one.csv" >/dev/null
gives 2 "$rubato" simulate --policy edf --cluster $small_cluster "$work/one.csv"
why=$(sed 's/^rubato simulate: //' "$err")
for parallel in 1 3; do
    none "no seed of 4:9 gives edf 1/9; 6 cannot be simulated, the first, 4, for this reason: edf: $why" \
        "${search[@]}" --want edf=1/9 --seeds 4:9 --cluster $small_cluster -j $parallel
done
[ ! -e "$found" ] || fail "a search that finds nothing writes a trace"

# Mistakes are told before the search.
refused "name the counts to look for with --want" "${search[@]}"
for list in edf edf= edf=1 edf=1/ =1/9 edf=-1/11 "edf=1/9;ef=2/8" edf=1/x edf=1/99999999999; do
    refused "--want: expected POLICY=ACCEPTED/DECLINED, found \"$list\"" "${search[@]}" --want "$list"
done
refused "--want: expected POLICY=ACCEPTED/DECLINED, found \"\"" "${search[@]}" --want edf=1/9,
refused "--want: there is no policy \"nosuch\"" "${search[@]}" --want edf=1/9,nosuch=1/9
refused "--want: there is no policy \"xxx" "${search[@]}" --want "$(printf 'x%.0s' {1..100})=1/9"
refused "--want: \"edf\" is listed twice" "${search[@]}" --want edf=1/9,edf=1/9
refused "--want: edf=1/8 counts 9 jobs, and --jobs makes 10" "${search[@]}" --want edf=1/8
refused "--want: edf=1/10 counts 11 jobs, and --jobs makes 10" "${search[@]}" --want edf=1/10 \
    --best-effort 0.5
refused "--seeds: expected whole numbers, found 1.5:2" "${search[@]}" --want edf=1/9 --seeds 1.5:2
refused "--seeds: expected LOW:HIGH" "${search[@]}" --want edf=1/9 --seeds 2:1
refused "--models: " "${search[@]}" --want edf=1/9 --models nosuch
refused "--gpus-mix: " "${search[@]}" --want edf=1/9 --gpus-mix 16:1
refused "nosuch.csv: cannot be read" "${search[@]}" --want edf=1/9 --cluster nosuch.csv
unwritten "nowhere/no.csv: cannot be written" "${search[@]}" --want edf=1/9 --output nowhere/no.csv
refused ".gz" "${search[@]}" --want edf=1/9 --output "$work/no.csv.gz"
refused "name the trace to write with --output" "$rubato" trace search --want edf=1/9
[ ! -e "$found" ] || fail "a mistake writes a trace"

# What is there stays without --force, and is told before the search.
echo mine >"$found"
refused "found.csv: is there already; name another file, or say --force to replace it" \
    "$rubato" trace search --jobs 1 --tightness 3 --cluster $cluster --output "$found" \
    --want ef-accessctrl=0/1 --seeds 1:9007199254740991
same "what was there" "$(cat "$found")" mine
rm "$found"

# begin_endless: starts a search that finds nothing and waits until it is on its way, which the line
# says that SIGUSR1 asks for. A lone job that has thrice the time it needs is never declined.
begin_endless() {
    : >"$err"    # of the search before
    trap '' USR1 # so that it is deaf until it listens
    "$rubato" trace search --jobs 1 --tightness 3 --cluster $cluster --output "$found" -j 2 \
        --want ef-accessctrl=0/1 --seeds 1:9007199254740991 >"$out" 2>"$err" &
    endless=$!
    trap - USR1
    until grep -qE '^trace search: at seed ([2-9]|[0-9]{2,}) of 1:9007199254740991, [0-9]+ seeds/s$' "$err"; do
        kill -s USR1 $endless
    done
}

# Ctrl-C: what is done, and how to go on.
for signal in INT TERM; do
    begin_endless
    kill -s $signal $endless
    status=0
    wait $endless || status=$?
    same "the exit status after SIG$signal" $status 130
    tail -1 "$err" >"$work/last"
    read -r done_to go_on < <(sed -nE 's/^rubato trace search: stopped: no seed of 1:([0-9]+) fits, go on with --seeds ([0-9]+):9007199254740991$/\1 \2/p' "$work/last") ||
        fail "no word of how far it got: $(cat "$work/last")"
    same "where to go on" "$go_on" $((done_to + 1))
    told=$(sed -nE '$!s/.*at seed ([0-9]+) of.*/\1/p' "$err" | tail -1)
    [ "$go_on" -ge "$told" ] || fail "at seed $told, and yet to go on from $go_on"
    [ ! -s "$out" ] && [ ! -e "$found" ] || fail "a search that was stopped leaves $(cat "$out" "$found")"
done

# A process that is lost takes the search along, as it may have held the seed that fits.
begin_endless
child=
for stat in /proc/[0-9]*/stat; do
    read -r pid _ _ parent _ 2>/dev/null <"$stat" || continue
    [ "$parent" != $endless ] || child=$pid
done
kill -s KILL "$child"
status=0
wait $endless || status=$?
same "the exit status without a process" $status 2
tail -1 "$err" | grep -qE '^rubato trace search: seed [0-9]+: its process was ended by signal 9$' ||
    fail "no word of the lost process: $(tail -1 "$err")"
done_checking 60
