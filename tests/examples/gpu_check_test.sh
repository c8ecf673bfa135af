# gpu_check_test.sh - examples/pytorch/gpu_check.sh on a machine whose driver is a fake one with a GPU, on which PyTorch
# trains on the processor: each of its checks passes, and one that cannot pass is counted.
source "$(dirname "$0")/../e2e/testbed.sh"
source tests/examples/python_with_torch.sh

mkdir "$work/driver"
ln -s "$(realpath "$tests/fake_gpus/libnvidia-ml.so.1")" "$work/driver/"
cat >"$work/driver/nvidia-smi" <<'END'
#!/bin/sh
case $* in
*--query-gpu=uuid*) seq -f 'GPU-%08g-nvml' 0 $((FAKE_GPUS - 1)) ;;
esac
END
chmod +x "$work/driver/nvidia-smi"
export LD_LIBRARY_PATH=$work/driver PATH=$work/driver:$PATH TMPDIR=$work FAKE_GPUS=1 OMP_NUM_THREADS=1
unset CUDA_VISIBLE_DEVICES

examples/pytorch/gpu_check.sh --bin="$bin" --python="$python" --iterations=120 >"$work/said" 2>&1 ||
    fail "a check fails: $(cat "$work/said")"
cat "$work/said"
[ "$(tail -n 1 "$work/said")" = "19 passed, 0 failed" ] || fail "not all was checked"
for figure in start-up 'first step' checkpoint resume 'after a killed worker'; do
    grep -E "^ +$figure: [0-9.]+ s$" "$work/said" >/dev/null || fail "the time of $figure is not told"
done

if LD_LIBRARY_PATH= examples/pytorch/gpu_check.sh --bin="$work/driver" >"$work/said" 2>&1; then
    fail "without programs nothing can pass"
fi
[ "$(tail -n 2 "$work/said" | head -n 1)" = "0 passed, 1 failed" ] || fail "what fails is not counted: $(cat "$work/said")"
nothing_is_left
passed=yes
