#!/usr/bin/env bash
# service_profiles_test.sh - how fast models train, as two users and an operator say: no profile of a user plans a job of
# another one, a measured rate comes before a claimed one, and a job keeps the rates that it was promised by, whatever
# becomes of the profile and however the service ends.
policy=rubato
source tests/e2e/service.sh

make_keys master scheduler worker:a read:rita submit:root submit:sue operate:otto
start master "$bin/master" -p 6888 -n 1 --heartbeat=$heartbeat --lease=$lease --keys="$keys"
start worker:a "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 8 -r "$shared" --name=a --address=127.0.0.1 --emulate \
    --stable-after=0.1 --keys="$keys"
serve() {
    start_service --scheduling_slot=0 --master=127.0.0.1:6888
    served
}
again() { # SIGNAL: the service ends by it, and starts once more
    send "$1" scheduler
    ended scheduler "$([ "$1" = TERM ] || echo 137)"
    : >"$logs/scheduler.log"
    serve
}
serve
await scheduler 'cause="node 0 joined' >/dev/null

says() {
    grep -qE -e "$1" "$work/answer" || fail "no \"$1\" in $(cat "$work/answer")"
}
job=(--model=mine --batch-size=8 --iterations=100000)

# planned_by USER WORDS: by which profile a job of that user is planned, which is held; its number is in $number. Without
# words there is none.
planned_by() {
    if [ -z "$2" ]; then
        as 2 "$1" submit "${job[@]}" --held
        says "nor a profile of user $1 or of an operator"
    else
        as 0 "$1" submit "${job[@]}" --held --json
        number=$(field job)
        as 0 "$1" show "$number" --json
        says "\"profile\": \"$2\""
    fi
}
quoted() { # USER: all but the times, which go on
    as 0 "$1" quote "${job[@]}" --json
    grep -q '"gpu_hours": [0-9]' "$work/answer" || fail "nothing is quoted: $(cat "$work/answer")"
    grep -vE '"(earliest|until|less_refused_at|later|decided)"' "$work/answer"
}

# Of users, each for their own jobs.
as 4 rita learn --model=mine --batch-size=8 --rate=1:5
as 0 sue learn --model=mine --batch-size=8 --rate=1:1000
says "for jobs of this user"
planned_by sue "claimed by user sue"
planned_by root ""
as 2 root quote "${job[@]}"
as 2 root submit "${job[@]}" --dry-run --deadline=+1h
as 0 sue submit "${job[@]}" --dry-run --deadline=+1h

# Of an operator, for all; whatever another user says after that moves nothing.
as 0 otto learn --model=mine --batch-size=8 --rate=1:5 --rate=2:9
says "for jobs of all users"
planned_by root "claimed by user otto, for all"
quoted root >"$work/quoted"
as 0 sue learn --model=mine --batch-size=8 --rate=1:77
as 0 sue profiles mine --remove
says "^mine at batch size 8, claimed, of sue: removed"
as 0 sue learn --model=mine --batch-size=8 --rate=1:7777
quoted root | cmp - "$work/quoted" || fail "a profile of sue moves a quote of root"
planned_by sue "claimed by user sue"

# Measured by the service, which is not told how fast it is, and which believes no other job.
as 0 root profile --model=mine --batch-size=8 --max-gpus=2 --json -- "$tests/test_program" "say=stable 5 rate 7" wait
as 0 root profiles --json
measured=$(grep -c '"kind": "measured"' "$work/answer")
[ "$measured" -eq 1 ] || fail "$measured measured profiles: $(cat "$work/answer")"
says '"1:7",$'
planned_by root "measured by user root"
quoted sue >"$work/quoted"
as 0 root learn --model=mine --batch-size=8 --rate=1:1
says "comes before"
planned_by root "measured by user root"
quoted sue | cmp - "$work/quoted" || fail "a profile of root moves a quote of sue"
as 0 root list --state=cancelled --json
profiled=$(sed -n 's/^ *"job": \([0-9]*\),$/\1/p' "$work/answer" | head -1)
as 4 sue learn --model=mine --batch-size=8 --job="$profiled"
as 1 root learn --model=other --batch-size=8 --job="$profiled"
says "job $profiled is of model mine at batch size 8"
as 1 root learn --model=mine --batch-size=8 --job="$number"
says "the trainers of job $number have not said how fast they are"
as 2 root learn --model=mine --job=0

# What an operator takes over of a job is measured, too, and comes before what a user claims.
as 0 otto learn --model=mine --batch-size=8 --job="$profiled"
planned_by sue "measured by user otto, for all"
planned_by root "measured by user root"

# All is told to all who may look; each removes only what is theirs.
as 0 rita profiles
says "^mine +8 +all users +measured +otto .* yes +1:7$"
as 4 rita profiles mine --remove
as 4 sue profiles mine --remove --user=root
as 6 sue profiles none --remove
as 2 sue profiles --remove
as 2 sue profiles --kind=guessed
planned_by root "measured by user root"
resting=$number
as 0 root submit "${job[@]}" --deadline=+9h --json
promised=$(field job)
says '"verdict": "promised"'
as 0 otto profiles mine --remove --user=root --kind=measured
says "^mine at batch size 8, measured, of root: removed"
as 0 otto profiles mine --remove
planned_by root "claimed by user root"
as 0 root profiles mine --remove
planned_by root ""

# Jobs go on by what they were promised by, after a start from a snapshot and from steps.
standing() {
    as 0 root show "$promised" --json
    grep -E '"(promised_until|deadline|profile)":' "$work/answer"
    as 0 root show "$resting" --json
    grep -E '"(state|profile)":' "$work/answer"
    as 0 root profiles --history --json
    grep -v '"used"' "$work/answer"
}
standing >"$work/stood"
for signal in TERM KILL KILL TERM; do
    again $signal
    standing | diff "$work/stood" - || fail "after SIG$signal"
done
planned_by root ""
planned_by sue "claimed by user sue"
as 0 root release "$resting"
as 0 root show "$resting" --json
says '"profile": "measured by user root"'

# Who did it and when is told.
as 0 root profiles mine --history --user=root
says "^mine +8 +root +measured +otto .* removed +-$"
says "^mine +8 +root +measured +root .* before +1:7"
as 0 root history
says "learnt +how fast mine trains at batch size 8, as claimed by user sue$"
says "forgotten +how fast mine trains at batch size 8, as measured, for user root$"
send TERM scheduler
ended scheduler
passed=yes
