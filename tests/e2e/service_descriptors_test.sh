#!/usr/bin/env bash
# service_descriptors_test.sh - at most 256 files may be open, and another user holds hundreds of connections to service,
# master or worker, and says nothing: none of them ends, their own files are written, and others are answered meanwhile and
# afterwards. A limit that is too low is told at the start.
if [ -z "${E2E_SANDBOX:-}" ] && [ "$(id -u)" = 0 ] && unshare --net --mount --pid --fork true; then
    E2E_SANDBOX=1 exec unshare --net --mount --pid --fork --kill-child --mount-proc bash "$0" "$@" # with other users in it
fi
source tests/e2e/service.sh

other=$(id -u nobody)
[ "$(sed -n '$=' /proc/self/uid_map)" = 1 ] && awk '{ exit $3 < 60000 }' /proc/self/uid_map || other=0
chmod 711 "$work"
mkdir -m 755 "$work/socket" "$work/bin"
cp "$bin/rubato" "$work/bin" # where each user finds it
export RUBATO_SOCKET=$work/socket/rubato.sock

start_few() { # NAME COMMAND...: with few files
    # shellcheck disable=SC2016
    start "$1" bash -c 'ulimit -n 256 && exec "$@"' few "${@:2}"
}

make_keys master worker:a scheduler submit:sue

# silent NAME WORDS ADDRESS COUNT...: holds connections in the background.
declare -A silent=()
silent() {
    mkfifo "$work/full"
    "$tests/silent_connections" "$4" "$2" "$3" "${@:5}" >"$work/full" &
    silent[$1]=$!
    read -r _ <"$work/full"
    rm "$work/full"
}

quiet() { # NAME...: gives up its connections
    local name

    for name in "$@"; do
        kill "${silent[$name]}"
        wait "${silent[$name]}" || true
    done
}

job=(--model=bert --batch-size=64 --iterations=10)
answered() { # others are, and what they ask for is kept
    client 0 submit "${job[@]}" --json
    client 0 show "$(field job)"
    if [ "$other" != 0 ]; then # a third user, who is not trusted either
        setpriv --reuid=$((other - 2)) --clear-groups "$work/bin/rubato" submit --timeout=600 "${job[@]}" \
            >"$work/answer" 2>&1 || fail "a third user is not answered: $(cat "$work/answer")"
    fi
    client 0 submit "${job[@]}" --service=127.0.0.1:7000 --keys="$keys" --as=sue
    client 0 list --service=127.0.0.1:7000 --keys="$keys" --as=sue
    "$bin/rubato" state backup "$state" >"$work/answer" 2>&1 || fail "no backup: $(cat "$work/answer")"
}

start_few master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease" --keys="$keys"
start_few worker:a "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 8 -r "$shared" --name=a --keys="$keys" \
    --address=127.0.0.1 --emulate --stable-after=0.1
start_few scheduler "$bin/scheduler" --serve --state="$state" --runs="$shared" --cluster_spec="$cluster" \
    --schedule=fifo --gpu_type=A100 --socket="$RUBATO_SOCKET" --keys="$keys" --listen=127.0.0.1:7000 \
    --master=127.0.0.1:6888
served
await scheduler 'cause="node 0 joined' >/dev/null
answered

of_worker=$(awk '$NF ~ /^@rubato-worker-/ { print $NF; exit }' /proc/net/unix)
for words in nothing greeting handshake; do
    silent socket $words "$RUBATO_SOCKET" 300 "$other"
    silent third $words "$RUBATO_SOCKET" 300 $((other == 0 ? 0 : other - 1))
    answered
    silent port $words 127.0.0.1:7000 300 "$other"
    silent master $words 127.0.0.1:6888 300 "$other"
    silent worker $words "$of_worker" 300 "$other"
    answered
    quiet socket third port master worker
done
answered

for end in scheduler master worker:a; do
    kill -0 "${pids[$end]}" || fail "$end is gone"
done
client 0 wait 1 2
end_service
ended worker:a

# Too few to serve with.
status=0
(ulimit -n 64 && exec "$bin/scheduler" --serve --state="$state" --cluster_spec="$cluster" --schedule=fifo --gpu_type=A100) \
    >"$work/answer" 2>&1 || status=$?
[ $status -eq 2 ] || fail "a scheduler with 64 files ended with $status: $(cat "$work/answer")"
grep -q '128 files are to be open at once, and at most 64 may be (ulimit -n)' "$work/answer" ||
    fail "the limit is not told: $(cat "$work/answer")"
passed=yes
