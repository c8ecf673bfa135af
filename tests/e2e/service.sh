# shellcheck shell=bash
# service.sh - what tests of the service begin with, in the place of testbed.sh: source it first.
source tests/e2e/testbed.sh

state=$work/state
cluster=cluster_specs/n1g8.csv
policy=${policy:-ef-accessctrl}
confidence=${confidence-0} # empty: as the service has it
export RUBATO_SOCKET=$state/rubato.sock

said=0 # so many lines the scheduler had said when it was started last

# start_service OPTIONS...: with that of $program if it is another scheduler than that of users.
start_service() {
    [ ! -e "$logs/scheduler.log" ] || said=$(lines scheduler)
    [ ! -e "$keys" ] || set -- --keys="$keys" --listen=127.0.0.1:7000 "$@"
    start scheduler "${program:-$bin/scheduler}" --serve --state="$state" --runs="$shared" --cluster_spec="$cluster" \
        --schedule="$policy" --gpu_type=A100 --scheduling_slot=240 ${confidence:+"--confidence=$confidence"} "$@"
}

# end_service: scheduler and master are told to end, and do.
end_service() {
    local process

    for process in scheduler master; do
        send TERM $process
        ended $process
    done
}

# version CONFIDENCE: the service is killed, and its state is one of a version with that confidence in promises, which is started
# by `serve`.
version() {
    send KILL scheduler
    ended scheduler 137
    python3 - "$state/state.db" "$1" <<'END'
import re, sqlite3, sys
state = sqlite3.connect(sys.argv[1])
setting, = state.execute("SELECT value FROM meta WHERE name = 'setting'").fetchone()
setting = re.sub(" confidence=[^ \n]*", "", setting)
if sys.argv[2] != "0":
    setting = re.sub("\n(promises .*)", rf"\n\1 confidence={sys.argv[2]}", setting)
state.execute("UPDATE meta SET value = ? WHERE name = 'setting'", [setting])
state.commit()
END
    confidence=$1
    serve
}

# served [OPTIONS of await_line]: waits until clients may come, to the scheduler that was started last.
served() {
    [ $# -gt 0 ] || set -- --after="$said"
    await scheduler 'event=serving ' "$@" >/dev/null
}

# rubato VERB...: which waits for an answer as long as a busy machine may need.
rubato() {
    "$bin/rubato" "$1" --timeout=600 "${@:2}"
}

# client CODE VERB...: its answer, which must come with that exit status.
client() {
    local expected=$1 status=0

    shift
    rubato "$@" >"$work/answer" 2>&1 || status=$?
    [ "$status" -eq "$expected" ] || fail "rubato $* ended with $status, expected $expected: $(cat "$work/answer")"
}

# as CODE USER VERB...: as client, over the network and with the key of the user.
as() {
    client "$1" "$3" --service=127.0.0.1:7000 --keys="$keys" --as="$2" "${@:4}"
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

until_time() { # SECONDS
    date -u -d "@$1" +%Y-%m-%dT%H:%M:%SZ
}

# Submits such a job by the earliest deadline, which is as much later as time has passed meanwhile: nothing where the
# machine is quiet, and as long as it took before where it is busy.
submit_by_earliest() {
    local tries status=3 earliest began passed_s=0

    for ((tries = 0; tries < 50 && status == 3; tries++)); do
        earliest=$(($(field earliest) + passed_s))
        began=$SECONDS
        status=0
        rubato submit "$@" --deadline="$(until_time "$earliest")" >"$work/answer" || status=$?
        passed_s=$((SECONDS - began))
    done
    [ $status -eq 0 ] && [ "$(field promised_until)" -eq "$earliest" ] || fail "$earliest is not promised: $(cat "$work/answer")"
}
