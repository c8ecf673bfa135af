# service_test.sh - the verbs of a service, with the real processes that `rubato up` starts: emulated
# GPUs, and a clock that is fast.
source "$(dirname "$0")/cli.sh"
# A busy machine may take longer than users wait.
patient() { build/bin/rubato "$1" --timeout=600 "${@:2}"; }
rubato=patient
export RUBATO_STATE=$work/state TZ=UTC
unset RUBATO_SOCKET NO_COLOR

trap '"$rubato" down >/dev/null 2>&1; rm -rf "$work"' EXIT

job=(--model resnet50 --batch-size 256)

# field NAME: its value in the JSON of $out, without quotes.
field() { sed -nE "s/^ *\"$1\": \"?([^\"]*[^\",])\"?,?\$/\1/p" "$out" | head -1; }

# prints PATTERN COMMAND...: it succeeds, and what it prints matches.
prints() {
    local pattern=$1

    shift
    passes "$@"
    grep -qE -e "$pattern" "$out" || fail "no \"$pattern\" in what $* prints: $(cat "$out")"
}

# becomes JOB STATE: waits until it is in that state.
becomes() {
    until "$rubato" show "$1" --json >"$out" && [ "$(field state)" = "$2" ]; do
        case $(field state) in
        done | failed | cancelled | declined) fail "job $1 is $(field state), expected $2" ;;
        esac
    done
    checks=$((checks + 1))
}

process() { cut -d' ' -f1 "$RUBATO_STATE/$1.pid"; }

# gone PID: waits for the end of a process that is no child.
gone() { while kill -0 "$1" 2>/dev/null; do :; done; }

# No service: every verb that asks one says where it looked.
gives 1 "$rubato" status --socket "$work/none"
says "no service answers at $work/none; \`rubato up\` starts one"
prints "^no service of $RUBATO_STATE runs" "$rubato" down
refused "--model is missing, or --job with a file" "$rubato" submit
refused "--iterations is missing" "$rubato" submit "${job[@]}"
refused "--state: there is no state \"asleep\"" "$rubato" list --state asleep
refused "--deadline: expected +3h" "$rubato" submit "${job[@]}" --iterations 10 --deadline soon
refused "expected the number of a job, found \"x\"" "$rubato" show 1 x
refused "expected JOB..." "$rubato" cancel
refused "--service: a service over TCP needs --keys" "$rubato" status --service 127.0.0.1:1
refused "expected --add-nodes, --remove-node, or --job with --deadline" "$rubato" whatif
[ ! -e "$RUBATO_STATE" ] || fail "asking made a folder"

prints "^a service runs at $RUBATO_STATE/rubato.sock, with 8 emulated GPUs" \
    "$rubato" up --gpus 8 --time-scale 600
prints "^a service already runs at $RUBATO_STATE/rubato.sock" "$rubato" up
prints "^GPUs up +8$" "$rubato" status
prints " local +up +A100 +8 +0 " "$rubato" nodes

# A job with a deadline; the same key is the same job.
prints "^job 1: promised until 20[0-9-]{8} [0-9:]{8} \(in 1 d" \
    "$rubato" submit "${job[@]}" --iterations 900000 --deadline +30h --name first --key once
prints "^job 1: promised until" "$rubato" submit "${job[@]}" --iterations 900000 --deadline +30h --name first --key once
prints "^ +1 first +[^ ]+ +(running|waiting) +promised" "$rubato" list
prints "^deadline +20" "$rubato" show 1
prints "^job 1: it " "$rubato" explain 1
becomes 1 running
prints "^ +[0-9]+ 20.* 1 submitted" "$rubato" history 1

# What cannot be promised: as best effort, declined, or only asked; with the earliest that can.
impossible=("${job[@]}" --iterations 10000000)
prints "^job 2: best effort: .*; the earliest deadline that can be promised is 20" \
    "$rubato" submit "${impossible[@]}" --deadline +1h
prints "^job 2 is cancelled" "$rubato" cancel 2
gives 3 "$rubato" submit "${impossible[@]}" --deadline +1h --promise-or-decline
grep -q "^job 3: declined: .*; the earliest deadline that can be promised is 20" "$out" || fail "$(cat "$out")"
gives 3 "$rubato" submit "${impossible[@]}" --deadline +1h --promise-or-decline --dry-run --json
same "the verdict" "$(field verdict)" declined
earliest=$(field earliest)
"$rubato" list --state all --json >"$out"
same "the jobs after a dry run" "$(field total)" 3

# What was named is promised, if it is asked for soon: a minute is 10 hours here.
prints "^job 4: promised until" "$rubato" submit "${impossible[@]}" --promise-or-decline \
    --deadline "$(date -u -d "@$((earliest + 86400 * 30))" +%Y-%m-%dT%H:%M:%SZ)"
gives 3 "$rubato" change 4 --deadline +1h
"$rubato" show 4 --json >"$out"
same "what was promised" "$(field deadline)" $((earliest + 86400 * 30))
prints "^job 4: promised until" "$rubato" change 4 --deadline +9000h
prints "^job 4 is cancelled" "$rubato" cancel 4
gives 1 "$rubato" wait 4
gives 1 "$rubato" cancel 4
says "over"

# Held and released.
prints "^job 1 is cancelled" "$rubato" cancel 1
prints "^job 5: " "$rubato" submit "${job[@]}" --iterations 10 --held
prints "^job 5: it waits until it is released" "$rubato" explain 5
prints "^job 5: best effort" "$rubato" release 5
prints "^job 5: done" "$rubato" wait 5
prints "^job 6: best effort" "$rubato" submit "${job[@]}" --iterations 1000000000
prints "^job 6 is held" "$rubato" hold 6
becomes 6 held

