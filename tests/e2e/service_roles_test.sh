#!/usr/bin/env bash
# service_roles_test.sh - who may do what: each verb, by each role, on a job of the same user and on another's. The
# table is that of docs/service.md.
source tests/e2e/service.sh

"$bin/rubato" keys --folder="$keys" --role=master >/dev/null
"$bin/rubato" keys --folder="$keys" --role=scheduler >/dev/null
for user in read:rita submit:sam submit:sue operate:otto; do
    "$bin/rubato" keys --folder="$keys" --role="${user%:*}" "${user#*:}" >/dev/null
done
start_service
served

# job_of USER HELD: a new job of that user in $job; rita, who may not submit, has none.
job_of() {
    as 0 "$1" submit --model=bert --batch-size=64 --iterations=100 --held="$2" --json
    job=$(field job)
}

job_options=(--model=bert --batch-size=64 --iterations=100)

# What is allowed to all of them, whatever job it is.
for user in rita sam otto; do
    job_of sue true
    as 0 "$user" status
    as 0 "$user" list
    as 0 "$user" show "$job"
    as 0 "$user" explain "$job"
    as 0 "$user" nodes
    as 0 "$user" history
    as 0 "$user" quote "${job_options[@]}"
    as 0 "$user" whatif --job="$job" --deadline=+10h
    as 0 otto cancel "$job"
    as 1 "$user" wait "$job"
done

# May submit, and steer a job of the same user, which was made by whom is named second.
steer() { # CODE USER OWNER
    job_of "$3" false
    as "$1" "$2" hold "$job"
    as "$1" "$2" release "$job"
    as "$1" "$2" change "$job" --deadline=none
    as "$1" "$2" logs "$job" --follow=false
    as "$1" "$2" cancel "$job"
}
as 4 rita submit "${job_options[@]}"
as 0 sam submit "${job_options[@]}" --dry-run
as 4 rita submit "${job_options[@]}" --dry-run
steer 4 rita sue
steer 4 rita otto
steer 0 sam sam
steer 4 sam sue
steer 4 sam otto
steer 0 otto otto
steer 0 otto sue

for verb in drain resume; do
    as 4 rita "$verb" 0
    as 4 sam "$verb" 0
    as 0 otto "$verb" 0
done

# What a job executes is told to its user and to operators.
as 0 sue submit "${job_options[@]}" --held --environment=SECRET=word --folder=/ --key=k --json -- /bin/true
job=$(field job)
for user in rita:0 sam:0 sue:1 otto:1; do
    as 0 "${user%:*}" show "$job" --json
    [ "$(grep -cE '"(command|environment|folder|key)"|SECRET' "$work/answer")" -eq "$((${user#*:} * 5))" ] ||
        fail "${user%:*} is told: $(cat "$work/answer")"
done

# The same key of another user is another job.
as 0 sam submit "${job_options[@]}" --held --key=k --json
[ "$(field job)" != "$job" ] || fail "sam has the job of sue"
as 0 sue submit "${job_options[@]}" --held --key=k --json
[ "$(field job)" = "$job" ] || fail "sue has another job with the same key"

# On the local socket the user of the service operates.
client 0 cancel "$job"
send TERM scheduler
ended scheduler
passed=yes
