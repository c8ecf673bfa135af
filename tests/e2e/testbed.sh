# testbed.sh - what every test of the whole testbed begins with: source it first.
#
# The test runs in namespaces of its own for processes, networks and mounts, which need no privileges where users
# may have them: ports, names and processes are its own, the kernel ends whatever it leaves, and what it
# should not have left is easy to see. Nothing here sleeps: lines of logs and ends of processes are waited for.
set -euo pipefail

if [ -z "${E2E_SANDBOX:-}" ]; then
    for user in "--user --map-root-user" ""; do
        # shellcheck disable=SC2086
        if unshare $user --net --mount --pid --fork --kill-child --mount-proc \
            ip link set lo up 2>/dev/null; then
            # shellcheck disable=SC2086
            E2E_SANDBOX=1 exec unshare $user --net --mount --pid --fork --kill-child --mount-proc \
                bash "$0" "$@"
        fi
    done
    echo "skipped: there may be no namespaces here"
    exit 77
fi
ip link set lo up
mount -t tmpfs none /run # where ip keeps the names of networks

bin=${RUBATO_BIN:-build/bin}
tests=$(dirname "$bin")/tests
work=$(mktemp -d)
logs=$work/logs   # one NAME.log for each process, and what the test did
shared=$work/run  # the folder that workers share
results=$work/results
keys=$work/keys   # if there is a network
records=$work/records # of what schedulers were told and decided
mkdir "$logs" "$shared" "$shared/locks" "$records"
export RUBATO_GPU_LOCKS=$shared/locks

heartbeat=1
lease=8
dies_within=60 # seconds
declare -A pids=() sources=()
passed=

finish_test() {
    local status=$?

    if [ -n "$passed" ] && [ $status -eq 0 ]; then
        rm -rf "$work"
        return
    fi
    [ $status -ne 77 ] || { rm -rf "$work" && return; }
    echo "FAILED with status $status; the last lines of what is in $logs:"
    tail -n 25 "$logs"/* 2>/dev/null || true
    [ -n "${E2E_KEEP:-}" ] || rm -rf "$work"
}
trap finish_test EXIT
trap 'echo "line $LINENO of $0: $BASH_COMMAND" >&2' ERR

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# helper NAME ARGUMENTS...: a small program of the tests. It starts thousands of times: whether it leaks is not searched.
helper() {
    ASAN_OPTIONS=detect_leaks=0 "$tests/$1" "${@:2}"
}

note() { # EVENT WORDS...
    helper note "$logs/harness.log" "$@"
}

# ---- processes ----

# start NAME COMMAND...: NAME is "master", "scheduler" or "worker:NAME", as it calls itself in its log.
start() {
    local name=$1 file=${1//:/-}

    shift
    "$@" >>"$logs/$file.out" 2>>"$logs/$file.log" </dev/null &
    pids[$name]=$!
    note started "source=$name" "pid=$!"
}

# await NAME PATTERN [OPTIONS of await_line]: a line of its log, which is printed. Fails if it ends before.
await() {
    local name=$1 pattern=$2

    shift 2
    helper await_line --pid "${pids[$name]}" "$@" "$logs/${name//:/-}.log" "$pattern" ||
        fail "$name did not say: $pattern"
}

# lines NAME: how many its log has by now, for await --after.
lines() {
    wc -l <"$logs/${1//:/-}.log"
}

# send SIGNAL NAME|PID
send() {
    local pid=${pids[$2]:-$2}

    note signal "pid=$pid" "signal=$(kill -l "$1")"
    kill "-$1" "$pid"
}

# ended NAME [STATUS]: waits for its end, which must be with that status.
ended() {
    local name=$1 expected=${2:-0} status=0

    helper await_exit "${pids[$name]}" || fail "$name does not end"
    wait "${pids[$name]}" || status=$?
    note ended "source=$name" "pid=${pids[$name]}" "status=$status"
    unset "pids[$name]"
    [ "$status" -eq "$expected" ] || fail "$name ended with status $status, expected $expected"
}

# end_cluster WORKER...: ends the master, and each worker whom the master does not end: on a loaded machine the session of
# a worker may be lost at that moment, and the worker then waits for another master.
end_cluster() {
    local name

    send TERM master
    ended master
    for name in "$@"; do
        kill -TERM "${pids[worker:$name]}" 2>/dev/null || true
        ended "worker:$name"
    done
}

# gone PID...: waits until processes of which no log says so are gone. What one of them was writing when it was killed
# is left.
gone() {
    local pid

    helper await_exit "$@"
    for pid in "$@"; do
        note gone "pid=$pid"
        rm -f "$shared"/jobs/*/checkpoint."$pid".tmp
    done
}

# trainers NAME: the processes that a worker's trainers are by now, in the order of their GPUs.
trainers() {
    sed -n 's/.* event=trainer-started .* gpu=\([0-9]*\) .*pid=\([0-9]*\).*/\1 \2/p' \
        "$logs/${1//:/-}.log" | awk '{ pid[$1] = $2 } END { for (gpu in pid) print gpu, pid[gpu] }' |
        sort -n | cut -d ' ' -f 2
}

# ---- the usual processes ----

