# random_test.sh - on random traces no policy ends more jobs on time than the bound, and none that pays for its
# starts more than the bound with overheads. Bounds in slots are no larger, are the same for a slot of 1 s, and hold
# for every policy on the trace whose jobs come at the rounds. In a soak there are RUBATO_SOAK times as many traces;
# RUBATO_SEED is the first seed.
source "$(dirname "$0")/../tools/cli.sh"

clusters=(n1g4 n1g8 n2g2 n4g8 n16g4)
first=${RUBATO_SEED:-1}
reached=0
lower=0
echo "RUBATO_SEED=$first"

figure() { # NAME
    sed -nE "s/^  \"$1\": ([0-9]+),?/\1/p" "$out"
}

# at_most BOUND TRACE POLICY...: that policy does not beat it.
at_most() {
    local bound=$1 trace=$2

    shift 2
    passes "$rubato" simulate "$trace" --cluster "$cluster" --slot 5 --json --policy "$@"
    [ "$(figure on_time)" -le "$bound" ] || fail "seed $seed, $trace, $*: $(figure on_time) on time, $bound at most"
    [ "$(figure on_time)" != "$bound" ] || reached=$((reached + 1))
}

# Jobs come at the next multiple of SLOT, unless their deadlines are over by then.
moved() { # SLOT
    awk -F, -v OFS=, -v slot="$1" '
        /^#/ { print; next }
        !c { for (i = 1; i <= NF; i++) at[$i] = i; c = 1; print; next }
        { t = $at["submission_time"]; t = int((t + slot - 1) / slot) * slot; $at["submission_time"] = t }
        $at["best_effort"] == 1 || $at["deadline"] > t' "$work/trace.csv"
}

for seed in $(seq "$first" $((first + 20 * ${RUBATO_SOAK:-1} - 1))); do
    cluster=cluster_specs/${clusters[$((seed % 5))]}.csv
    passes "$rubato" trace generate --force --seed "$seed" --jobs 30 --arrival-interval $((20 + seed * 37 % 400)) \
        --tightness 0.3:3 --duration 60:2000 --best-effort 0.1 --output "$work/trace.csv"
    passes "$rubato" bound "$work/trace.csv" --cluster "$cluster" --json --time-limit 3000
    bound=$(figure bound)
    paid=$(figure bound_with_overheads)
    for slot in 1 $((60 + seed % 2 * 540)); do
        passes "$rubato" bound "$work/trace.csv" --cluster "$cluster" --json --time-limit 3000 --slot $slot
        in_slots=$(figure bound_in_slots)
        paid_in_slots=$(figure bound_in_slots_with_overheads)
        [ "$in_slots" -le "$bound" ] || fail "seed $seed, slot $slot: $in_slots in slots, $bound at any time"
        [ "$paid_in_slots" -le "$paid" ] || fail "seed $seed, slot $slot: $paid_in_slots in slots, $paid at any time"
        [ $slot != 1 ] || same "slot 1 of seed $seed" "$in_slots $paid_in_slots" "$bound $paid"
    done
    [ "$paid" -le "$bound" ] || fail "seed $seed: $paid with overheads, $bound without"
    at_most "$paid" "$work/trace.csv" srtf
    at_most "$paid" "$work/trace.csv" fifo
    at_most "$paid" "$work/trace.csv" ef --rules clean
    at_most "$paid" "$work/trace.csv" ef-accessctrl --rules clean
    at_most "$bound" "$work/trace.csv" edf --rules clean
    moved $slot >"$work/moved.csv"
    [ "$in_slots" = "$bound" ] || lower=$((lower + 1))
    at_most "$paid_in_slots" "$work/moved.csv" srtf
    at_most "$paid_in_slots" "$work/moved.csv" rubato
    at_most "$in_slots" "$work/moved.csv" edf --rules clean
done
[ $reached -gt 0 ] || fail "no bound is ever reached"
[ $lower -gt 0 ] || fail "no slot makes a bound lower"
done_checking $((240 * ${RUBATO_SOAK:-1}))
