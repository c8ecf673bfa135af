#!/usr/bin/env bash
# service_comment_test.sh - the comment of a job is what its user likes to say: show, list and the program of the job have it as it was given, also after
# a kill of the service; a comment that is too long, or has control characters, is refused by name.
source tests/e2e/service.sh

start master "$bin/master" -p 6888 -n 1 --heartbeat="$heartbeat" --lease="$lease"
start_worker a 1
cluster=cluster_specs/n1g1.csv
serve() {
    start_service --schedule=rubato --scheduling_slot=0
    served
}
serve
await scheduler 'cause="node 0 joined' >/dev/null

job=(--model=short --batch-size=1 --iterations=100000 --rate=1:1)
comment='nightly: "run 7", 100 % of $HOME'
as_json='"comment": "nightly: \"run 7\", 100 % of $HOME"'

# says WORDS VERB...: its answer has them.
says() {
    client 0 "${@:2}"
    grep -qF -- "$1" "$work/answer" || fail "${*:2}: no $1 in $(cat "$work/answer")"
}

# ---- what is refused ----

refused() { # COMMENT WORDS
    client 2 submit "${job[@]}" --held --comment="$1"
    grep -qF "field \"comment\": $2" "$work/answer" || fail "it does not name the comment: $(cat "$work/answer")"
}
for text in $'two\nlines' $'\e[31m' $'a\x7f' $'\u202e' $'\u009b'; do
    refused "$text" "expected a line without control characters"
done
refused "$(printf 'x%.0s' {1..257})" "expected 1 to 256 bytes, found 257"
client 2 submit "${job[@]}" --held --comment=
grep -qF "comment: expected a text that is not empty" "$work/answer" || fail "an empty comment: $(cat "$work/answer")"
echo '{"model": "short", "batch_size": 1, "iterations": 1, "rates": ["1:1"], "comment": 7}' >"$work/job"
client 2 submit --job="$work/job" --held
grep -qF 'field "comment": expected a text' "$work/answer" || fail "a number is a comment: $(cat "$work/answer")"

# ---- what is told ----

submit 0 "${job[@]}" --held
[ "$(grep -c comment "$work/answer")" -eq 0 ] || fail "a comment that was not given: $(cat "$work/answer")"
client 0 submit "${job[@]}" --comment="$comment" --json -- sh -c 'env; exec sleep 100000'
running=$(field job)
echo '{"comment": "of a file"}' >"$work/job"
client 0 submit "${job[@]}" --job="$work/job" --held --json
of_file=$(field job)
told() {
    says "$as_json" show "$running" --json
    says "$comment" show "$running"
    says "$as_json" list --json
    says '"comment": "of a file"' show "$of_file" --json
}
told

# ---- what the program finds ----

for _ in {1..6000}; do
    client 0 logs "$running"
    ! grep -qxF "RUBATO_JOB_COMMENT=$comment" "$work/answer" || break
    sleep 0.1
done
grep -qxF "RUBATO_JOB_COMMENT=$comment" "$work/answer" || fail "the program has no comment: $(cat "$work/answer")"

# ---- a quote that is held, and the job that takes it ----

client 0 quote "${job[@]}" --deadline=+30d --hold=500 --comment="of the quote" --json
quote=$(field job)
says '"comment": "of the quote"' show "$quote" --json
client 0 submit --hold="$quote" --comment="of the job" --json
says '"comment": "of the job"' show "$quote" --json

# ---- after a kill: by all steps, and by a snapshot ----

send KILL scheduler
ended scheduler 137
serve
told
says '"comment": "of the job"' show "$quote" --json
send TERM scheduler
ended scheduler
serve
told
says '"comment": "of the job"' show "$quote" --json

client 0 cancel "$running" "$of_file" "$quote"
end_service
judge
