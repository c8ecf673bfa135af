#!/usr/bin/env bash
# service_secrets_test.sh - a whole run with keys: no secret key, and nothing of the environment of a daemon or a client
# that was not asked for, is in logs, state, results, run folder, answers, arguments or environments of processes. What a job
# carries with it is with the job, and in no log of a daemon and no answer to others.
source tests/e2e/service.sh

make_keys master scheduler worker:a read:rita submit:root operate:otto

# A word of each process that is for itself only; the last three are names that change what programs do.
own=(TOKEN_OF_MASTER=4sHmaster TOKEN_OF_WORKER=4sHworker TOKEN_OF_SCHEDULER=4sHscheduler TOKEN_OF_CLIENT=4sHclient
    PYTHONSTARTUP=/4sHpython BASH_ENV=/4sHbash LD_4SH=4sHlinker)
with() { # NUMBER COMMAND...: with that word, and the three
    local number=$1

    shift
    env "${own[number]}" "${own[@]:4}" "$@"
}

as() { # USER VERB...
    local user=$1 verb=$2

    shift 2
    echo "== $user $verb" >>"$work/answers-of-$user"
    with 3 "$bin/rubato" "$verb" --service=127.0.0.1:7000 --keys="$keys" --as="$user" --timeout=600 "$@" \
        >>"$work/answers-of-$user" 2>&1 ||
        [ $? -le 4 ] || fail "rubato $verb of $user: $(tail "$work/answers-of-$user")"
}

begin() { # NUMBER NAME COMMAND...
    local number=$1 name=$2

    shift 2
    start "$name" env "${own[number]}" "${own[@]:4}" "$@" --keys="$keys"
}

begin 0 master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
begin 1 worker:a "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 8 -r "$shared" --name=a --address=127.0.0.1 --emulate \
    --stable-after=0.1
begin 2 scheduler "$bin/scheduler" --serve --state="$state" --runs="$shared" --cluster_spec="$cluster" --schedule=rubato \
    --gpu_type=A100 --scheduling_slot=0 --master=127.0.0.1:6888 --listen=127.0.0.1:7000
served
await scheduler 'cause="node 0 joined' >/dev/null
job=(--model=mine --batch-size=1 --iterations=100000 --rate=1:1 --max-gpus=1 --deadline=+30d --environment=CARRIED=4sHjob)
as root submit "${job[@]}" -- env
as root wait 1
as root submit "${job[@]}" -- sleep 1000
await master 'event=part job=2 .* state=stable' >/dev/null
as root submit --model=bert --batch-size=64 --iterations=100 --deadline=+1m --promise-or-decline
for user in root otto rita; do
    for verb in "list --state=all" "show 1" "show 2" "show 3" "explain 2" status nodes history "logs 1 --follow=false" \
        "whatif --job=2 --deadline=+40d" "quote --model=bert --batch-size=64 --iterations=100"; do
        # shellcheck disable=SC2086
        as $user $verb
        # shellcheck disable=SC2086
        [ "${verb%% *}" = logs ] || as $user $verb --json
    done
done

# What processes were told, and what those below the worker have around them.
for pid in /proc/[0-9]*; do
    tr '\0' '\n' <"$pid/cmdline" >>"$work/arguments" 2>/dev/null || true
done
mapfile -t programs < <(trainers worker:a)
for pid in /proc/[0-9]*; do
    [ "$(cat "$pid/comm" 2>/dev/null)" != sleep ] || programs+=("${pid#/proc/}")
done
[ ${#programs[@]} -eq 9 ] || fail "the program of job 2 is not found: ${programs[*]}"
for pid in "${programs[@]}"; do
    tr '\0' '\n' <"/proc/$pid/environ" >>"$work/environments"
done
as root cancel 2
as root wait 2
send TERM scheduler
ended scheduler

# A run of a trace, for its results.
begin 2 scheduler "$bin/scheduler" --cluster_spec="$cluster" --trace_file=tests/e2e/traces/two_jobs.csv --schedule=fifo \
    --log_path="$results" --simulation=False --scheduling_slot=240 --restart_threshold=70 --gpu_type=A100 \
    --master=127.0.0.1:6888 --record="$records/scheduler.record"
ended scheduler
end_cluster a

# found WORD PLACE...: whether a file there has it, whatever kind of file it is.
found() {
    grep -raFe "$@"
}

everywhere=("$logs" "$state" "$results" "$records" "$shared" "$work/arguments" "$work/environments" "$work"/answers-of-*)
count=0
for file in "$keys"/*.key; do
    secret=$(sed -n 's/^secret //p' "$file")
    [ ${#secret} -eq 40 ] || fail "no secret in $file"
    found "$secret" "$keys" >/dev/null || fail "nothing is ever found"
    ! found "$secret" "${everywhere[@]}" || fail "the secret of $file is told"
    count=$((count + 1))
done
[ $count -eq 6 ] || fail "there are $count secret keys"
for word in "${own[@]}"; do
    ! found "${word#*=}" "${everywhere[@]}" || fail "$word is told"
done
found 4sHjob "$shared/logs" "$work/environments" "$state" "$work/answers-of-root" >/dev/null || fail "the job does not carry it"
for place in "$shared/logs" "$work/environments" "$work/answers-of-root"; do
    found CARRIED=4sHjob "$place" >/dev/null || fail "what the job carries is not in $place"
done
! found 4sHjob "$logs" "$results" "$records" "$work/answers-of-rita" || fail "what a job carries is told"
[ "$(grep -c 4sHjob "$work/arguments")" -eq 0 ] || fail "what a job carries is among the arguments"
judge
