# users_test.sh - master and workers of different users: which of them speak with each other without keys, and that a
# master that root starts is another user for good.
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
    echo "only root can be another user"
    exit 77
fi
source "$(dirname "$0")/masters.sh"
cp -r "$bin" "$work/bin" # where every user finds them
chmod 755 "$work"
mkdir "$work/run"
chmod 777 "$work/run"

# start_master OPTIONS...: $master is its process, $port where it listens.
start_master() {
    : >master.err
    bin/master -p 0 --heartbeat 1 --lease 3 "$@" >/dev/null 2>master.err </dev/null &
    master=$!
    pids+=("$master")
    await "event=up" master.err "$master"
    port=$(sed -n 's/.*endpoint=tcp:\/\/127.0.0.1:\([0-9]*\).*/\1/p' master.err)
}

# start_worker NAME COMMAND...: its process is $worker; the command becomes who runs it.
start_worker() {
    local name=$1

    shift
    : >"$name.err"
    "$@" bin/worker -P "$port" -p 9100 -n 1 -r run --name "$name" --emulate >/dev/null 2>"$name.err" </dev/null &
    worker=$!
    pids+=("$worker")
}

as_nobody=(setpriv --reuid nobody --regid nogroup --clear-groups)

# end PID: as by a user, and waited for.
end() {
    kill "$1"
    wait "$1" || true
}

# refused WORDS COMMAND...: exit status 2 and one sentence with the words.
refused() {
    local words=$1 status=0

    shift
    "$@" >/dev/null 2>refused.err </dev/null || status=$?
    [ $status = 2 ] || fail "exit status $status, expected 2, of $*"
    grep -qF -e "$words" refused.err || fail "$* does not say: $words"
    checks=$((checks + 1))
}

# Root's master, which says that it is one, takes root's workers only.
start_master
await "event=as-root .*--user=NAME" master.err "$master"
start_worker other "${as_nobody[@]}"
await "event=refused .*peer=other cause=\"uid $(id -u nobody): only user root may connect without keys\"" \
    master.err "$master"
await "only user root may connect without keys" other.err "$worker"
end "$worker"
start_worker same
await "event=worker-up .*name=same" master.err "$master"
end "$worker"
end "$master"

# One that gave root up takes workers of its user, and root's workers do not take it.
start_master --user nobody
! grep -q event=as-root master.err || fail "it is still root"
u=$(id -u nobody)
g=$(id -g nobody)
[ "$(awk '/^[UG]id:/ { print $2, $3, $4, $5 }' "/proc/$master/status")" = "$u $u $u $u"$'\n'"$g $g $g $g" ] ||
    fail "it has users or groups of root: $(grep -E '^[UG]id' "/proc/$master/status")"
grep -q "^NoNewPrivs:.*1" "/proc/$master/status" || fail "its programs may become root"
start_worker root
await "it is a process of another user, and has no keys" root.err "$worker"
! grep -q "name=root" master.err || fail "it said hello"
end "$worker"
start_worker nobodys "${as_nobody[@]}"
await "event=worker-up .*name=nobodys" master.err "$master"
end "$worker"
end "$master"

# What that user cannot read is named.
bin/rubato keys --folder keys --role master >/dev/null
refused "--keys: user nobody cannot read keys: Permission denied" bin/master -p 0 --user nobody --keys keys
refused "--keys: user nobody cannot read keys: Permission denied" \
    bin/scheduler --simulation=False --trace_file=none --user nobody --keys keys
refused '--user: there is no user "no-such-user"' bin/master -p 0 --user no-such-user
refused '--user: "root" is root' bin/master -p 0 --user root
refused '--user: only root can become "daemon"' "${as_nobody[@]}" bin/master -p 0 --user daemon

[ $checks = 5 ] || fail "$checks checks, expected 5"
