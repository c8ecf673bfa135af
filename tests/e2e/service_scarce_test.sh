#!/usr/bin/env bash
# service_scarce_test.sh - processes, and then memory, are taken from daemons that run. Without processes a worker starts no
# trainer and a service answers no question, which both say; all goes on when they are given back. Without memory a
# service ends with a word about it, and one that is started in its place has all that was acknowledged.
source tests/e2e/service.sh

command -v prlimit >/dev/null || exit 77
[ -z "${RUBATO_SANITIZED:-}" ] || exit 77 # sanitizers take terabytes of addresses

# Groups of processes that may have so many: of version 1 or 2, where they may be made.
for groups in /sys/fs/cgroup/pids /sys/fs/cgroup ""; do
    group=$groups/rubato-test-$(basename "$work")
    [ -n "$groups" ] && mkdir "$group" 2>/dev/null && [ -e "$group/pids.max" ] && break
    rmdir "$group" 2>/dev/null || true
done
[ -n "$groups" ] || exit 77

# A process is in its group until it is gone, and one that ends cannot be moved; one that was just made is moved next time.
no_group() {
    local pid until=$((SECONDS + 600))

    while [ -d "$group" ] && ! rmdir "$group" 2>/dev/null; do
        [ $SECONDS -lt $until ] || fail "$group is not left by: $(paste -sd ' ' "$group/cgroup.procs")"
        while read -r pid; do
            echo "$pid" >"$groups/cgroup.procs" || true
        done <"$group/cgroup.procs"
    done
}
trap 'finish_test; no_group' EXIT

# no_processes NAME: it may make none; give_back: it may again.
no_processes() {
    echo 0 >"$group/pids.max"
    echo "${pids[$1]}" >"$group/cgroup.procs"
}

give_back() {
    echo max >"$group/pids.max"
    no_group
    mkdir "$group"
}

begin() {
    start scheduler "$bin/scheduler" --serve --state="$state" --runs="$shared" --cluster_spec="$cluster" \
        --schedule=rubato --gpu_type=A100 --scheduling_slot=0 --time_scale=60
}

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start worker:a "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 8 -r "$shared" --name=a --address=127.0.0.1 \
    --emulate --checkpoint-interval=30
begin
served
await scheduler 'cause="node 0 joined' >/dev/null
submit 0 --iterations=30000 --max-gpus=1 --deadline=+10h --promise-or-decline
await worker:a 'trainer:a.* event=checkpoint job=1 .* step=[1-9]' >/dev/null

# A worker without processes: its trainer is killed, and no other one can be started.
no_processes worker:a
gpu=$(sed -n 's/.* trainer:a.\([0-9]*\) event=hold job=1 .*/\1/p' "$logs/worker-a.log" | tail -n 1)
trainer=$(trainers worker:a | sed -n "$((gpu + 1))p")
send KILL "$trainer"
await worker:a "event=trainer-not-started .* gpu=$gpu .*cause=\".*Resource temporarily unavailable" >/dev/null
give_back
after=$(lines worker:a)
await worker:a "event=trainer-started .* gpu=$gpu " --after="$((after - after))" --matches=2 >/dev/null

# A service without processes: questions are put to copies of it.
no_processes scheduler
client 1 quote --model=resnet50_cifar10 --batch-size=256 --iterations=50000
grep 'Resource temporarily unavailable' "$work/answer" || fail "the cause is not told: $(cat "$work/answer")"
submit 0 --held
give_back
client 0 quote --model=resnet50_cifar10 --batch-size=256 --iterations=50000
client 0 wait 1

# A service without memory.
taken=2
text=$(printf '%04096d' 0) # that the service keeps
bytes=$(($(awk '/^VmSize/ { print $2 }' "/proc/${pids[scheduler]}/status") * 1024))
prlimit --as="$bytes:" --pid "${pids[scheduler]}"
# A service that is slow to answer is asked again.
while kill -0 "${pids[scheduler]}" 2>/dev/null; do
    if "$bin/rubato" submit --model=bert --batch-size=64 --iterations=10 --held --key="key-$taken" --timeout=5 \
        -- true "$text" "$text" "$text" "$text" >"$work/answer" 2>&1; then
        taken=$((taken + 1))
        [ $taken -lt 100000 ] || fail "memory does not end"
    elif grep "nothing was done" "$work/answer"; then
        break
    fi
done
if grep "nothing was done" "$work/answer"; then # it noticed before anything was begun
    prlimit --as=unlimited: --pid "${pids[scheduler]}"
else
    note signal "pid=${pids[scheduler]}" signal=9 # for the judge: that it ends is this test's doing
    ended scheduler 71
    grep 'scheduler.*: out of memory$' "$logs/scheduler.log" || fail "the cause is not told"
    begin
    served --matches=2
fi
client 0 list --state=all --json --limit=1
total=$(field total)
[ "$total" -eq $taken ] || [ "$total" -eq $((taken + 1)) ] || fail "of $taken jobs there are $total"
submit 0 --iterations=3000 --max-gpus=1 --deadline=+10h --promise-or-decline --json
client 0 wait "$(field job)"
end_service
ended worker:a
judge
