#!/usr/bin/env bash
# service_limits_test.sh - what one user may have at most: jobs that are not over, also across a restart; those who
# operate have no such limit.
source tests/e2e/service.sh

for role in master:master scheduler:scheduler submit:sam submit:sue operate:otto; do
    "$bin/rubato" keys --folder="$keys" --role="${role%:*}" "${role#*:}" >/dev/null
done
start_service --user_jobs=3
served

job=(--model=bert --batch-size=64 --iterations=100)
refused="user sam has 3 jobs that wait, are held or run, and may have no more: wait until some are over, or cancel some"
expect_refusal() {
    as 4 sam submit "${job[@]}"
    grep -q "$refused" "$work/answer" || fail "it does not say what to do: $(cat "$work/answer")"
}

as 0 sam submit "${job[@]}" --key=first
as 0 sam submit "${job[@]}" --held
as 0 sam submit "${job[@]}"
expect_refusal
as 0 sam submit "${job[@]}" --key=first # the same job again
as 0 sue submit "${job[@]}"
for _ in 1 2 3 4 5; do
    as 0 otto submit "${job[@]}"
done
as 0 sam cancel 2
as 0 sam submit "${job[@]}"
expect_refusal

send TERM scheduler
ended scheduler
before=$(lines scheduler)
start_service --user_jobs=3
served --after="$before"
expect_refusal
as 0 sam cancel 1
as 0 sam submit "${job[@]}"

send TERM scheduler
ended scheduler
passed=yes
