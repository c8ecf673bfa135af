# world_test.sh - simulations in which nodes fail, and speeds and overheads are not those of the tables: what
# that costs a job to the second, what becomes of promises, and that such runs can be replayed and audited.
source "$(dirname "$0")/cli.sh"

figure() { # NAME
    sed -nE "s/^  \"$1\": (.*),/\1/p" "$work/run/summary.json"
}

# simulated OPTIONS...: a run with results, a record that replays, and nothing that the auditor calls false.
simulated() {
    passes "$rubato" simulate --force --results "$work/run" --record "$work/record" "$@"
    passes "$rubato" replay "$work/record"
    "$rubato" audit "$work/run" >"$work/audit" || true
    grep -qE 'broken, 0 violations' "$work/audit" || fail "the auditor, of $*: $(cat "$work/audit")"
    checks=$((checks + 1))
}

faults() { # TIME,NODE,EVENT...
    printf '%s\n' time,node,event "$@" >"$work/faults.csv"
}

# A world in which nothing goes wrong is that of the tables, byte by byte.
world=(--cluster "$small_cluster" "$small")
simulated "${world[@]}"
cp -r "$work/run" "$work/plain"
faults
simulated "${world[@]}" --faults "$work/faults.csv"
for file in jobs rounds work outcomes; do
    cmp "$work/plain/$file.csv" "$work/run/$file.csv" || fail "$file.csv differs in a world without faults"
done
[ ! -e "$work/plain/disturbances.csv" ] || fail "disturbances.csv in the world of the tables"

# One job alone, on one GPU: 4 s for its start, and 60000 iterations at 5.053 a second, which take 11875 s.
printf '%s\n' job_id,submit_time,iterations,model_name,deadline,batch_size,num_gpu,duration \
    alone,0,60000,vgg16,100000,64,1,1000 >"$work/alone.csv"
alone=(--cluster cluster_specs/n2g2.csv --slot 60 --policy fifo "$work/alone.csv")
ends() { # SECONDS OPTIONS...
    simulated "${alone[@]}" "${@:2}"
    same "the end with ${*:2}" "$(tail -n 1 "$work/run/jobs.csv" | cut -d, -f6)" "$1"
}
ends 11879
ends 11887 --overhead-factor 3
ends 11875 --overhead-factor 0
# Also a job that shrinks to the first of its GPUs starts anew, for nothing.
passes "$rubato" trace generate --seed 197 --jobs 15 --duration 300:3000 --arrival-interval 200 --tightness 1:5 \
    --output "$work/shrinks.csv"
simulated --cluster cluster_specs/n1g2.csv --slot 0 --overhead-factor 0 "$work/shrinks.csv"
# A job has the whole interval to end in, however slow it is.
simulated --cluster cluster_specs/n1g2.csv --slot 60 --speed-error 20 "$work/shrinks.csv"
# At 1234 s it has trained for 1230 s; it starts anew on the other node.
faults 1234,0,gone
ends 11883 --faults "$work/faults.csv" --checkpoint-interval 0
ends 11913 --faults "$work/faults.csv" --checkpoint-interval 100
ends 12113 --faults "$work/faults.csv" --checkpoint-interval 1000
ends 11913 --faults "$work/faults.csv"
same "what is said of it" "$(tail -n +2 "$work/run/disturbances.csv")" '1234,node-down,,0,"node 0 left"'
faults 1234,1,gone
ends 11879 --faults "$work/faults.csv"
# No node is there until 500 s.
faults 0,0,gone 0,1,gone 500,1,up
ends 12379 --faults "$work/faults.csv"
same "its start" "$(tail -n 1 "$work/run/jobs.csv" | cut -d, -f5)" 500

# Its speed is its own: 4 s, and 11875 s by up to a fifth more or less.
for seed in 1 2 3; do
    simulated "${alone[@]}" --speed-error 20 --seed $seed
    end=$(tail -n 1 "$work/run/jobs.csv" | cut -d, -f6)
    [ "$end" -gt 9899 ] && [ "$end" -lt 14849 ] && [ "$end" != 11879 ] || fail "an end at $end s"
    echo "$end" >>"$work/ends"
done
same "ends of three seeds" "$(sort -u "$work/ends" | wc -l)" 3

