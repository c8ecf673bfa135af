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
for user in alice bob opal rubato nemo ghost; do
    echo "$user:x:$number:$number::/nonexistent:/bin/sh" >>"$work/passwd"
    # Opal operates, and the group that nemo has has no name.
    [ $user = nemo ] || echo "$user:x:$number:$([ $user != rubato ] || echo opal)" >>"$work/group"
    number=$((number + 1))
done
echo "lab:x:61100:alice,ghost" >>"$work/group"
mount --bind "$work/passwd" /etc/passwd
mount --bind "$work/group" /etc/group
stranger=61050 # the number of a user without a name
declare -A groups=([alice]="61001 61100" [bob]=61002 [opal]="61003 61004" [nemo]=61005 [root]="$(id -G)")

# Prints as whom it runs, in which groups and with which capabilities, leaves a checkpoint, and ends, or stays. What it
# is told to do comes before.
cat >/usr/local/train <<'END'
#!/bin/sh
id -un
id -G
grep CapEff /proc/self/status
cd "$RUBATO_CHECKPOINT_DIR" || exit 1
[ -z "$2" ] || sh -c "$2"
echo "$RUBATO_JOB_ID" >checkpoint.pt
[ "$1" != stay ] || exec sleep 100000
END
chmod 755 /usr/local/train

as() { # USER COMMAND...: as by that user, a name or a number without one, who has logged in.
    local user=$1 words

    shift
    if [[ $user == [0-9]* ]]; then
        words=(--reuid="$user" --regid="$user" --clear-groups)
    else
        words=(--reuid="$(id -u "$user")" --regid="$(id -g "$user")" --init-groups)
    fi
    setpriv "${words[@]}" env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$home/$user" "$@"
}

