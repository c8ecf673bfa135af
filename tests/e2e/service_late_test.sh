#!/usr/bin/env bash
# service_late_test.sh - promises that are kept, broken and withdrawn are told as such by each verb and counted, also after
# a start; where an operator's drain takes the GPUs that a promise needs, its end names the operator and nobody else.
policy=rubato
source tests/e2e/service.sh

make_keys master scheduler worker:a worker:b submit:sam operate:otto
cluster=$work/n2g1.csv
sed '2s/^1,1,2/1,2,1/' cluster_specs/n1g2.csv >"$cluster"
start master "$bin/master" -p 6888 -n 2 --heartbeat="$heartbeat" --lease="$lease" --keys="$keys"
for name in a b; do
    start worker:$name "$bin/worker" -i 127.0.0.1 -P 6888 -p 9000 -n 1 -r "$shared" --name=$name --address=127.0.0.1 \
        --emulate --keys="$keys" --faults="job=2:slow=0.3"
    await master "event=worker-up .* name=$name" >/dev/null
done
serve() {
    start_service --scheduling_slot=0 --time_scale=120 --master=127.0.0.1:6888
    served
}
serve
await scheduler 'cause="node 0 joined' >/dev/null
await scheduler 'cause="node 1 joined' >/dev/null

says() {
    grep -qE -e "$1" "$work/answer" || fail "no \"$1\" in: $(cat "$work/answer")"
}

# until_says PATTERN VERB...: an answer that comes to have it.
until_says() {
    local deadline=$((SECONDS + 600))

    while as 0 sam "${@:2}" && ! grep -qE -e "$1" "$work/answer"; do
        [ $SECONDS -lt $deadline ] || fail "${*:2} never says \"$1\": $(cat "$work/answer")"
    done
}

counts() {
    as 0 sam status --json
    echo "kept $(field promises_kept), broken $(field promises_broken)"
}

again() { # SIGNAL STATUS
    send "$1" scheduler
    ended scheduler "$2"
    : >"$logs/scheduler.log"
    serve
}

# ---- kept, and late: its trainers do less than its rate says ----

job=(--model=short --batch-size=2 --rate=1:1 --rate=2:2 --promise-or-decline)
as 0 sam submit "${job[@]}" --iterations=120 --max-gpus=1 --deadline=+10h
as 0 sam submit "${job[@]}" --iterations=1200 --max-gpus=1 --deadline=+25m
as 0 sam wait 1 2

late_is_told() {
    as 0 sam list --state=done
    says "^ +1 .* done +promised "
    says "^ +2 .* done +late "
    as 0 sam history 2
    says " done +it has done all iterations, later than promised"
    as 0 sam history 1
    says " done +it has done all iterations, as promised"
    [ "$(counts)" = "kept 1, broken 1" ] || fail "the counts are: $(counts)"
}
late_is_told

# ---- withdrawn by an operator, and by the end of a node ----

withdrawn() {
    as 0 sam status --json
    field promises_withdrawn
}
before=$(withdrawn)
as 0 sam submit "${job[@]}" --iterations=1000000 --min-gpus=2 --deadline=+60d
as 0 sam list
says "^ +3 .* promised "
as 0 otto drain b
until_says "^ +3 .* withdrawn " list
as 0 sam history 3
says " withdrawn +planned anew, for node 1 .*drained by operator otto"
! grep -E " withdrawn .*its user" "$work/answer" || fail "a drain is told as its user's"
as 0 sam nodes
says " b +draining .*drained by operator otto"
[ "$(withdrawn)" -eq $((before + 1)) ] || fail "$(withdrawn) withdrawn promises, and $before before"
for signal in TERM KILL; do
    again $signal "$([ $signal = TERM ] && echo 0 || echo 137)"
    until_says "^ +3 .* withdrawn " list
    [ "$(withdrawn)" -eq $((before + 1)) ] || fail "after SIG$signal: $(withdrawn) withdrawn promises, and $before before"
    late_is_told
done

as 0 otto resume b
until_says "^ +3 .* promised " list
as 0 sam history 3
told=$(wc -l <"$work/answer")
send KILL worker:b
ended worker:b 137
until_says "^ +3 .* withdrawn " list
as 0 sam history 3
tail -n "+$((told + 1))" "$work/answer" >"$work/since"
grep -q " withdrawn " "$work/since" || fail "that it is at risk is not told: $(cat "$work/answer")"
grep -q " worker b is down" "$work/since" || fail "what took the GPUs is not told: $(cat "$work/answer")"
! grep -E "otto|its user" "$work/since" || fail "the end of a node is told as somebody's order: $(cat "$work/answer")"
[ "$(counts)" = "kept 1, broken 1" ] || fail "the counts are: $(counts)"

send TERM scheduler
ended scheduler
passed=yes
