#!/usr/bin/env bash
# tour_test.sh - docs/tour.md: its commands as they stand there, line by line, print what they are said to; the programs
# are those of this build. The namespaces of the test end with it, and with them all that the tour makes, whatever fails.
source "$(dirname "$0")/../e2e/testbed.sh"
source tests/examples/python_with_torch.sh

export CUDA_VISIBLE_DEVICES= PYTHONDONTWRITEBYTECODE=1 TMPDIR=$work RUBATO_BIN=$bin
limit_s=600 # for a line: only to catch a hang

# give_up WHY...: what the last line printed, and what each process last said.
give_up() {
    trap - DEBUG
    cat "$work/printed"
    tail -n 15 "$tour"/*.log "$tour"/runs/logs/*
    rubato nodes
    rubato history
    fail "$@"
}

sed -n '/^```sh$/,/^```$/{/^```/d;s|$PWD/build/bin|$bin|;p}' docs/tour.md >"$work/tour"
grep -qF 'PATH=$bin:' "$work/tour" || fail "the tour does not say where its programs are"
[ "$(grep -c '#=>' "$work/tour")" -ge 15 ] || fail "the tour expects next to nothing"

trap - ERR
set +eu +o pipefail # as in the shell of a reader
set -o functrace
trap '[ $SECONDS -lt $limit_s ] || give_up "no end of: $line"' DEBUG
while read -r -u 3 line; do
    SECONDS=0
    date "+%T $line"
    eval "$line" >"$work/printed" 2>&1 </dev/null || give_up "status $? of: $line"
    [ "$line" = "${line#*#=> }" ] || grep -qF -e "${line#*#=> }" "$work/printed" || give_up "otherwise: $line"
done 3<"$work/tour"
trap - DEBUG
nothing_is_left
passed=yes
