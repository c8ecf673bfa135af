#!/usr/bin/env bash
# service_early_end_test.sh - a program that ends by itself is over then, its GPUs are free, and what is told of it is
# what it did: nothing, as much as it said, or all; no promise is called kept for work that was not done.
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 1
cluster=cluster_specs/n1g1.csv
start_service --schedule=rubato --scheduling_slot=0
served
await scheduler 'cause="node 0 joined' >/dev/null

# ended JOB ITERATIONS-DONE VERDICT EVENT SENTENCE: what each verb says of a job that is over.
told() {
    client 0 show "$1" --json
    [ "$(field iterations_done)" -eq "$2" ] || fail "$2 iterations are not what is told of job $1: $(cat "$work/answer")"
    [ "$(field verdict)" = "$3" ] || fail "job $1 is not $3: $(cat "$work/answer")"
    ! grep -q '"event": "behind"' "$work/answer" || fail "the end of job $1 is called late: $(cat "$work/answer")"
    client 0 list --state=done
    grep -qE "^ +$1 .* done +$3 " "$work/answer" || fail "list does not say $3 of job $1: $(cat "$work/answer")"
    client 0 explain "$1"
    grep -qF "$5" "$work/answer" || fail "explain does not say \"$5\": $(cat "$work/answer")"
    client 0 history "$1"
    grep -qE " $4 +$6" "$work/answer" || fail "history does not say \"$4 $6\": $(cat "$work/answer")"
    grep -qE "by its user" "$work/answer" || fail "history does not say who submitted: $(cat "$work/answer")"
}

mine=$tests/test_program
job=(--model=short --batch-size=1 --iterations=1000 --rate=1:1)
client 0 submit "${job[@]}" --deadline=+30d -- true
client 0 submit "${job[@]}" -- true
client 0 submit "${job[@]}" --deadline=+30d -- "$mine" say="step 40" exit=0
client 0 submit "${job[@]}" --deadline=+30d -- "$mine" say="stable 0 1" say="step 1000" exit=0
client 0 wait 1 2 3 4
nothing="it ended by itself at 0 of 1000 iterations"
told 1 0 ended-early ended-early "$nothing" "$nothing"
told 2 0 ended-early ended-early "$nothing" "$nothing"
told 3 40 ended-early ended-early "it ended by itself at 40 of 1000 iterations" "it ended by itself at 40 of 1000"
told 4 1000 promised done "it has done all iterations" "it has done all iterations, as promised"

counts() {
    client 0 status --json
    echo "kept $(field promises_kept), broken $(field promises_broken), early $(field ended_early)"
}
[ "$(counts)" = "kept 1, broken 0, early 3" ] || fail "the counts are: $(counts)"

# A program that crashes again and again: each try is told.
client 0 submit "${job[@]}" --deadline=+30d -- false
client 1 wait 5
client 0 history 5
[ "$(grep -cE ' retried +the program ended with exit status 1' "$work/answer")" -ge 2 ] ||
    fail "no retry is told: $(cat "$work/answer")"
grep -qE ' failed ' "$work/answer" || fail "its end is not told: $(cat "$work/answer")"
client 0 list --state=failed
grep -qE ' failed +broken ' "$work/answer" || fail "its promise is not told as broken: $(cat "$work/answer")"
[ "$(counts)" = "kept 1, broken 1, early 3" ] || fail "the counts are: $(counts)"

# All of it is known after a start, from a snapshot and from the steps alone.
for signal in TERM KILL; do
    send $signal scheduler
    ended scheduler "$([ $signal = TERM ] && echo 0 || echo 137)"
    : >"$logs/scheduler.log"
    start_service --schedule=rubato --scheduling_slot=0
    served
    [ "$(counts)" = "kept 1, broken 1, early 3" ] || fail "after SIG$signal the counts are: $(counts)"
    told 3 40 ended-early ended-early "it ended by itself at 40 of 1000 iterations" "it ended by itself at 40 of 1000"
done

end_service
passed=yes
