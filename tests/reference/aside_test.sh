# aside_test.sh - jobs that no plan of edf reaches, and those that wait for their turn under gandiva, are set aside where
# nobody reads all live jobs, and every result is the same as in a recorded run, where none are: on random traces most of
# whose jobs wait. In a soak there are RUBATO_SOAK times as many; RUBATO_SEED is the first seed.
source "$(dirname "$0")/../tools/cli.sh"

clusters=(n1g4 n1g8 n2g2)
first=${RUBATO_SEED:-1}
waiting=0
echo "RUBATO_SEED=$first"

# results_of POLICY RULES OPTIONS...: of a run with these options, in $work/found.
results_of() {
    rm -rf "$work/found"
    gives 0 "$rubato" simulate "$work/trace.csv" --policy "$1" --cluster "$cluster" --slot "$slot" --rules "$2" \
        --results "$work/found" "${@:3}"
    sed -i '/"wall_s"/d' "$work/found/summary.json"
}

# most_waiting: jobs that waited at a time, of the last results.
most_waiting() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["jobs_waiting"] > most { most = $at["jobs_waiting"] } END { print most + 0 }' "$work/found/cluster.csv"
}

for seed in $(seq "$first" $((first + 8 * ${RUBATO_SOAK:-1} - 1))); do
    cluster=cluster_specs/${clusters[$((seed % 3))]}.csv
    slot=$((1 + seed * 17 % 90))
    passes "$rubato" trace generate --force --seed "$seed" --jobs $((100 + seed * 53 % 400)) --tightness 0.3:4 \
        --arrival-interval $((1 + seed * 7 % 20)) --duration 20:2000 --gpus-mix 1:60,2:25,4:15 --best-effort 0.2 \
        --output "$work/trace.csv"
    for policy in edf gandiva; do
        for rules in reference clean; do
            results_of $policy $rules --record "$work/record"
            rm -rf "$work/expected"
            mv "$work/found" "$work/expected"
            rm "$work/record"
            results_of $policy $rules
            same "seed $seed, $policy, $rules" "$(diff -r "$work/expected" "$work/found" | head -n 5)" ""
        done
        waiting=$((waiting + $(most_waiting)))
    done
done
[ $waiting -ge $((800 * ${RUBATO_SOAK:-1})) ] || fail "no more than $waiting jobs waited at a time, in all"
done_checking $((104 * ${RUBATO_SOAK:-1}))
