# verb_test.sh - `rubato bound` as it is typed: text, JSON, mistakes.
source "$(dirname "$0")/../tools/cli.sh"

run=("$rubato" bound "$small" --cluster cluster_specs/n1g8.csv)
bad=$project/tests/bad_input

# The figures for users.
passes "${run[@]}"
same "the text" "$(cat "$out")" "jobs                    25, 25 with a deadline
on time alone           21 of them, each on an empty cluster of 8 GPUs
bound                   18
bound with overheads    18
                        of policies that pay for starts by the tables: not of edf (EF-Q38), themis (TH-Q4),
                        gandiva (GA-Q10) and chronus as published"
passes "${run[@]}" --integer
same "the text of whole jobs" "$(tail -n 1 "$out")" "integer                 18, with a gap of 0"

# The figures for programs: names and types are a promise.
passes "${run[@]}" --json --integer
same "the schema" "$(schema <"$out")" \
    "schema_version integer
trace string
gpus integer
starts string
jobs integer
deadline_jobs integer
alone integer
bound integer
bound_closed boolean
bound_with_overheads integer
bound_with_overheads_closed boolean
integer integer
gap integer"

# In slots: before the round at 1000 the deadline of the first job passes; the second is submitted at that round, the
# third has the round at 2000.
cat >"$work/slots.csv" <<'TRACE'
job_id,submit_time,iterations,model_name,ddl,batch_size,best_effort
a,241,100,resnet50,400,64,0
b,1000,100,resnet50,2000,64,0
c,1001,100,resnet50,2500,64,0
TRACE
passes "$rubato" bound "$work/slots.csv" --slot 1000
same "the bounds in slots" "$(grep 'bound \|slots' "$out" | tr -s ' ')" "bound 3
bound with overheads 3
bound in slots 2
in slots with overheads 2"
passes "$rubato" bound "$work/slots.csv" --slot 1000 --json
same "the members" "$(grep 'slot\|"bound"' "$out" | grep -v trace)" '  "bound": 3,
  "slot": 1000,
  "bound_in_slots": 2,
  "bound_in_slots_closed": true,
  "bound_in_slots_with_overheads": 2,
  "bound_in_slots_with_overheads_closed": true'
refused "--slot: expected" "$rubato" bound "$work/slots.csv" --slot -1

# Time that is up is told, and what is known is printed.
passes "$rubato" trace generate --seed 7 --jobs 3000 --arrival-interval 30 --output "$work/many.csv"
passes "$rubato" bound "$work/many.csv" --cluster cluster_specs/n16g8.csv --time-limit 1
same "what was left undone" "$(grep -c ', perhaps too large: the time limit of 1 s was reached$' "$out")" 2

# Mistakes.
refused "expected one trace, found 0" "$rubato" bound
refused "expected one trace, found 2" "$rubato" bound "$small" "$small"
refused "--time-limit: expected" "${run[@]}" --time-limit 0
refused "--starts: expected" "${run[@]}" --starts cold
refused "no-such.csv: cannot be read" "$rubato" bound no-such.csv
refused "no-such.csv: cannot be read" "$rubato" bound "$small" --cluster no-such.csv
refused "cluster_specs/mixed.csv: a bound needs one pool of GPUs, found 2" \
    "$rubato" bound "$small" --cluster cluster_specs/mixed.csv
refused "no-such" "$rubato" bound "$small" --throughputs no-such
refused "V100" "$rubato" bound "$small" --gpu-type V100
refused "model_unknown.csv:3: column 4 (model_name): expected a model that has throughputs" \
    "$rubato" bound "$bad/traces/model_unknown.csv"
refused ":3: column 5 (ddl): expected a deadline that is not before the submission, found \"59\"" \
    "$rubato" bound "$bad/traces/deadline_before_submit.csv" --throughputs "$bad/throughputs" --gpu-type usual

# It needs no solver.
RUBATO_SOLVERS=$work/nowhere passes "${run[@]}"
done_checking 22
