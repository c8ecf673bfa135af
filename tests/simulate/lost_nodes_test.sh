# lost_nodes_test.sh - nodes of simulated worlds fail at a known rate: the engine measures this rate, and as many promised
# jobs lose no more nodes than their promise survives as the summary says.
#
# RUBATO_SEED chooses the first seed, RUBATO_TIMES how many worlds there are.
source tests/tools/cli.sh

first=${RUBATO_SEED:-20260419}
times=${RUBATO_TIMES:-16}
mtbf=40000
echo "RUBATO_SEED=$first"

# Prints for each promised job 1 if it lost at most K of its nodes since then, else 0.
count_losses() # FOLDER K GPUS_PER_NODE
{
    awk -F, -v spares="$2" -v per_node="$3" '
        FNR == 1 { file++; next }
        file == 1 && $3 == "promised" { since[$2] = $1; lost[$2] = 0 }
        file == 2 { at[++rounds] = $1; sub(/^[^,]*,/, ""); layout[rounds] = $0 }
        file == 3 && $2 == "node-down" {
            while (last < rounds && at[last + 1] < $1)
                last++
            count = split(layout[last], parts, " ")
            for (i = 1; i <= count; i++) {
                split(parts[i], part, "@")
                stands = 0
                blocks = split(part[2], block, "+")
                for (k = 1; k <= blocks; k++) {
                    split(block[k], span, "x")
                    stands += int(span[1] / per_node) <= $4 && int((span[1] + span[2] - 1) / per_node) >= $4
                }
                if (stands > 0 && part[1] in since && since[part[1]] < $1)
                    lost[part[1]]++
            }
        }
        END { for (job in since) print lost[job] <= spares }' \
        "$1/outcomes.csv" "$1/rounds.csv" "$1/disturbances.csv"
}

for ((i = 0; i < times; i++)); do
    seed=$((first + i))
    spares=$((1 + i % 2))
    "$rubato" trace generate --force --seed $seed --jobs 150 --arrival-interval 300 --duration 2000:60000 \
        --gpus-mix 1:30,4:30,8:20,16:20 --tightness 2:6 --gpu-type A100 --output "$work/trace.csv" >"$out"
    "$rubato" simulate --cluster n4g8 --slot 60 --spare-nodes $spares --node-mtbf $mtbf --node-repair 600 \
        --checkpoint-interval 240 --node-loss 300 --seed $seed --results "$work/r" --force --json "$work/trace.csv" \
        >"$work/summary.json" 2>"$err"
    head -1 "$work/r/disturbances.csv" | grep -q '^time,event,job_id,node,' || fail "disturbances.csv: columns"
    python3 - "$work/summary.json" <<'PYTHON' >>"$work/named"
import json, sys
survival = json.load(open(sys.argv[1]))["survival"]
print(survival["chance"], survival["failures"], survival["node_hours"], survival["losses"])
PYTHON
    count_losses "$work/r" $spares 8 | awk '{ kept += $1 } END { print kept + 0, NR }' >>"$work/seen"
done

# Failures are within four standard deviations of what the world has; the share of jobs within three
# points of what is named, as jobs on one node lose that node together.
paste -d ' ' "$work/named" "$work/seen" | awk -v mtbf=$mtbf '
    { jobs += $6; kept += $5; named += $1 * $6; failures += $2; hours += $3 }
    END {
        expected = hours * 3600 / mtbf
        deviation = sqrt(expected)
        printf "%d failures, %.1f expected; of %d jobs %.2f %% lost no more, %.2f %% named\n", failures, expected,
            jobs, 100 * kept / jobs, 100 * named / jobs
        if (failures < expected - 4 * deviation || failures > expected + 4 * deviation)
            exit 1
        if (jobs < 20 * NR || kept / jobs < named / jobs - 0.03 || kept / jobs > named / jobs + 0.03)
            exit 1
    }' >"$out" || fail "$(cat "$out")"
cat "$out"
