#!/usr/bin/env bash
# service_unheard_end_test.sh - a promised job ends in time and is heard of after its deadline: it is done as promised, at
# the time at which it ended, in all that is told of it and after a start from a snapshot and from steps.
#
#   service_unheard_end_test.sh killed|woken|frozen
#     killed: its worker was stopped, and is killed; the next worker of the node tells the end
#     woken: its worker was stopped, and goes on
#     frozen: the scheduler was stopped, and finds the word of its master when it goes on
source tests/e2e/service.sh

how=$1
lease=600
cluster=cluster_specs/n1g1.csv
mine=$tests/test_program
stopped=worker:a
begins="'$mine' say='stable 0 rate 1000' exit=0;"
heard='; it ended at [-0-9]+ [:0-9]+ UTC, which is heard now'
if [ "$how" = frozen ]; then
    stopped=scheduler
    begins=           # silent, it counts as stable so late that its end is expected after its deadline
    heard="($heard)?" # the next step is at the time of the expected end, which may be soon after the end
fi

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 1
start_service --schedule=rubato --scheduling_slot=0
served
await scheduler 'cause="node 0 joined' >/dev/null

wait_until() { # SECONDS since 1970
    while [ "$(date +%s)" -le "$1" ]; do
        read -r -t 0.2 <> <(:) || true
    done
}

# The job of the number $job begins, and the process is stopped that would hear of its end; then the program ends.
end_unheard() {
    rm -f "$work/go"
    before=$(lines worker:a)
    client 0 submit --model=short --batch-size=1 --iterations=3000 --rate=1:1000 --deadline="+${within_s}s" --json -- sh -c \
        "$begins until [ -e '$work/go' ]; do sleep 0.05; done
         exec '$mine' say='step 3000' exit=0"
    job=$(field job)
    deadline=$(field promised_until)
    await worker:a ' event=stable job=' --after="$before" >/dev/null
    send STOP $stopped
    [ "$how" != killed ] || mapfile -t orphans < <(trainers worker:a)
    before=$(lines worker:a)
    : >"$work/go"
    await worker:a ' event=release job=.* why=done' --after="$before" >/dev/null
    ended=$(date +%s)
}

# The process is back, and the end is heard.
hear() {
    if [ "$how" != killed ]; then
        send CONT $stopped
    else
        await master 'event=worker-down .* name=a ' --after="$gone" >/dev/null
        send KILL worker:a
        gone "${orphans[@]}"
        ended worker:a 137
        start_worker a 1
    fi
    client 0 wait "$job"
}

# On a busy machine a job may end too late, or be promised nothing: the next one has more time.
broken=0
within_s=8
while :; do
    gone=$(lines master)
    end_unheard
    [ "$deadline" = null ] || [ "$ended" -ge "$deadline" ] || break
    [ "$within_s" -lt 2000 ] || fail "no job ends in time"
    hear
    [ "$deadline" = null ] || broken=$((broken + 1))
    within_s=$((within_s * 2))
done
wait_until "$((ended + 6 > deadline ? ended + 6 : deadline))" # four seconds are no news
hear

told() {
    client 0 show "$job" --json
    [ "$(field verdict)" = promised ] || fail "it is not told as promised: $(cat "$work/answer")"
    [ "$(field iterations_done)" -eq 3000 ] || fail "it did not do all: $(cat "$work/answer")"
    if [ "$(field ended)" -gt "$((ended + 1))" ] || [ "$(field ended)" -gt "$deadline" ]; then
        fail "it ended at $ended, by the deadline $deadline: $(cat "$work/answer")"
    fi
    client 0 list --state=done
    grep -qE "^ +$job .* done +promised " "$work/answer" || fail "list says: $(cat "$work/answer")"
    client 0 explain "$job"
    grep -qF "it has done all iterations" "$work/answer" || fail "explain says: $(cat "$work/answer")"
    client 0 history "$job"
    grep -qE " done +it has done all iterations, as promised$heard\$" "$work/answer" ||
        fail "history says: $(cat "$work/answer")"
    client 0 status --json
    [ "$(field promises_kept) $(field promises_broken)" = "1 $broken" ] ||
        fail "$broken promises were broken, 1 was kept: $(cat "$work/answer")"
}
told
! grep -E "event=begin job=[^ ]* incarnation=[2-9] " "$logs/master.log" || fail "the job was trained again"
for signal in TERM KILL; do
    send $signal scheduler
    ended scheduler "$([ $signal = TERM ] && echo 0 || echo 137)"
    : >"$logs/scheduler.log"
    start_service --schedule=rubato --scheduling_slot=0
    served
    told
done

for process in scheduler worker:a master; do
    send TERM $process
    ended $process
done
passed=yes
