# sweep_figure_test.sh - `rubato figure sweep`: the means of a sweep as pictures, with their intervals.
source "$(dirname "$0")/cli.sh"

sweep() {
    passes "$rubato" sweep --results "$work/$1" "${@:2}"
}

# drawn FILE LOAD POLICY: mean,half of a row of the data.
drawn() {
    awk -F, -v load="$2" -v policy="$3" '$1 == load && $2 == policy { print $3 "," $4 }' "$1"
}

# kept SWEEP COLUMN LOAD POLICY: the same of means.csv.
kept() {
    awk -F, -v name="$2" -v load="$3" -v policy="$4" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["load"] == load && $at["policy"] == policy {
            half = $at[name "_half"]
            printf "%.6g,%s\n", $at[name "_mean"], half == "" ? "" : sprintf("%.6g", half)
        }' "$work/$1/means.csv"
}

# Three seeds: each mean with its interval, in the order of the loads whatever order they were given in.
sweep three --policies rubato,edf --seeds 1,2,3 --loads 2,0.5 "$small@n4g8"
passes "$rubato" figure sweep --results "$work/three" --output "$work/figures"
stem=$work/figures/sweep-on_time
same "the SVG" "$(head -c 5 "$stem.svg")" "<?xml"
same "the PDF" "$(head -c 5 "$stem.pdf")" "%PDF-"
same "the PNG" "$(head -c 8 "$stem.png" | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a
same "the header" "$(head -1 "$stem.csv")" "load,policy,mean,half"
same "the loads" "$(tail -n +2 "$stem.csv" | cut -d, -f1 | uniq | xargs)" "0.5 2"
for load in 0.5 2; do
    for policy in rubato edf; do
        same "$policy at load $load" "$(drawn "$stem.csv" $load $policy)" "$(kept three on_time $load $policy)"
    done
done
[ -n "$(kept three on_time 2 edf)" ] || fail "means.csv has no edf"
grep -q ">95 %, n = 3<" "$stem.svg" || fail "the legend does not say what the intervals are"
grep -qF "means over 3 seeds; intervals hold the mean with a confidence of 95 %" "$stem.txt" || fail "$(cat "$stem.txt")"
grep -qF "testbed25.csv, n4g8.csv, A100, slot (s) 60, tightness as in the trace" "$stem.txt" || fail "$(cat "$stem.txt")"

# A policy that promises nothing has no line of promises, and the caption says so.
grep -qF "Without a promise: edf." "$work/figures/sweep-promised.txt" || fail "$(cat "$work/figures/sweep-promised.txt")"
! grep -q ">edf<" "$work/figures/sweep-promised.svg" || fail "edf has a line of promises"
same "promises of edf" "$(drawn "$work/figures/sweep-promised.csv" 2 edf) $(drawn "$work/figures/sweep-broken.csv" 2 edf)" ", ,"
grep -q ">edf<" "$stem.svg" || fail "edf has no line"

# The same bytes again; for the column of a paper.
passes "$rubato" figure sweep --results "$work/three" --output "$work/again"
same "the bytes" "$(diff -r "$work/figures" "$work/again")" ""
passes "$rubato" figure sweep --results "$work/three" --output "$work/again"
echo mine >"$work/again/sweep-on_time.csv"
refused "$work/again/sweep-on_time.csv: is there already, with other bytes" \
    "$rubato" figure sweep --results "$work/three" --output "$work/again"
same "what was there" "$(cat "$work/again/sweep-on_time.csv")" mine
passes "$rubato" figure sweep --results "$work/three" --force --output "$work/again"
same "the bytes" "$(diff -r "$work/figures" "$work/again")" ""
passes "$rubato" figure sweep --results "$work/three" --output "$work/narrow" --width 240 --no-title --measures jct_mean_s
same "what --measures asks for" "$(cd "$work/narrow" && echo *)" \
    "sweep-jct_mean_s.csv sweep-jct_mean_s.pdf sweep-jct_mean_s.png sweep-jct_mean_s.svg sweep-jct_mean_s.txt"
! grep -q ">Mean JCT (s) over load<" "$work/narrow/sweep-jct_mean_s.svg" || fail "it has a title"
grep -q "^Mean JCT (s) over load\." "$work/narrow/sweep-jct_mean_s.txt" || fail "$(cat "$work/narrow/sweep-jct_mean_s.txt")"

# One seed has no interval and says so; each combination of other parameters has a picture, over whichever is asked for.
sweep one --policies rubato,edf --best-effort 0,0.5 --tightness 1,2 "$small@n4g8"
passes "$rubato" figure sweep --results "$work/one" --output "$work/one-figures" --over best_effort --measures on_time
same "a picture for each" "$(cd "$work/one-figures" && echo *.svg)" "sweep-on_time-1.svg sweep-on_time-2.svg"
grep -q "One seed: there are no intervals" "$work/one-figures/sweep-on_time-1.txt" || fail "nothing on one seed"
! grep -q "95 %" "$work/one-figures/sweep-on_time-1.svg" || fail "one seed has an interval in the legend"
same "halves of one seed" "$(tail -n +2 "$work/one-figures/sweep-on_time-1.csv" | cut -d, -f4 | sort -u)" ""
for number in 1 2; do
    grep -qF "load 1, tightness $number:$number, overhead factor 1" "$work/one-figures/sweep-on_time-$number.txt" ||
        fail "$(cat "$work/one-figures/sweep-on_time-$number.txt")"
done
same "shares" "$(tail -n +2 "$work/one-figures/sweep-on_time-2.csv" | cut -d, -f1 | uniq | xargs)" "0 0.5"

# A measure that no policy has is said to have no value.
passes "$rubato" figure sweep --results "$work/three" --measures demotions --output "$work/none-drawn"
same "a measure of other policies" "$(cat "$out")" "demotions: no policy has a value to draw"

# A tightness stands at the middle of its range, under the range; two ranges with one middle are not one point.
passes "$rubato" figure sweep --results "$work/one" --over tightness --measures on_time --output "$work/tight"
same "ranges" "$(tail -n +2 "$work/tight/sweep-on_time-1.csv" | cut -d, -f1 | uniq | xargs)" "1:1 2:2"
sweep ranges --policies edf --tightness 1,0.5:1.5 "$small@n4g8"
refused "1:1 and 0.5:1.5 have the same middle" "$rubato" figure sweep --results "$work/ranges" --over tightness --output "$work/x"

refused "--results: figure sweep needs the folder of a sweep" "$rubato" figure sweep --output "$work/x"
refused "--results: belongs to figure sweep alone" "$rubato" figure 9 --results "$work/three" --output "$work/x"
refused "figure sweep is made by itself" "$rubato" figure sweep 9 --results "$work/three" --output "$work/x"
refused "$work/none/means.csv: cannot be read" "$rubato" figure sweep --results "$work/none" --output "$work/x"
refused 'means.csv: has no column "nosuch_mean"' "$rubato" figure sweep --results "$work/three" --measures nosuch --output "$work/x"
refused "--over: tightness is as in the trace" "$rubato" figure sweep --results "$work/three" --over tightness --output "$work/x"
mkdir "$work/odd"
sed '2s/,rubato,/,rubato,"x/' "$work/three/means.csv" >"$work/odd/means.csv"
refused "$work/odd/means.csv" "$rubato" figure sweep --results "$work/odd" --output "$work/x"
head -1 "$work/three/means.csv" >"$work/odd/means.csv"
refused "has no rows" "$rubato" figure sweep --results "$work/odd" --output "$work/x"
done_checking 20
