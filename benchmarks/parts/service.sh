# service.sh - a service under load: durable submits, 100,000 jobs that wait, a start with many jobs on record, and more
# requests than it can answer. A swarm of emulated workers gives it a cluster of 256 GPUs.

# serve STATE: a scheduler on that state, until it listens; its id is in $scheduler.
serve() {
    : >"$work/service.log"
    "$bin/scheduler" --serve --state "$1" --master "127.0.0.1:$service_port" --throughputs throughputs \
        --cluster_spec cluster_specs/n32g8.csv 2>"$work/service.log" >/dev/null &
    scheduler=$!
    awaited "$work/service.log" ' event=serving ' >/dev/null
}

# unserve SIGNAL
unserve() {
    kill -s "$1" "$scheduler"
    wait "$scheduler" 2>/dev/null || true
}

# ask NAME OPTIONS...: a row of service_load on $state.
ask() {
    "$programs/service_load" --socket "$state/rubato.sock" --name "$@"
}

resident_kib() {
    awk '/^VmRSS/ { print $2 }' "/proc/$scheduler/status"
}

# fill FIRST COUNT: jobs without a deadline, as fast as they are taken.
fill() {
    ask "fill" --clients 32 --in-flight 8 --pace 4000 --requests "$2" --first "$1" >/dev/null
}

# restarted JOBS: from the start of a scheduler after a kill to its answer to a submit, with so many jobs on record.
restarted() {
    local started

    unserve KILL
    started=$(date +%s%N)
    serve "$state"
    ask "first" --requests 1 --first 9000001 >/dev/null
    awk -v jobs="$1" -v ns="$(($(date +%s%N) - started))" 'BEGIN {
        printf "{\"service\": \"accepts a job again after a kill\", \"jobs\": %d, \"ms\": %.0f, \"target_ms\": 5000, ", jobs,
               ns / 1e6
        printf "\"met\": %s}\n", (ns <= 5e9 ? "true" : "false")
    }'
}

# submits: on an empty service.
submits() {
    ask "first" --requests 1 --first 900 >/dev/null # a new service waits for the word of its master
    ask "submit" --requests 500 --rate 100 --ms 100 &&
        ask "submit" --clients 32 --requests 5000 --first 1001 --rate 1000 --ms 100 &&
        ask "submit, all with a deadline" --clients 32 --requests 2000 --first 10001 --deadlines 100 --verdict-only \
            --rate 1000 --ms 100 &&
        ask "the same, told the earliest" --clients 32 --requests 200 --first 20001 --deadlines 100 &&
        ask "the same from one client" --requests 50 --first 30001 --deadlines 100
}

# waiting JOBS: what is asked while so many wait.
waiting() {
    local before after

    before=$(resident_kib)
    fill 100001 "$1" || return 1
    after=$(resident_kib)
    awk -v jobs="$1" -v kib="$((after - before))" 'BEGIN {
        printf "{\"service\": \"memory of jobs that wait\", \"jobs\": %d, \"kib_a_job\": %.2f, \"target_kib\": 1, ", jobs, kib / jobs
        printf "\"met\": %s}\n", (kib <= jobs ? "true" : "false")
    }'
    ask "list, $1 wait" --verb list --requests 100 --ms 50 &&
        ask "status, $1 wait" --verb status --requests 100 --ms 100 &&
        ask "explain, $1 wait" --verb explain --requests 1000 --first 2000 --ms 50 &&
        ask "submit, $1 wait" --requests 100 --first 500001 --ms 20 &&
        ask "submit, $1 wait" --clients 32 --requests 1000 --first 600001 --ms 100 &&
        "$programs/stopwatch" --name "quote, $1 wait" --runs 5 --target 500 -- "$bin/rubato" quote \
            --socket "$state/rubato.sock" --model resnet50 --batch-size 256 --iterations 10000
}

# overload: many times what waits at most comes at once; the rest is refused, and one client asks how things are.
overload() {
    ask "3,840 submits at once" --clients 64 --in-flight 60 --requests 3840 --first 700001 --watch 10 --overload \
        --ms 100
    awk -v lost="$(grep -c ' event=scheduler-down ' "$work/service-master.log")" 'BEGIN {
        printf "{\"service\": \"sessions of the scheduler that the master ended\", \"count\": %d, \"target_count\": 0, ", lost
        printf "\"met\": %s}\n", (lost == 0 ? "true" : "false")
    }'
}

# hostile: what another user is told while one key does all it can. There are no nodes.
hostile() {
    local folder=$work/service-hostile mallory

    for key in master:master scheduler:scheduler submit:mallory; do
        "$bin/rubato" keys --folder "$folder.keys" --role "${key%:*}" "${key#*:}" >/dev/null || return 1
    done
    state=$folder
    : >"$work/service.log"
    "$bin/scheduler" --serve --state "$state" --keys "$folder.keys" --listen 127.0.0.1:17000 --throughputs throughputs \
        2>"$work/service.log" >/dev/null &
    scheduler=$!
    awaited "$work/service.log" ' event=serving ' >/dev/null
    ask "submit, nothing hostile" --requests 100 --ms 100
    "$programs/hostile_client" --service 127.0.0.1:17000 --keys "$folder.keys" >"$work/hostile" 2>/dev/null &
    mallory=$!
    awaited "$work/hostile" 'lost=' >/dev/null
    ask "submit, beside a hostile key" --requests 40 --first 1001 --ms 100
    ask "status, beside a hostile key" --verb status --requests 40 --ms 100
    kill "$mallory"
    wait "$mallory" || true
    unserve TERM
}

part_service() {
    local service_port scheduler master swarm state=$work/service

    "$bin/master" -p 0 -n 32 2>"$work/service-master.log" &
    master=$!
    service_port=$(awaited "$work/service-master.log" ' event=up ' | sed 's/.*endpoint=[^ ]*:\([0-9]*\).*/\1/')
    "$programs/worker_swarm" --master="127.0.0.1:$service_port" --workers 32 >"$work/service-swarm" &
    swarm=$!
    awaited "$work/service-swarm" register >/dev/null
    serve "$state"
    { submits && overload; } >"$work/rows" || return 1
    show <"$work/rows"
    unserve TERM
    state=$work/service-10000
    serve "$state"
    { fill 1 1000 && restarted 1000 && fill 1001 9000 && restarted 10000; } >"$work/rows" || return 1
    show <"$work/rows"
    unserve TERM
    state=$work/service-100000
    serve "$state"
    waiting 100000 >"$work/rows" || return 1
    show <"$work/rows"
    unserve TERM
    hostile >"$work/rows" || return 1
    show <"$work/rows"
    kill "$swarm" "$master"
    wait "$swarm" "$master" || true
}
