#!/usr/bin/env bash
# memory_test.sh - each verb is given a little more memory from run to run. Each run ends well, or with one sentence about
# memory and the exit status 71: never by a signal, and with all files of a good run or only provisional ones.
#
# The runs begin with as much memory as the program needs to start at all: less is the linker's to tell. They end when a
# verb has ended well three times. Steps become larger from run to run; a soak takes smaller ones.
source "$(dirname "$0")/cli.sh"
[ -z "$RUBATO_SANITIZED" ] || exit 77 # sanitizers take terabytes of addresses

more=$(realpath build/bin/rubato-more)
rubato=$(realpath $rubato)
samples=$project/tests/trace_import/samples
try=$work/try
ends=0 # runs that were out of memory

# least COMMAND...: the memory in KiB, within 50, with which it ends with 0.
least() {
    local low=1000 high=400000 middle

    while [ $((high - low)) -gt 50 ]; do
        middle=$(((low + high) / 2))
        if (ulimit -v $middle && exec "$@") >/dev/null 2>&1; then high=$middle; else low=$middle; fi
    done
    echo $high
}

# lasting: the files under $try but provisional ones and the database of a sweep, which keeps cell by cell.
lasting() {
    (cd "$try" && find . -type f ! -name '*.tmp' ! -path '*unfinished-*' ! -path '*rubato-running*' \
        ! -path './sweep/*' | sort)
}

# grows FIRST COMMAND...: from FIRST KiB on.
grows() {
    local kib=$1 good=0 of_one=0 whole status

    shift
    rm -rf "$try"
    mkdir "$try"
    gives 0 "$@"
    whole=$(lasting)
    while [ $good -lt 3 ]; do
        rm -rf "$try"
        mkdir "$try"
        status=0
        (ulimit -c 0 && ulimit -v $kib && exec "$@") >"$out" 2>"$err" </dev/null || status=$?
        if [ $status -eq 0 ]; then
            good=$((good + 1))
            same "the files of $* with $kib KiB" "$(lasting)" "$whole"
        elif [ $status -ne 127 ] || ! grep -q 'error while loading shared libraries' "$err"; then # addresses are random
            good=0
            same "the exit status of $* with $kib KiB, which says $(cat "$err")" $status 71
            same "what $* says with $kib KiB" "$(grep -c 'out of memory$' "$err") $(tail -n 1 "$err")" \
                "1 $(basename "$1"): out of memory"
            same "the files of $* with $kib KiB" "$(lasting)" ""
            of_one=$((of_one + 1))
        fi
        kib=$((kib + (60 + 8 * of_one) / ${RUBATO_SOAK:-1}))
        [ $kib -lt 1000000 ] || fail "$* never has enough"
    done
    ends=$((ends + of_one))
    echo "${*:2:2}: $of_one runs without enough memory"
}

"$rubato" simulate --cluster $small_cluster --policy edf --results "$work/run" $small >"$out" 2>&1
"$rubato" sweep --policies edf,fifo --seeds 1,2 --loads 1,2 --parallel 1 --results "$work/swept" \
    $small@$small_cluster >"$out" 2>&1
gzip -c $small >"$work/small.csv.gz"

start=$(least "$rubato" quirks --help)
from() { grows "$start" "$rubato" "$@"; }

for log in swf:jobs.swf philly:philly.json helios:helios.csv gpu2023:gpu2023.csv sacct:sacct.txt batsim:batsim.json; do
    from trace import --from "${log%:*}" --output "$try/trace.csv" "$samples/${log#*:}"
done
for policy in rubato themis chronus; do
    from simulate --cluster $small_cluster --policy $policy --results "$try/results" $small
done
from simulate --cluster $small_cluster --policy edf --results "$try/results" "$work/small.csv.gz"
from compare --cluster $small_cluster --policies edf,rubato $small
from sweep --policies edf,fifo --seeds 1 --loads 1 --parallel 1 --results "$try/sweep" $small@$small_cluster
from bound --cluster $small_cluster $small
from quote --cluster cluster_specs/n1g2.csv --model vgg16 --iterations 10 $small
from audit "$work/run"
from report "$work/run" --output "$try/page.html"
from show "$work/run"
from export --to artifact --output "$try/logs" "$work/run"
from quirks
from policies
from trace info $small
from trace validate $small
from trace generate --jobs 100 --seed 1 --output "$try/trace.csv"
from trace search --jobs 3 --parallel 1 --want ef-accessctrl=2/1 --cluster cluster_specs/n1g8.csv --output "$try/trace.csv"
grows "$(least "$scheduler" --help)" "$(realpath "$scheduler")" --schedule=ef-accessctrl --cluster_spec=$small_cluster \
    --trace_file=$small --log_path="$try/logs"
start=$(least "$more" figure --help)
from figure sweep --results "$work/swept" --output "$try/figures"
from keys --folder "$try/keys" a
[ $ends -ge 50 ] || fail "only $ends runs were out of memory"
done_checking 200
