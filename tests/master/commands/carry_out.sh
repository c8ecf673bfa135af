# carry_out.sh - files of commands with real workers. Sourced.
source "$(dirname "${BASH_SOURCE[0]}")/../masters.sh"
tables=$source_folder/throughputs

# carry_out STATUS FILE GPUS: as many workers as the file is for, of so many GPUs each, carry it out; what the master
# prints is in master.out.
carry_out() {
    local wanted=$1 file=$2 gpus=$3 status=0 workers port master i

    workers=$(grep -m 1 '^[0-9]' "$file")
    : >master.err
    "$bin/master" -p 0 -t "$file" -d 1 --time-scale 100 >master.out 2>master.err </dev/null &
    master=$!
    pids=("$master")
    await "event=up" master.err "$master"
    port=$(sed -n 's/.*endpoint=tcp:\/\/127.0.0.1:\([0-9]*\).*/\1/p' master.err)
    for ((i = 0; i < workers; i++)); do
        "$bin/worker" -P "$port" -p $((9100 + 100 * i)) -n "$gpus" -r run --name "w$i" --emulate \
            --throughputs "$tables" >"w$i.out" 2>"w$i.err" </dev/null &
        pids+=($!)
        await "event=worker-up job=- incarnation=- node=$i" master.err "$master"
    done
    wait "$master" || status=$?
    [ $status = "$wanted" ] || fail "exit status $status, expected $wanted"
    for i in "${pids[@]:1}"; do
        wait "$i" || fail "a worker ends with $?"
    done
    pids=()
    checks=$((checks + 1))
}

# rows: operations and GPUs of the table at the end. On a busy machine a job may be stopped before it trains at its
# rate: everything else has to have ended.
rows() {
    sed '1,/^operation/d' master.out |
        awk '{ print $1 "/" $3 ($4 == "-" && $1 != "train" ? " without end" : "") }' | paste -sd ' '
}
