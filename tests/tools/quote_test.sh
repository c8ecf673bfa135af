# quote_test.sh - `rubato quote`: what is quoted is promised when the job is submitted at that moment, and one second less
# is not.
source "$(dirname "$0")/cli.sh"

cluster=cluster_specs/n4g8.csv
run=("$rubato" quote "$small" --cluster "$cluster" --model vgg16 --batch-size 256)

# verdict DEADLINE ITERATIONS: what the job is told that is submitted at $at to the trace in $work/trace.csv.
verdict() {
    rm -rf "$work/results"
    { cat "$work/trace.csv" && echo "asked,$at,$2,$model,$1,$batch,1,1000"; } >"$work/more.csv"
    "$rubato" simulate "$work/more.csv" "${setting[@]}" --force --results "$work/results" 2>/dev/null >/dev/null
    awk -F, '$2 == "asked" { print $3 }' "$work/results/outcomes.csv"
}

# quoted MEMBER: the first of that name.
quoted() {
    sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$out" | head -n 1
}

# agrees WHAT DEADLINE ITERATIONS AND_NOT: the job is promised the deadline, and with AND_NOT (also DEADLINE ITERATIONS) not.
agrees() {
    same "$setup: $1" "$(verdict "$2" "$3")" promised
    [ "$(verdict "$4" "$5")" != promised ] || fail "$setup: $1: $4 s and $5 iterations are promised, too"
}

# Whatever the state of the cluster, the slot and the nodes in reserve; at the very arrival of a job, and between.
models=(vgg16 resnet50 bert deepspeech2 inception3)
slots=(60 0 240 60 30 240 0 60)
spares=(0 1 1 2 0 2 0 3)
fewers=0
for seed in 1 2 3 4 5 6 7 8; do
    model=${models[seed % 5]}
    batch=64
    iterations=$((seed * 4000))
    setting=(--cluster "$cluster" --slot "${slots[seed - 1]}" --spare-nodes "${spares[seed - 1]}" --node-loss $((seed * 90))
        --restart-threshold $((seed % 3 * 20)))
    setup="seed $seed, $model, ${setting[*]}"
    passes "$rubato" trace generate --force --seed "$seed" --jobs 60 --arrival-interval 400 --output "$work/trace.csv"
    at=$(awk -F, -v row=$((20 + 4 * seed)) -v more=$((seed % 3 * 17)) 'NR == row { print $2 + more }' "$work/trace.csv")
    awk -F, -v at="$at" 'NR == 1 || $2 <= at' "$work/trace.csv" >"$work/known.csv" && mv "$work/known.csv" "$work/trace.csv"
    passes "$rubato" quote "$work/trace.csv" "${setting[@]}" --model "$model" --batch-size "$batch" \
        --iterations "$iterations" --at "$at" --json
    deadline=$(quoted deadline)
    agrees "the deadline" "$deadline" "$iterations" $((deadline - 1)) "$iterations"
    early=$((at + (deadline - at) * 9 / 10))
    passes "$rubato" quote "$work/trace.csv" "${setting[@]}" --model "$model" --batch-size "$batch" \
        --iterations "$iterations" --at "$at" --deadline "$early" --json
    fewer=$(quoted iterations_promised)
    if [ "$fewer" -eq "$iterations" ]; then # the search halves, and passes over such a deadline
        same "$setup: a deadline before the one quoted" "$(verdict "$early" "$iterations")" promised
    elif [ "$fewer" -gt 0 ]; then
        agrees "the iterations" "$early" "$fewer" "$early" $((fewer + 1))
        fewers=$((fewers + 1))
    else
        [ "$(verdict "$early" 1)" != promised ] || fail "$setup: one iteration is promised"
    fi
done

[ "$fewers" -ge 4 ] || fail "only $fewers of 8 jobs would be promised with fewer iterations"

# Before the first job, and with it.
setting=(--cluster "$cluster") model=bert batch=64 iterations=5000
printf '%s\n' job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration \
    first,100,50000,bert,9000,64,1,1000 >"$work/trace.csv"
for at in 0 100; do
    setup="at $at"
    passes "$rubato" quote "$work/trace.csv" "${setting[@]}" --model bert --iterations 5000 --at "$at" --json
    deadline=$(quoted deadline)
    agrees "the deadline" "$deadline" 5000 $((deadline - 1)) 5000
done

# For users.
passes "${run[@]}" --iterations 10000 --at 5000 --deadline 5001
same "a deadline that nothing helps" "$(sed '/BATCH SIZE/,$d' "$out")" \
    $'A deadline of 5001 s is not promised.\nA deadline of 6288 s is promised.'
passes "${run[@]}" --iterations 10000 --at 5000 --max-gpus 2 --deadline 8200
same "what helps" "$(sed '/BATCH SIZE/,$d' "$out")" "A deadline of 8200 s is not promised.
A deadline of 8994 s is promised.
The deadline is promised with 7999 iterations.
The deadline is promised on at most so many GPUs: 4, 8, 16, 32."
passes "$rubato" quote "$small" --cluster "$cluster" --model vgg16 --iterations 40000 --at 5000 --deadline 7100
grep -q '^The deadline is promised with a batch size of 128, 256.$' "$out" || fail "$(cat "$out")"
passes "${run[@]}" --iterations 10000 --at 5000 --deadline 900000
grep -q '^A deadline of 900000 s is promised.$' "$out" || fail "$(cat "$out")"
same "the lines" "$(grep -cE '^ +[0-9]+ +[0-9]+ +(any|[0-9]+) +[0-9]+ ' "$out")" "$(($(wc -l <"$out") - 5))"

