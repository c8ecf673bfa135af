#!/usr/bin/env bash
# service_earliest_test.sh - the earliest deadline that a refusal or a quote names is promised when it is submitted next: in random states of a service,
# with jobs of several kinds that run and wait, while a node drains and is back. `--deadline earliest` takes it in one step.
source tests/e2e/service.sh

cluster=$work/cluster.csv
printf 'num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,2,8,40,256\n' >"$cluster"
states=$((4 * ${RUBATO_SOAK:-1}))
slots=(0 60 240)
RANDOM=${RUBATO_SEED:-7}
start master "$bin/master" -p 6888 -n 2 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 8 -p 9000
start_worker b 8 -p 9001
start_service --time_scale=20 --schedule=rubato --scheduling_slot="${slots[RANDOM % 3]}"
served
await scheduler 'cause="node 0 joined' >/dev/null
await scheduler 'cause="node 1 joined' >/dev/null

promised=0
missed=0
taken=0

pick() { # a job
    local models=("resnet50 256" "bert 64" "vgg16 256" "inception3 128")
    local model

    read -r -a model <<<"${models[RANDOM % 4]}"
    job=(--model="${model[0]}" --batch-size="${model[1]}" --iterations=$((500 + RANDOM)))
    case $((RANDOM % 4)) in
    0) job+=(--max-gpus=$((1 << RANDOM % 4))) ;;
    1) job+=(--promise-or-decline) ;;
    2) job+=(--rate=1:5 --rate=2:9 --rate=4:15) ;;
    esac
}

# is_promised EARLIEST UNTIL: to the job, which is submitted next. A machine that is so busy that it comes later proves nothing.
is_promised() {
    local status=0 submitted

    rubato submit "${job[@]}" --deadline="$(until_time "$1")" --json >"$work/answer" 2>&1 || status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || [ "$status" -eq 2 ] || fail "submit ended with $status: $(cat "$work/answer")"
    if [ "$status" -ne 2 ] && [ "$(field verdict)" = promised ]; then
        [ "$(field promised_until)" -eq "$1" ] || fail "another deadline than $1 is promised: $(cat "$work/answer")"
        promised=$((promised + 1))
        return
    fi
    cp "$work/answer" "$work/refused"
    client 0 status --json
    submitted=$(field now)
    [ "$submitted" -gt "$2" ] || fail "$1 was named until $2, and is refused at $submitted: ${job[*]}: $(cat "$work/refused")"
    missed=$((missed + 1))
}

names_later() {
    [[ $(field later) =~ ^[0-9]+$ ]] || fail "no deadline is named, and no time to ask again: $(cat "$work/answer")"
}

for ((state_number = 0; state_number < states; state_number++)); do
    for ((i = RANDOM % 4; i > 0; i--)); do
        pick
        rubato submit "${job[@]}" --deadline=+$((1 + RANDOM % 90))m >/dev/null || [ $? -eq 3 ] || fail "no submit"
    done
    case $((RANDOM % 4)) in
    0) client 0 drain b ;;
    1) client 0 resume b ;;
    esac

    pick
    client 0 quote "${job[@]}" --json
    earliest=$(sed -n 's/^  "earliest": \([0-9]*\),$/\1/p' "$work/answer")
    if [ -n "$earliest" ]; then
        is_promised "$earliest" "$(field until)"
    else # the promises that stand are in doubt, as a node drains: a later round can tell
        names_later
    fi

    pick
    rubato submit "${job[@]}" --deadline=+10s --json >"$work/answer" || [ $? -eq 3 ] || fail "no submit: $(cat "$work/answer")"
    earliest=$(field earliest)
    if [[ $earliest =~ ^[0-9]+$ ]]; then
        is_promised "$earliest" "$(field earliest_until)"
    elif [ "$(field verdict)" != promised ]; then
        names_later
    fi

    pick
    status=0
    rubato submit "${job[@]}" --deadline=earliest --json >"$work/answer" 2>&1 || status=$?
    if [ $status -eq 0 ]; then
        [ "$(field verdict)" = promised ] || fail "the earliest deadline is not promised: $(cat "$work/answer")"
        taken=$((taken + 1))
    else
        grep "no deadline would be promised before 20.*; nothing was done" "$work/answer" || fail "$(cat "$work/answer")"
    fi
done
[ "$taken" -gt 0 ] || fail "the earliest deadline is never taken in one step"
[ "$promised" -gt 0 ] || fail "all $missed were submitted too late"
note info "promised=$promised missed=$missed"

# No deadline is looked for where only the verdict is asked, dry run or not.
for dry in "" --dry-run; do
    submit 3 --deadline=+1s --promise-or-decline --verdict-only ${dry:+"$dry"} --json
    [ "$(field earliest)" = null ] || fail "a deadline is named unasked: $(cat "$work/answer")"
done
submit 3 --deadline=+1s --promise-or-decline --dry-run --json
[ "$(field earliest)" != null ] || names_later

end_service
passed=yes
