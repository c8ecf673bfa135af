# sweep_test.sh - `rubato sweep`: each cell is that of a simulation; whatever stops a sweep, it goes
# on to the same tables, byte for byte, and repeats no cell.
source "$(dirname "$0")/../tools/cli.sh"

# field FILE ROW NAME: the value of column NAME in a CSV file without quotes.
field() {
    awk -F, -v row="$2" -v name="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == row + 1 { print $at }' "$1"
}

# tables FOLDER
tables() { cat "$1/cells.csv" "$1/means.csv" "$1/differences.csv"; }

# same_tables WHAT FOLDER FOLDER
same_tables() {
    cmp -s <(tables "$2") <(tables "$3") || fail "$1: other tables: $(diff <(tables "$2") <(tables "$3") | head -5)"
    checks=$((checks + 1))
}

# A cell is what `rubato simulate` says.
passes "$rubato" sweep --results "$work/one" --policies ef "$small@$small_cluster"
gives 0 "$rubato" simulate --policy ef --cluster "$small_cluster" "$small" --json
cp "$out" "$work/simulated"
for name in on_time jct_mean_s gpu_utilisation makespan_s rounds; do
    found=$(field "$work/one/cells.csv" 1 $name)
    wanted=$(sed -nE "s/^ *\"$name\": ([0-9.]+),?$/\1/p" "$work/simulated" | head -1)
    [ -n "$wanted" ] || fail "no $name in the summary"
    awk "BEGIN { exit !(($found) == ($wanted)) }" || fail "$name: $found in the sweep, $wanted simulated"
    checks=$((checks + 1))
done
same "SQLite" "$(head -c 15 "$work/one/sweep.db")" "SQLite format 3"

