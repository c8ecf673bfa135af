# random_test.sh - on random traces no policy ends more jobs on time than the bound, and none that pays for its
# starts more than the bound with overheads. In a soak there are RUBATO_SOAK times as many; RUBATO_SEED is the
# first seed.
source "$(dirname "$0")/../tools/cli.sh"

clusters=(n1g4 n1g8 n2g2 n4g8 n16g4)
first=${RUBATO_SEED:-1}
reached=0
echo "RUBATO_SEED=$first"

figure() { # NAME
    sed -nE "s/^  \"$1\": ([0-9]+),?/\1/p" "$out"
}

# at_most BOUND POLICY...: that policy does not beat it.
at_most() {
    local bound=$1

    shift
    passes "$rubato" simulate "$work/trace.csv" --cluster "$cluster" --slot 5 --json --policy "$@"
    [ "$(figure on_time)" -le "$bound" ] || fail "seed $seed, $*: $(figure on_time) on time, $bound at most"
    [ "$(figure on_time)" != "$bound" ] || reached=$((reached + 1))
}

for seed in $(seq "$first" $((first + 20 * ${RUBATO_SOAK:-1} - 1))); do
    cluster=cluster_specs/${clusters[$((seed % 5))]}.csv
    passes "$rubato" trace generate --seed "$seed" --jobs 30 --arrival-interval $((20 + seed * 37 % 400)) \
        --tightness 0.3:3 --duration 60:2000 --best-effort 0.1 --output "$work/trace.csv"
    passes "$rubato" bound "$work/trace.csv" --cluster "$cluster" --json --time-limit 3000
    bound=$(figure bound)
    paid=$(figure bound_with_overheads)
    [ "$paid" -le "$bound" ] || fail "seed $seed: $paid with overheads, $bound without"
    at_most "$paid" srtf
    at_most "$paid" fifo
    at_most "$paid" ef --rules clean
    at_most "$paid" ef-accessctrl --rules clean
    at_most "$bound" edf --rules clean
done
[ $reached -gt 0 ] || fail "no bound is ever reached"
done_checking $((140 * ${RUBATO_SOAK:-1}))
