#!/usr/bin/env bash
# service_reload_test.sh - SIGHUP: a service reads the file of --config again. Limits count from then on, what cannot be
# changed is named, and a bad file changes nothing and is named with its line. A master goes on.
source tests/e2e/service.sh

for role in master:master scheduler:scheduler submit:sam; do
    "$bin/rubato" keys --folder="$keys" --role="${role%:*}" "${role#*:}" >/dev/null
done
settings=$work/service.conf
printf 'user_jobs = 1\n' >"$settings"
start master "$bin/master" -p 6888 -n 1 --keys="$keys"
start_service --config="$settings"
served

sam() { # CODE VERB...
    local code=$1 verb=$2

    shift 2
    client "$code" "$verb" --service=127.0.0.1:7000 --keys="$keys" --as=sam "$@"
}

job=(--model=bert --batch-size=64 --iterations=100)
reload() { # LINE...: of the log that must come
    local before

    before=$(lines scheduler)
    send HUP scheduler
    for line in "$@"; do
        await scheduler "$line" --after="$before" >/dev/null
    done
}

sam 0 submit "${job[@]}"
sam 4 submit "${job[@]}"
printf '# more\nuser_jobs = 2\n' >"$settings"
reload 'event=reloaded .*user_jobs=2 session_requests=256'
sam 0 submit "${job[@]}"
sam 4 submit "${job[@]}"

printf 'user_jobs = 9\nuser_jbs = 3\n' >"$settings"
reload "event=reload-failed .*service.conf:2: .*user_jbs"
printf 'user_jobs = many\n' >"$settings"
reload "event=reload-failed .*service.conf:1: .*user_jobs"
sam 4 submit "${job[@]}"

printf 'user_jobs = 3\nrestart_threshold = 7\n' >"$settings"
reload 'event=not-reloaded .*option=restart_threshold' 'event=reloaded .*user_jobs=3'
sam 0 submit "${job[@]}"

before=$(lines master)
send HUP master
await master 'event=not-reloaded ' --after="$before" >/dev/null

send TERM scheduler
ended scheduler
send TERM master
ended master
passed=yes
