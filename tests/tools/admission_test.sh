# admission_test.sh - any policy runs under any admission that it can have: the run is recorded, replays, is sound and
# says which admission it had. A policy that cannot have one is refused with a sentence, before anything runs.
source "$(dirname "$0")/cli.sh"

world=(--cluster "$small_cluster" "$small")

# had POLICY MODULE: the run is sound, and summary and record name the admission.
had() {
    passes "$rubato" simulate --force --results "$work/run" --record "$work/record" --policy "$1" --admission "$2" "${world[@]}"
    passes "$rubato" replay "$work/record"
    "$rubato" audit "$work/run" >"$work/audit" || true
    grep -qE ' 0 violations' "$work/audit" || fail "the auditor, of $1 with $2: $(tail -3 "$work/audit")"
    grep -qx "  \"admission\": \"$2\"," "$work/run/summary.json" || fail "the summary of $1 has no admission $2"
    grep -qE "^setting .* admission=\"$2\"\$" "$work/record" || fail "the record of $1: $(sed -n 2p "$work/record")"
}

for policy in ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu themis lsf fifo fifo-first-fit srtf; do
    for module in everyone fitting runnable; do
        had "$policy" "$module"
    done
done
for policy in ef-accessctrl edf-accessctrl; do
    for module in each together one-by-one; do
        had "$policy" "$module"
    done
done

# The admission decides: ef-accessctrl promises nothing where everyone is admitted, and the policy's own by name is no
# other run than without it.
had ef-accessctrl everyone
same "promised" "$(grep -c '"promised": 0,' "$work/run/summary.json")" 1
cp -r "$work/run" "$work/every"
passes "$rubato" simulate --force --results "$work/run" --policy ef-accessctrl "${world[@]}"
! grep -q '"admission"' "$work/run/summary.json" || fail "a run that chose no admission has one in its summary"
! cmp -s "$work/run/outcomes.csv" "$work/every/outcomes.csv" || fail "--admission everyone changes nothing"
cp -r "$work/run" "$work/own"
had ef-accessctrl together
for file in jobs rounds work outcomes; do
    cmp "$work/own/$file.csv" "$work/run/$file.csv" || fail "$file.csv differs under the policy's own admission"
done

# Results of another admission are those of another run.
gives 2 "$rubato" simulate --results "$work/every" --policy ef-accessctrl "${world[@]}"
grep -q "its admission is everyone, this one's is none" "$err" || fail "another run: $(cat "$err")"

# Who cannot have it.
refused() { # POLICY MODULE SENTENCE
    gives 2 "$rubato" simulate --policy "$1" --admission "$2" "${world[@]}"
    grep -q -- "--admission $2: $3" "$err" || fail "$1 with $2: $(cat "$err")"
    gives 2 "$rubato" compare --policies "$1,fifo" --admission "$2" "${world[@]}"
    [ ! -s "$out" ] || fail "compare runs before it refuses $1 with $2"
    grep -q -- "--admission $2: $3" "$err" || fail "compare, $1 with $2: $(cat "$err")"
    gives 2 "$rubato" sweep --policies "$1,fifo" --admission "$2" --results "$work/sweep" "${world[@]}"
    grep -q -- "--admission $2: $3" "$err" || fail "sweep, $1 with $2: $(cat "$err")"
}
refused rubato everyone "the rounds of policy rubato stand on its own admission, which no other can replace"
refused chronus fitting "the rounds of policy chronus stand on its own admission, which no other can replace"
refused srtf each "policy srtf cannot prove that jobs end in time, which this admission asks"
gives 2 "$rubato" simulate --admission nobody "${world[@]}"
grep -q -- '--admission: expected one of everyone, ' "$err" || fail "an unknown admission: $(cat "$err")"

# A job that is larger than the cluster is declined, or is what the run ends for.
printf '%s\n' job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration,best_effort \
    a,0,100,resnet50,4000,128,2,100,0 b,10,100,resnet50,4000,128,64,100,0 >"$work/large.csv"
passes "$rubato" simulate --policy ef --admission fitting --cluster n1g8 --json "$work/large.csv"
grep -q '"declined": 1,' "$out" || fail "fitting does not decline a large job: $(cat "$out")"
gives 2 "$rubato" simulate --policy srtf --admission everyone --cluster n1g8 "$work/large.csv"
grep -q 'policy srtf gives job b no GPU, and plans none for later' "$err" || fail "a job too large: $(cat "$err")"

# compare, sweep and the scheduler pass it on; help, settings and records know it.
passes "$rubato" compare --policies ef-accessctrl,ef --admission everyone --csv --columns policy,promised "${world[@]}"
same "compare" "$(tr -d '\r' <"$out")" $'policy,promised\nef-accessctrl,0\nef,0'
passes "$scheduler" --trace_file="$small" --cluster_spec="$small_cluster" --schedule=srtf --admission=everyone \
    --log_path="$work/live" --record="$work/live.record"
grep -q '"admission": "everyone"' "$work/live/summary.json" || fail "the scheduler does not say its admission"
passes "$rubato" simulate --admission fitting --policy ef --print-config
grep -qx 'admission = "fitting"' "$out" || fail "--print-config: $(grep admission "$out")"
sed -i 's/admission="everyone"/admission="nobody"/' "$work/live.record"
gives 2 "$rubato" replay "$work/live.record"
echo "ok: $checks checks"

# An option that one of several policies has is passed over by the others, which are named.
gives 0 "$rubato" compare --policies fifo,rubato,srtf --objective value --csv --columns policy,on_time "${world[@]}"
same "who passes it over" "$(cat "$err")" \
    "rubato compare: --objective: passed over by fifo, srtf, without such an option"
