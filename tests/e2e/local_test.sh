# local_test.sh - `rubato local` gives the results of the simulation, ends when it is told to, and leaves nothing behind
# whichever of its processes is killed.
source "$(dirname "$0")/testbed.sh"

trace=traces/functionality_10jobs.csv
export TMPDIR=$work/tmp # where nothing is to be left
mkdir "$TMPDIR"

same() { # WHAT FOUND EXPECTED
    [ "$2" = "$3" ] || fail "$1: expected \"$3\", found \"$2\""
}

# local_run OPTIONS...: in the background, known as "local".
local_run() {
    rm -f "$logs"/local.*
    start local "$bin/rubato" local "$trace" --slot 240 "$@"
}

all_gone() {
    nothing_is_left
    same "what is left in $TMPDIR" "$(ls "$TMPDIR")" ""
}

# processes NAME: those whose program is called so, the eldest first. All here are the test's own.
processes() {
    local stat pid rest

    for stat in /proc/[0-9]*/stat; do
        pid=${stat#/proc/}
        pid=${pid%/stat}
        read -r rest 2>/dev/null <"$stat" || continue
        rest=${rest#*(}
        [ "${rest%%)*}" != "$1" ] || echo "$pid"
    done | sort -n
}

eldest() { # NAME
    local all

    mapfile -t all < <(processes "$1")
    echo "${all[0]:-}"
}

# ---- the results of the simulation ----

counts() { # POLICY ACCEPTED DECLINED OPTIONS...
    local policy=$1 expected="accepted jobs: $2 declined jobs: $3"

    shift 3
    rm -rf "$results" "$work/simulated"
    "$bin/scheduler" --cluster_spec=cluster_specs/n1g8.csv --trace_file="$trace" --schedule="$policy" \
        --log_path="$work/simulated" --simulation=True --scheduling_slot=240 --restart_threshold=70 \
        --gpu_type=A100 >"$work/out"
    same "the simulation of $policy" "$(tail -n 2 "$work/out" | paste -sd ' ')" "$expected"
    local_run --policy="$policy" --restart-threshold=70 --results="$results" "$@"
    ended local
    same "$policy" "$(tail -n 2 "$logs/local.out" | paste -sd ' ')" "$expected"
    same "what $policy tells of deadlines" "$(grep -c '^on time: [0-9]* of 10 with a deadline$' "$logs/local.out")" 1
    same "the complaints under $policy" "$(cat "$logs/local.log")" "rubato local: results are in $results"
    same_results "$work/simulated"
    all_gone
}

counts rubato 8 2
counts ef-accessctrl 6 4
counts ef-accessctrl 6 4 # again, without a cleanup in between
counts edf 1 9
counts gandiva 5 5
counts dlas-gpu 2 8
counts themis 3 7

# Every round is told once, and as often as rounds.csv has it.
same "the rounds that are told" "$(grep -c '^at [0-9]* s, round [0-9]*: ' "$logs/local.out")" \
    "$(($(wc -l <"$results/rounds.csv") - 1))"

# A folder that holds other files, and is forced.
echo mine >"$results/notes.txt"
local_run --results="$results" --force
ended local
same "another file" "$(cat "$results/notes.txt")" mine

# Figures as JSON are the summary, whether the results are kept or not; the events are elsewhere.
local_run --results="$results" --force --json
ended local
same "the figures" "$(cat "$logs/local.out")" "$(cat "$results/summary.json")"
grep -q '^at [0-9]* s, round 1: ' "$logs/local.log" || fail "no events beside JSON: $(cat "$logs/local.log")"
local_run --json
ended local
same "the complaints beside JSON" "$(grep -v '^at \|^the cluster is up' "$logs/local.log")" ""
same "the figures alone" "$(grep -E '"(schema_version|on_time|promised)"' "$logs/local.out" | tr -d '\n')" \
    '  "schema_version": 1,  "on_time": 8,  "promised": 8,'
all_gone

# A slot that was not chosen for a trace that came with Rubato is told.
start local "$bin/rubato" local "$trace"
ended local
grep -q '^rubato local: slot 60 s, the default; ' "$logs/local.log" || fail "no note on the slot: $(cat "$logs/local.log")"
all_gone

# The same GPUs on four nodes.
printf 'num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,4,2,1,1\n' >"$work/n4g2.csv"
for spares in 0 1; do # nodes in reserve
    rm -rf "$results" "$work/simulated"
    "$bin/scheduler" --cluster_spec="$work/n4g2.csv" --trace_file="$trace" --schedule=rubato \
        --log_path="$work/simulated" --scheduling_slot=240 --spare_nodes=$spares --node_loss=300 >"$work/out"
    local_run --nodes=4 --results="$results" --spare-nodes=$spares --node-loss=300
    ended local
    same_results "$work/simulated"
    all_gone
done
local_run --nodes=4 --spare-nodes=4
ended local 2
same "the complaint" "$(cat "$logs/local.log")" \
    "rubato local: expected fewer spare nodes than the cluster has, found 4 of 4"
all_gone

# A folder for checkpoints and logs, which one run has for itself.
local_run --run-dir="$work/kept"
ended local
for log in master scheduler worker-node-0; do
    grep -q ' event=down ' "$work/kept/$log.log" || fail "$log.log does not end"
done
[ -s "$(echo "$work"/kept/jobs/*-0/checkpoint)" ] || fail "no checkpoint is kept"
local_run --run-dir="$work/kept"
ended local 2
same "the complaint" "$(cat "$logs/local.log")" \
    "rubato local: --run-dir: $work/kept is not empty: each run needs its own"
all_gone

# A disk that is full costs logs and checkpoints, not the run; that is told once of each log.
mkdir "$work/full"
mount -t tmpfs -o size=16k none "$work/full"
local_run --run-dir="$work/full/kept"
ended local
same "the counts on a full disk" "$(tail -n 2 "$logs/local.out" | paste -sd ' ')" "accepted jobs: 8 declined jobs: 2"
grep -qx "rubato local: master.log: cannot be written any further: No space left on device" "$logs/local.log" ||
    fail "nothing is said of the full disk: $(cat "$logs/local.log")"
same "what is told twice" "$(sort "$logs/local.log" | uniq -d)" ""
umount "$work/full"

# ---- the end ----

# begin: a run of some seconds, in its second round.
begin() { # OPTIONS...
    local_run --fastforward=no --time-scale=500 --grace=5 "$@"
    "$tests/await_line" --pid "${pids[local]}" "$logs/local.out" ' round 2: ' || fail "no second round"
}

stopped() { # SIGNAL STATUS
    begin
    send "$1" local
    ended local "$2"
    grep -qx "rubato local: stopped at [0-9]* s, round [0-9]*: .* settled" "$logs/local.log" ||
        fail "after SIG$1 it does not say how far it was: $(cat "$logs/local.log")"
    all_gone
}

# Of what was done until then nothing is lost, and it is not taken for a whole run.
kept() { # SIGNAL STATUS
    rm -rf "$results"
    begin --results="$results"
    send "$1" local
    ended local "$2"
    grep -qx "rubato local: stopped at .* settled; what was done until then is in $results" "$logs/local.log" ||
        fail "after SIG$1 it does not say where the results are: $(cat "$logs/local.log")"
    same "the files" "$(cd "$results" && echo *)" "cluster.csv disturbances.csv jobs.csv outcomes.csv rounds.csv summary.json timeline.csv work.csv"
    grep -qx '  "interrupted": true' "$results/summary.json" || fail "the summary takes itself for whole"
    same "the rounds" "$(sed -n 's/^  "rounds": \(.*\),$/\1/p' "$results/summary.json")" \
        "$(($(wc -l <"$results/rounds.csv") - 1))"
    ! "$bin/rubato" audit "$results" 2>"$work/audit" || fail "an interrupted run is judged"
    grep -q "summary.json: the run was interrupted" "$work/audit" || fail "the auditor: $(cat "$work/audit")"
    all_gone
}

stopped INT 130
stopped TERM 143
stopped HUP 129
kept INT 130
kept TERM 143

# killed WHAT STATUS SENTENCE PID: kill -9.
killed() {
    send KILL "$4"
    ended local "$2"
    grep -qx "rubato local: $3" "$logs/local.log" || fail "after the end of $1: $(cat "$logs/local.log")"
    same "the lines about the end of $1" "$(wc -l <"$logs/local.log")" 1
    all_gone
}

for daemon in master worker; do
    begin
    killed "the $daemon" 2 "$daemon\(-node-0\)\? ended with signal 9: .* event=[a-z-]* .*" "$(eldest $daemon)"
done
begin
killed "the scheduler" 2 "scheduler ended with signal 9: .* event=[a-z-]* .*" "$(eldest scheduler)"

# The process that starts all others: the one that waits for it clears up.
begin
mapfile -t both < <(processes rubato)
same "the processes of rubato" ${#both[@]} 2
killed "its own process" 2 "stopped: its own process was ended by signal 9" "${both[1]}"

# The process that waits: the other one notices, stops everything and says so.
begin
mapfile -t all < <(for name in rubato master worker trainer scheduler; do processes $name; done)
send KILL local
ended local 137
"$tests/await_exit" "${all[@]}"
grep -qx "rubato local: stopped at .*" "$logs/local.log" || fail "nothing is said: $(cat "$logs/local.log")"
all_gone

# A trainer is started again, and the run goes on.
begin
trainer=$(eldest trainer)
send KILL "$trainer"
gone "$trainer"
round=$(grep -c ', round ' "$logs/local.out")
"$tests/await_line" --pid "${pids[local]}" "$logs/local.out" " round $((round + 1)): " || fail "no further round"
send INT local
ended local 130
all_gone

# What it prints is not read.
"$bin/rubato" local "$trace" --slot 240 2>"$logs/local.log" | true || true
"$bin/rubato" local "$trace" --slot 240 2>>"$logs/local.log" | sed 1q >"$work/out" || true
same "the complaint where nothing reads" "$(cat "$logs/local.log")" ""
all_gone

# ---- what cannot be printed ----

status=0
"$bin/rubato" local "$trace" --slot 240 --results="$work/unprinted" >/dev/full 2>"$work/complaint" || status=$?
same "the exit status on a full device" $status 1
same "the complaint on a full device" "$(cat "$work/complaint")" \
    "rubato local: results are in $work/unprinted"$'\n'"rubato local: standard output: cannot be written: No space left on device"
same "the results on a full device" "$([ -s "$work/unprinted/jobs.csv" ] && echo there)" there
all_gone

# ---- what cannot be run ----

refused() { # SENTENCE OPTIONS...
    local sentence=$1

    shift
    rm -f "$logs"/local.*
    start local "$bin/rubato" local "$@"
    ended local 2
    same "the complaint about $*" "$(cat "$logs/local.log")" "rubato local: $sentence"
    same "what is started for $*" "$(cat "$logs/local.out")" ""
    all_gone
}

refused "--real-gpus: this machine is one node, and --nodes=2 would share its GPUs" "$trace" --real-gpus --nodes 2
if [ ! -e /dev/nvidia0 ]; then
    refused "--real-gpus: this machine has none that NVML, nvidia-smi or /dev/nvidia0 shows" "$trace" --real-gpus
fi

of_scheduler() { # OPTIONS...: what it has to say of them.
    "$bin/scheduler" "$@" 2>&1 | sed 's/^scheduler: //'
}

# A mistake in what scheduler or workers are given is told as theirs, before any of them is there.
sed '3s/^/x/; 3s/,[^,]*/,soon/' "$trace" >"$work/bad.csv"
printf '# later\nrules = EF-Q370\npolicy = ef-accessctrl\n' >"$work/rules.conf"
refused "no-such.csv: cannot be read: No such file or directory" no-such.csv
refused "$(of_scheduler --trace_file="$work/bad.csv")" "$work/bad.csv"
refused "no-such: no such folder of throughput tables" "$trace" --throughputs no-such
refused "$work/rules.conf:2: $(of_scheduler --trace_file="$trace" --rules=EF-Q370 | sed 's/^--//')" \
    "$trace" --config "$work/rules.conf"
refused "policy ef works with the placement scheme \"elastic\", not \"gandiva\"" "$trace" --policy ef --placement gandiva
refused "$work/bad.csv/results: the folder cannot be made: Not a directory" "$trace" --results "$work/bad.csv/results"
mkdir "$work/foreign"
echo mine >"$work/foreign/jobs.csv"
foreign="$work/foreign: holds jobs.csv, which is no result of a run; name a folder of its own for the results"
refused "$foreign, or say --force to write them beside it" "$trace" --results "$work/foreign"
same "a foreign file" "$(cat "$work/foreign/"*)" mine
refused "expected one trace, found 0"
refused "--gpus: 8 GPUs cannot be shared out equally to 3 nodes" "$trace" --nodes 3
refused "--workload=command needs --program" "$trace" --workload command
refused "--program: no-such: cannot be read: No such file or directory" "$trace" --program no-such
passed=yes
