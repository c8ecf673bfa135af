#!/usr/bin/env bash
# service_users_test.sh - one service for two users, an operator and root: programs run as the users who submitted them, and
# who may read or change what of a job is as docs/service.md has it. The service is root's `rubato up`, the command lines
# of the units as systemd starts them, or a plain user's `rubato up`, which runs that user's programs only.
how=$1 # up, units, user or plain
if [ -z "${E2E_SANDBOX:-}" ]; then
    sandbox=(unshare --net --mount --pid --fork --kill-child --mount-proc)
    if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null || ! "${sandbox[@]}" true 2>/dev/null; then
        echo "skipped: only root can be other users"
        exit 77
    fi
    E2E_SANDBOX=1 exec "${sandbox[@]}" bash "$0" "$@"
fi
source tests/e2e/testbed.sh

# ---- a machine with these programs, and with users ----

mount -t tmpfs -o mode=755 none /var/lib
mount -t tmpfs -o mode=755 none /usr/local
mount -o remount,mode=755 /run
mkdir -p /usr/local/bin /usr/local/share/rubato
cp -r throughputs cluster_specs /usr/local/share/rubato
cp -r "$bin/../lib" /usr/local/lib
mount --bind "$bin" /usr/local/bin
home=/var/lib/home # of all users
mkdir -m 1777 "$home"
cp /etc/passwd /etc/group "$work"
number=61001
for user in alice bob opal rubato; do
    echo "$user:x:$number:$number::/nonexistent:/bin/sh" >>"$work/passwd"
    echo "$user:x:$number:$([ $user != rubato ] || echo opal)" >>"$work/group" # opal operates
    number=$((number + 1))
done
mount --bind "$work/passwd" /etc/passwd
mount --bind "$work/group" /etc/group

# Prints as whom it runs and with which capabilities, leaves a checkpoint, and ends or stays.
cat >/usr/local/train <<'END'
#!/bin/sh
id -un
grep CapEff /proc/self/status
echo "$RUBATO_JOB_ID" >"$RUBATO_CHECKPOINT_DIR/checkpoint.pt"
[ "$1" != stay ] || exec sleep 100000
END
chmod 755 /usr/local/train

as() { # USER COMMAND...: as by that user who has logged in.
    local user=$1

    shift
    setpriv --reuid="$user" --regid="$user" --init-groups \
        env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$home/$user" "$@"
}

# The options by which each client reaches the service; an operator who is not root has a key.
client_options=()
rubato() { # USER VERB...
    local user=$1 verb=$2 options=("${client_options[@]}")

    shift 2
    [ "$user" != opal ] || options=(--service=127.0.0.1:7000 --keys="$home/opal-keys" --as=operate:opal)
    as "$user" rubato "$verb" --timeout=600 "${options[@]}" "$@"
}

# gives CODE USER VERB...: what is printed is in $work/answer.
gives() {
    local expected=$1 status=0

    shift
    rubato "$@" >"$work/answer" 2>&1 || status=$?
    [ $status -eq "$expected" ] || fail "rubato $* ended with $status, expected $expected: $(cat "$work/answer")"
}

# says WORDS: they are in the last answer.
says() {
    grep -qF -e "$1" "$work/answer" || fail "no \"$1\" in $(cat "$work/answer")"
}

job_options=(--model=mine --batch-size=1 --iterations=100000 --rate=1:1 --max-gpus=1)

# submit USER WORDS...: a promised job that trains with those words; its number is in $job.
submit() {
    local user=$1

    shift
    gives 0 "$user" submit "${job_options[@]}" --deadline=+30d --json -- /usr/local/train "$@"
    says '"verdict": "promised"'
    job=$(sed -n 's/^  "job": \([0-9]*\),\{0,1\}$/\1/p' "$work/answer")
}

# mode_is FILE MODE USER GROUP
mode_is() {
    [ "$(stat -c '%a %U %G' "$1")" = "$2 $3 $4" ] || fail "$1 has $(stat -c '%a %U %G' "$1"), expected $2 $3 $4"
}

# ---- who may do what ----

runs=/var/lib/rubato/runs

# files_of JOB: its log and its checkpoint, once they are there.
files_of() {
    log='' checkpoint=''
    until [ -s "$log" ] && [ -s "$checkpoint" ]; do
        log=$(find "$runs/logs" -name "job-*$1.inc-*.rank-0.log")
        checkpoint=$(find "$runs/jobs" -path "*$1/checkpoint.pt")
        gives 0 root show "$1" --json
        ! grep -q '"state": "failed"' "$work/answer" || fail "job $1 failed: $(cat "$work/answer")"
    done
}

