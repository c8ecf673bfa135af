#!/usr/bin/env bash
# newcomer.sh - the path of a newcomer who has README.md only: a clone, `make run`, its page in a browser, and an own
# policy, begun in Python and in C, beside a published one. The commands are those that README.md has.
#
# All file systems are read-only here but for the clone, a home and a folder for temporary files; those two are empty in
# the end. A build from nothing takes minutes, so `make soak` runs this. In `make test` each step has a test of its own,
# with the programs that are built: tools_main_job_test, page_test, new_policy_test, external_policy_test and
# docs_shell_blocks_test.
set -euo pipefail

project=$(realpath "$(dirname "$0")/../..")
if [ -z "${1:-}" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    user=(--user --map-root-user)
    [ "$(id -u)" != 0 ] || user=()
    unshare "${user[@]}" --net --mount --pid --fork --kill-child --mount-proc bash "$0" "$work"
    exit
fi

work=$1
clone=$work/clone
out=$work/out

fail() {
    echo "FAILED: $*" >&2
    [ ! -e "$out" ] || tail -n 20 "$out" >&2
    exit 1
}

# As on a machine that has been started just now: no setting, no cache, nothing at home.
newcomer() {
    env -i HOME="$work/home" TMPDIR="$work/tmp" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# does COMMAND, as README.md has it; what it prints is in $out.
does() {
    grep -qE "^(    )?$1( |\$)" "$clone/README.md" || fail "README.md does not say: $1"
    echo "$1"
    (cd "$clone" && newcomer bash -c "$1") >"$out" 2>&1 </dev/null || fail "exit status $? of: $1"
}

# row POLICY: the figures of the last comparison that do not depend on the machine or on what may be promised.
row() {
    awk -v policy="$1" '$2 == policy { $1 = $2 = $4 = $5 = $NF = $(NF - 1) = ""; print }' "$out"
}

ip link set lo up
mkdir "$work"/{home,tmp}
mount --bind "$work" "$work"
awk '$2 !~ "^/(proc|sys|dev)(/|$)" { print $2 }' /proc/self/mounts | grep -vxF "$work" | while read -r folder; do
    mount -o remount,bind,ro "$folder"
done
! touch "$project/newcomer" 2>/dev/null || fail "$project can be written to"

newcomer git -c safe.directory="*" clone -q "$project" "$clone"
does "make run"
page=$(sed -nE 's/^(.*\.html): a report of .*/\1/p' "$out")
grep -qF "open \`$page\` in a browser" "$clone/README.md" || fail "README.md does not say that the page is at $page"
(cd "$clone" && newcomer timeout 600 node tests/page/first_page.mjs "$page" \
    build/runs/{rubato,ef-accessctrl,dlas-gpu}) ||
    fail "the page is not as the results say"

sed -n '/^## A policy of your own$/,/^## As/p' "$clone/README.md" | grep -xE 'make|build/bin/.*' >"$work/commands"
[ "$(wc -l <"$work/commands")" = 6 ] || fail "README.md has other commands on a policy of one's own"
while read -r command <&3; do
    does "$command"
    # What a policy changes is a file and a table, not half of the project.
    [ "$command" != make ] || [ "$(grep -c 'Building C object' "$out")" = 2 ] ||
        fail "another number of files is compiled"
done 3<"$work/commands"
own=$(row my-own)
published=$(row ef-accessctrl)
if [ -z "$own" ] || [ "$own" != "$(row exec:./mine.py)" ]; then fail "the two policies differ"; fi
if [ -z "$published" ] || [ "$own" = "$published" ]; then fail "the published policy does not stand beside them"; fi

# What has been told to end may need a moment.
for folder in /proc/[0-9]*; do
    pid=${folder#/proc/}
    name=$(tr '\0' ' ' 2>/dev/null <"$folder/cmdline" || true)
    [ "$pid" = $$ ] || [ -z "$name" ] || timeout 600 tail --pid="$pid" -f /dev/null || fail "left running: $name"
done
left=$(find "$work/home" "$work/tmp" -mindepth 1)
[ -z "$left" ] || fail "written outside the clone: $left"
[ "$(git -C "$clone" status --porcelain)" = " M scheduler/policies/policy_table.c
 M tests/policies/CMakeLists.txt
?? mine.py
?? scheduler/policies/my_own.c
?? tests/policies/my_own_test.c" ] || fail "other files are new or changed: $(git -C "$clone" status --porcelain)"
echo "ok: the page, and $(wc -l <"$work/commands") commands on a policy"
