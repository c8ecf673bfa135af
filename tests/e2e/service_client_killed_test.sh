#!/usr/bin/env bash
# service_client_killed_test.sh - a client that submits a job is killed at each of its calls of the kernel that move
# bytes; another one with the same key then gets the one job that there is.
source tests/e2e/service.sh

[ -z "${RUBATO_SANITIZED:-}" ] || exit 77 # leaks are not found under strace
strace --trace=none true 2>"$work/strace" || { cat "$work/strace" && exit 77; }

calls=write,sendto,sendmsg,read,recvfrom,recvmsg
job=(--model=bert --batch-size=64 --iterations=10 --held --timeout=600 --json)
start_service
served

# submit_killed KEY NTH: whether it was killed at the NTH of these calls of one of its threads.
submit_killed() {
    ! { strace --follow-forks --quiet=all --output="$work/calls" --trace="$calls" --inject="$calls:signal=KILL:when=$2" \
        "$bin/rubato" submit "${job[@]}" --key="$1" >"$work/answer"; } 2>"$work/killed"
}

killed=0
for ((nth = 1; nth <= 200; nth++)); do
    submit_killed "key-$nth" "$nth" || break
    killed=$nth
    client 0 submit "${job[@]}" --key="key-$nth"
    [ "$(field job)" -eq "$nth" ] || fail "killed at call $nth: the job after $((nth - 1)) has the number $(field job)"
done
[[ $killed -ge 8 && $killed -lt 200 ]] || fail "it was killed at $killed places"
client 0 list --json --limit=1000
[ "$(field total)" -eq $nth ] || fail "of $nth jobs there are $(field total)"
echo "killed at $killed calls"
send TERM scheduler
ended scheduler
passed=yes
