# state_test.sh - `rubato state`: check changes no file, beside a service, in a folder and on a medium that are read
# only, and finds what a start finds; what root makes in a state of another user is that user's.
source "$(dirname "$0")/cli.sh"
export RUBATO_STATE=$work/state TZ=UTC TMPDIR=$work/temporary
unset RUBATO_SOCKET NO_COLOR
mkdir "$TMPDIR"
trap 'build/bin/rubato down >/dev/null 2>&1; rm -rf "$work"' EXIT

# facts FOLDER: names, owners, modes, times and bytes, of the folder too.
facts() {
    find "$1" -printf '%P %y %U:%G %m %s %T@\n' | sort
    find "$1" -maxdepth 1 -type f -exec cksum {} + | sort
}

# unchanged STATUS FOLDER [PREFIX...]: `rubato state check` ends with that, and all is as before.
unchanged() {
    local before

    before=$(facts "$2")
    gives "$1" "${@:3}" "$rubato" state check "$2"
    same "files after a look" "$(facts "$2")" "$before"
    same "what a look leaves" "$(ls -A "$TMPDIR")" ""
}

passes "$rubato" up --gpus 2 --time-scale 600
submit=("$rubato" submit --model resnet50 --batch-size 256 --iterations 1000 --held --timeout 600)
for i in 1 2 3; do passes "${submit[@]}"; done

# ---- beside a service, idle and busy ----

for i in 1 2 3 4 5; do
    passes "$rubato" state check "$RUBATO_STATE"
    grep -qE ': [0-9]+ steps, jobs up to number 3$' "$out" || fail "a look at a used state: $(cat "$out")"
done
grep -qF "the last step is of version $("$rubato" --version | cut -d' ' -f2-)" "$out" || fail "no version: $(cat "$out")"
(while [ ! -e "$work/enough" ]; do "${submit[@]}" >/dev/null || exit 1; done) &
submitting=$!
seen=3
for i in $(seq 15); do
    names=$(ls -A "$RUBATO_STATE")
    passes "$rubato" state check "$RUBATO_STATE"
    number=$(sed -n 's/.*jobs up to number //p' "$out")
    [ "$number" -ge "$seen" ] || fail "job $seen was there, and a later look finds $number"
    seen=$number
    same "names in a used state" "$(ls -A "$RUBATO_STATE")" "$names"
done
touch "$work/enough"
wait $submitting || fail "a submit failed beside a look"

# ---- one that was killed: its log is as it was ----

service=$(cut -d' ' -f1 "$RUBATO_STATE/scheduler.pid")
kill -KILL "$service"
while kill -0 "$service" 2>/dev/null; do :; done
"$rubato" down >"$out" 2>&1
dead=$work/dead
whole() {
    rm -rf "$dead"
    mkdir -m 700 "$dead"
    for name in state.db state.db-wal mark backup.db; do
        [ ! -e "$RUBATO_STATE/$name" ] || cp -p "$RUBATO_STATE/$name" "$dead"
    done
}
whole
[ -s "$dead/state.db-wal" ] || fail "a service that was killed left no log"
unchanged 0 "$dead"
jobs=$(sed -n 's/.*jobs up to number //p' "$out")
[ "$jobs" -ge "$seen" ] || fail "$jobs jobs after a kill, and $seen before"