# So is one on a trace that was made for it.
passes "$rubato" sweep --results "$work/made" --policies edf --loads 2 --best-effort 0.3 --seeds 7 "$small@$small_cluster"
made=$(echo "$work"/made/traces/*.csv)
passes "$rubato" trace validate "$made"
gives 0 "$rubato" simulate --policy edf --cluster "$small_cluster" "$made" --json
same "a varied trace" "$(field "$work/made/cells.csv" 1 jct_mean_s | cut -c1-12)" \
    "$(sed -nE 's/^ *"jct_mean_s": ([0-9.]+),?$/\1/p' "$out" | cut -c1-12)"

# All values of all parameters, and means over the seeds.
all=(--policies "ef,edf,rubato" --seeds "1,2,3" --loads "1,2" --tightness "1,0.5:1.5" --overhead-factors "1,2" "$small@$small_cluster")
passes "$rubato" sweep --results "$work/whole" "${all[@]}"
same "cells" "$(wc -l <"$work/whole/cells.csv")" $((1 + 3 * 3 * 2 * 2 * 2))
same "means" "$(wc -l <"$work/whole/means.csv")" $((1 + 3 * 2 * 2 * 2))
same "the table" "$(wc -l <"$out")" $((1 + 3 * 2 * 2 * 2))
mean=$(for row in 1 2 3; do field "$work/whole/cells.csv" $row on_time; done |
    awk '{ sum += $1; squares += $1 * $1 } END { mean = sum / 3
        printf "%.6f %.4f\n", mean, 4.30265 * sqrt((squares - 3 * mean * mean) / 2 / 3) }')
same "mean and half of the interval" \
    "$(printf '%.6f %.4f' "$(field "$work/whole/means.csv" 1 on_time_mean)" "$(field "$work/whole/means.csv" 1 on_time_half)")" "$mean"

# Differences from the first policy, seed by seed: of edf and ef at the first point, whose seeds are rows 1 to 6.
same "differences" "$(grep -c ',ef,on_time,' "$work/whole/differences.csv")" $((2 * 2 * 2 * 2))
found=$(grep -m1 ',edf,.*,ef,on_time,' "$work/whole/differences.csv" | rev | cut -d, -f1-6 | rev)
same "a mean difference" "$(cut -d, -f1,3 <<<"$found")" "$(for row in 1 2 3; do
    echo "$(field "$work/whole/cells.csv" $((row + 3)) on_time) $(field "$work/whole/cells.csv" $row on_time)"
done | awk '{ sum += $1 - $2 } END { printf "3,%.17g\n", sum / 3 }')"
same "the exact p of three seeds that agree" "$(cut -d, -f6 <<<"$found")" 0.25

# Killed, with some of its cells done; the same command goes on.
"$rubato" sweep -j1 --results "$work/killed" "${all[@]}" >"$out" 2>"$err" &
sweep=$!
while kill -0 $sweep 2>"$work/ignored" && [ "$(find "$work/killed/traces" -type f 2>"$work/ignored" | wc -l)" -lt 6 ]; do :; done
kill -9 $sweep 2>"$work/ignored" || fail "the sweep ended before it could be killed"
wait $sweep 2>"$work/ignored" || true
gives 0 "$rubato" sweep --results "$work/killed" "${all[@]}"
already=$(sed -nE 's/.*: ([0-9]+) of 72 cells are done already$/\1/p' "$err")
[ "${already:-0}" -ge 1 ] && [ "$already" -lt 72 ] || fail "${already:-no} cells were done: $(cat "$err")"
same_tables "killed" "$work/whole" "$work/killed"

# In shares, each of which keeps what it did; collected by the sweep without one.
for share in 2 0 1; do
    passes "$rubato" sweep --results "$work/shared" --share $share/3 "${all[@]}"
done
gives 0 "$rubato" sweep --results "$work/shared" "${all[@]}"
says "72 of 72 cells are done already"
same_tables "shares" "$work/whole" "$work/shared"
same "shares that are left" "$(ls "$work/shared/shares")" ""

# A disk that is full when the log of the store is to move into it: nothing is lost, and it is told.
last=("$rubato" sweep -j1 --policies edf --results "$work/tight" "$small@$small_cluster")
passes "${last[@]}" --seeds "$(seq -s, 80)"
limited() (
    trap '' XFSZ
    ulimit -f 32
    "$@"
)
gives 2 limited "${last[@]}" --seeds 81
says "sweep: $work/tight/sweep.db: disk I/O error; the newest cells stay in $work/tight/sweep.db-wal, and"
! grep -q "results are in" "$err" || fail "a store that is not whole is told of as results"
[ -s "$work/tight/sweep.db-wal" ] || fail "the newest cells are not in the log"
gives 0 "${last[@]}" --seeds 81
says "1 of 1 cells are done already"
[ ! -e "$work/tight/sweep.db-wal" ] || fail "the log stays when there is room"

# A table that finds no room does not leave the other one without it.
if [ -w /dev/full ]; then
    rm "$work/tight"/{cells,means,differences}.csv
    ln -s /dev/full "$work/tight/means.csv"
    gives 1 "${last[@]}" --seeds 81
    says "$work/tight/means.csv: cannot be written: No space left on device"
    [ ! -e "$work/tight/cells.csv" ] || fail "cells.csv is there without means.csv"
fi

# More values: only what is new is run.
gives 0 "$rubato" sweep --results "$work/whole" "${all[@]}" --seeds 1,2,3,4
says "72 of 96 cells are done already"
gives 0 "$rubato" sweep --results "$work/whole" "${all[@]}"
says "72 of 72 cells are done already"
same_tables "there and back" "$work/whole" "$work/killed"

# An input that has changed: its cells are run anew, others are not.
cp "$small" "$work/a.csv"
cp "$small" "$work/b.csv"
two=("$rubato" sweep --results "$work/changed" --policies "ef,edf" --clusters "$small_cluster" "$work/a.csv" "$work/b.csv")
passes "${two[@]}"
sed -i '$ d' "$work/b.csv"
gives 0 "${two[@]}"
says "2 of 4 cells are done already"
says "2 cells are run anew: the trace $work/b.csv has changed since"
same "a job less" "$(field "$work/changed/cells.csv" 3 jobs)" 24
gives 0 "${two[@]}"
says "4 of 4 cells are done already"

# So is a policy that is a program of a user's.
cp "$project/examples/policies/srtf.py" "$work/mine.py"
own=("$rubato" sweep --results "$work/own" --policies "exec:python3 $work/mine.py,edf" "$small@$small_cluster")
passes "${own[@]}"
echo "# another one" >>"$work/mine.py"
gives 0 "${own[@]}"
says "1 cell is run anew: the program of the policy exec:python3 $work/mine.py has changed since"

# From a file, which the command line overrules.
cat >"$work/sweep.conf" <<END
results = "$work/configured"
traces = "$small@$small_cluster"
policies = "ef,edf,rubato"
seeds = "1,2,3"
loads = "1,2"
tightness = "1,0.5:1.5"
overhead-factors = "1,2,3"
END
gives 0 "$rubato" sweep --config "$work/sweep.conf" --overhead-factors 1,2
same_tables "a file" "$work/killed" "$work/configured"

# Traces that name no cluster are run on all of them.
passes "$rubato" sweep --results "$work/clusters" --policies ef --clusters "$small_cluster,cluster_specs/n8g8.csv" "$small" "$small@cluster_specs/n1g8.csv"
same "clusters" "$(cut -d, -f2 "$work/clusters/cells.csv" | paste -sd ' ')" \
    "cluster $small_cluster cluster_specs/n8g8.csv cluster_specs/n1g8.csv"

# means.csv: a cell is empty only where the manual says so, and no column is empty of all policies that could have it.
passes "$rubato" sweep --results "$work/all" --policies rubato,edf,dlas-gpu,chronus --seeds 1,2 "$small@$small_cluster"
same "empty cells" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
    { for (i = 1; i <= NF; i++) if ($i == "") print $9, name[i] }' "$work/all/means.csv" | sort | paste -sd ';')" \
    "$(for policy in chronus dlas-gpu edf rubato; do
        [ $policy = chronus ] || printf '%s\n' "$policy admitted_half" "$policy admitted_mean"
        [ $policy = dlas-gpu ] || printf '%s\n' "$policy demotions_half" "$policy demotions_mean"
        echo "$policy tightness"
    done | sort | paste -sd ';')"

# What cannot be run is told once, and the others are there.
gives 2 "$rubato" sweep --results "$work/partly" --policies ef,rubato --slots 0,60 --clusters "$small_cluster" "$small"
same "sentences" "$(grep -c . "$err")" 2
says "policy ef needs a slot of 1 s at least"
same "the others" "$(wc -l <"$work/partly/cells.csv")" 4

# A folder with tables that no sweep wrote: they are replaced only if that is asked for.
for name in cells.csv means.csv differences.csv; do
    rm -rf "$work/foreign"
    mkdir "$work/foreign"
    echo mine >"$work/foreign/$name"
    foreign=("$rubato" sweep --results "$work/foreign" --policies ef "$small@$small_cluster")
    refused "$work/foreign: holds $name, which is no result of a sweep without a sweep.db beside it" "${foreign[@]}"
    refused "$work/foreign: holds $name" "${foreign[@]}" --share 0/2
    same "a foreign folder" "$(ls "$work/foreign") $(cat "$work/foreign/$name")" "$name mine"
    passes "${foreign[@]}" --force
    same_tables "a folder that is forced" "$work/one" "$work/foreign"
    gives 0 "${foreign[@]}"
    says "1 of 1 cells are done already"
done

# Policies heed the options that concern them.
gives 0 "$rubato" sweep --results "$work/objective" --policies fifo,rubato --objective value --spare-nodes 1 "$small@$small_cluster"
refused "--objective value: policy fifo has no such option, which is of rubato" \
    "$rubato" sweep --results "$work/none" --policies fifo --objective value "$small"

# Mistakes.
refused "name the folder of the results with --results" "$rubato" sweep "$small"
refused "expected at least one trace" "$rubato" sweep --results "$work/none"
refused "--policies: expected one of" "$rubato" sweep --results "$work/none" --policies ef,sjf "$small"
refused '--loads: expected a number from 0.001 to 1000, found "0"' "$rubato" sweep --results "$work/none" --loads 1,0 "$small"
refused '--loads: expected a value between commas, found ""' "$rubato" sweep --results "$work/none" --loads 1, "$small"
refused 'found "efd"; did you mean "ef"?' "$rubato" sweep --results "$work/none" --policies ef,efd "$small"
refused "--seeds: 3 is listed twice" "$rubato" sweep --results "$work/none" --seeds 3,1,3 "$small"
refused "$small@$small_cluster is listed twice" "$rubato" sweep --results "$work/none" "$small@$small_cluster" "$small@$small_cluster"
refused "--share: expected I/N" "$rubato" sweep --results "$work/none" --share 3/3 "$small"
refused "$work/absent.csv" "$rubato" sweep --results "$work/none" "$work/absent.csv"
[ ! -e "$work/none" ] || fail "a mistake leaves a folder"
head -c 100000 /dev/urandom >"$work/one/sweep.db"
refused "$work/one/sweep.db: file is not a database; remove it and say --force to run all cells anew" \
    "$rubato" sweep --results "$work/one" --policies ef "$small@$small_cluster"
rm "$work/one/sweep.db"
passes "$rubato" sweep --results "$work/one" --policies ef "$small@$small_cluster" --force
same_tables "a new store" "$work/one" "$work/foreign"
done_checking 63
