#!/usr/bin/env bash
# service_texts_test.sh - no text of a user's reaches another user's terminal or a reader of JSON as it should not: escape
# sequences, line ends, tabs, marks of direction, bytes that are no UTF-8 and texts of any length are refused, or shown
# as what they are. Only `logs --raw` prints the bytes of a log.
source tests/e2e/service.sh

command -v python3 script >/dev/null || { echo "skipped: python3 or script is missing"; exit 77; }

esc=$'\e[31m\e]0;title\a\r\n\tFORGED\b\x7f'
marks=$'\u0085\u009b\u061c\u200e\u202e\u2066\u2028' # C1, and Unicode's line ends and marks of direction
bytes=$'\xff\x9b31m\xc3\xe2\x80\xed\xa0\x80'
harmful='[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]'
long=$(printf 'ä%.0s' {1..2000})
hostile=("$esc$marks" "$bytes" "a$long")

# harmless WHAT FILE [CODE...]: what a terminal gets; each CODE of bytes is one that it may have.
harmless() {
    ! LC_ALL=C grep -aqP -- "$harmful" "$2" || fail "$1 sends to a terminal: $(LC_ALL=C cat -v "$2")"
    iconv -f UTF-8 -t UTF-8 "$2" >"$work/iconv" 2>&1 || fail "$1 is no UTF-8: $(LC_ALL=C cat -v "$2")"
    ! grep -aqE '^[ ?]*FORGED' "$2" || fail "$1 has a line of the user's: $(cat "$2")"
}

