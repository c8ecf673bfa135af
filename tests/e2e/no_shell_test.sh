#!/usr/bin/env bash
# no_shell_test.sh - which programs a run starts, by the kernel's word: ours and the user's, with arguments as they were
# given, whatever a shell would make of them.
source tests/e2e/testbed.sh

[ -z "${RUBATO_SANITIZED:-}" ] || exit 77 # leaks are not found under strace

traced() { # NAME COMMAND...: as `start`, with a record of what it executes
    start "$1" strace --follow-forks --output-separately --daemonize=pgroup --output="$logs/${1//:/-}.execve" --trace=execve,execveat \
        --string-limit=1000 "${@:2}"
}

strace --trace=none true 2>"$work/strace" || { cat "$work/strace" && exit 77; }
odd=';$(id) `id` | & '"'\$HOME' *?<>"
shared=$work/run$odd
mkdir "$shared"
printf '%s\n' "$tests/stubborn" 1 '{iterations}' "$odd" '{model};$(id)' '{checkpoint_dir}' >"$work/program"
traced master "$bin/master" -p 6888 -n 1 --heartbeat=$heartbeat --lease=$lease --once
traced worker:a "$bin/worker" -i 127.0.0.1 -P 6888 -n 4 -r "$shared" --name=a --emulate --workload=command \
    --program="$work/program" --stable-after=0.5
traced scheduler "$bin/scheduler" --cluster_spec=cluster_specs/n1g4.csv --simulation=False \
    --trace_file=tests/e2e/traces/two_jobs.csv --schedule=fifo --fastforward=False --time_scale=60 \
    --log_path="$results"
ended scheduler
ended worker:a
ended master
{ grep -l '^strace$' /proc/[0-9]*/comm || true; } | cut -d / -f 3 | xargs -r "$tests/await_exit"

executed=$(sed -n 's/^execve("\([^"]*\)".* = 0$/\1/p' "$logs"/*.execve.* | sort -u)
echo "$executed"
for program in $executed; do
    case $(realpath --relative-to="$bin" "$program") in
    master | worker | trainer | scheduler | scheduler-live | ../tests/stubborn) ;;
    *) fail "$program was started" ;;
    esac
done
[ "$(grep -cF 'stubborn' <<<"$executed")" -eq 1 ] || fail "the user's program was not started"
grep -F "\"$odd\", \"resnet50;\$(id)\", \"$shared/jobs/" "$logs"/*.execve.* >/dev/null ||
    fail "what a shell would interpret did not arrive as it was given"
judge
