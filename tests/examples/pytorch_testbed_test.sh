# pytorch_testbed_test.sh - examples/pytorch/ on two nodes: 4 ranks, shrunk to 2, moved to the other node. The loss curve
# is that of an undisturbed run, at the same global batch size.
source "$(dirname "$0")/../e2e/testbed.sh"
source tests/examples/python_with_torch.sh

iterations=100
arguments=(--width=4 --samples=64 --print-every=1 --double)
export CUDA_VISIBLE_DEVICES= PYTHONDONTWRITEBYTECODE=1

"$python" examples/pytorch/train.py --batch-size=16 --iterations=$iterations "${arguments[@]}" >"$work/alone.out"

printf '%s\n' "# the example, its losses step by step" "$PWD/examples/pytorch/train.py" '--batch-size={batch_size}' \
    '--iterations={iterations}' "${arguments[@]}" >"$work/program"
start_master 2
for node in a b; do
    start_worker $node 4 --workload=command --program="$work/program" -x "$python" --pass-env=PYTHONDONTWRITEBYTECODE
    await master "event=worker-up .*name=$node " >/dev/null
done

mkfifo "$work/next"
start player "$tests/plan_player" --iterations=$iterations --batch-size=16 --next="$work/next" 0,1,2,3 0,1 4,5

# trained NODE INCARNATION STEP: it is there.
trained() {
    local log=$shared/logs/job-0.inc-$2.rank-0.log

    await "worker:$1" "event=part job=0 incarnation=$2 .* state=running" >/dev/null
    "$tests/await_line" --pid "${pids[player]}" "$log" "^step $3 " >/dev/null ||
        fail "incarnation $2 does not get to step $3: $(cat "$logs/player.log" "$log")"
}

trained a 1 30
echo >"$work/next"
trained a 2 60
echo >"$work/next"
ended player
for process in master worker:a worker:b; do
    ended $process
done
cat "$logs/player.out"

# What each incarnation was.
ls "$shared/logs" >"$work/found"
diff "$work/found" - <<'END' || fail "these are not the ranks that were planned"
job-0.inc-1.rank-0.log
job-0.inc-1.rank-1.log
job-0.inc-1.rank-2.log
job-0.inc-1.rank-3.log
job-0.inc-2.rank-0.log
job-0.inc-2.rank-1.log
job-0.inc-3.rank-0.log
job-0.inc-3.rank-1.log
END
for part in "a 1" "a 2" "b 3"; do
    read -r node incarnation <<<"$part"
    grep -q " event=part job=0 incarnation=$incarnation .* state=stable " "$logs/worker-$node.log" ||
        fail "incarnation $incarnation did not train on node $node"
done
[ "$(ls "$shared/jobs/0")" = checkpoint.pt ] || fail "left beside the checkpoint: $(ls "$shared/jobs/0")"

# Every step once, with the loss that it has without any disturbance.
cat "$shared"/logs/job-0.inc-?.rank-0.log >"$work/moved.out"
awk '
    FNR == NR { alone[$2] = $4; next }
    $2 != ++step { print "step " step " is missing before step " $2; exit failed = 1 }
    { off = $4 - alone[$2]; off = off < 0 ? -off : off; worst = off > worst ? off : worst; last = $4 }
    END {
        if (failed) exit 1
        printf "%d steps, loss %s in the end, at most %.6f off the undisturbed run\n", step, last, worst
        exit !(step == '$iterations' && worst < 0.00001)
    }' "$work/alone.out" "$work/moved.out" || fail "the loss curve is another one"
judge