# What is there not, and what makes no sense.
gives 6 "$rubato" show 77
says "there is no job 77"
gives 6 "$rubato" drain nowhere
gives 2 "$rubato" submit --model no-such --batch-size 1 --iterations 1
says "no-such"
prints "^ +8 +20" "$rubato" quote "${job[@]}" --iterations 1000
# Numbers come from the service with all their digits: on one GPU a job takes what it takes in a simulation.
hours_alone() {
    passes "$rubato" quote "${job[@]}" --iterations 1000 --json "$@"
    grep -E -A3 '"(max_)?gpus": 1,' "$out" | sed -n 's/.*"gpu_hours": \([^,]*\).*/\1/p' | head -1
}
same "the GPU hours" "$(hours_alone)" "$(hours_alone --cluster n1g8 "$small")"
prints "^node local is taken out of use" "$rubato" drain local
prints " local +draining" "$rubato" nodes
prints "^node local is in use" "$rubato" resume local
prints "of 8 GPUs used" "$rubato" top
! grep -q $'\033' "$out" || fail "colours on no terminal"

prints "^job 7: promised until" "$rubato" submit "${job[@]}" --iterations 900000 --deadline +30h
prints "^1 promise would be withdrawn: 7$" "$rubato" whatif --remove-node local
prints "^job 7 is cancelled" "$rubato" cancel 7

# A model that no table knows.
gives 2 "$rubato" submit --model mine --batch-size 8 --iterations 10
prints "^the model is known now, with 2 numbers of GPUs" \
    "$rubato" learn --model mine --batch-size 8 --rate 1:5 --rate 2:9.5
prints "^best effort" "$rubato" submit --dry-run --model mine --batch-size 8 --iterations 10
refused "--model and --rate, or --model and --job: both are needed" "$rubato" learn --model mine

# Measured: what says how fast it is, what ends before, and what never speaks. What failed is not kept.
program=$(dirname "$built")/tests/test_program
prints "^ +2 +7 +[0-9.]+ s$" \
    "$rubato" profile --model measured --batch-size 2 --max-gpus 2 -- "$program" "say=stable 5 rate 7" wait
prints "^best effort" "$rubato" submit --dry-run --model measured --batch-size 2 --iterations 10
gives 1 "$rubato" profile --model ending --batch-size 1 -- "$program" exit=3
says "ended before it said how fast it is: it failed: the program ended with exit status 3"
gives 1 "$rubato" profile --model silent --batch-size 1 -- "$program" wait
says "the command does not say how fast it trains"
gives 2 "$rubato" submit --model silent --batch-size 1 --iterations 10
refused "--model is missing" "$rubato" profile -- "$program"
refused "expected a command after --" "$rubato" profile --model measured
prints "^promised until" "$rubato" submit --dry-run --model other --batch-size 8 --iterations 10 \
    --rate 1:3 --deadline +90h

# A job of a file; options win.
cat >"$work/job.json" <<'JOB'
{"name": "filed", "model": "resnet50", "batch_size": 256, "iterations": 10, "deadline": "+2h"}
JOB
prints "^job 12: promised until" "$rubato" submit --job "$work/job.json" --deadline +90h
prints "^name +filed" "$rubato" show 12
echo '{"name": }' >"$work/bad.json"
refused "bad.json:1:" "$rubato" submit --job "$work/bad.json"

# A command, with what it wrote.
prints "^job 13: " "$rubato" submit "${job[@]}" --iterations 10 --max-gpus 1 --environment WHOM=you \
    -- sh -c 'echo "hello $WHOM from $PWD"'
prints "^job 13: done" "$rubato" wait 13
prints "^hello you from $PWD$" "$rubato" logs -f 13
prints "^command +sh -c echo" "$rubato" show 13
log=$(echo "$RUBATO_STATE"/runs/logs/job-*-13.inc-1.rank-0.log)
mkfifo "${log/inc-1/inc-2}" # as a program can, to have the service wait for its other end
prints "^hello you from $PWD$" "$rubato" logs 13

# A scheduler that is killed: what waits for a job waits on, and the next `up` starts what is missing.
prints "^job 14: promised until" "$rubato" submit "${job[@]}" --iterations 30000 --deadline +900h
"$rubato" wait 14 >"$work/waited" 2>&1 &
waiter=$!
killed=$(process scheduler)
kill -KILL "$killed"
gone "$killed"
prints "^the service at $RUBATO_STATE/rubato.sock goes on" "$rubato" up
wait $waiter || fail "waiting fails: $(cat "$work/waited")"
same "what was waited for" "$(cat "$work/waited")" "job 14: done"

# The end, and on from there.
pids="$(process scheduler) $(process worker) $(process master)"
prints "^the service has ended" "$rubato" down
for pid in $pids; do
    gone "$pid"
done
prints "^no service of" "$rubato" down
prints "with 8 emulated GPUs" "$rubato" up
prints "^ +14 job-14 .* done " "$rubato" list --state all
prints "^job 15: " "$rubato" submit "${job[@]}" --iterations 10

# What would be answered, while jobs come.
dry_runs=()
for ((i = 0; i < 8; i++)); do
    "$rubato" submit "${job[@]}" --iterations 10 --dry-run >"$work/dry-$i" 2>&1 &
    dry_runs+=($!)
    passes "$rubato" submit "${job[@]}" --iterations 10
done
for dry_run in "${dry_runs[@]}"; do
    wait "$dry_run" || fail "a dry run fails while jobs come: $(cat "$work"/dry-*)"
done
prints "^the service has ended" "$rubato" down
done_checking 72
