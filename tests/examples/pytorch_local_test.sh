# pytorch_local_test.sh - two jobs of examples/pytorch/ under `rubato local`: the second one takes GPUs from the first,
# which goes on with fewer, and gets them all in the end. No step is lost or done twice.
source "$(dirname "$0")/../e2e/testbed.sh"
source tests/examples/python_with_torch.sh

export CUDA_VISIBLE_DEVICES= PYTHONDONTWRITEBYTECODE=1 TMPDIR=$work
iterations=80
printf '%s\n' "$PWD/examples/pytorch/train.py" '--batch-size={batch_size}' '--iterations={iterations}' --width=4 \
    --samples=64 --print-every=1 >"$work/program"
printf '%s\n' job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration \
    a,0,$iterations,resnet50_cifar10,10000,64,2,10 b,4,$iterations,resnet50_cifar10,10000,64,2,10 >"$work/jobs.csv"

start local "$bin/rubato" local "$work/jobs.csv" --program "$work/program" --python "$python" --gpus 4 --slot 4 \
    --run-dir "$work/kept" --pass-env PYTHONDONTWRITEBYTECODE
ended local
cat "$logs/local.out"
[ "$(tail -n 2 "$logs/local.out" | paste -sd ' ')" = "accepted jobs: 2 declined jobs: 0" ] || fail "not both are done"

for job in 0 1; do
    cat $(ls -v "$work/kept/logs/job-"*"-$job".inc-*.rank-0.log) >"$work/losses"
    awk '$2 != ++step { exit 1 } END { exit step != '$iterations' }' "$work/losses" ||
        fail "job $job does not do each step once: $(cat "$work/losses")"
done
nothing_is_left
passed=yes