# The same seed is the same run.
random=("${world[@]}" --node-mtbf 20000 --node-repair 1000 --speed-error 5 --overhead-factor 2)
runs=0
for seed in 4 4 5; do
    simulated "${random[@]}" --seed $seed
    runs=$((runs + 1))
    cat "$work"/run/*.csv >"$work/seed$runs"
done
cmp "$work/seed1" "$work/seed2" || fail "the same seed gives another run"
! cmp -s "$work/seed1" "$work/seed3" || fail "another seed gives the same run"
same "the world" "$(sed -n '/"world"/,/}/p' "$work/run/summary.json" | schema)" \
    "world object
  faults null
  node_mtbf_s integer
  node_repair_s integer
  nodes_down integer
  checkpoint_interval_s integer
  speed_error real
  overhead_factor real
  seed integer"

# A node is lost, any at any time: with one in reserve no promise is taken back.
for node in 0 1 2 3; do
    faults $((2000 + 1500 * node)),$node,gone
    simulated "${world[@]}" --faults "$work/faults.csv" --spare-nodes 1
    same "withdrawn, broken" "$(figure withdrawn),$(figure broken)" 0,0
    [ "$(figure promised)" -gt 10 ] || fail "only $(figure promised) promises"
done
# Nor with two, if two are gone at a time.
simulated "${world[@]}" --spare-nodes 2 --node-mtbf 20000 --nodes-down 2 --seed 6
same "withdrawn, broken" "$(figure withdrawn),$(figure broken)" 0,0
[ "$(grep -c node-down "$work/run/disturbances.csv")" -gt 3 ] || fail "hardly a node was lost"

# Without one in reserve: two jobs need a node each to the end, and only one of them can have the node that is
# left. That is the one that was there, as the other has lost its work. The third has time.
printf '%s\n' job_id,submit_time,iterations,model_name,deadline,batch_size,num_gpu,duration \
    tight,0,18000,vgg16,2400,64,2,2000 tighter,0,18000,vgg16,2300,64,2,2000 \
    loose,0,5000,vgg16,9000,64,2,2000 >"$work/three.csv"
three=(--cluster cluster_specs/n2g2.csv --slot 60 "$work/three.csv")
simulated "${three[@]}"
same "all have a promise" "$(figure promised),$(figure broken)" 3,0
for node in 0 1; do
    faults 300,$node,gone
    simulated "${three[@]}" --faults "$work/faults.csv"
    row=$(awk -v node=$node -F'[, ]' '$1 == 0 { for (i = 2; i <= NF; i++) { split($i, part, /[@x]/)
        if (part[2] / 2 == node) print part[1] } }' "$work/run/rounds.csv")
    lost=$(sed -n "$((row + 2))s/,.*//p" "$work/three.csv")
    same "what is lost with node $node" "$(grep -F withdrawn "$work/run/disturbances.csv")" \
        "300,withdrawn,$lost,,\"it lost work: node $node left; when it ends is open, its deadline is $(awk -F, -v id="$lost" \
            '$1 == id { print $5 }' "$work/three.csv") s\""
    same "promised, withdrawn, broken" "$(figure promised),$(figure withdrawn),$(figure broken)" 3,1,1
    same "the history" "$(sed -n "s/^0,$lost,.*,-\?[0-9]*,\"\(0 promised by [0-9]* | 300 withdrawn: node, it lost work: \
node $node left\); .*/\1/p" "$work/run/outcomes.csv" | sed 's/ by [0-9]*//')" "0 promised | 300 withdrawn: node, it lost work: node $node left"
    passes "$rubato" promises "$work/run"
    same "the promises" "$(grep -E '^ *(node|3) ' "$out" | tr -s ' ' | sed 's/ -[0-9]* [smh].*//' | paste -sd ';')" " 3 2 1 0 0 0 0 1 1 0 0 0 0;node 1 1 0 1 0 0 0 0"
    same "what is late" "$(sed -n 's/^0,\([a-z]*\),[^"]*,late,.*/\1/p' "$work/run/outcomes.csv")" "$lost"
    passes "$rubato" simulate "${three[@]}" --faults "$work/faults.csv"
    grep -qx '  withdrawn             1' "$out" || fail "what is shown: $(cat "$out")"
done

# Policies beside each other.
passes "$rubato" compare "${three[@]}" --faults "$work/faults.csv" --policies rubato,edf --csv \
    --columns policy,promised,withdrawn,broken
same "what compare counts" "$(cat "$out")" "policy,promised,withdrawn,broken
rubato,3,1,1
edf,0,0,0"

# Mistakes.
refused "$work/none.csv: " "$rubato" simulate "${three[@]}" --faults "$work/none.csv"
faults 300,2,gone
refused "$work/faults.csv:2: column 2 (node): expected a whole number from 0 to 1, found \"2\"" \
    "$rubato" simulate "${three[@]}" --faults "$work/faults.csv"
refused "--speed-error" "$rubato" simulate "${three[@]}" --speed-error 100
refused "--node-mtbf" "$rubato" simulate "${three[@]}" --node-mtbf -1
faults 300,0,gone 300,1,gone
refused "no job got further than before, as --node-mtbf 1 and --node-repair 1000000 take nodes away sooner than jobs save what they did (--checkpoint-interval 600)" \
    "$rubato" simulate --cluster n1g8 --node-mtbf 1 --node-repair 1000000 traces/functionality_10jobs.csv
refused "the run never ends: 3 jobs get nothing done any more on the nodes that are left" \
    "$rubato" simulate "${three[@]}" --faults "$work/faults.csv"
done_checking 90
