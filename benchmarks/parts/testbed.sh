# testbed.sh - the master under many workers, and how soon real processes do what was decided.
#
# Master and workers share the machine: what the swarm of workers costs is in every figure but the processor time.

# awaited FILE PATTERN [COUNT]: waits until the file has so many such lines; the last of them is printed.
awaited() {
    "$programs/await_line" --deadline=60 --matches="${3:-1}" "$1" "$2"
}

# ended PID LOG: waits for its end; if it is no good one, the log says why.
ended() {
    wait "$1" && return
    grep -v ' event=' "$2" >&2
    return 1
}

# processor_ms PID: of all its threads since it started.
processor_ms() {
    awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print 1000 * ($12 + $13) / tick }' "/proc/$1/stat"
}

# ratio_line WHAT PER-S OF CEILING
ratio_line() {
    awk -v what="$1" -v per_s="$2" -v ceiling="$3" 'BEGIN {
        printf "{\"testbed\": \"%s\", \"per_s\": %.0f, \"ceiling_per_s\": %.0f, \"ratio\": \"%.2f\"}\n", what, per_s,
               ceiling, per_s / ceiling
    }'
}

# heartbeats PID WORKERS: what they cost the master in 10 s at one a second, and its memory.
heartbeats() {
    local before after

    before=$(processor_ms "$1")
    sleep 10
    after=$(processor_ms "$1")
    awk -v workers="$2" -v ms="$(awk -v a="$after" -v b="$before" 'BEGIN { print a - b }')" \
        -v kib="$(awk '/^VmHWM/ { print $2 }' "/proc/$1/status")" 'BEGIN {
        percent = ms / 100
        printf "{\"testbed\": \"heartbeats of %d workers at 1 Hz\", \"core_percent\": %.2f, ", workers, percent
        printf "\"target_percent\": 10, \"peak_mib\": %.1f, \"target_mib\": 64, \"met\": %s}\n", kib / 1024,
               (percent <= 10 && kib <= 65536 ? "true" : "false")
    }'
}

# swarm LINK CEILING: registration, plans, heartbeats and messages of 256 workers, over a plain or a CURVE link.
swarm() {
    local link=$1 ceiling=$2 folder=$work/swarm-$1 options=() port master swarm pulse

    mkdir "$folder"
    if [ "$link" = CURVE ]; then
        options=(--keys="$folder/keys")
        "$bin/rubato" keys --folder="$folder/keys" --role=master >/dev/null
        "$bin/rubato" keys --folder="$folder/keys" --role=scheduler >/dev/null
        seq -f 'swarm-%g' 0 255 | xargs "$bin/rubato" keys --folder="$folder/keys" >/dev/null
    fi
    "$bin/master" -p 0 -n 256 --heartbeat=1 --lease=60 --once "${options[@]}" 2>"$folder/master.log" &
    master=$!
    port=$(awaited "$folder/master.log" ' event=up ' | sed 's/.*endpoint=[^ ]*:\([0-9]*\).*/\1/')
    "$programs/worker_swarm" --master="127.0.0.1:$port" "${options[@]}" >"$folder/swarm" &
    swarm=$!
    awaited "$folder/swarm" register
    "$programs/plan_pulse" --master="127.0.0.1:$port" "${options[@]}" --hold >"$folder/pulse" &
    pulse=$!
    awaited "$folder/pulse" settled
    heartbeats "$master" 256
    kill -USR1 "$swarm"
    awaited "$folder/swarm" dispatched
    ratio_line "of what bare sockets take, $link" \
        "$(sed -n 's/.*dispatched.*"per_s": \([0-9]*\).*/\1/p' "$folder/swarm")" "$ceiling"
    kill "$pulse"
    wait "$pulse" "$swarm"
    ended "$master" "$folder/master.log"
}

# real_workers COUNT: as many real workers with 8 trainers each, from the start of the first to the last welcome.
real_workers() {
    local folder=$work/real-$1 port master pids=() i started

    mkdir "$folder"
    "$bin/master" -p 0 -n "$1" 2>"$folder/master.log" & # with the default heartbeat of 5 s: many processes start
    master=$!
    port=$(awaited "$folder/master.log" ' event=up ' | sed 's/.*endpoint=[^ ]*:\([0-9]*\).*/\1/')
    started=$(awk '/ event=up / { print $2 }' "$folder/master.log")
    for ((i = 0; i < $1; i++)); do
        "$bin/worker" -i 127.0.0.1 -P "$port" -n 8 -r "$folder/run" --name="node-$i" --emulate \
            >"$folder/worker-$i.out" 2>"$folder/worker-$i.log" &
        pids+=($!)
    done
    awaited "$folder/master.log" ' event=worker-up ' "$1" >"$folder/last"
    awk -v count="$1" -v started="$started" '{
        s = $2 - started
        printf "{\"testbed\": \"%d real workers with 8 trainers each start and register\", \"ms\": %.0f, ", count, 1000 * s
        printf "\"target_ms\": 5000, \"met\": %s}\n", (s <= 5 ? "true" : "false")
    }' "$folder/last"
    kill "$master"
    ended "$master" "$folder/master.log"
    kill "${pids[@]}" 2>/dev/null || true # those that the master did not tell
    wait "${pids[@]}" || true
}

# decisions: from a plan of the scheduler to each of its trainers that begins, in a run of ten jobs on one node.
decisions() {
    "$bin/rubato" local traces/functionality_10jobs.csv --policy=ef-accessctrl --slot=240 --run-dir="$work/decisions" \
        >/dev/null 2>&1
    find "$work/decisions" -name '*.log' -print0 | xargs -0 cat | grep -E ' event=(plan|hold) ' | sort -k 2,2n |
        awk '/ event=plan / { planned = $2 } / event=hold / { print 1000 * ($2 - planned) }' | sort -n |
        awk '{ ms[NR] = $1 } END {
            median = ms[int((NR + 1) / 2)]
            printf "{\"testbed\": \"from a decision to an emulated start\", \"starts\": %d, \"median_ms\": %.2f, ", NR, median
            printf "\"max_ms\": %.2f, \"target_ms\": 20, \"met\": %s}\n", ms[NR], (NR > 0 && median <= 20 ? "true" : "false")
        }'
}

# runs: the ten jobs of the artifact under each policy, from the command to its end.
runs() {
    local policy

    for policy in ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu themis; do
        "$programs/stopwatch" --name "rubato local, ten jobs, $policy" --runs 3 --warmup 0 --target 10000 -- \
            "$bin/rubato" local traces/functionality_10jobs.csv --policy="$policy" --slot=240
    done
}

part_testbed() {
    local link options ceiling

    for link in plain CURVE; do
        options=()
        [ $link = plain ] || options=(--curve)
        "$programs/message_ceiling" "${options[@]}" >"$work/ceiling" || return 1
        cat "$work/ceiling"
        ceiling=$(sed 's/.*"per_s": \([0-9]*\).*/\1/' "$work/ceiling")
        swarm $link "$ceiling" || return 1
    done | show
    { real_workers 64 && real_workers 256; } | show
    decisions | show
    runs | show
}
