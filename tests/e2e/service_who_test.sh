#!/usr/bin/env bash
# service_who_test.sh - each order is told with who gave it, and what an operator holds only an operator releases, also
# after a start.
source tests/e2e/service.sh

"$bin/rubato" keys --folder="$keys" --role=master >/dev/null
"$bin/rubato" keys --folder="$keys" --role=scheduler >/dev/null
for user in submit:sam operate:otto; do
    "$bin/rubato" keys --folder="$keys" --role="${user%:*}" "${user#*:}" >/dev/null
done
start_service
served

as() { # CODE USER VERB...
    client "$1" "$3" --service=127.0.0.1:7000 --keys="$keys" --as="$2" "${@:4}"
}

says() {
    grep -qE -e "$1" "$work/answer" || fail "no \"$1\" in: $(cat "$work/answer")"
}

restart() { # SIGNAL STATUS
    send "$1" scheduler
    ended scheduler "$2"
    : >"$logs/scheduler.log"
    start_service
    served
}

last=

submits() { # USER OPTIONS...: a job in $job
    as 0 "$1" submit --model=bert --batch-size=64 --iterations=100 --json "${@:2}"
    job=$(field job)
}

# Held by an operator while it waits, while its user holds it, and while it was never released.
for how in waiting held new; do
    submits sam --held="$([ $how = new ] && echo true || echo false)"
    [ $how != held ] || as 0 sam hold "$job"
    as 0 otto hold "$job"
    as 0 otto explain "$job"
    says "it is held by operator otto: only an operator releases it"
    as 4 sam release "$job"
    says "operator otto holds job $job: only an operator releases it"
    as 0 sam hold "$job" # changes nothing
    as 4 sam release "$job"
    as 0 sam change "$job" --deadline=none
    as 4 sam release "$job"
    case $how in
    waiting) restart KILL 137 ;;
    held) restart TERM 0 ;;
    esac
    as 4 sam release "$job"
    as 0 otto release "$job"
    as 0 sam hold "$job"
    restart KILL 137
    as 0 sam release "$job" # the operator's hold is over
    as 0 sam history "$job"
    says " submitted +100 iterations of bert, by its user sam"
    says " held +it is held by operator otto"
    says " released +it is released by operator otto"
    says " held +it is held by its user sam"
    says " released +it is released by its user sam"
    as 0 otto change "$job" --deadline=none
    as 0 sam history "$job" --json
    says '"by": "otto"'
    says "its deadline is changed by operator otto"
done

# Cancelled while it waits and while it is held.
for held in false true; do
    for user in otto:operator sam:its\ user; do
        submits sam --held=$held
        as 0 "${user%:*}" cancel "$job"
        sentence="it is cancelled by ${user#*:} ${user%:*}"
        as 0 sam explain "$job"
        says "$sentence"
        as 0 sam history "$job"
        says " cancelled +$sentence"
        last="$last$job:$sentence"$'\n'
    done
done
restart KILL 137
while IFS=: read -r job sentence; do
    [ -z "$job" ] || { as 0 sam explain "$job"; says "$sentence"; }
done <<<"$last"

send TERM scheduler
ended scheduler
passed=yes
