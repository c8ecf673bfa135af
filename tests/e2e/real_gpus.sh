# shellcheck shell=bash
# real_gpus.sh - for tests of the service whose workers find GPUs by a driver: a fake one, whose answers are in a file for
# each node.

# shows NODE GPUS: the driver of that node shows these GPUs from here on.
shows() {
    echo "$2" >"$work/$1.new"
    mv "$work/$1.new" "$work/$1.gpus"
}

# knows NAME GPUS CAUSE: waits until `rubato nodes` shows the node as being so.
knows() {
    local line until=$((SECONDS + 600))

    while [ $SECONDS -lt $until ]; do
        client 0 nodes
        line=$(grep " $1 " "$work/answer" || true)
        [[ ! $line =~ \ $2\ .*$3 ]] || return 0
        kill -0 "${pids[scheduler]}" || fail "the scheduler is gone"
        read -r -t 0.2 <> <(:) || true
    done
    fail "node $1 does not have $2 GPUs with the cause \"$3\": $(cat "$work/answer")"
}

start_real_worker() { # NAME GPUS OPTIONS...
    unset CUDA_VISIBLE_DEVICES
    start "worker:$1" env LD_LIBRARY_PATH="$(realpath "$tests/fake_gpus")" FAKE_GPUS_FILE="$work/$1.gpus" "$bin/worker" -i 127.0.0.1 -P 6888 \
        -p 9000 -n "$2" -r "$shared" --name="$1" --address=127.0.0.1 --checkpoint-interval=5 "${@:3}"
}
