#!/usr/bin/env bash
# gpu_check.sh - tries Rubato on the GPU of this machine, within 8 minutes: builds it, starts a service with the GPU that
# NVML finds, profiles two small models, runs a promised job that is held, loses its worker and goes on, and looks for
# strays. It needs PyTorch, a compiler, no network and no rights: packages that are missing come from a folder of .deb
# files, which collect_debs.sh fills.
#
#   examples/pytorch/gpu_check.sh [--bin=DIR] [--debs=DIR] [--python=PYTHON] [--iterations=N]
#     --bin         programs that are built already
#     --debs        default: examples/pytorch/debs
#     --iterations  of the promised job (default 3000)
# It prints times and rates, and last "N passed, N failed".
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
bin='' debs=$here/debs python=python3 iterations=3000
for option in "$@"; do
    case $option in
    --bin=*) bin=${option#*=} ;;
    --debs=*) debs=${option#*=} ;;
    --python=*) python=${option#*=} ;;
    --iterations=*) iterations=${option#*=} ;;
    *)
        echo "gpu_check.sh: unknown option $option" >&2
        exit 2
        ;;
    esac
done

work=$(mktemp -d)
state=$work/state
limit_s=480
passed=0 failed=0
export PYTHONDONTWRITEBYTECODE=1 RUBATO_SOCKET=$state/rubato.sock

finish() {
    status=$?
    [ ! -d "$state" ] || [ -z "$bin" ] || "$bin/rubato" down --state="$state" >/dev/null 2>&1 || true
    if [ $status -eq 0 ]; then rm -rf "$work"; else echo "logs are in $work" >&2; fi
}
trap finish EXIT

now() {
    date +%s.%N
}

since() { # TIME
    awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.2f", to - from }'
}

# check WORDS COMMAND...: one that fails is counted, and all goes on.
check() {
    local words=$1

    shift
    if [ $SECONDS -lt $limit_s ] && "$@" >"$work/said" 2>&1; then
        echo "ok      $words"
        passed=$((passed + 1))
    else
        echo "FAILED  $words: $(tail -n 3 "$work/said" | tr '\n' ' ')"
        failed=$((failed + 1))
    fi
}

# until_so COMMAND...: asks again until it succeeds, or the time of the whole check is over.
until_so() {
    until "$@"; do
        [ $SECONDS -lt $limit_s ] || return 1
        sleep 0.2
    done
}

# ---- build ----

