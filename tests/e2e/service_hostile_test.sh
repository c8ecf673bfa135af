#!/usr/bin/env bash
# service_hostile_test.sh - one key floods the service, asks for what is costly, sends a megabyte of nonsense and reads no
# answers: all that another user asks meanwhile is answered, and the hostile sessions end.
source tests/e2e/service.sh

for role in master:master scheduler:scheduler submit:mallory submit:sue operate:otto; do
    "$bin/rubato" keys --folder="$keys" --role="${role%:*}" "${role#*:}" >/dev/null
done
start_service --user_jobs=20
served
"$tests/hostile_client" --service=127.0.0.1:7000 --keys="$keys" --as=mallory >"$work/hostile" &
hostile=$!

ask_some() {
    as 0 sue submit --model=bert --batch-size=64 --iterations=100 --json
    job=$(field job)
    as 0 sue show "$job"
    as 0 sue status
    as 0 sue list
    as 0 sue cancel "$job"
}

until grep -q lost= "$work/hostile"; do
    ask_some
done
for _ in 1 2 3 4 5; do
    ask_some
done
kill "$hostile"
wait "$hostile" || fail "the hostile client ended otherwise than it was told: $(cat "$work/hostile")"
as 0 otto list --user=mallory --json
[ "$(grep -c '"user": "mallory"' "$work/answer")" -le 20 ] || fail "it has more jobs than it may have"

send TERM scheduler
ended scheduler
passed=yes
