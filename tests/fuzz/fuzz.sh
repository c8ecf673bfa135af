#!/bin/bash
# fuzz.sh BUILD_FOLDER [TARGET...] - lets each fuzzer of a -DRUBATO_FUZZ=ON build make up inputs for
# RUBATO_FUZZ_SECONDS (60) and fails on any finding: a crash, a leak, 512 MiB, or a second without
# an answer. What it makes up goes to a temporary folder; what it finds stays there.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=${1:?usage: fuzz.sh BUILD_FOLDER [TARGET...]}
shift
[ $# -gt 0 ] || set -- trace throughput cluster_spec faults config messages stream keys commands record step jobs log import results sweep
seconds=${RUBATO_FUZZ_SECONDS:-60}
bad=tests/bad_input
found=0

# What was freed is kept for a while to notice its use; a reader's buffers are large.
export ASAN_OPTIONS=quarantine_size_mb=16

seeds_of() {
    case $1 in
    trace) echo "$bad/traces $bad/numbers traces" ;;
    throughput) echo "$bad/throughputs $bad/numbers throughputs" ;;
    cluster_spec) echo "$bad/cluster_specs cluster_specs" ;;
    faults) echo "$bad/faults" ;;
    config) echo "$bad/config" ;;
    messages) echo "$bad/messages" ;;
    stream) echo "$bad/streams" ;;
    keys) echo "$bad/keys" ;;
    commands) echo "$bad/commands" ;;
    record) echo "$bad/records" ;;
    step) echo "tests/journal/corpus/steps" ;;
    jobs) echo "tests/journal/corpus/jobs" ;;
    log) echo "tests/journal/corpus/logs" ;;
    import) echo "tests/trace_import/samples $bad/imports" ;;
    results) echo "tests/page/corpus" ;;
    sweep) echo "tests/sweep/corpus" ;;
    *) echo "fuzz.sh: there is no target $1" >&2; exit 2 ;;
    esac
}

for target in "$@"; do
    seeds=$(seeds_of "$target") || exit 2
    work=$(mktemp -d "${TMPDIR:-/tmp}/fuzz_$target.XXXXXX")
    mkdir "$work/corpus"
    dictionary=tests/fuzz/csv.dict
    case $target in
    config | keys | commands | record | import | results | sweep) dictionary=tests/fuzz/$target.dict ;;
    step | jobs) dictionary=tests/fuzz/record.dict ;;
    messages | stream | log) dictionary=tests/fuzz/msgpack.dict ;;
    esac
    # shellcheck disable=SC2086 # several folders
    "$build/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=1 -rss_limit_mb=512 \
        -max_len=4096 -dict=$dictionary -artifact_prefix="$work/" -print_final_stats=1 \
        "$work/corpus" $seeds >"$work/log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
    if [ "$status" -eq 0 ] && [ "${runs:-0}" -gt 0 ]; then
        printf 'fuzz_%s: %s runs in %s s, nothing found\n' "$target" "$runs" "$seconds"
        rm -rf "$work"
    else
        tail -n 40 "$work/log"
        printf 'fuzz_%s: exit status %s, see %s\n' "$target" "$status" "$work"
        found=1
    fi
done
exit $found
