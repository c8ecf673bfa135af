#!/usr/bin/env bash
# service_share_test.sh - no more is promised ahead to a user than the user's share of the cluster, with two users: a
# denial names share, use and the time by which enough is free, also after the scheduler was killed; another user and an
# operator's other shares are heeded at once.
source tests/e2e/service.sh

make_keys master scheduler worker:a submit:bob submit:sue
settings=$work/service.conf
printf 'promise_share = "bob=0.3"\npromise_horizon = 36000\n' >"$settings"
start master "$bin/master" -p 6888 -n 1 --keys="$keys"
start worker:a "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 8 -r "$shared" --name=a --address=127.0.0.1 --emulate --keys="$keys"
policy=rubato
start_service --config="$settings" --scheduling_slot=0 --master=127.0.0.1:6888
served
await scheduler 'cause="node 0 joined' >/dev/null

as() { # USER CODE VERB...
    local user=$1 code=$2 verb=$3

    shift 3
    client "$code" "$verb" --service=127.0.0.1:7000 --keys="$keys" --as="$user" "$@"
}

# Of 8 GPUs for 10 hours 0.3 are 24 GPU-hours. Each job needs 6.9, and does 0.3 in a minute on 8 GPUs.
job=(--model=resnet50_cifar10 --batch-size=256 --iterations=500000 --max-gpus=2 --deadline=+24h)
why='no more may be promised ahead: user bob may have 24 GPU-hours promised ahead, 0.3 of the cluster for 10 h, has '
why+='[0-9.]*, and the job needs [0-9.]*, free by 20.* UTC at the latest'
denied() { # that is what the last answer says
    grep -q "$why" "$work/answer" || fail "$(cat "$work/answer")"
}

for _ in 1 2 3; do
    as bob 0 submit "${job[@]}" --json
    [ "$(field verdict)" = promised ] || fail "a job within the share is not promised: $(cat "$work/answer")"
    ! grep promise_share "$work/answer" || fail "a job within the share is told of it"
done
as bob 3 submit "${job[@]}" --promise-or-decline
denied
as bob 0 submit "${job[@]}" --json
denied
[ "$(field verdict)" = best-effort ] || fail "a job beyond the share is not best effort: $(cat "$work/answer")"
[ "$(sed -n 's/^    "free": \([0-9]*\),*$/\1/p' "$work/answer")" -gt "$(date +%s)" ] || fail "no time: $(cat "$work/answer")"
[ "$(sed -n 's/^    "of": "\(.*\)",*$/\1/p' "$work/answer")" = bob ] || fail "no share: $(cat "$work/answer")"
as bob 0 quote "${job[@]}"
denied
[ "$(grep -c 'No deadline would be promised' "$work/answer")" = 1 ] || fail "another reason is named, too: $(cat "$work/answer")"
as bob 3 submit "${job[@]}" --promise-or-decline --dry-run
denied
as bob 3 change 5 --deadline=+30h
denied
as bob 0 whatif --job=5 --deadline=+30h
denied

# What is held counts from then on: a job that came before is told of how things are now.
as bob 0 quote --model=resnet50_cifar10 --batch-size=256 --iterations=50000 --hold=300 --json
held=$(field job)
as bob 0 explain 5
denied
used=$(sed 's/.*has \([0-9.]*\), and.*/\1/' "$work/answer")
as bob 3 submit "${job[@]}" --promise-or-decline --dry-run
[ "$used" = "$(sed 's/.*has \([0-9.]*\), and.*/\1/' "$work/answer")" ] || fail "explained with $used: $(cat "$work/answer")"
as bob 0 show 5 --json
used=$(sed -n 's/^    "used": \(.*\),$/\1/p' "$work/answer")
python3 -c "import sys; sys.exit(not 21.5 < $used < 23)" || fail "$used GPU-hours are shown as promised ahead"
as bob 0 cancel "$held"

# The earliest deadline, which is none: the sentence is the same however it is asked for.
by_earliest=("${job[@]/%--deadline=+24h/--deadline=earliest}")
as bob 1 submit "${by_earliest[@]}"
denied
sed 's/^rubato [a-z]*: //' "$work/answer" >"$work/sentence"
grep -q '^no deadline would be promised: .*; nothing was done$' "$work/sentence" || fail "$(cat "$work/sentence")"
for question in "submit --dry-run" "quote --hold=60"; do
    read -r verb option <<<"$question"
    as bob 1 "$verb" "${by_earliest[@]}" "$option"
    denied
    [ "$(sed 's/^rubato [a-z]*: //; s/[0-9:]* UTC//; s/has [0-9.]*//' "$work/answer")" = \
        "$(sed 's/[0-9:]* UTC//; s/has [0-9.]*//' "$work/sentence")" ] || fail "another sentence: $(cat "$work/answer")"
done
as sue 0 submit "${job[@]}" --json
[ "$(field verdict)" = promised ] || fail "another user's job is not promised: $(cat "$work/answer")"

send KILL scheduler
ended scheduler 137
before=$(lines scheduler)
start_service --config="$settings" --scheduling_slot=0 --master=127.0.0.1:6888
served --after="$before"
as bob 0 show 5
denied
as bob 0 explain 5
denied
as bob 0 history 5
denied
as bob 3 submit "${job[@]}" --promise-or-decline
denied

send TERM scheduler
ended scheduler
before=$(lines scheduler)
start_service --config="$settings" --scheduling_slot=0 --master=127.0.0.1:6888
served --after="$before"
as bob 0 show 5
denied
as bob 3 submit "${job[@]}" --promise-or-decline
denied

printf 'promise_share = "bob=0.9"\npromise_horizon = 36000\n' >"$settings"
before=$(lines scheduler)
send HUP scheduler
await scheduler 'event=reloaded .*promise_share=.*bob=0.9' --after="$before" >/dev/null
as bob 0 submit "${job[@]}" --json
[ "$(field verdict)" = promised ] || fail "the new share is not heeded: $(cat "$work/answer")"
printf 'promise_share = "@no-such-group=0.9"\n' >"$settings"
send HUP scheduler
await scheduler 'event=reload-failed .*no group \\"no-such-group' --after="$before" >/dev/null

end_service
passed=yes
