#!/usr/bin/env bash
# service_chains_test.sh - a job with --after starts only once its parents have ended as it says, is told why where one did
# not, also over a kill of the scheduler; and each list of parents that makes no sense gets one sentence.
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8
start_service --time_scale=600 --schedule="${1:-rubato}" --scheduling_slot=0
served ${before:+--after=$before}
await scheduler 'cause="node 0 joined' >/dev/null
job=(submit --model=resnet50_cifar10 --batch-size=256)
# How a job ends of which a parent does not do its work: rubato has admitted it when it came.
lost=declined
[ "${1:-rubato}" != rubato ] || lost=cancelled

# says CODE SENTENCE VERB...: the answer is that sentence.
says() {
    local sentence=$2

    client "$1" "${@:3}"
    grep -qF -- "$sentence" "$work/answer" || fail "${*:3}: expected \"$sentence\", found $(cat "$work/answer")"
}

# is JOB FIELD VALUE
is() {
    client 0 show "$1" --json
    [ "$(field "$2")" = "$3" ] || fail "job $1: $2 is not $3: $(cat "$work/answer")"
}

client 0 "${job[@]}" --iterations=4000 --deadline=none # 1
client 0 "${job[@]}" --iterations=4000 --after=1       # 2
client 0 "${job[@]}" --iterations=4000 --after=1:any,2 # 3
client 0 "${job[@]}" --iterations=100000000             # 4, which is cancelled
client 0 "${job[@]}" --iterations=1000 --after=4        # 5
client 0 "${job[@]}" --iterations=1000 --after=5        # 6
client 0 "${job[@]}" --iterations=1000 --after=4:any    # 7
client 0 "${job[@]}" --iterations=1000 --held           # 8
client 0 "${job[@]}" --iterations=1000 --after=8        # 9
says 0 "it waits until job 8 is done" explain 9
is 9 reason parents
says 0 "it waits until job 4 has ended" explain 7
says 0 '"after": [' show 3 --json

# What makes no sense.
says 2 'field "after": there is no job 99' "${job[@]}" --iterations=1 --after=99
says 2 'field "after": expected numbers of jobs, each perhaps followed by :any' "${job[@]}" --iterations=1 --after=1:ok
says 2 'field "after": expected numbers of jobs, each perhaps followed by :any' "${job[@]}" --iterations=1 --after=1,
says 2 'field "after": job 1 is named twice' "${job[@]}" --iterations=1 --after=1,1:any

# Killed while jobs wait, with and without a snapshot.
before=$(lines scheduler)
send KILL scheduler
ended scheduler 137
start_service --time_scale=600 --schedule="${1:-rubato}" --scheduling_slot=0
served ${before:+--after=$before}
says 0 "it waits until job 8 is done" explain 9

client 0 cancel 4
client 0 wait 7
for child in 5 6; do
    is $child state $lost
done
says 0 "its parent job 4 was cancelled" explain 5
says 0 "its parent job 5 was $lost" explain 6
says 0 "its parent job 4 was cancelled" history 5
says 0 "$lost" history 5
client 0 list --state=$lost --json
grep -q '"job": 5,' "$work/answer" || fail "list: job 5 is not $lost: $(cat "$work/answer")"
client 0 cancel 8
says 0 "its parent job 8 was cancelled" explain 9
is 9 state $lost
says 2 "job 4 is cancelled: a job after it would never start; 4:any starts however it ended" "${job[@]}" --iterations=1 --after=4
client 0 "${job[@]}" --iterations=1000 --after=4:any,7 # 10
client 0 wait 10

# A child waits also for a parent whose deadline is changed, or that is held.
client 0 wait 3
started() { # JOB
    client 0 show "$1" --json
    field started
}
ended_at() { # JOB
    client 0 show "$1" --json
    field ended
}
for pair in 1:2 2:3; do
    [ "$(ended_at "${pair%:*}")" -le "$(started "${pair#*:}")" ] || fail "job ${pair#*:} starts before ${pair%:*} has ended"
done
client 0 "${job[@]}" --iterations=1500000             # 11, which lasts beyond the changes on a busy machine
client 0 "${job[@]}" --iterations=1000 --after=11:any  # 12
client 0 hold 11
says 0 "it waits until job 11 has ended" explain 12
client 0 release 11
client 0 change 11 --deadline=none
client 0 change 12 --deadline=none
is 12 state waiting
client 0 cancel 11
client 0 wait 12
[ "$(ended_at 11)" -le "$(started 12)" ] || fail "job 12 starts before 11 has ended"

# Under rubato a pipeline is promised whole: two jobs of 39,150 s each where they are fastest.
if [ "${1:-rubato}" = rubato ]; then
    client 0 "${job[@]}" --iterations=1000000 --deadline=none # 13
    client 0 show 13 --json
    submitted=$(field submitted)
    client 0 "${job[@]}" --iterations=1000000 --after=13 --deadline=+20h # 14
    is 14 verdict best-effort
    client 0 cancel 14
    client 0 quote "${job[@]:1}" --iterations=1000000 --after=13 --json
    [ $(($(field earliest) - submitted)) -ge 78300 ] || fail "the quote is too early for both: $(cat "$work/answer")"
    client 0 "${job[@]}" --iterations=1000000 --after=13 --deadline=earliest # 15
    is 15 verdict promised
    is 13 verdict best-effort
    client 0 cancel 13
    is 15 state cancelled
    says 0 "withdrawn" history 15
    says 0 "its parent job 13 was cancelled" show 15
fi

before=$(lines scheduler)
send TERM scheduler
ended scheduler
start_service --time_scale=600 --schedule="${1:-rubato}" --scheduling_slot=0
served ${before:+--after=$before}
says 0 "its parent job 4 was cancelled" explain 5
end_service
passed=yes
