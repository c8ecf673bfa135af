# master.sh - a master among 256 workers with 8 GPUs each, which answer at once: registering them, a plan that gives every
# GPU to another job, and heartbeats that list eight parts each.

part_master() {
    local pid port

    : >"$work/master.log"
    "$bin/master" -p 0 -n 256 --heartbeat 60 --lease 180 2>"$work/master.log" &
    pid=$!
    until port=$(sed -n 's/.* event=up .*endpoint=tcp:[^ ]*:\([0-9]*\) .*/\1/p' "$work/master.log") && [ -n "$port" ]; do
        kill -0 "$pid" || return 1
        sleep 0.01
    done
    "$programs/master_load" --port "$port" | show
    kill "$pid"
    wait "$pid" || true
}
