#!/usr/bin/env bash
# valgrind_test.sh - the programs read and free only what is theirs.
source "$(dirname "$0")/cli.sh"

command -v valgrind >/dev/null || exit 77
[ -z "${RUBATO_SANITIZED:-}" ] || exit 77 # the two do not mix

clean() {
    gives 0 valgrind -q --vgdb=no --leak-check=full --error-exitcode=9 --child-silent-after-fork=yes --trace-children=yes "$@"
    unsaid
    [ ! -s "$err" ] || fail "valgrind on $*: $(cat "$err")"
}

for policy in ef-accessctrl ef edf edf-accessctrl; do
    clean "$scheduler" --schedule=$policy --trace_file="$small" --cluster_spec="$small_cluster" \
        --log_path="$work/$policy"
    clean "$rubato" audit "$work/$policy"
done
gzip -k "$small"
clean "$rubato" simulate --cluster cluster_specs/n1g8.csv --slot 240 --json "$small.gz"
clean "$rubato" bound --cluster cluster_specs/n1g8.csv --json "$small.gz"
clean "$rubato" quote --cluster cluster_specs/n1g2.csv --model vgg16 --iterations 10 --json "$small.gz"
clean "$rubato" trace info "$small"
clean "$rubato" trace generate --force --jobs 100 --seed 1 --gpu-type T4 --output "$work/new.csv"
clean "$rubato" trace search --jobs 3 --want ef-accessctrl=2/1 --cluster cluster_specs/n1g8.csv \
    --force --output "$work/new.csv"

echo "$checks checks passed"
