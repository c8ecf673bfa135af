#!/usr/bin/env bash
# end_everywhere.sh PARALLEL LOGS - ended_at_test.sh for scheduler, master and both at every place, 25 runs each, so many
# places at a time. What each said is in LOGS/WHO-PLACE.log; places that have passed there are not run again. Status 1 if
# one fails.
set -u
cd "$(dirname "$0")/../.." || exit 2
export LOGS=$2 RUBATO_SEED=${RUBATO_SEED:-1}
mkdir -p "$LOGS"

one() { # WHO PLACE
    local log=$LOGS/$1-$2.log

    ! tail -n 1 "$log" 2>/dev/null | grep -q '^[0-9]* runs, ' || return 0
    bash tests/e2e/ended_at_test.sh "$1" "$2" >"$log" 2>&1 || { echo "FAILED: $1 at $2, see $log" && return 1; }
    echo "$1 at $2: $(tail -n 1 "$log")"
}
export -f one

for who in scheduler master both; do
    bash tests/e2e/ended_at_test.sh places | sed "s/^/$who /"
done | xargs -n 2 -P "$1" bash -c 'one "$@"' one || exit 1
