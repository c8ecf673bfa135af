# front_test.sh - `rubato` itself: help, version, verbs that there are and that there are not.
source "$(dirname "$0")/cli.sh"

passes "$rubato" --help
cp "$out" "$work/help"
same "the first line" "$(head -1 "$out")" "Usage: rubato VERB [OPTION...]"
same "the verbs" "$(verbs | tr '\n' ',')" \
    "up,down,submit,list,show,explain,wait,cancel,hold,release,change,logs,history,whatif,profile,learn,top,status,nodes,drain,resume,simulate,compare,bound,quote,local,replay,audit,quirks,keys,trace info,trace validate,trace convert,trace generate,trace overhead,trace search,"
passes "$rubato" help
cmp "$out" "$work/help"

passes "$rubato" --version
same "the version" "$(cat "$out")" \
    "rubato $(sed -nE 's/^project\(rubato VERSION ([0-9.]+).*/\1/p' "$project/CMakeLists.txt")"

# Without a verb the help is a complaint.
gives 2 "$rubato"
[ ! -s "$out" ] || fail "help without being asked on stdout"
cmp "$err" "$work/help"

refused "there is no verb \"fly\"" "$rubato" fly
refused "there is no verb \"fly away\"" "$rubato" fly away
refused "trace is followed by info, validate, convert, generate, overhead or search" "$rubato" trace
refused "trace is followed by info, validate, convert, generate, overhead or search" "$rubato" trace fly
refused "there is no verb \"--no-such-option\"" "$rubato" --no-such-option

# Every verb, and the scheduler: help, unknown options, a config that is read back as it was printed.
check_command() {
    local name=$1

    shift
    passes "$@" --help
    grep -q "^Usage: $name \[OPTION" "$out" || fail "the help of $name: $(head -1 "$out")"
    [ "$(wc -L <"$out")" -le 80 ] || fail "the help of $name is wider than 80 columns"
    passes "$@" --usage
    gives 2 "$@" --no-such-option
    says "$name: unrecognized option '--no-such-option'"
    passes "$@" --print-config
    cp "$out" "$work/config"
    passes "$@" --config="$work/config" --print-config
    cmp "$out" "$work/config"
    refused "no-such: cannot be read" "$@" --config no-such
    echo 'no_such_key = 1' >"$work/config"
    refused "no_such_key" "$@" --config "$work/config"
}

check_command scheduler "$scheduler"
while read -r verb; do
    read -ra words <<<"$verb"
    check_command "rubato $verb" "$rubato" "${words[@]}"
done < <(verbs)
done_checking 68
