# new_policy_test.sh - what `rubato new-policy` writes compiles without a warning, passes its test and runs, in C
# and in Python; nothing that is there is overwritten.
set -euo pipefail

source=$PWD
build=${RUBATO_BUILD:?is set by ctest}
rubato=${RUBATO_BIN:?is set by ctest}/rubato
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# refused WORDS COMMAND...
refused() {
    local words=$1 status=0

    shift
    "$@" >out 2>err || status=$?
    [ $status = 2 ] || fail "exit status $status, expected 2, of $*"
    grep -qF -e "$words" err || fail "no \"$words\" in \"$(cat err)\" of $*"
    checks=$((checks + 1))
}

# As much of the sources as the verb changes.
mkdir -p "$work/tree/scheduler/policies" "$work/tree/tests/policies"
cp scheduler/policies/policy_table.c "$work/tree/scheduler/policies"
cp tests/policies/CMakeLists.txt "$work/tree/tests/policies"
cd "$work/tree"
"$rubato" new-policy my-own >out 2>err || fail "new-policy: $(cat err)"
for file in scheduler/policies/my_own.c tests/policies/my_own_test.c; do
    [ -s "$file" ] || fail "no $file"
    ! grep -q "[[:space:]]$\|@NAME@\|@FILE@" "$file" || fail "$file is not as it should be"
done
[ "$(diff "$source/scheduler/policies/policy_table.c" scheduler/policies/policy_table.c | grep '^[<>]')" = \
    "$(printf '>     POLICY(my_own)%*s' 82 '\')" ] || fail "the table is changed otherwise"
[ "$(diff "$source/tests/policies/CMakeLists.txt" tests/policies/CMakeLists.txt | grep -c '^> rubato_test(my_own_test ')" = 1 ] ||
    fail "the test is not entered"
cp -r . "$work/before"
refused 'scheduler/policies/my_own.c: there is such a file already' "$rubato" new-policy my-own
refused 'there is a policy "edf" already' "$rubato" new-policy edf
for name in My own- 1st a--b "a b" exec:x ""; do
    refused "expected a name of at most 40 small letters" "$rubato" new-policy "$name"
done
cp out err "$work/before"
diff -r . "$work/before" || fail "a refusal changed a file"

# command_of TARGET: how the build makes it, as words.
command_of() {
    ninja -C "$build" -t commands "$1" | tail -1
}

# Compiled as their neighbours are, warnings being errors, and linked before the library with the old table.
compile() {
    local like=$1 file=$2 made
    made=$(ninja -C "$build" -t targets all | sed -nE "s#^([^ ]*/$like\.c\.o): .*#\1#p" | head -1)
    (cd "$build" && eval "$(command_of "$made" | sed -E "s# -o [^ ]+ -c .*# -o $work/$(basename "$file" .c).o -c $file#; s# -M[DTF]+( [^ ]+\.o(\.d)?)?##g")" -Werror) ||
        fail "$file does not compile"
}
link() {
    local target=$1 output=$2
    shift 2
    (cd "$build" && eval "$(command_of "$target" | sed -E "s# -o [^ ]+# $* -o $output#")") || fail "$output does not link"
}
compile srtf "$PWD/scheduler/policies/my_own.c"
compile policy_table "$PWD/scheduler/policies/policy_table.c"
compile srtf_test "$PWD/tests/policies/my_own_test.c"
link bin/rubato "$work/rubato" "$work/my_own.o" "$work/policy_table.o"
(cd "$build" && eval "$(command_of tests/srtf_test | sed -E "s#[^ ]*srtf_test\.c\.o#$work/my_own_test.o $work/my_own.o $work/policy_table.o#; s# -o [^ ]+# -o $work/my_own_test#")") ||
    fail "the test does not link"
cd "$source"
"$work/my_own_test" >"$work/out" 2>&1 || fail "its test fails: $(cat "$work/out")"
"$work/rubato" simulate --policy my-own --throughputs throughputs --results "$work/mine" traces/testbed25.csv \
    --cluster cluster_specs/n4g8.csv >"$work/out" 2>&1 || fail "it does not run: $(cat "$work/out")"
"$rubato" audit "$work/mine" >"$work/out" 2>&1 || fail "its run is not sound: $(tail -1 "$work/out")"
checks=$((checks + 4))

# The program beside it decides alike.
cd "$work"
"$rubato" new-policy --language python my-own >out 2>err || fail "new-policy: $(cat err)"
refused "my_own.py: there is such a file already" "$rubato" new-policy --language python my-own
refused "expected the top folder of Rubato's sources here" "$rubato" new-policy other
cd "$source"
if command -v python3 >/dev/null; then
    "$rubato" simulate --policy "exec:$work/my_own.py" --results "$work/program" traces/testbed25.csv \
        --cluster cluster_specs/n4g8.csv >"$work/out" 2>&1 || fail "the program does not run: $(cat "$work/out")"
    for file in jobs outcomes rounds work; do
        cmp "$work/mine/$file.csv" "$work/program/$file.csv" || fail "the two decide differently"
    done
    checks=$((checks + 1))
fi

echo "$checks checks passed"
