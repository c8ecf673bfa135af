# adding_a_policy_test.sh - docs/adding-a-policy.md tells the truth: its one C file and its lines for
# the table compile without a warning, and make a scheduler that knows the policy and runs it.
set -euo pipefail
source "$(dirname "$0")/blocks.sh"

document=docs/adding-a-policy.md
table=scheduler/policies/policy.c
build=${RUBATO_BUILD:?is set by ctest}
rubato=${RUBATO_BIN:?is set by ctest}/rubato
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

[ -e "$document" ] || fail "there is no $document"
[ -e "$build/compile_commands.json" ] || fail "there is no $build/compile_commands.json"
split_blocks "$document" "$work/blocks"

# only PATTERN LANGUAGE WHAT: the one block of the document whose first line matches.
only() {
    local found=() block

    for block in "$work/blocks"/*."$2"; do
        [ ! -e "$block" ] || ! head -1 "$block" | grep -qE "$1" || found+=("$block")
    done
    [ ${#found[@]} -eq 1 ] || fail "$document: ${#found[@]} blocks \`\`\`$2 with $3, expected one"
    echo "${found[0]}"
}

source_block=$(only '^/\* scheduler/policies/[a-z0-9_]+\.c - ' c 'a first line /* scheduler/policies/NAME.c - ...')
name=$(sed -nE '1 s|^/\* scheduler/policies/([a-z0-9_]+)\.c - .*|\1|p' "$source_block")
extern_block=$(only "^extern const struct policy policy_$name;\$" c "the extern line of policy_$name")
row_block=$(only "^ *&policy_$name,\$" c "the line &policy_$name,")
cmake_block=$(only "^ *policies/$name\\.c\$" cmake "the line policies/$name.c")
for block in "$extern_block" "$row_block" "$cmake_block"; do
    [ "$(wc -l <"$block")" = 1 ] || fail "$document: more than one line: $(cat "$block")"
done
grep -qE '^ *policies/[a-z_]+\.c\)?$' scheduler/CMakeLists.txt ||
    fail "scheduler/CMakeLists.txt lists no sources like \"$(cat "$cmake_block")\""

# insert_after_last PATTERN BLOCK FILE: the block goes behind the last line of the file that matches.
insert_after_last() {
    local line

    line=$(grep -nE "$1" "$3" | tail -1 | cut -d: -f1 || true)
    [ -n "$line" ] || fail "$table has no line like $1 to put \"$(cat "$2")\" behind"
    sed -i "${line}r $2" "$3"
}

cp "$table" "$work/policy.c"
cp "$source_block" "$work/$name.c"
insert_after_last '^extern const struct policy policy_[a-z0-9_]+;$' "$extern_block" "$work/policy.c"
insert_after_last '^ *&policy_[a-z0-9_]+,$' "$row_block" "$work/policy.c"
[ "$(diff "$table" "$work/policy.c" | grep -c '^>')" = 2 ] || fail "two lines were not inserted"

# Compiled as the build compiles policy.c, warnings being errors.
command=$(tr -d '\n' <"$build/compile_commands.json" | sed 's/},/}\n/g' | grep -F "/$table\"" |
    sed -nE 's/.*"command": "(.*)", *"file".*/\1/p' | sed 's/\\\(["\\]\)/\1/g' || true)
[ -n "$command" ] || fail "compile_commands.json has no command for $table"
eval "compiler=($command)"
flags=()
for ((i = 1; i < ${#compiler[@]}; i++)); do
    case ${compiler[i]} in
    -o | -c | -MF | -MT) i=$((i + 1)) ;;
    -MD) ;;
    *) flags+=("${compiler[i]}") ;;
    esac
done
objects=()
for file in "$work/$name.c" "$work/policy.c" scheduler/{main,reference/chronus_options,testbed}.c; do
    object=$work/$(basename "$file" .c).o
    "${compiler[0]}" "${flags[@]}" -Werror -c "$file" -o "$object" || fail "$file does not compile"
    objects+=("$object")
done

# The new table and the new policy come before the library that has the old table.
mapfile -t libraries < <(find "$build/scheduler" "$build/protocol" "$build/common" -name 'lib*.a')
[ ${#libraries[@]} -gt 5 ] || fail "$build has only the libraries ${libraries[*]}"
read -ra external < <(pkg-config --libs libconfuse jansson libczmq libzmq msgpack)
"${compiler[0]}" "${flags[@]}" -o "$work/scheduler" "${objects[@]}" \
    -Wl,--start-group "${libraries[@]}" -Wl,--end-group "${external[@]}" -lcsv -lm -ldl ||
    fail "the scheduler does not link"

# It knows the policy beside all others, and runs it.
printed=$(sed -nE 's/^ *\.name = "(.*)",$/\1/p' "$work/$name.c")
[ -n "$printed" ] || fail "$name.c gives no .name"
for schedule in ef-accessctrl edf $printed; do
    "$work/scheduler" --print-words | grep -qE "^--schedule=.* $schedule( |\$)" ||
        fail "the scheduler does not know $schedule"
done
for trace in testbed25:n4g8 testbed195:n16g8; do
    results=$work/${trace%:*}
    jobs=$(($(wc -l <"traces/${trace%:*}.csv") - 1))
    "$work/scheduler" --schedule="$printed" --trace_file="traces/${trace%:*}.csv" \
        --cluster_spec="cluster_specs/${trace#*:}.csv" --throughputs=throughputs \
        --log_path="$results" >"$work/out" || fail "--schedule=$printed fails on $trace"
    accepted=$(sed -n 's/^accepted jobs: //p' "$work/out")
    declined=$(sed -n 's/^declined jobs: //p' "$work/out")
    [ $((accepted + declined)) = "$jobs" ] ||
        fail "$trace: $accepted accepted and $declined declined of $jobs jobs"

    # Who has no record never ran, and so was declined.
    retired=$(tail -n +2 "$results/jobs.csv" | cut -d, -f2 | sort -u | wc -l)
    [ "$(wc -l <"$results/jobs.csv")" = $((retired + 1)) ] || fail "$trace: a job is retired twice"
    [ "$retired" -gt 0 ] && [ $((jobs - retired)) -le "$declined" ] ||
        fail "$trace: $retired jobs are retired and $declined declined of $jobs"

    "$rubato" audit "$results" >"$work/audit" 2>&1 || fail "$trace: $(tail -1 "$work/audit")"
    echo "ok: $printed on $trace: $jobs jobs, $accepted accepted, $retired retired, audited"
done