client_options=() # by which each client reaches the service
rubato() { # USER VERB...
    as "$1" rubato "$2" --timeout=600 "${client_options[@]}" "${@:3}"
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

# number_of: of the only job in the last answer.
number_of() {
    sed -n 's/^ *"job": \([0-9]*\),\{0,1\}$/\1/p' "$work/answer"
}

job_options=(--model=mine --batch-size=1 --iterations=100000 --rate=1:1 --max-gpus=1)

# submit USER WORDS...: a job that trains with those words; its number is in $job.
submit() {
    gives 0 "$1" submit "${job_options[@]}" --deadline=+30d --json -- /usr/local/train "${@:2}"
    job=$(number_of)
}

# mode_is FILE MODE USER GROUP
mode_is() {
    [ "$(stat -c '%a %U %G' "$1")" = "$2 $3 $4" ] || fail "$1 has $(stat -c '%a %U %G' "$1"), expected $2 $3 $4"
}

# ---- who may do what ----

runs=/var/lib/rubato/runs
state=/var/lib/rubato

# files_of JOB [PATTERN]: its last log and its checkpoint, once they are there and the log has the line.
files_of() {
    log='' checkpoint=''
    until [ -s "$log" ] && [ -s "$checkpoint" ] && grep -q "${2:-^}" "$log"; do
        log=$(find "$runs/logs" -name "job-*-$1.inc-*.rank-0.log" | sort -V | tail -n 1)
        checkpoint=$(find "$runs/jobs" -path "*-$1/checkpoint.pt")
        gives 0 root show "$1" --json
        ! grep -q '"state": "failed"' "$work/answer" || fail "job $1 failed: $(cat "$work/answer")"
        [ $SECONDS -lt 600 ] || fail "job $1 has no log and no checkpoint"
    done
}

# runs_as USER: whether the job that the last answer is about ends well, as that user, in that user's groups.
runs_as() {
    local own

    own=$(number_of)
    rubato "$1" wait "$own" && rubato "$1" logs "$own" --follow=false >"$work/said" &&
        [ "$(head -n 2 "$work/said")" = "$1"$'\n'"${groups[$1]}" ]
}

# try ROW USER [JOB]: does what a row of the tables says.
try() {
    case $1 in
    list) rubato "$2" list --state=all | grep -q " $3 " ;;
    show | explain | history) rubato "$2" "$1" "$3" ;;
    program) rubato "$2" show "$3" --json | grep -q /usr/local/train ;;
    logs) rubato "$2" logs "$3" --follow=false | grep -qx alice ;;
    "log file, reading") as "$2" cat "$log" ;;
    "log file, writing") as "$2" sh -c 'echo more >>"$1"' - "$log" ;;
    "checkpoints, reading") as "$2" ls "${checkpoint%/*}" && as "$2" cat "$checkpoint" ;;
    "checkpoints, writing") as "$2" touch "${checkpoint%/*}/more" ;;
    change) rubato "$2" change "$3" --deadline=none ;;
    hold) rubato "$2" hold "$3" && rubato root release "$3" ;;
    release) rubato alice hold "$3" && { rubato "$2" release "$3" || { rubato root release "$3" && false; }; } ;;
    "release of what an operator holds")
        rubato root hold "$3" && { rubato "$2" release "$3" || { rubato root release "$3" && false; }; }
        ;;
    cancel) rubato "$2" cancel "$3" ;;
    status | nodes | reservations) rubato "$2" "$1" ;;
    reserve)
        rubato "$2" reserve --gpus=1 --from=+99h --to=+100h &&
            rubato "$2" reserve --cancel="$(sed -n 's/^reservation \([0-9]*\) of .*/\1/p' "$work/answer")"
        ;;
    quote) rubato "$2" quote --model=resnet50 --batch-size=128 --iterations=1000 ;;
    learn) rubato "$2" learn --model="of-$2" --batch-size=1 --rate=1:1 ;;
    drain) rubato "$2" drain "$node" && rubato root resume "$node" ;;
    resume) rubato root drain "$node" && { rubato "$2" resume "$node" || { rubato root resume "$node" && false; }; } ;;
    "state backup") as "$2" rubato state backup "$state" ;;
    "a program runs as the user who submits it")
        rubato "$2" submit "${job_options[@]}" --json -- /usr/local/train && runs_as "$2"
        ;;
    "folders of all jobs, listing") as "$2" ls "$runs" || as "$2" ls "$runs/logs" || as "$2" ls "$runs/jobs" ;;
    "folders of all jobs, writing")
        as "$2" touch "$runs/more" || as "$2" touch "$runs/logs/more" || as "$2" touch "$runs/jobs/more"
        ;;
    "state, reading") as "$2" ls "$state" || as "$2" cat "$state/state.db" || as "$2" cat "$state/backup.db" ;;
    *) fail "a table has a row \"$1\"" ;;
    esac >"$work/answer" 2>&1
}

# rows WORDS: of the table of docs/service.md that begins with those, as lines ROW|OWN|OTHER|OPERATOR|ROOT.
rows() {
    sed -n "/^| $1 /,/^\$/s/^| \(.*\) |\$/\1/p" docs/service.md | tail -n +3 | sed 's/ *| */|/g; s/`//g' |
        awk -F'|' -v OFS='|' 'NF == 4 { $0 = $1 "|" $2 "|" $2 "|" $3 "|" $4 } { print }'
}

# check_cells USER TABLE ROWS [JOB]: of that user, in that table of so many rows.
check_cells() {
    local user=$1 row own other operator root expected cells=0

    while IFS='|' read -r -u 3 row own other operator root; do
        case $user in
        alice) expected=$own ;;
        opal) expected=$operator ;;
        root) expected=$root ;;
        *) expected=$other ;;
        esac
        [ "$expected" != "under up only" ] || expected=$([ "$how" = up ] && echo yes || echo no)
        if try "$row" "$user" "${@:4}"; then
            [ "$expected" = yes ] || fail "$user may do \"$row\": $(cat "$work/answer")"
        else
            [ "$expected" = no ] || fail "$user may not do \"$row\": $(cat "$work/answer")"
        fi
        cells=$((cells + 1))
    done 3< <(rows "$2")
    [ $cells -eq "$3" ] || fail "$cells cells of the table \"$2\" were tried for $user"
}

check_tables() {
    local user

    for user in alice bob nemo opal root; do
        submit alice stay
        files_of "$job"
        check_cells "$user" "of a job" 15 "$job"
        gives 0 root show "$job" --json
        grep -q '"state": "cancelled"' "$work/answer" || gives 0 root cancel "$job"
        check_cells "$user" "of the service" 13
    done
}