# try ROW USER JOB: does what a row of the table says.
try() {
    case $1 in
    list) rubato "$2" list --state=all | grep -q " $3 " ;;
    show) rubato "$2" show "$3" ;;
    program) rubato "$2" show "$3" --json | grep -q /usr/local/train ;;
    logs) rubato "$2" logs "$3" --follow=false | grep -qx alice ;;
    "log file") as "$2" cat "$log" ;;
    "checkpoint folder") as "$2" ls "$(dirname "$checkpoint")" && as "$2" cat "$checkpoint" ;;
    change) rubato "$2" change "$3" --deadline=none ;;
    hold) rubato "$2" hold "$3" && rubato "$2" release "$3" ;;
    cancel) rubato "$2" cancel "$3" ;;
    *) fail "the table has a row \"$1\"" ;;
    esac >"$work/answer" 2>&1
}

# The table of docs/service.md, as lines ROW|OWN|OTHER|OPERATOR|ROOT.
table() {
    sed -n '/^| of a job /,/^$/s/^| \(.*\) |$/\1/p' docs/service.md | tail -n +3 | sed 's/ *| */|/g; s/`//g'
}

# check_table USERS...: alice, bob, opal and root, or those of them that this service knows.
check_table() {
    local user own other operator root row expected cells=0

    for user in "$@"; do
        submit alice stay
        files_of "$job"
        while IFS='|' read -r -u 3 row own other operator root; do
            case $user in
            alice) expected=$own ;;
            bob) expected=$other ;;
            opal) expected=$operator ;;
            root) expected=$root ;;
            esac
            if try "$row" "$user" "$job"; then
                [ "$expected" = yes ] || fail "$user may do \"$row\": $(cat "$work/answer")"
            else
                [ "$expected" = no ] || fail "$user may not do \"$row\": $(cat "$work/answer")"
            fi
            cells=$((cells + 1))
        done 3< <(table)
        [ "$user" != bob ] || gives 0 root cancel "$job"
    done
    [ $cells -eq $((9 * $#)) ] || fail "$cells cells of the table were tried"
}

# check_programs GROUP OWNER: alice's and bob's run as alice and bob, and what they leave is theirs.
check_programs() {
    local user folder

    for user in alice bob; do
        submit "$user"
        gives 0 "$user" wait "$job"
        says "done"
        files_of "$job"
        [ "$(cat "$log")" = "$user"$'\n'"CapEff:"$'\t'"0000000000000000" ] || fail "the log has $(cat "$log")"
        mode_is "$log" 640 "$user" "$1"
        mode_is "$(dirname "$checkpoint")" 750 "$user" "$1"
    done
    for folder in /var/lib/rubato "$runs" "$runs/logs" "$runs/jobs"; do
        mode_is "$folder" 711 "$2" "$1"
    done
    for user in alice bob; do
        ! as "$user" ls "$runs/logs" 2>/dev/null || fail "$user lists the logs"
        ! as "$user" touch "$runs/jobs/mine" 2>/dev/null || fail "$user makes folders of jobs"
    done
    while read -r file; do
        ! as bob cat "$file" >/dev/null 2>&1 || fail "bob reads $file"
    done < <(find /var/lib/rubato -type f -name '*.db*')
}

# ---- the three ways ----

service_up() {
    as root rubato up --gpus=4 --timeout=600
    mode_is /run/rubato 755 root root
    check_programs root root
    check_table alice bob root
    as root rubato down
}

unit=packaging/systemd/rubato-%s.service
setting() { # UNIT NAME
    # shellcheck disable=SC2059
    sed -n "s/^$2=//p" "$(printf "$unit" "$1")"
}

# capabilities WORDS...: as setpriv takes them.
capabilities() {
    local word list=-all

    for word in "$@"; do
        word=${word#CAP_}
        list+=,+${word,,}
    done
    echo "$list"
}

# start_unit NAME OPTIONS...: as systemd does with the settings of the unit that say who may what.
start_unit() {
    local name=$1 user group kind root folder mode words ambient bounding

    shift
    user=$(setting "$name" User)
    group=$(setting "$name" Group)
    for kind in State:/var/lib Runtime:/run; do
        folder=$(setting "$name" "${kind%:*}Directory")
        [ -n "$folder" ] || continue
        root=${kind#*:}
        mode=$(setting "$name" "${kind%:*}DirectoryMode")
        mkdir -p "$root/$folder"
        chown "$user:$group" "$root/$folder"
        chmod "${mode:-0755}" "$root/$folder"
    done
    [ "$(setting "$name" NoNewPrivileges)" = yes ] || fail "$name may get new privileges"
    read -ra ambient <<<"$(setting "$name" AmbientCapabilities)"
    read -ra bounding <<<"$(setting "$name" CapabilityBoundingSet)"
    words=$(setting "$name" ExecStart)
    words=${words%" \$OPTIONS"}
    # shellcheck disable=SC2016,SC2086
    start "$name" bash -c 'umask "$1"; shift; exec "$@"' - "$(setting "$name" UMask | grep . || echo 0022)" \
        setpriv --reuid="$user" --regid="$group" --init-groups --no-new-privs \
        --inh-caps="$(capabilities "${ambient[@]}")" --ambient-caps="$(capabilities "${ambient[@]}")" \
        --bounding-set="$(capabilities "${bounding[@]}")" \
        env -i PATH=/usr/local/bin:/usr/bin:/bin $words "$@"
}

service_units() {
    local who keys=$home/keys name

    for who in master scheduler worker:a operate:opal; do
        if [[ $who == *:* ]]; then name=${who#*:}; else name=; fi
        # shellcheck disable=SC2086
        as rubato rubato keys --folder="$keys" --role="${who%:*}" $name >/dev/null
    done
    mkdir -m 700 "$home/opal-keys"
    cp "$keys"/*.pub "$keys/opal.key" "$home/opal-keys"
    chown -R opal:opal "$home/opal-keys"
    start_unit master --keys "$keys"
    start_unit worker --name a --address 127.0.0.1 -n 4 --emulate --keys "$keys"
    start_unit scheduler --cluster_spec n1g4.csv --listen 127.0.0.1:7000 --keys "$keys"
    await scheduler 'cause="node 0 joined' >/dev/null
    check_programs rubato rubato
    check_table alice bob opal root
    gives 4 root submit "${job_options[@]}" -- /usr/local/train
    says "a program of user root cannot run on node a: its worker is user rubato, and runs those of all users but root"
    for name in scheduler worker master; do
        send TERM $name
        ended $name
    done
}

# By hand, as the units have it: root starts each with --user.
service_user() {
    mkdir -m 711 /var/lib/rubato
    mkdir -m 755 /run/rubato
    chown rubato:rubato /var/lib/rubato /run/rubato
    start master /usr/local/bin/master -p 6888 --user rubato
    start worker /usr/local/bin/worker -P 6888 -r "$runs" --name a --address 127.0.0.1 -n 4 --emulate --user rubato
    start scheduler /usr/local/bin/scheduler --serve --state /var/lib/rubato/scheduler --runs "$runs" \
        --socket /run/rubato/rubato.sock --cluster_spec n1g4.csv --user rubato
    await scheduler 'cause="node 0 joined' >/dev/null
    grep -q 'CapEff:[[:space:]]*00000000000000e1$' "/proc/${pids[worker]}/status" ||
        fail "the worker has $(grep Cap "/proc/${pids[worker]}/status")"
    check_programs rubato rubato
    check_table alice bob root
}

# A state that another scheduler serves gets neither a master nor a worker, and no word that it has ended.
beside_a_stranger() {
    local verb words

    mkdir "$home/alice"
    chown alice:alice "$home/alice"
    start scheduler setpriv --reuid=alice --regid=alice --init-groups /usr/local/bin/scheduler --serve \
        --state="$home/alice/state" --socket="$home/rubato.sock" --cluster_spec=n1g4.csv
    await scheduler 'event=serving ' >/dev/null
    words="$home/alice/state: is used by process ${pids[scheduler]}, which \`rubato up\` did not start"
    for verb in "up --gpus=4 --socket=$home/rubato.sock" down; do
        # shellcheck disable=SC2086
        ! as alice rubato $verb --state="$home/alice/state" >"$work/answer" 2>&1 || fail "rubato $verb is content"
        says "$words"
    done
    ! pgrep -x 'master|worker' || fail "a master or a worker was started"
    send TERM scheduler
    ended scheduler
    rm -r "$home/alice/state"
}

# What another user's program would have been promised fails at once instead.
service_plain() {
    local user verb words

    client_options=(--socket="$home/rubato.sock")
    beside_a_stranger
    as alice rubato up --state="$home/alice/state" --socket="$home/rubato.sock" --gpus=4 --timeout=600
    for user in bob root; do
        words="a program of user $user cannot run on node local, which runs those of user alice only: its worker is not root"
        for verb in submit "submit --dry-run" "submit --deadline=+30d" "submit --held"; do
            # shellcheck disable=SC2086
            gives 4 $user $verb "${job_options[@]}" -- /usr/local/train
            says "$words"
        done
    done
    gives 0 bob list --state=all --json
    says '"total": 0'
    gives 0 bob submit "${job_options[@]}" --deadline=+30d
    says "promised until"
    submit alice
    gives 0 alice wait "$job"
    gives 0 alice logs "$job" --follow=false
    says alice
    mode_is "$home/alice/state" 700 alice alice
    as alice rubato down --state="$home/alice/state"
}

service_"$how"
passed=yes
