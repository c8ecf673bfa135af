#!/usr/bin/env bash
# service_full_output_test.sh - the answer of a verb cannot be printed, as standard output is full: the verb says so and
# ends with 1, with and without --json. What was asked is done all the same, and where it was an order the user hears that.
source tests/e2e/service.sh

[ -w /dev/full ] || exit 77
start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8
policy=rubato start_service --time_scale=240
served
submit 0
client 0 wait 1
client 0 learn --model=resnet50_cifar10 --batch-size=77 --rate=1:5

# unheard VERB...: its answer has no room.
unheard() {
    local status=0

    rubato "$@" >/dev/full 2>"$work/answer" || status=$?
    [ $status -eq 1 ] || fail "rubato $* >/dev/full ended with $status, expected 1: $(cat "$work/answer")"
    grep -q 'No space left on device' "$work/answer" || fail "rubato $* >/dev/full does not say why: $(cat "$work/answer")"
}

job=(--model=resnet50_cifar10 --batch-size=256 --iterations=10)
for json in "" --json; do
    for verb in "list --state=done" "show 1" "explain 1" "wait 1" "history 1" "history" "status" "nodes" "profiles" "whatif --remove-node=a" \
        "quote ${job[*]}" "submit ${job[*]} --dry-run"; do
        # shellcheck disable=SC2086
        unheard $verb $json
        ! grep -q 'has done' "$work/answer" || fail "$verb says that something is done: $(cat "$work/answer")"
    done
done
client 0 list --json
[ "$(field total)" -eq 1 ] || fail "there are $(field total) jobs, expected 1: $(cat "$work/answer")"

for json in "" --json; do
    # shellcheck disable=SC2086
    unheard submit "${job[@]}" --held $json
    grep -q 'rubato submit: job [23]: the service has done what was asked' "$work/answer" ||
        fail "submit does not say that the job is there: $(cat "$work/answer")"
done
client 0 list --json
[ "$(field total)" -eq 3 ] || fail "there are $(field total) jobs, expected 3: $(cat "$work/answer")"
for verb in "cancel 2" "release 3" "drain a" "resume a" "learn --model=resnet50_cifar10 --batch-size=77 --rate=1:5"; do
    # shellcheck disable=SC2086
    unheard $verb
    grep -q ': the service has done what was asked' "$work/answer" ||
        fail "$verb does not say that it is done: $(cat "$work/answer")"
done
client 0 wait 3
client 0 list --json --state=cancelled,done
[ "$(field total)" -eq 3 ] || fail "there are $(field total) jobs that are over, expected 3: $(cat "$work/answer")"

end_service
ended worker:a
passed=yes