# A user without a name is a user, but for programs; the name of another user is not taken for that number.
check_stranger() {
    local words="user $stranger has no name on this machine, and no program can run as it"

    gives 0 $stranger status
    gives 0 $stranger submit "${job_options[@]}" --json
    gives 0 $stranger cancel "$(number_of)"
    gives 4 $stranger submit "${job_options[@]}" -- /usr/local/train
    says "$words"
}

# check_programs GROUP OWNER [SETGID]: those of users run as them, in their groups, and what they leave is theirs.
check_programs() {
    local user folder

    for user in alice bob; do
        submit "$user"
        says '"verdict": "promised"'
        gives 0 "$user" wait "$job"
        says "done"
        files_of "$job"
        printf '%s\n' "$user" "${groups[$user]}" "CapEff:"$'\t'"0000000000000000" | cmp -s - "$log" ||
            fail "the log has $(cat "$log")"
        mode_is "$log" 640 "$user" "$1"
        mode_is "${checkpoint%/*}" "${3:-}750" "$user" "$1"
    done
    mode_is /var/lib/rubato 711 "$2" "$2"
    for folder in "$runs" "$runs/logs" "$runs/jobs"; do
        mode_is "$folder" "${3:-}711" "$2" "$1"
    done
}

# fails_with JOB WORDS
fails_with() {
    gives 1 root wait "$1"
    gives 0 root show "$1"
    says "$2"
}

