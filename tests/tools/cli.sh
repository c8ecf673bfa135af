# cli.sh - what the tests of the command line share. Sourced.
#
# The tests run in a copy of the project as a user has it after building: the programs in build/bin,
# the data beside it, and nothing in it that a test before has written.
set -euo pipefail

project=$PWD
built=${RUBATO_BIN:?is set by ctest}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/build"
cp -r "$built" "$work/tree/build/bin"
cp -r "$built/../lib" "$work/tree/build/lib" # solvers
cp -r traces throughputs cluster_specs "$work/tree"
cd "$work/tree"
rubato=build/bin/rubato
scheduler=build/bin/scheduler
out=$work/out
err=$work/err
small=traces/testbed25.csv
small_cluster=cluster_specs/n4g8.csv
checks=0

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# same WHAT FOUND EXPECTED
same() {
    [ "$2" = "$3" ] || fail "$1:"$'\n'"$(diff <(echo "$3") <(echo "$2") | sed 's/^</expected:/; s/^>/found:   /')"
    checks=$((checks + 1))
}

# gives STATUS COMMAND...: the exit status is STATUS; what the command prints is in $out and $err.
gives() {
    local wanted=$1 status=0

    shift
    "$@" >"$out" 2>"$err" </dev/null || status=$?
    [ $status = "$wanted" ] || fail "exit status $status, expected $wanted, of $*: $(cat "$err")"
    checks=$((checks + 1))
}

# unsaid: takes from $err what a run says of where its results are.
unsaid() {
    sed -i -E '/^[a-z ]*: (results are|logs are|the record is) in /d' "$err"
}

# untold FOLDER...: the results do not say any more which inputs are theirs, so that others can be given them.
untold() {
    sed -i '/^  "inputs": \[/,/^  \],/c\  "inputs": [],' "${@/%//summary.json}"
}

# passes COMMAND...: it succeeds and has nothing to complain about.
passes() {
    gives 0 "$@"
    unsaid
    [ ! -s "$err" ] || fail "$* complains: $(cat "$err")"
}

# refused WORDS COMMAND...: exit status 2, nothing on stdout, one sentence with WORDS on stderr.
refused() {
    local words=$1

    shift
    gives 2 "$@"
    [ ! -s "$out" ] || fail "$* fails and yet prints $(cat "$out")"
    [ "$(wc -l <"$err")" = 1 ] || fail "not one line on stderr of $*: $(cat "$err")"
    says "$words"
}

# unwritten WORDS COMMAND...: the same, but an output cannot be written: exit status 1.
unwritten() {
    local words=$1

    shift
    gives 1 "$@"
    [ ! -s "$out" ] || fail "$* fails and yet prints $(cat "$out")"
    [ "$(wc -l <"$err")" = 1 ] || fail "not one line on stderr of $*: $(cat "$err")"
    says "$words"
}

# says WORDS: they are on stderr.
says() {
    grep -qF -e "$1" "$err" || fail "no \"$1\" on stderr: $(cat "$err")"
}

# schema: the keys of indented JSON on stdin, each with the type of its value.
schema() {
    sed -nE '
        s/^  ( *)"([A-Za-z0-9_]+)": (.*[^,]),?$/\1\2 \3/
        T
        s/ ".*"$/ string/
        s/ -?[0-9]+$/ integer/
        s/ -?[0-9.]+(e[+-]?[0-9]+)?$/ real/
        s/ (true|false)$/ boolean/
        s/ \[$/ array/
        s/ \{$/ object/
        p'
}

# verbs: those that `rubato --help` lists, one a line.
verbs() {
    "$rubato" --help | sed -nE 's/^  ([a-z-]+( [a-z-]+)?)  .*/\1/p'
}

done_checking() {
    [ "$checks" -ge "$1" ] || fail "only $checks checks, expected $1"
    echo "$checks checks"
}