# A deadline that is quoted with a confidence is promised with that confidence, and a second less is not.
sure() {
    tr -d ' \n' <"$out" | sed -n "s/.*{\"confidence\":$1\.0,\"deadline\":\([0-9]*\)}.*/\1/p"
}
same "sentences" "$(grep -cE '^With a confidence of (50|95|99) % the deadline in the first line is [0-9]+ s\.$' "$out")" 3
passes "$rubato" trace generate --force --seed 9 --jobs 40 --arrival-interval 400 --output "$work/all.csv"
at=$(awk -F, 'NR == 30 { print $2 }' "$work/all.csv")
awk -F, -v at="$at" 'NR == 1 || $2 <= at' "$work/all.csv" >"$work/trace.csv"
setting=(--cluster "$cluster") model=bert batch=64
passes "$rubato" quote "$work/trace.csv" "${setting[@]}" --model bert --iterations 50000 --at "$at" --json
last=$(quoted deadline)
same "the confidence without a word" "$(sed -n 's/^ *"confidence": \([0-9.]*\),*$/\1/p' "$out" | head -n 1)" 0.0
cp "$out" "$work/quotes"
for confidence in 50 95 99; do
    cp "$work/quotes" "$out"
    deadline=$(sure $confidence)
    [ "$deadline" -ge "$last" ] || fail "the deadline at $confidence % is before that at less: $deadline, $last"
    last=$deadline
    passes "$rubato" quote "$work/trace.csv" "${setting[@]}" --model bert --iterations 50000 --at "$at" --json \
        --confidence $confidence
    cp "$out" "$work/own"
    same "a quote with $confidence %" "$(sure $confidence)" "$(quoted deadline)"
    { sed '1s/$/,confidence/; 2,$s/$/,/' "$work/trace.csv" && echo "asked,$at,50000,bert,$deadline,64,1,1000,$confidence"; } \
        >"$work/more.csv"
    "$rubato" simulate "$work/more.csv" "${setting[@]}" --force --results "$work/results" 2>/dev/null >/dev/null
    same "$confidence % of its own" "$(awk -F, '$2 == "asked" { print $3 }' "$work/results/outcomes.csv")" promised
    sed -i "s/,$deadline,64,1,1000,/,$((deadline - 1)),64,1,1000,/" "$work/more.csv"
    "$rubato" simulate "$work/more.csv" "${setting[@]}" --force --results "$work/results" 2>/dev/null >/dev/null
    [ "$(awk -F, '$2 == "asked" { print $3 }' "$work/results/outcomes.csv")" != promised ] ||
        fail "a second less is promised with $confidence %, too"
done

# Of steps the best one that holds is promised, as it is to the job that is submitted.
window=$("${run[@]}" --iterations 10000 --at 5000 --json | sed -n 's/^ *"deadline": \([0-9]*\),*$/\1/p' | head -n 1)
steps="+10:10,$window:6.5,+90000:1"
passes "${run[@]}" --iterations 10000 --at 5000 --deadline "$steps"
same "the best step" "$(head -n 1 "$out")" "A deadline of $window s, step 2, worth 6.5, is promised."
passes "${run[@]}" --iterations 10000 --at 5000 --deadline "$steps" --json
same "the best step in JSON" "$(quoted promised_until)" "$window"
awk -F, 'NR == 1 || $2 <= 5000' "$small" >"$work/trace.csv"
same "the columns" "$(head -n 1 "$work/trace.csv")" job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration
echo "asked,5000,10000,vgg16,\"5010:10,$window:6.5,95000:1\",256,1,1000" >>"$work/trace.csv"
passes "$rubato" simulate "$work/trace.csv" --cluster "$cluster" --force --results "$work/results"
same "the step that is promised" "$(awk -F, '$2 == "asked" { print $3, $5 }' "$work/results/outcomes.csv")" "promised $window"
passes "${run[@]}" --iterations 10000 --at 5000 --deadline "+10:10,$((window - 1)):2"
same "steps that nothing helps" "$(head -n 2 "$out")" "A deadline of $((window - 1)) s, the last step, is not promised.
A deadline of $window s is promised."
quotes() { # DEADLINE, more OPTIONS
    "${run[@]}" --at 5000 --deadline "$@"
}
refused '--deadline: step 2: expected a value below 2, that of step 1, found 6' quotes +10:2,+20:6
refused '--deadline: step 1: expected a time in whole seconds before the colon, found "+1h"' quotes +1h:2
refused '--deadline: expected a time that is not before --at' quotes 10:6,6000:2
refused '--value: the steps of --deadline have values' quotes +10:6 --value 3

# Mistakes.
for option in --after=1 --held --hold=60 --within=5; do
    refused "${option%%=*}: the option is for the service, and a TRACE is given" quotes 9000 "$option"
done
refused "expected one trace, found 2" "$rubato" quote "$small" "$small"
refused "--model: expected the model of the job" "$rubato" quote
refused "--at: the option is for a trace, and no TRACE is given" "$rubato" quote --model vgg16 --at 5
refused "--model: expected the model of the job" "$rubato" quote "$small"
refused "no throughputs of model vgg17 at batch size 64" "$rubato" quote "$small" --model vgg17
refused "no throughputs of model vgg16 at batch size 7" "$rubato" quote "$small" --model vgg16 --batch-size 7
refused "--deadline: expected a time that is not before --at" "${run[@]}" --at 100 --deadline 99
refused "expected fewer spare nodes than the cluster has, found 4 of 4" "${run[@]}" --spare-nodes 4
refused "--slot: expected" "${run[@]}" --slot -1
refused "no-such.csv: cannot be read" "$rubato" quote no-such.csv --model vgg16
done_checking 53
