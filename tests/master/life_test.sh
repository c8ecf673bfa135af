# life_test.sh - how a master comes and goes: which peers are refused, what a signal and --once do, and that no process is left.
source "$(dirname "$0")/masters.sh"

# start_master OPTIONS...: $master is its process, $port where it listens.
start_master() {
    : >master.err
    "$bin/master" -p 0 "$@" >master.out 2>master.err </dev/null &
    master=$!
    pids+=("$master")
    await "event=up" master.err "$master"
    port=$(sed -n 's/.*endpoint=tcp:\/\/127.0.0.1:\([0-9]*\).*/\1/p' master.err)
}

# start_worker NAME GPUS: $worker is its process.
start_worker() {
    : >"$1.err"
    "$bin/worker" -P "$port" -p 9100 -n "$2" -r run --name "$1" --emulate >"$1.out" 2>"$1.err" </dev/null &
    worker=$!
    pids+=("$worker")
}

start_scheduler() {
    : >scheduler.err
    "$bin/scheduler" --cluster_spec="$source_folder/cluster_specs/n1g8.csv" --scheme=elastic --schedule=edf \
        --trace_file="$source_folder/traces/functionality_10jobs.csv" --log_path="$work/log" --simulation=False \
        --scheduling_slot=240 --gpu_type=A100 --master="127.0.0.1:$port" "$@" >scheduler.out 2>scheduler.err \
        </dev/null &
    scheduler=$!
    pids+=("$scheduler")
}

# ends WANTED PID: with that exit status.
ends() {
    local status=0

    wait "$2" || status=$?
    [ $status = "$1" ] || fail "exit status $status, expected $1"
    checks=$((checks + 1))
}

# A worker comes back as the same node, with the GPUs that it has by then; a second one of its name is refused.
start_master -n 1
start_worker a 8
await "event=worker-up .* node=0 .*name=a gpus=8" master.err "$master"
first=$worker
start_worker b 8
await "event=worker-up .* node=1 .*name=b gpus=8" master.err "$master"
"$bin/worker" -P "$port" -n 8 -r run --name a --emulate >/dev/null 2>again.err </dev/null &
again=$!
pids+=("$again")
await 'event=refused .*peer=a cause="worker .*a.* is there already"' master.err "$master"
kill "$again"
wait "$again" || true
kill "$first"
ends 0 "$first"
await "event=worker-down .* node=0 .*goodbye" master.err "$master"
"$bin/worker" -P "$port" -n 4 -r run --name a --emulate >/dev/null 2>other.err </dev/null &
other=$!
pids+=("$other")
await "event=worker-up .* node=0 .*name=a gpus=4" master.err "$master"
kill "$other"
ends 0 "$other"
start_worker a 8
until [ "$(grep -c 'event=worker-up .* node=0 ' master.err)" = 3 ]; do
    kill -0 "$master" || fail "the master is gone"
    read -rt 0.01 <> <(:) || true
done

# A second scheduler is refused while the first is there; SIGTERM ends all workers with what they run, then the master.
start_scheduler --fastforward=False --time_scale=1
await "event=begin " master.err "$master"
first=$scheduler
start_scheduler --name=second
await 'event=refused .*peer=second cause="there is a scheduler already, .*"' master.err "$master"
ends 2 "$scheduler"
kill "$master"
ends 0 "$master"
ends 0 "$worker"
kill "$first" || true
wait "$first" || true
[ "$(grep -c event=gpu-given master.err)" = "$(grep -c event=gpu-freed master.err)" ] || fail "GPUs are left"
! grep -q "event=retry" master.err || fail "a job that was stopped is tried again"
ls run/jobs/*/checkpoint >/dev/null || fail "nothing was saved"
tail -n 1 master.err | grep -q "event=down" || fail "the master says no goodbye"

# --once: the master and its workers end with the scheduler.
start_master -n 1 --once
start_worker a 8
start_scheduler
ends 0 "$scheduler"
ends 0 "$master"
ends 0 "$worker"
grep -q "why=\"the scheduler has gone\"" master.err || fail "another end"

# A scheduler that is killed is waited for, but not for ever.
start_master -n 1 --once --heartbeat 1 --lease 10
start_worker a 8
start_scheduler --fastforward=False --time_scale=1
await "event=begin " master.err "$master"
kill -KILL "$scheduler"
wait "$scheduler" 2>/dev/null || true
await "event=scheduler-down" master.err "$master"
ends 0 "$master"
ends 0 "$worker"

# The address may be in use.
start_master -n 1
status=0
"$bin/master" -p "$port" 2>busy.err || status=$?
[ $status = 2 ] || fail "two masters on one port"
grep -q "tcp://127.0.0.1:$port: cannot listen there" busy.err || fail "$(cat busy.err)"
kill "$master"
ends 0 "$master"

[ "$checks" -ge 11 ] || fail "only $checks checks"
echo "$checks checks"
