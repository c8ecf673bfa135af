# quote_test.sh - `rubato quote`: what is quoted is promised when the job is submitted at that moment, and one second less
# is not.
source "$(dirname "$0")/cli.sh"

cluster=cluster_specs/n4g8.csv
run=("$rubato" quote "$small" --cluster "$cluster" --model vgg16 --batch-size 256)

# verdict DEADLINE: what the job is told that is submitted at $at to the trace in $work/trace.csv.
verdict() {
    rm -rf "$work/results"
    { cat "$work/trace.csv" && echo "asked,$at,$iterations,$model,$1,$batch,1,1000"; } >"$work/more.csv"
    "$rubato" simulate "$work/more.csv" --cluster "$cluster" --results "$work/results" 2>/dev/null >/dev/null
    awk -F, '$2 == "asked" { print $3 }' "$work/results/outcomes.csv"
}

# quoted MEMBER: of the first quote.
quoted() {
    sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$out" | head -n 1
}

models=(vgg16 resnet50 bert deepspeech2 inception3)
for seed in 1 2 3 4 5 6 7 8; do
    model=${models[seed % 5]}
    batch=64
    iterations=$((seed * 4000))
    passes "$rubato" trace generate --seed "$seed" --jobs 60 --arrival-interval 400 --output "$work/trace.csv"
    at=$(awk -F, -v row=$((20 + 4 * seed)) 'NR == row { print $2 + 17 }' "$work/trace.csv")
    awk -F, -v at="$at" 'NR == 1 || $2 <= at' "$work/trace.csv" >"$work/known.csv" && mv "$work/known.csv" "$work/trace.csv"
    passes "$rubato" quote "$work/trace.csv" --cluster "$cluster" --model "$model" --batch-size "$batch" \
        --iterations "$iterations" --at "$at" --json
    deadline=$(quoted deadline)
    same "seed $seed, $model: what $deadline is told" "$(verdict "$deadline")" promised
    [ "$(verdict $((deadline - 1)))" != promised ] || fail "seed $seed: a second before $deadline is promised, too"
done

# For users.
passes "${run[@]}" --iterations 10000 --at 5000 --deadline 5001
grep -q '^A deadline of 5001 s is not promised. No other batch size changes that.$' "$out" || fail "$(cat "$out")"
passes "${run[@]}" --iterations 10000 --at 5000 --deadline 900000
grep -q '^A deadline of 900000 s is promised.$' "$out" || fail "$(cat "$out")"
same "the lines" "$(grep -cE '^ +[0-9]+ +[0-9]+ +(any|[0-9]+) +[0-9]+ ' "$out")" "$(($(wc -l <"$out") - 2))"

# Mistakes.
refused "expected one trace, found 0" "$rubato" quote
refused "--model: expected the model of the job" "$rubato" quote "$small"
refused "no throughputs of model vgg17 at batch size 64" "$rubato" quote "$small" --model vgg17
refused "no throughputs of model vgg16 at batch size 7" "$rubato" quote "$small" --model vgg16 --batch-size 7
refused "--deadline: expected a time that is not before --at" "${run[@]}" --at 100 --deadline 99
refused "--slot: expected" "${run[@]}" --slot -1
refused "no-such.csv: cannot be read" "$rubato" quote no-such.csv --model vgg16
done_checking 20
