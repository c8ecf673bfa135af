#!/usr/bin/env bash
# service_hold_test.sh - a quote that is held: its deadline is promised to the job that takes the quote, whatever others submit meanwhile and over a kill
# of the service; it lapses, or is given back, and what was held is free again; only its user takes it, with a job that is no heavier and not due earlier.
source tests/e2e/service.sh

make_keys master scheduler worker:a submit:sam submit:sue operate:otto read:rita
options=(--time_scale=100 --schedule=rubato --scheduling_slot=0 --user_quotes=2 --quote_hold=400)
start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease" --keys="$keys"
start worker:a "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 8 -r "$shared" --name=a --address=127.0.0.1 --emulate --keys="$keys"
start_service "${options[@]}"
served
await scheduler 'cause="node 0 joined' >/dev/null

says() {
    grep -q -- "$1" "$work/answer" || fail "it does not say \"$1\": $(cat "$work/answer")"
}

# ends_as STATE QUOTE: waits until it does.
ends_as() {
    for _ in {1..6000}; do
        as 0 sam show "$2" --json
        [ "$(field state)" != "$1" ] || return 0
        sleep 0.1
    done
    fail "quote $2 never is $1: $(cat "$work/answer")"
}

# The next start decides what was told again, as it was decided.
kill_service() {
    send KILL scheduler
    ended scheduler 137
    start_service "${options[@]}"
    served
}

# All GPUs for 20,000 s: two of them do not end within 30,000 s.
job=(--model=bert --batch-size=64 --iterations=200000 --rate=8:10 --min-gpus=8)

# One that lapses, and one that is given back: meanwhile there is no room for another such job, and then there is.
for end in lapsed given; do
    seconds=$([ $end = lapsed ] && echo 1 || echo 30)
    as 0 sam quote "${job[@]}" --deadline=+30000s --hold="$seconds" --json
    quote=$(field job)
    deadline=$(until_time "$(field promised_until)")
    [ "$(field verdict)" = promised ] && [ "$(field held_until)" -gt 0 ] || fail "it is not held: $(cat "$work/answer")"
    if [ $end = given ]; then
        as 3 sue submit "${job[@]}" --deadline="$deadline" --promise-or-decline
        as 0 sam list
        says "^ *$quote .*quoted"
        as 4 sue cancel "$quote"
        as 0 sam cancel "$quote"
    fi
    ends_as lapsed "$quote"
    as 0 sue submit "${job[@]}" --deadline="$deadline" --promise-or-decline --json
    [ "$(field verdict)" = promised ] || fail "what was held is not free: $(cat "$work/answer")"
    as 0 sue cancel "$(field job)"
    as 1 sam submit --hold="$quote"
    says "quote $quote is over"
done
as 0 sam list --state=all
! grep -q lapsed "$work/answer" || fail "a quote that lapsed is listed among the jobs: $(cat "$work/answer")"
as 0 sam list --state=lapsed
says "^ *$quote .*lapsed"
as 0 sam promises --json
[ "$(sed -n 's/^    "promised": \([0-9]*\),$/\1/p' "$work/answer" | head -1)" -eq 2 ] || fail "a quote counts as a promise: $(cat "$work/answer")"

# One beside a burst of other jobs, and a kill.
held=(--model=bert --batch-size=64 --iterations=4000 --rate=1:2 --rate=2:4 --rate=4:8 --max-gpus=4)
as 0 sam quote "${held[@]}" --hold=300 --json
quote=$(field job)
promised=$(field promised_until)
until=$(field held_until)
for ((i = 0; i < 12; i++)); do
    user=$([ $((i % 3)) -eq 0 ] && echo sam || echo sue)
    rubato submit --service=127.0.0.1:7000 --keys="$keys" --as=$user --model=bert --batch-size=64 --iterations=$((2000 + 100 * i)) --rate=4:8 --min-gpus=4 \
        --deadline=$([ $((i % 2)) -eq 0 ] && echo earliest || echo none) >/dev/null
done
kill_service
as 0 sam show "$quote" --json
[ "$(field state)" = quoted ] && [ "$(field promised_until)" -eq "$promised" ] && [ "$(field held_until)" -eq "$until" ] ||
    fail "the quote does not stand as before the kill: $(cat "$work/answer")"

