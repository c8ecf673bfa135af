# every_shape_test.sh - under clean rules each policy of the reference runs to its end on clusters of any shape, and the
# auditor has no objection: one node or many, nodes of any number of GPUs, jobs wider than a node or the cluster. Where
# the reference's own rules abort, the sentence names a way out.
#
# RUBATO_SEED chooses the first shape, RUBATO_TIMES how many there are.
source tests/tools/cli.sh

first=${RUBATO_SEED:-1}
shapes=${RUBATO_TIMES:-$((12 * ${RUBATO_SOAK:-1}))}
echo "RUBATO_SEED=$first"
aborts=0
for ((shape = first; shape < first + shapes; shape++)); do
    RANDOM=$((shape % 32768))
    switches=$((1 + RANDOM % 4)) nodes=$((1 + RANDOM % 9)) gpus=$((1 + RANDOM % 12)) slots=(30 60 120 240 300)
    slot=${slots[RANDOM % 5]}
    name="shape $shape, ${switches}x${nodes}x$gpus, slot $slot"
    printf '%s\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node \
        "$switches,$nodes,$gpus,64,256" >"$work/cluster.csv"
    passes "$rubato" trace generate --force --seed "$shape" --jobs $((20 + RANDOM % 40)) --tightness 0.5:3 --best-effort 0.1 \
        --arrival-interval $((1 + 4000 / (switches * nodes * gpus))) --duration 60:6000 \
        --gpus-mix 1:40,2:20,4:15,8:15,16:7,32:3 --output "$work/trace.csv"
    for policy in ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu themis chronus; do
        rm -rf "$work/results"
        passes "$rubato" simulate --policy $policy --rules clean --cluster "$work/cluster.csv" --slot "$slot" \
            --results "$work/results" "$work/trace.csv"
        "$rubato" audit "$work/results" >"$out" || [ $? -eq 1 ] # promises may break
        grep -q ' broken, 0 violations' "$out" || fail "$name, $policy: $(grep VIOLATION "$out")"
        "$rubato" simulate --policy $policy --cluster "$work/cluster.csv" --slot "$slot" "$work/trace.csv" \
            >"$out" 2>"$err" && continue
        grep -q -- '--rules clean' "$err" || fail "$name, $policy: no way out in $(cat "$err")"
        aborts=$((aborts + 1))
        checks=$((checks + 1))
    done
done
[ $aborts -gt 0 ] || fail "the reference aborts nowhere"
done_checking $shapes
