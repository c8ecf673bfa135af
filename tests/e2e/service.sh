# shellcheck shell=bash
# service.sh - what tests of the service begin with, in the place of testbed.sh: source it first.
source tests/e2e/testbed.sh

state=$work/state
cluster=cluster_specs/n1g8.csv
export RUBATO_SOCKET=$state/rubato.sock

# start_service OPTIONS...: with that of $program if it is another scheduler than that of users.
start_service() {
    [ ! -e "$keys" ] || set -- --keys="$keys" --listen=127.0.0.1:7000 "$@"
    start scheduler "${program:-$bin/scheduler}" --serve --state="$state" --runs="$shared" --cluster_spec="$cluster" \
        --schedule=ef-accessctrl --gpu_type=A100 --scheduling_slot=240 "$@"
}

# served: waits until clients may come.
served() {
    await scheduler 'event=serving ' "$@" >/dev/null
}

# client CODE VERB...: its answer, which must come with that exit status.
client() {
    local expected=$1 status=0

    shift
    "$bin/rubato" "$@" >"$work/answer" 2>&1 || status=$?
    [ "$status" -eq "$expected" ] || fail "rubato $* ended with $status, expected $expected: $(cat "$work/answer")"
}

# submit CODE OPTIONS...: a job of which only the options are of interest.
submit() {
    local expected=$1

    shift
    client "$expected" submit --model=resnet50_cifar10 --batch-size=256 --iterations=50000 "$@"
}

# field NAME: of the last answer, which was asked with --json; texts without quotes.
field() {
    sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$work/answer"
}
