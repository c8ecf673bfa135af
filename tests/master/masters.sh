# masters.sh - what the tests that start a master by hand share. Sourced.
set -euo pipefail

bin=${RUBATO_BIN:?is set by ctest}
source_folder=$PWD
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
checks=0

fail() {
    echo "FAILED: $*" >&2
    grep -vE 'event=worker-(up|down) ' master.err | tail -n 40 >&2 || true
    tail -n 5 ./*.err >&2
    exit 1
}

# await WORDS FILE PID: until the words stand in the file; the process must not end before.
await() {
    until grep -qE -e "$1" "$2"; do
        kill -0 "$3" 2>/dev/null || grep -qE -e "$1" "$2" || fail "$2 ends without $1"
        read -rt 0.01 <> <(:) || true
    done
}