# With a network there are keys, and the master listens to it.
start_master() { # NODES OPTIONS...
    local nodes=$1

    shift
    [ ! -e "$keys" ] || set -- --listen="$master_address" --keys="$keys" "$@"
    start master "$bin/master" -p 6888 -n "$nodes" --heartbeat="$heartbeat" --lease="$lease" --once "$@"
}

# start_worker NAME GPUS OPTIONS...: on the node of that name if there is one, else on this machine.
start_worker() {
    local name=$1 gpus=$2 at=() address=127.0.0.1 master=127.0.0.1

    shift 2
    if [ -e "$keys/$name.key" ]; then
        at=(ip netns exec "$name")
        address=$(address_of "$name")
        master=$master_address
        set -- --keys="$keys" "$@"
    fi
    start "worker:$name" "${at[@]}" "$bin/worker" -i "$master" -P 6888 -p 9000 -n "$gpus" -r "$shared" \
        --name="$name" --address="$address" --emulate "$@"
}

start_scheduler() { # CLUSTER TRACE POLICY OPTIONS...
    local cluster=$1 trace=$2 policy=$3

    shift 3
    [ ! -e "$keys" ] || set -- --master="$master_address:6888" --keys="$keys" "$@"
    start scheduler "$bin/scheduler" --cluster_spec="$cluster" --trace_file="$trace" --schedule="$policy" \
        --log_path="$results" --simulation=False --scheduling_slot=240 --restart_threshold=70 \
        --gpu_type=A100 --record="$records/scheduler.record" "$@"
}

# make_keys ROLE[:NAME]...: the name is the role's without one.
make_keys() {
    local who

    for who in "$@"; do
        "$bin/rubato" keys --folder="$keys" --role="${who%:*}" "${who#*:}" >/dev/null
    done
}

# ---- networks ----

master_address=10.77.255.254

address_of() { # node-7 is 10.77.0.7
    local number=${1#node-}

    echo "10.77.$((number / 250)).$((number % 250 + 1))"
}

# network NODES: node-0 and so on, each in a network of its own, on one switch; the master is here. All get keys.
network() {
    local i node

    make_keys master scheduler
    for ((i = 0; i < $1; i++)); do
        echo "node-$i"
    done | xargs "$bin/rubato" keys --folder="$keys" >/dev/null

    ip link add switch type bridge
    ip addr add "$master_address/16" dev switch
    ip link set switch up
    for ((i = 0; i < $1; i++)); do
        node=node-$i
        ip netns add "$node"
        ip link add "port-$i" type veth peer name eth0 netns "$node"
        ip link set "port-$i" master switch up
        ip -n "$node" link set lo up
        ip -n "$node" addr add "$(address_of "$node")/16" dev eth0
        ip -n "$node" link set eth0 up
    done
}

# cut_off NODE [in|out|both]: what comes to it, leaves it, or both is dropped without a word, as behind a dead switch.
cut_off() {
    local node=$1 which=${2:-both}

    note cut "name=$node" "which=$which"
    ip netns exec "$node" nft add table inet cut
    if [ "$which" != out ]; then
        ip netns exec "$node" nft 'add chain inet cut in { type filter hook input priority 0; }'
        ip netns exec "$node" nft add rule inet cut in iifname eth0 drop
    fi
    if [ "$which" != in ]; then
        ip netns exec "$node" nft 'add chain inet cut out { type filter hook output priority 0; }'
        ip netns exec "$node" nft add rule inet cut out oifname eth0 drop
    fi
}

heal() { # NODE
    ip netns exec "$1" nft delete table inet cut
    note healed "name=$1"
}

# ---- the end ----

nothing_is_left() {
    local stat pid rest name nets net

    for stat in /proc/[0-9]*/stat; do
        pid=${stat#/proc/}
        pid=${pid%/stat}
        [ "$pid" -ne $$ ] && [ "$pid" -ne "$BASHPID" ] && [ -e "$stat" ] || continue
        read -r rest <"$stat" || continue
        case ${rest##*) } in
        Z*) ;;
        *) # One that has been killed is there until it gets a processor.
            name=$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" || true)
            helper await_exit --deadline="$dies_within" "$pid" || fail "process $pid is left: $name"
            ;;
        esac
    done
    nets=("$(cat /proc/net/unix)")
    for net in $(ip netns list | cut -d ' ' -f 1); do
        nets+=("$(ip netns exec "$net" cat /proc/net/unix)")
    done
    if printf '%s\n' "${nets[@]}" | grep '@'; then
        fail "a socket is left"
    fi
    if find "$shared" -path "$shared/jobs/*" ! -type d ! -name checkpoint ! -name checkpoint.pt | grep .; then
        fail "a file is left among the checkpoints"
    fi
}

# judge [OPTIONS of testbed_check]: of all that was logged, and of what is left.
judge() {
    nothing_is_left
    records_hold
    "$tests/testbed_check" "$@" "$logs" ||
        fail "the judge has found something"
    passed=yes
}

# Every record that the test left is decided again.
records_hold() {
    local record

    for record in "$records"/*.record; do
        [ ! -e "$record" ] || "$bin/rubato" replay "$record" || fail "$record is decided otherwise"
    done
}

# same_results FOLDER: those of the testbed are byte for byte those of the simulation there.
same_results() {
    local file

    for file in jobs.csv rounds.csv outcomes.csv; do
        cmp "$results/$file" "$1/$file" || fail "$file is not that of the simulation"
    done
}