# What alice does to the folder of her job gets nothing of others, and loses what is hers alone.
check_tricks() {
    local victim=$home/victim folder

    mkdir -m 700 "$victim"
    echo whole >"$victim/file"
    submit alice stay "ln -s $victim/file checkpoint; ln -s $victim/file checkpoint.1.tmp; ln -s $victim $runs/jobs/mine
        cd /; mv \$RUBATO_CHECKPOINT_DIR /tmp/mine; rm -rf \$RUBATO_CHECKPOINT_DIR; ln -s $victim \$RUBATO_CHECKPOINT_DIR
        rm -f $runs/logs/*; mkdir $runs/jobs/mine; cd \$RUBATO_CHECKPOINT_DIR; ls -A; chmod 777 ."
    files_of "$job"
    folder=${checkpoint%/*}
    as alice ln -s "$victim/file" "$folder/checkpoint.2.tmp"
    as alice rm "$checkpoint"
    gives 0 alice hold "$job"
    as alice chmod 0 "$folder"
    gives 0 alice release "$job"
    fails_with "$job" "$folder"
    mode_is "$folder" 0 alice "$(stat -c %G "$folder")"
    [ ! -e "$runs/jobs/mine" ] && [ -s "$log" ] || fail "alice changed the folders of all: $(ls -l "$runs"/*)"
    [ "$(cat "$victim/file")" = whole ] || fail "alice changed what is root's: $(cat "$victim/file")"
    mode_is "$victim" 700 root root
    mode_is "$victim/file" 644 root root
    rm -r "$victim"
}

# A user who is not there any more, or is another, has no programs, and nobody reads what the first one left.
check_ghost() {
    local held

    submit ghost
    gives 0 ghost wait "$job"
    files_of "$job"
    submit ghost stay
    files_of "$job"
    gives 0 ghost hold "$job"
    held=$job
    gives 0 ghost submit "${job_options[@]}" --held -- /usr/local/train
    sed 's/^ghost:x:[0-9]*:/ghost:x:61040:/' "$work/passwd" >"$work/others"
    cat "$work/others" >/etc/passwd
    ! as ghost cat "$log" 2>/dev/null || fail "a user of the same name reads the log"
    gives 0 root release "$held"
    fails_with "$held" "cannot be given to its user"
    sed '/^ghost:/d' "$work/passwd" >"$work/others"
    cat "$work/others" >/etc/passwd
    gives 0 root list --state=held --json
    job=$(number_of)
    gives 0 root release "$job"
    fails_with "$job" 'this node has no user "ghost"'
}

# ---- the three ways ----

service_up() {
    node=local
    ! as root rubato up --gpus=4 --operators=nogroup-of-ours >"$work/answer" 2>&1 || fail "a group is made up"
    says 'this machine has no group "nogroup-of-ours"'
    as root rubato up --gpus=4 --timeout=600
    mode_is /run/rubato 755 root root
    check_programs root root
    gives 0 opal submit "${job_options[@]}"
    gives 4 opal drain local
    as root rubato down
    as root rubato up --operators=rubato --timeout=600
    check_programs rubato root 2
    check_tables
    check_stranger
    check_tricks
    check_ghost
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
    local name

    node=a state=/var/lib/rubato/scheduler
    start_unit master
    start_unit worker --name a --address 127.0.0.1 -n 4 --emulate
    start_unit scheduler --cluster_spec n1g4.csv
    await scheduler 'cause="node 0 joined' >/dev/null
    mode_is /run/rubato 755 rubato rubato
    mode_is "$state" 700 rubato rubato
    check_programs rubato rubato
    check_tables
    check_stranger
    check_tricks
    check_ghost
    gives 4 root submit "${job_options[@]}" -- /usr/local/train
    says "a program of user root cannot run on node a: its worker is user rubato, and runs those of all users but root"
    for name in scheduler worker master; do
        send TERM $name
        ended $name
    done
}

# again_with WORDS...: another worker with those words in the place of the one that runs.
again_with() {
    local before

    send TERM worker
    ended worker
    before=$(lines scheduler)
    start worker "$@" -P 6888 --name a --address 127.0.0.1 -n 4 --emulate
    await scheduler "${joined:-cause=\"node 0 joined}" --after "$before" >/dev/null
}

# A promise to run a program is kept though a worker comes that cannot run it: such a node waits for another worker.
check_unable_later() {
    local words='cannot run programs of user alice, as job [0-9]* needs: its worker is not root'

    submit alice stay
    says '"verdict": "promised"'
    files_of "$job"
    gives 0 bob submit "${job_options[@]}" --held --json -- /usr/local/train
    held=$(number_of)
    joined=$words again_with setpriv --reuid=rubato --regid=rubato --init-groups /usr/local/bin/worker -r "$runs"
    gives 0 bob nodes
    grep -q "$words" "$work/answer" || fail "nodes has $(cat "$work/answer")"
    gives 0 bob show "$job" --json
    grep -qE '"state": "(waiting|running)"' "$work/answer" || fail "the job does not wait: $(cat "$work/answer")"
    again_with /usr/local/bin/worker -r "$runs" --user rubato
    until gives 0 alice show "$job" --json && grep -q '"state": "running"' "$work/answer"; do
        [ $SECONDS -lt 600 ] || fail "the job does not go on"
    done
    gives 0 alice cancel "$job"
    again_with setpriv --reuid=rubato --regid=rubato --init-groups /usr/local/bin/worker -r "$runs"
    gives 4 bob release "$held"
    says "a program of user bob cannot run on node a, which runs those of user rubato only: its worker is not root"
}

# Workers that cannot run programs of others say why.
check_unable() {
    local open=/var/lib/open words="a program of user bob cannot run on node a, which runs those of user rubato only"

    mkdir -m 1777 "$open"
    as alice mkdir "$open/jobs"
    again_with /usr/local/bin/worker -r "$open" --user rubato
    gives 4 bob submit "${job_options[@]}" -- /usr/local/train
    says "$words: $open/jobs belongs to another user, or others may write to it"
    mkdir -m 700 "$home/closed"
    chown rubato "$home/closed"
    again_with /usr/local/bin/worker -r "$home/closed" --user rubato
    gives 4 bob submit "${job_options[@]}" -- /usr/local/train
    says "$words: no other user can enter $home/closed, where its run folder is"
    again_with setpriv --reuid=rubato --regid=rubato --init-groups /usr/local/bin/worker -r "$runs"
    gives 4 bob submit "${job_options[@]}" -- /usr/local/train
    says "$words: its worker is not root"
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
    gives 0 alice submit "${job_options[@]}" --name=own
    gives 4 opal cancel 3
    gives 0 root cancel 3
    check_unable
    again_with /usr/local/bin/worker -r "$runs" --user rubato
    check_unable_later
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