unpack() {
    local deb triplet

    compgen -G "$debs/*.deb" >/dev/null || return 0
    for deb in "$debs"/*.deb; do
        dpkg -x "$deb" "$work/prefix"
    done
    triplet=$(gcc -print-multiarch)
    export PATH=$work/prefix/usr/bin:$PATH PKG_CONFIG_SYSROOT_DIR=$work/prefix
    export PKG_CONFIG_PATH=$work/prefix/usr/lib/$triplet/pkgconfig:$work/prefix/usr/share/pkgconfig
    export CMAKE_PREFIX_PATH=$work/prefix/usr CPATH=$work/prefix/usr/include
    export LIBRARY_PATH=$work/prefix/usr/lib/$triplet
    export LD_LIBRARY_PATH=$work/prefix/usr/lib/$triplet${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

build() {
    cmake -S "$root" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF &&
        cmake --build "$work/build" --parallel
}

if [ -z "$bin" ]; then
    unpack
    begun=$(now)
    check "the checkout is built" build
    echo "        build: $(since "$begun") s"
    bin=$work/build/bin
fi
# go_on: where the last check was needed for all that follow, and failed, the rest is not tried.
go_on() {
    [ $failed -gt 0 ] || return 0
    echo "$passed passed, $failed failed"
    exit 1
}
go_on
bin=$(cd "$bin" && pwd)

# ---- a service ----

rubato() {
    "$bin/rubato" "$1" --timeout=60 "${@:2}"
}

# field NAME: of an object of JSON.
field() {
    sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" | head -n 1
}

is_so() { # JOB STATE
    [ "$(rubato show "$1" --json | field state)" = "$2" ]
}

done_at_least() { # JOB ITERATIONS
    [ "$(rubato show "$1" --json | field iterations_done)" -ge "$2" ]
}

has_gpus() {
    [ "$(rubato status --json | field gpus_up)" -ge 1 ]
}

found_by_nvml() {
    local listed up

    listed=$(nvidia-smi --query-gpu=uuid --format=csv,noheader | wc -l)
    up=$(rubato status --json | field gpus_up)
    echo "nvidia-smi lists $listed, the service has $up; $(grep -o 'kind=[a-z-]*' "$state/logs/worker.log")"
    [ "$listed" -eq "$up" ] && grep 'kind=nvml' "$state/logs/worker.log"
}

begun=$(now)
check "a service starts" "$bin/rubato" up --state="$state" --grace=20 \
    --pass-env=PYTHONDONTWRITEBYTECODE,LD_LIBRARY_PATH
go_on
check "a GPU is up" until_so has_gpus
echo "        start-up: $(since "$begun") s"
check "its GPUs are those of the driver" found_by_nvml

# ---- speeds ----

train() { # MODEL ITERATIONS
    echo "$python" "$here/train.py" "--model=$1" --batch-size=64 "--iterations=$2" --print-every=100 --checkpoint-every=100000
}

profile() { # MODEL
    # shellcheck disable=SC2046
    rubato profile --model="check_$1" --batch-size=64 --max-gpus=1 --json -- $(train "$1" 100000)
}

rate_of() { # MODEL: as the table has it
    awk -F, -v model="$1" '$1 == model && $2 == 64 && $3 == 1 { print $4 }' "$root/throughputs/A100.csv"
}

for model in resnet transformer; do
    check "the $model is profiled" profile "$model"
    cp "$work/said" "$work/profile.$model"
done
echo "        iterations/s on one GPU, 64 samples each; in brackets a model of the table for A100:"
echo "        resnet $(tr -d ' \n' <"$work/profile.resnet") (resnet50_cifar10 $(rate_of resnet50_cifar10))"
echo "        transformer $(tr -d ' \n' <"$work/profile.transformer") (bert $(rate_of bert))"

# ---- a promised job: held, without its worker, and done ----

submit() {
    # shellcheck disable=SC2046
    rubato submit --model=check_resnet --batch-size=64 --iterations="$iterations" --deadline=+3h --promise-or-decline \
        --json -- $(train resnet "$iterations")
}

worker_pid() {
    cut -d ' ' -f 1 "$state/worker.pid"
}

is_gone() { # it has ended, on its own or not
    ! pgrep -f "$here/train.py.*--iterations=$iterations" >/dev/null
}

is_off() { # JOB: it is held, and none of its processes is left
    is_so "$1" held && is_gone
}

stable_parts() {
    grep -c 'event=part .* state=stable' "$state/logs/master.log"
}

trains_anew() { # PARTS: so many trained before
    [ "$(stable_parts)" -gt "$1" ]
}

trains_again() { # JOB ITERATIONS
    until_so is_so "$1" running && until_so done_at_least "$1" "$2"
}

check "a job is promised its deadline" submit
job=$(field job <"$work/said")
begun=$(now)
check "it trains" until_so done_at_least "${job:-0}" 1
echo "        first step: $(since "$begun") s"
begun=$(now)
check "it is held" rubato hold "${job:-0}"
check "it has saved its state, and its GPU is free" until_so is_off "${job:-0}"
echo "        checkpoint: $(since "$begun") s"
held_at=$(rubato show "${job:-0}" --json | field iterations_done || true)
begun=$(now)
check "it is released" rubato release "${job:-0}"
check "it goes on after the step that it was at" trains_again "${job:-0}" $((${held_at:-0} + 1))
echo "        resume: $(since "$begun") s"
begun=$(now)
stable=$(stable_parts || true)
check "its worker is killed" kill -KILL "$(worker_pid)"
check "its program dies with it" until_so is_gone
check "a worker is started again" "$bin/rubato" up --state="$state"
check "it trains anew, from its last checkpoint" until_so trains_anew "${stable:-0}"
echo "        after a killed worker: $(since "$begun") s"
check "it is done" timeout "$((limit_s - SECONDS > 1 ? limit_s - SECONDS : 1))" "$bin/rubato" wait "${job:-0}"
kept_promise() {
    rubato list --state=all | grep -E "^ *$job .* done"
}
check "its promise is kept" kept_promise

# ---- what is left ----

no_strays() {
    local pid

    for pid in $(nvidia-smi --query-compute-apps=pid --format=csv,noheader); do
        ! tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -F "$here/train.py" || return 1
    done
    is_gone
}
check "the service ends" "$bin/rubato" down --state="$state"
check "nothing of it is left on the GPU" until_so no_strays
echo "        all: $SECONDS s"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