# Whose it is, and for what.
as 4 sue submit --hold="$quote"
says "quote $quote is held for user sam"
as 4 otto submit --hold="$quote"
as 2 sam submit --hold="$quote" --iterations=4001
says 'field "iterations": more than those of quote'
as 2 sam submit --hold="$quote" --min-gpus=8
says 'field "gpus_min": it has to be that of quote'
as 2 sam submit --hold="$quote" --rate=1:3
says 'field "rates": it has to be that of quote'
as 2 sam submit --hold="$quote" --deadline="$(until_time $((promised - 1)))"
says 'field "deadline": earlier than that of quote'
as 2 sam submit --hold="$quote" --confidence=99
says 'field "confidence": higher than that of quote'
as 2 sam submit --hold="$quote" --held
says 'field "held": not for a job that takes quote'
as 1 sam hold "$quote"
as 1 sam change "$quote" --deadline=+10h
as 2 sam submit --model=bert --batch-size=64 --iterations=10 --after="$quote"
says "is a quote that is held"
as 6 sam submit --hold=999

# What it was held for.
as 0 sam submit --hold="$quote" --dry-run --json
[ "$(field promised_until)" -eq "$promised" ] || fail "another deadline than the held one: $(cat "$work/answer")"
as 0 sam submit --hold="$quote" --name=taken --iterations=3900 --promise-or-decline --key=once --json
[ "$(field verdict)" = promised ] && [ "$(field promised_until)" -eq "$promised" ] && [ "$(field job)" -eq "$quote" ] ||
    fail "the held deadline is not promised: $(cat "$work/answer")"
kill_service
as 0 sam submit --hold="$quote" --key=once --json # the same job again
[ "$(field job)" -eq "$quote" ] || fail "another job for the same key: $(cat "$work/answer")"
as 1 sam submit --hold="$quote"
says "is no quote that is held"
as 0 sam wait "$quote" --json
[ "$(field verdict)" = promised ] && [ "$(field ended)" -le "$promised" ] && [ "$(field name)" = taken ] ||
    fail "the promise of the quote is not kept: $(cat "$work/answer")"

# A service that is killed once a request is kept, and before the engine hears of it.
dies_of() { # USER VERB...
    send TERM scheduler
    ended scheduler
    program=$tests/failing_scheduler RUBATO_FAILPOINT=asked-kept:1:kill start_service "${options[@]}"
    served
    rubato "$2" --service=127.0.0.1:7000 --keys="$keys" --as="$1" "${@:3}" >/dev/null 2>&1 &
    client=$!
    ended scheduler 137
    start_service "${options[@]}"
    served
    wait "$client" || true
}
# The deadline leaves time for the start of the next service.
dies_of sam quote "${held[@]}" --deadline=+20h --hold=300 --key=kept
as 0 sam quote "${held[@]}" --deadline=+20h --hold=300 --key=kept --json
quote=$(field job)
promised=$(field promised_until)
[ "$(field verdict)" = promised ] && [ "$(field held_until)" -gt 0 ] || fail "the quote that was kept is not held: $(cat "$work/answer")"
dies_of sam submit --hold="$quote" --key=taken
as 0 sam submit --hold="$quote" --key=taken --json
[ "$(field verdict)" = promised ] && [ "$(field promised_until)" -eq "$promised" ] && [ "$(field job)" -eq "$quote" ] ||
    fail "the job that was kept has not the promise of the quote: $(cat "$work/answer")"
as 0 sam cancel "$quote"

# Limits, and who may.
as 3 sam quote "${job[@]}" --deadline=+10s --hold=60
as 4 rita quote "${held[@]}" --hold=60
as 4 sam quote "${held[@]}" --hold=401
says "a quote is held for at most 400 s"
as 0 sam quote "${held[@]}" --hold=60
as 0 sam quote "${held[@]}" --hold=60
as 4 sam quote "${held[@]}" --hold=60
says "user sam has 2 quotes that are held, and may have no more"
as 0 otto status --json
[ "$(field quotes)" -ge 1 ] && [ "$(field quotes_lapsed)" -ge 2 ] || fail "quotes are not counted: $(cat "$work/answer")"

end_service
state=$work/other
export RUBATO_SOCKET=$state/rubato.sock
rm -r "$keys"
start_service --schedule=fifo
served
client 2 quote "${held[@]}" --hold=60
says "policy fifo holds no quotes"
send TERM scheduler
ended scheduler
passed=yes
