# pytorch_overhead_test.sh - examples/pytorch/overhead.sh fills its table, leaves nothing, and does not wait for workers
# that cannot run.
source "$(dirname "$0")/../e2e/testbed.sh"
source tests/examples/python_with_torch.sh

export CUDA_VISIBLE_DEVICES= TMPDIR=$work/tmp RUBATO_BIN=$bin
mkdir "$TMPDIR"
printf '%s\n' "$PWD/examples/pytorch/train.py" --width=4 --samples=64 '--batch-size={batch_size}' '--iterations={iterations}' \
    >"$work/program"

# A job trains within its seconds, or on a busy machine within more of them.
for seconds in 15 60 240; do
    rm -f "$logs/overhead.out"
    start overhead examples/pytorch/overhead.sh -c profile -g 1 -t $seconds -x "$python" -P "$work/program"
    ended overhead
    grep -q -- ' -$' "$logs/overhead.out" || break
done
for operation in start train stop; do
    grep -qE "^$operation +1 +1 +[0-9]+\.[0-9]+$" "$logs/overhead.out" || fail "no $operation: $(cat "$logs/overhead.out")"
done
! grep -q -- ' -$' "$logs/overhead.out" || fail "something was not done: $(cat "$logs/overhead.out")"
nothing_is_left
[ -z "$(ls "$TMPDIR")" ] || fail "left: $(ls "$TMPDIR")"

start overhead examples/pytorch/overhead.sh -P no-such-file
ended overhead 1
grep -q 'worker: --program: no-such-file' "$logs/overhead.log" || fail "no reason: $(cat "$logs/overhead.log")"
nothing_is_left
[ -z "$(ls "$TMPDIR")" ] || fail "left: $(ls "$TMPDIR")"
passed=yes
