# stop_test.sh - SIGINT ends a comparison: status 130, the rows that are done, and how many they are.
#
# The second trace is a pipe without a writer, so that the second simulation waits for ever;
# opening it for writing waits until that simulation reads, which is when the first one is done.
source "$(dirname "$0")/cli.sh"

for signal in INT TERM; do
    rm -f "$work/endless.csv"
    mkfifo "$work/endless.csv"
    "$rubato" compare -j 1 --csv --policies ef "$small@$small_cluster" "$work/endless.csv" "$small" \
        >"$out" 2>"$err" &
    compare=$!
    exec 3>"$work/endless.csv"
    kill -s $signal $compare
    status=0
    wait $compare || status=$?
    exec 3>&-
    same "the exit status after SIG$signal" $status 130
    same "the complaint" "$(cat "$err")" "rubato compare: stopped: 1 of 3 simulations are done"
    same "the rows" "$(cut -d, -f1,2,7,8 "$out")" "trace,policy,accepted,declined"$'\n'"$small,ef,11,14"
done
done_checking 6
