#!/usr/bin/env bash
# service_soak_test.sh [FAULTS|MINUTESm] - a service with eight nodes of eight emulated GPUs gets jobs, some of which are
# cancelled, while one process after the other is killed or stopped at random (RUBATO_SEED). In the second half master
# and scheduler are left alone: their memory and descriptors must not grow. At the end no job that was acknowledged is
# missing, all end, and the judge reads the logs.
source tests/e2e/service.sh

# Memory that was given back counts as memory that is held while a sanitizer keeps it aside.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1
extent=${1:-6}
RANDOM=${RUBATO_SEED:-1}
lease=60
nodes=8
jobs=0
faults=0
sed 's/^\([^,]*\),1,/\1,'$nodes',/; $ s/.*/1,'$nodes',8,96,512/' "$cluster" >"$work/cluster.csv"
cluster=$work/cluster.csv

# portion PERCENT: whether so much of the run is over.
portion() {
    case $extent in
    *m) [ $((SECONDS * 100)) -ge $((${extent%m} * 60 * $1)) ] ;;
    *) [ $((faults * 100)) -ge $((extent * $1)) ] ;;
    esac
}

begin_master() {
    start master "$bin/master" -p 6888 -n $nodes --heartbeat="$heartbeat" --lease="$lease"
}

begin_scheduler() {
    start_service --schedule=rubato --scheduling_slot=0 --time_scale=60
}

# ---- what comes in ----

submit_one() {
    local deadlines=(none +2h +5h +20h) status=0

    rubato submit --model=resnet50_cifar10 --batch-size=256 --iterations=$((RANDOM * 2 + 2000)) \
        --max-gpus=$((1 << RANDOM % 4)) --deadline="${deadlines[RANDOM % 4]}" --key="job-$((jobs + 1))" >"$work/answer" 2>&1 ||
        status=$?
    [ $status -eq 0 ] || [ $status -eq 3 ] || fail "a submit ended with $status: $(cat "$work/answer")"
    jobs=$((jobs + 1))
}

cancel_one() {
    rubato cancel $((RANDOM % jobs + 1)) >"$work/answer" 2>&1 || [ $? -eq 1 ] ||
        fail "a cancel failed: $(cat "$work/answer")"
}

# ---- what goes wrong ----

back() { # NODE AFTER: the master has it again.
    await master "event=(vouched|worker-up) .* name=$1( |\$)" --after="$2" >/dev/null
}

a_node() {
    echo "n$((RANDOM % nodes))"
}

kill_worker() {
    local node after orphans

    node=$(a_node)
    after=$(lines master)
    mapfile -t orphans < <(trainers "worker:$node")
    send KILL "worker:$node"
    gone "${orphans[@]}"
    ended "worker:$node" 137
    start_worker "$node" 8 --checkpoint-interval=60
    back "$node" "$after"
}

kill_trainer() {
    local node after pid

    node=$(a_node)
    after=$(lines "worker:$node")
    pid=$(trainers "worker:$node" | sed -n "$((RANDOM % 8 + 1))p")
    send KILL "$pid"
    await "worker:$node" 'event=trainer-started ' --after="$after" >/dev/null
}

stop_worker() {
    local node after

    node=$(a_node)
    after=$(lines master)
    send STOP "worker:$node"
    await master "event=worker-down .* name=$node " --after="$after" >/dev/null
    after=$(lines master)
    send CONT "worker:$node"
    await master "event=worker-up .* name=$node " --after="$after" >/dev/null
}

kill_master() {
    local after

    after=$(lines master)
    send KILL master
    ended master 137
    begin_master
    await master 'event=worker-up ' --after="$after" --matches=$nodes >/dev/null
    await master 'event=scheduler-up ' --after="$after" >/dev/null
}

kill_scheduler() {
    local after

    after=$(lines scheduler)
    send KILL scheduler
    ended scheduler 137
    begin_scheduler
    served --after="$after"
}

one_fault() {
    local kinds=(kill_worker kill_trainer stop_worker kill_trainer)

    portion 50 || kinds+=(kill_master kill_scheduler)
    "${kinds[RANDOM % ${#kinds[@]}]}"
    faults=$((faults + 1))
}

# ---- what must not grow ----

size() { # NAME: KiB and descriptors
    local pid=${pids[$1]}

    echo "$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status") $(find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l)"
}

grown() { # NAME KIB DESCRIPTORS
    local kib descriptors

    read -r kib descriptors < <(size "$1")
    echo "$1: $2 to $kib KiB, $3 to $descriptors descriptors"
    [ "$kib" -le $(($2 * 105 / 100 + 2048)) ] || fail "$1 has grown from $2 to $kib KiB"
    [ "$descriptors" -le $(($3 + 4)) ] || fail "$1 has $descriptors descriptors open instead of $3"
}

begin_master
for ((i = 0; i < nodes; i++)); do
    start_worker "n$i" 8 --checkpoint-interval=60
done
await master 'event=worker-up ' --matches=$nodes >/dev/null
begin_scheduler
served
scheduler_was=
until portion 100; do
    submit_one
    submit_one
    [ $((RANDOM % 3)) -gt 0 ] || cancel_one
    one_fault
    if [ -z "$scheduler_was" ] && portion 65; then
        scheduler_was=$(size scheduler)
        master_was=$(size master)
    fi
done
# shellcheck disable=SC2086
grown scheduler $scheduler_was
# shellcheck disable=SC2086
grown master $master_was

client 0 list --state=all --json --limit=1
[ "$(field total)" -eq $jobs ] || fail "of $jobs jobs there are $(field total)"
for ((job = 1; job <= jobs; job++)); do
    rubato cancel $job >/dev/null 2>&1 || true
done
for ((job = 1; job <= jobs; job++)); do
    rubato wait $job >/dev/null 2>"$work/answer" || [ $? -eq 1 ] || fail "job $job does not end: $(cat "$work/answer")"
done
client 0 list --json
grep -q '"jobs": \[\]' "$work/answer" || fail "a job is not over: $(cat "$work/answer")"
end_service
for ((i = 0; i < nodes; i++)); do
    ended "worker:n$i"
done
echo "$faults faults, $jobs jobs"
judge