chmod 400 "$dead"/*
chmod 500 "$dead"
unchanged 0 "$dead"
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    before=$(facts "$dead")
    gives 0 unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 9
        touch "$1/more" 2>/dev/null && exit 8
        exec "$2" state check "$1"' - "$dead" "$rubato"
    same "files of a medium that is read only" "$(facts "$dead")" "$before"
fi
chmod 700 "$dead"

# A look finds what a start finds, names the files of the state, and leaves them for whoever mends them.
damaged() { # SENTENCE
    unchanged 1 "$dead"
    says "$1"
    says "$dead/"
    ! grep -qF "$TMPDIR" "$err" || fail "the sentence is about another folder: $(cat "$err")"
}
whole
rm "$dead/state.db-wal"
damaged "; \`rubato state restore $dead\` goes back"
whole
truncate -s 0 "$dead/state.db"
damaged "state.db: is empty"
whole
rm "$dead/state.db"
damaged "state.db: is not there"
whole
printf x | dd of="$dead/state.db-wal" bs=1 seek=4200 conv=notrunc 2>/dev/null
touch -d '1 minute ago' "$dead/state.db-wal" # a log that was just written to counts as one in use, and is cut
damaged "is damaged before its last transaction"
whole
chmod 777 "$dead"
unchanged 1 "$dead"
says "$dead: others may write to it"
mkdir "$work/empty"
unchanged 1 "$work/empty"
says "holds no state"
whole
gives 1 env TMPDIR="$work/none" "$rubato" state check "$dead"
says "$work/none/rubato-state-"

# ---- documents that are not as they were written ----

# spoil FILE TEXT: a byte of the last place of the text is another one.
spoil() {
    local at

    at=$(grep -abo -- "$2" "$1" | tail -n 1 | cut -d: -f1)
    printf '?' | dd of="$1" bs=1 seek="$at" conv=notrunc 2>/dev/null
}

# A copy that is damaged takes no place of a state.
cannot_restore() {
    local before

    before=$(facts "$dead")
    gives 1 "$rubato" state restore "$dead"
    says "$dead/backup.db: is $1"
    same "files after a copy that is damaged" "$(facts "$dead")" "$before"
}
whole
passes "$rubato" state backup "$dead"
spoil "$dead/backup.db" resnet50
cannot_restore "damaged, and nothing was changed; move a damaged state.db away, and \`rubato state accept-loss $dead\` goes on"
whole
passes "$rubato" state backup "$dead"
truncate -s -4096 "$dead/backup.db"
cannot_restore ""

# A copy of another state stays, and so does what is no state at all, without --force.
tar -xJf "$project/tests/journal/states/ccb9bce_term.tar.xz" -C "$work" state.db 2>/dev/null ||
    tar -xJf "$project/tests/journal/states/ccb9bce_term.tar.xz" -C "$work" ./state.db
whole
for other in "$work/state.db" "$small"; do
    cp "$other" "$dead/backup.db"
    gives 1 "$rubato" state backup "$dead"
    case $other in
    *.db) says "$dead/state.db: is another state than its copy backup.db; " ;;
    *) says "$dead/backup.db: is no copy of this state; move the file away, or say --force to replace it" ;;
    esac
    cmp "$other" "$dead/backup.db"
done
passes "$rubato" state backup --force "$dead"
passes "$rubato" state backup "$dead"
gives 2 "$rubato" state restore --force "$dead"
says "--force: belongs to backup alone"

# The number of a job whose document is damaged was given out.
whole
passes "$rubato" state backup "$dead"
last=$(sed -n 's/.*jobs up to number //p' "$out")
[ -n "$last" ] || { passes "$rubato" state check "$dead" && last=$(sed -n 's/.*jobs up to number //p' "$out"); }
python3 - "$dead/state.db" "$last" <<'END'
import sqlite3, sys
state = sqlite3.connect(sys.argv[1])
state.execute("UPDATE document SET body = body || ' ' WHERE kind = 'job' AND name = ?", sys.argv[2:])
state.commit()
END
passes env RUBATO_STATE="$dead" "$rubato" up --gpus 2
passes env RUBATO_STATE="$dead" "${submit[@]}" --json
number=$(sed -n 's/^  "job": \([0-9]*\),$/\1/p' "$out")
passes env RUBATO_STATE="$dead" "$rubato" down
[ "$number" -gt "$last" ] || fail "number $last was given out, and its document damaged: the next job is $number"

# ---- the owner ----

if [ "$(id -u)" = 0 ]; then
    chmod 711 "$work"
    for act in backup restore accept-loss; do
        whole
        rm -f "$dead/backup.db"
        [ $act != restore ] || { passes "$rubato" state backup "$dead"; }
        chown -R 12345:54321 "$dead"
        gives 0 "$rubato" state $act "$dead"
        same "owners after $act by root" "$(find "$dead" -printf '%U:%G\n' | sort -u)" 12345:54321
    done
    chmod 700 "$work"
    gives 1 "$rubato" state backup "$dead"
    says "$dead: its owner, user 12345, cannot use it: Permission denied"
fi
done_checking 65
