# value_test.sh - on random traces with soft deadlines and jobs of different value no policy keeps more value than the
# bound, and none that pays for its starts more than the bound with overheads; both are shown beside the value. In a
# soak there are RUBATO_SOAK times as many traces; RUBATO_SEED is the first seed.
source "$(dirname "$0")/../tools/cli.sh"

clusters=(n1g4 n1g8 n2g2 n4g8)
first=${RUBATO_SEED:-1}
traces=$((8 * ${RUBATO_SOAK:-1}))
tight=0
near=0
echo "RUBATO_SEED=$first"

figure() { # NAME: in tenths
    sed -nE "s/^  \"$1\": ([0-9]+)\.([0-9]).*/\1\2/p" "$out"
}

# Two jobs in three become soft, with dates of their own; every fourth of the others has a value.
soften() { # SEED
    awk -F, -v OFS=, -v seed="$1" '
        BEGIN { srand(seed) }
        /^#/ { print; next }
        !c { for (i = 1; i <= NF; i++) at[$i] = i; c = 1; print $0, "value"; next }
        $at["best_effort"] == 1 { print $0, 1; next }
        rand() < 0.67 {
            date = $at["deadline"]; window = date - $at["submission_time"]; value = 10; steps = ""
            for (k = 0; k < 4 && value >= 1; k++) {
                steps = steps (k ? " " : "") date ":" value
                date += 1 + int(window * rand()); value -= 1 + int(5 * rand())
            }
            gsub(" ", ",", steps); $at["deadline"] = "\"" steps "\""; print $0, 1; next
        }
        { print $0, (rand() < 0.25 ? 1 + int(9 * rand()) : 1) }' "$work/plain.csv" >"$work/trace.csv"
}

# at_most BOUND POLICY...: that policy keeps no more value.
at_most() {
    local bound=$1

    shift
    passes "$rubato" simulate "$work/trace.csv" --cluster "$cluster" --slot 5 --json --policy "$@"
    [ "$(figure value_on_time)" -le "$bound" ] ||
        fail "seed $seed, $*: $(figure value_on_time) tenths of value, $bound at most"
    [ $((10 * $(figure value_on_time))) -lt $((9 * bound)) ] || near=$((near + 1))
}

for seed in $(seq "$first" $((first + traces - 1))); do
    cluster=cluster_specs/${clusters[$((seed % 4))]}.csv
    passes "$rubato" trace generate --force --seed "$seed" --jobs 30 --arrival-interval $((20 + seed * 37 % 200)) \
        --tightness 0.3:2 --duration 60:2000 --best-effort 0.1 --output "$work/plain.csv"
    soften "$seed"
    passes "$rubato" bound "$work/trace.csv" --cluster "$cluster" --json --time-limit 3000
    bound=$(figure value_bound)
    paid=$(figure value_bound_with_overheads)
    [ "$paid" -le "$bound" ] || fail "seed $seed: $paid with overheads, $bound without"
    most=$(python3 -c '
import csv, sys
rows = csv.DictReader(line for line in sys.stdin if not line.startswith("#"))
print(sum(round(10 * float(row["deadline"].split(",")[0].split(":")[1] if ":" in row["deadline"] else row["value"] or 1))
          for row in rows if row["best_effort"] != "1"))' <"$work/trace.csv")
    [ "$bound" -le "$most" ] || fail "seed $seed: $bound is more than all jobs are worth, $most"
    [ "$bound" = "$most" ] || tight=$((tight + 1))
    at_most "$paid" rubato --objective value
    at_most "$paid" rubato
    at_most "$paid" srtf
    at_most "$paid" fifo
    at_most "$paid" ef-accessctrl --rules clean
    at_most "$bound" edf --rules clean
done
[ $tight -gt $((traces / 3)) ] || fail "only $tight of the bounds say more than what all jobs are worth"
[ $near -gt 0 ] || fail "no policy comes near a bound"

# Beside the value: simulate, its summary, compare.
passes "$rubato" simulate "$work/trace.csv" --cluster "$cluster" --bound --results "$work/results"
same "the text" "$(grep -c '^value \(kept\|bound\|with overheads\)  *[0-9]*\.[0-9]' "$out")" 3
same "the summary" "$(sed -nE 's/^  "value_bound": ([0-9]+)\.([0-9]).*/\1\2/p' "$work/results/summary.json")" "$bound"
passes "$rubato" compare --bound --policies rubato,fifo --cluster "$cluster" "$work/trace.csv"
same "the titles" "$(head -1 "$out" | grep -o 'BOUND VALUE ON TIME VALUE BOUND PROMISED' | head -1)" \
    "BOUND VALUE ON TIME VALUE BOUND PROMISED"
passes "$rubato" compare --bound --csv --columns policy,value_bound --policies fifo --cluster "$cluster" "$work/trace.csv"
same "the column" "$(tail -1 "$out")" "fifo,$((bound / 10))$([ $((bound % 10)) = 0 ] || echo ".$((bound % 10))")"
passes "$rubato" compare --bound --json --policies fifo --cluster "$cluster" "$small"
same "jobs that are worth 1" "$(grep -c '"value_bound[a-z_]*": null' "$out")" 4
done_checking 14