# json WHAT FILE: documents, which are_json reads together.
json() {
    harmless "$1" "$2"
    mkdir -p "$work/json"
    cp "$2" "$work/json/$((++answers)).$(printf '%.20s' "${1//[^a-z-]/_}")"
}
answers=0

# The reader takes no control character within a text.
are_json() {
    python3 -c 'import json, sys
for name in sys.argv[1:]:
    text = open(name, encoding="utf-8").read().strip()
    while text:
        try:
            text = text[json.JSONDecoder().raw_decode(text)[1]:].strip()
        except ValueError as error:
            sys.exit(f"{name}: {error}: {text}")' "$work"/json/* || fail "an answer is no JSON"
}

# asks VERB...: with and without --json, on a terminal and on none; none of them fails.
asks() {
    client 0 "$@"
    harmless "$*" "$work/answer"
    client 0 "$@" --json
    json "$* --json" "$work/answer"
    on_terminal "$bin/rubato" "$@"
    harmless "$* on a terminal" "$work/answer"
}

# on_terminal COMMAND...: what it writes there, without the colours and moves of rubato itself. A q ends `top`.
on_terminal() {
    printf q | script -qec "$(printf '%q ' "$@")" /dev/null >"$work/answer" ||
        fail "$* ended with $?: $(cat "$work/answer")"
    sed -i -E 's/\x1b\[[?0-9;]*[A-Za-z]//g; s/\r+$//' "$work/answer"
}

# asks_of JOB...: all that is told of these jobs.
asks_of() {
    local verb job

    for job in "$@"; do
        for verb in show explain history; do
            asks $verb "$job"
        done
    done
}

asks_all() {
    local verb

    for verb in status nodes profiles history top "list --state=all"; do
        # shellcheck disable=SC2086
        asks $verb
    done
}

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 1
cluster=cluster_specs/n1g1.csv
start_service --schedule=rubato --scheduling_slot=0
served
await scheduler 'cause="node 0 joined' >/dev/null

# ---- each text of a job, and of other orders ----

job=(--model=short --batch-size=1 --iterations=1000 --rate=1:1)

# tries WORDS...: an order that may be refused, in a sentence that does no harm.
tries() {
    local status=0

    rubato "$@" >"$work/answer" 2>&1 || status=$?
    [ $status -lt 126 ] || fail "$1 ended with $status: $(LC_ALL=C cat -v "$work/answer")"
    harmless "$1" "$work/answer"
    rubato "$1" --json "${@:2}" >"$work/answer" 2>"$work/told" || true
    harmless "$1 --json" "$work/told"
    [ ! -s "$work/answer" ] || json "$1 --json" "$work/answer"
}

for text in "${hostile[@]}"; do
    for option in --name --comment --key --model --folder --deadline --rate --environment --environment=A --job; do
        tries submit --held "${job[@]}" "$option=$text" -- true
    done
    tries submit --held "${job[@]}" -- "$text" "$text"
    tries submit --held "${job[@]}" -- true "$text" "a$text" "aa$text"
    tries learn --model="$text" --batch-size=1 --rate=1:1
    tries show "$text"
    tries logs "$text"
    tries drain "$text"
    tries quote --batch-size=1 --iterations=1 --model="$text"
    tries profiles --user="$text"
    tries list --user="$text"
    tries whatif --remove-node "$text"
done
# What cannot be sent is not left out of the question: the option is named.
for order in "list --user=" "profiles --user=" "whatif --remove-node=" "learn --batch-size=1 --rate=1:1 --model="; do
    # shellcheck disable=SC2086
    client 2 $order"$bytes"
    grep -qE -- '^rubato [a-z]+: --[a-z-]+: .* is not UTF-8$' "$work/answer" || fail "$order: $(cat "$work/answer")"
done
client 2 drain "$bytes"
grep -q ' is not UTF-8$' "$work/answer" || fail "drain: $(cat "$work/answer")"
for text in "$esc$marks" "$long"; do
    python3 -c 'import json, sys
text = sys.argv[1]
for field in ("name", "comment", "key", "model", "folder", text):
    with open(f"{sys.argv[2]}.{len(field)}", "w") as out:
        json.dump({"model": "short", "batch_size": 1, "iterations": 1, "command": ["true", text],
                   "environment": ["A=" + text], "rates": ["1:1"], "held": True, field: text}, out)' "$text" "$work/job"
    for file in "$work"/job.*; do
        tries submit --job="$file"
    done
done
client 0 list --json
mapfile -t held < <(sed -n 's/^ *"job": \([0-9]*\),$/\1/p' "$work/answer")
[ ${#held[@]} -ge 5 ] || fail "hardly any text was taken: ${#held[@]} jobs"
asks_all
asks_of "${held[@]}"
client 0 cancel "${held[@]}"

# ---- what jobs say and how they end ----

ends=()
for text in "$esc$marks" "$long" "a$long"; do
    client 0 submit "${job[@]}" --json -- "/${text::1500}"
    ends+=("$(field job)")
done
# What a program says of its progress.
client 0 submit "${job[@]}" --json -- sh -c '"$0" say="step 1" say="step $(printf "$1")" say="$(printf "$1")" exit=0' \
    "$PWD/$tests/test_program" '\033[31m\377\303\n\t\302\233'
ends+=("$(field job)")
rubato wait "${ends[@]}" >"$work/answer" || true
asks_of "${ends[@]}"
client 0 explain "${ends[0]}"
grep -qF "?[31m?]0;title" "$work/answer" || fail "the end of a job does not name its program: $(cat "$work/answer")"
asks_all

# ---- a log ----

printf '%s\n' "${hostile[@]}" >"$work/hostile"
client 0 submit "${job[@]}" --json -- cat "$work/hostile"
log=$(field job)
client 0 wait "$log"
client 0 logs "$log" --json
json "logs --json" "$work/answer"
for verb in "logs $log" "logs --follow $log"; do
    # shellcheck disable=SC2086
    client 0 $verb
    grep -aqF '\u001b[31m' "$work/answer" || fail "logs hides what the program wrote: $(LC_ALL=C cat -v "$work/answer")"
    tr -d '\t' <"$work/answer" >"$work/without-tabs" # a log may have them
    sed -i 's/^FORGED//' "$work/without-tabs"
    harmless "$verb" "$work/without-tabs"
done
client 0 logs --raw "$log"
grep -aqF $'\e[31m\e]0;title\a' "$work/answer" || fail "logs --raw changes a log: $(LC_ALL=C cat -v "$work/answer")"

are_json
[ "$answers" -ge 100 ] || fail "only $answers answers were JSON"

send TERM scheduler
ended scheduler
passed=yes
