#!/usr/bin/env bash
# soak.sh JOBS TESTS - what `make test` has no time for: every random test RUBATO_SOAK (10) times as long, from
# RUBATO_SEED or another one each time; every test of the testbed as often; half an hour of
# jobs and faults; the ends of scheduler and master at each place 25 times; the path of a newcomer, with a build of its
# own; processes of the version before among those of this one; each fuzzer for RUBATO_FUZZ_SECONDS (60).
# The builds are there: `make soak`. Ends with status 1 if anything was found, after everything has run.
set -u
cd "$(dirname "$0")/.." || exit 2
times=${RUBATO_SOAK:-10}
seed=${RUBATO_SEED:-$(date +%s)}
found=0

echo "RUBATO_SOAK=$times RUBATO_SEED=$seed"
RUBATO_SOAK=$times RUBATO_SEED=$seed ctest --preset release --label-regex random --parallel "$1" || found=1
ctest --preset release --label-regex e2e --repeat until-fail:"$times" --parallel "$2" || found=1
RUBATO_SEED=$seed bash tests/e2e/service_soak_test.sh 30m || found=1
RUBATO_SEED=$seed bash tests/e2e/end_everywhere.sh $((2 * $2)) "build/ends-$seed" || found=1
bash tests/e2e/newcomer.sh || found=1
bash tests/e2e/neighbour_versions.sh || [ $? -eq 77 ] || found=1
bash tests/fuzz/fuzz.sh build/fuzz || found=1
exit $found
