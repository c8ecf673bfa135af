#!/usr/bin/env bash
# What becomes of deadlines on random traces, under rubato and under the clean rules of the published policies.
#
#   benchmarks/random_traces.sh BIN [FIRST LAST]
#
# A line for each seed from FIRST to LAST (1 to 20): the setting that it draws, jobs, and on time under each policy. Then
# the totals, the traces on which rubato ends fewer in time than the best of the others, and what the auditor found.
# Exit status 1 if a promise was broken or the auditor has an objection.
set -euo pipefail
if [ ! -x "${1:-}/rubato" ]; then
    echo "random_traces.sh: expected a folder with the program rubato, build/bin for example, found \"${1:-}\"" >&2
    exit 2
fi
bin=$(realpath "$1")
first=${2:-1}
last=${3:-20}
parallel=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export bin work
# They run with a slot only.
export others="ef ef-accessctrl edf-accessctrl"

# draw SEED: slot, switches, nodes of a switch, GPUs of a node, jobs, seconds between arrivals, LOW:HIGH of the duration
# and of the tightness, share without a deadline. Load and tightness lie between 0.3 and 10, the GPUs between 32 and
# 2,048, evenly in their logarithms.
draw() {
    awk -v seed="$1" '
        function below(n) { return int(rand() * n) }
        function wide(low, high) { return low * (high / low) ^ rand() }
        BEGIN {
            srand(seed)
            split("0 1 30 60 60 120 240 300", slots, " ")
            split("0 0 0.1 0.3", shares, " ")
            node = below(2) ? 8 : 4
            switches = 1 + below(3)
            nodes = int(wide(32, 2049) / node / switches)
            nodes += nodes * switches * node < 32
            gpus = nodes * switches * node
            load = wide(0.3, 10)
            tightness = wide(0.3, 10)
            low = wide(60, 1200)
            high = low * wide(5, 60)
            jobs = 100 + below(300)
            # a job takes 1.9 GPUs for (high - low) / ln(high / low) seconds, as jobs are drawn
            gap = 1.9 * (high - low) / log(high / low) / (load * gpus)
            printf "%d %d %d %d %d %.3f %d:%d %.3f:%.3f %s\n", slots[1 + below(8)], switches, nodes, node,
                jobs, gap, low, high, 0.5 * tightness, 1.5 * tightness, shares[1 + below(4)]
        }'
}

# on_time POLICY OPTIONS...: of the trace of this run; - where the policy cannot run so.
on_time() {
    "$bin/rubato" simulate --policy "$1" --json "${@:2}" 2>/dev/null | sed -n 's/^ *"on_time": \([0-9]*\),*/\1/p' | grep . ||
        echo -
}

one_seed() {
    local dir=$work/$1 slot switches nodes node jobs gap duration tightness share own row

    read -r slot switches nodes node jobs gap duration tightness share < <(draw "$1")
    mkdir "$dir"
    printf 'num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n%d,%d,%d,64,256\n' \
        "$switches" "$nodes" "$node" >"$dir/cluster.csv"
    "$bin/rubato" trace generate --seed "$1" --jobs "$jobs" --arrival-interval "$gap" --duration "$duration" \
        --tightness "$tightness" --best-effort "$share" --output "$dir/trace.csv" >/dev/null 2>&1
    "$bin/rubato" simulate --policy rubato --cluster "$dir/cluster.csv" --slot "$slot" --force --results "$dir/results" --json \
        "$dir/trace.csv" 2>/dev/null | sed 's/^ *//; s/,$//; s/"//g; s/: / /' >"$dir/own"
    own=$(awk '{ v[$1] = $2 } END { print v["on_time"], v["promised"], v["promised_at_arrival"], v["broken"] }' "$dir/own")
    "$bin/rubato" audit "$dir/results" >"$dir/audit" 2>&1 && row=audited || row="$(tail -n 1 "$dir/audit" | tr ' ' '_')"
    for policy in $others; do
        row+=" $(on_time "$policy" --rules clean --cluster "$dir/cluster.csv" --slot "$slot" "$dir/trace.csv")"
    done
    rm -r "$dir"
    echo "$1 $slot ${switches}x${nodes}x$node $jobs $gap $tightness $share $own $row"
}
export -f draw on_time one_seed

echo "seed slot cluster jobs gap tightness best-effort on_time promised at_arrival broken audit ${others// / }"
seq "$first" "$last" | xargs -P "$parallel" -I{} bash -c 'set -euo pipefail; one_seed {}' | sort -n | tee "$work/rows"
awk -v names="$others" '
    { own += $8; promised += $9; at_arrival += $10; broken += $11; jobs += $4 }
    $12 != "audited" { objections++ }
    $13 == "-" { next } # a round whenever something happens is for rubato alone
    {
        best = 0
        compared++
        own_compared += $8
        for (i = 13; i <= NF; i++) {
            total[i] += $i
            if ($i + 0 > best)
                best = $i + 0
        }
        best_total += best
        fewer += $8 < best
        if ($8 < best - 1 && $8 < 0.98 * best) {
            far++
            list = list "  seed " $1 ": " $8 " of " best "\n"
        }
    }
    END {
        split(names, name, " ")
        printf "\n%d traces, %d jobs: rubato ends %d in time, promises %d (%d at arrival), breaks %d\n", NR, jobs, own,
            promised, at_arrival, broken
        printf "on the %d with a slot rubato ends %d\n", compared, own_compared
        for (i = 13; i in total; i++)
            printf "%s ends %d, rubato %+.2f %%\n", name[i - 12], total[i], 100 * (own_compared / total[i] - 1)
        printf "the best of them on each trace %d, rubato %+.2f %%\n", best_total,
            100 * (own_compared / best_total - 1)
        printf "rubato ends fewer than the best of them on %d traces, more than 2 %% and one job fewer on %d\n%s", fewer,
            far, list
        printf "the auditor has objections to %d results\n", objections
        exit broken + objections > 0
    }' "$work/rows"
