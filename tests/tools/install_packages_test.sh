# install_packages_test.sh - tools/install_packages.sh beside another program that holds the locks of apt and dpkg: it
# says so and waits for each of them, installs all packages as soon as they are free, and gives up in words in the end.
# All that it reads and writes is a root of the test's own, with packages that hold nothing.
set -euo pipefail

for program in apt-get dpkg-deb dpkg-scanpackages python3; do
    if ! command -v $program >/dev/null; then
        echo "SKIPPED: $program is not installed"
        exit 77
    fi
done
if [ "$(id -u)" -ne 0 ]; then
    echo "SKIPPED: only root installs packages"
    exit 77
fi
work=$(mktemp -d)
holder=
trap '[ -z "$holder" ] || kill "$holder"; rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*: $(cat "$work/err")" >&2
    exit 1
}

# ---- a root with nothing installed, and a repository with all that is wanted ----

mkdir -p "$work"/root/etc/apt/{preferences.d,apt.conf.d} "$work"/root/var/{lib/apt/lists,cache/apt/archives}/partial \
    "$work"/root/var/log/apt "$work"/root/var/lib/dpkg/{info,updates,triggers} "$work/repository" "$work/package/DEBIAN"
touch "$work/root/var/lib/dpkg/status"
mapfile -t names < <(sed -n '/^build=(/,/^)/p' tools/install_packages.sh | sed '1d;$d' | xargs -n 1)
[ ${#names[@]} -ge 15 ] || fail "only ${#names[@]} packages are wanted"
for name in "${names[@]}"; do
    printf '%s\n' "Package: $name" 'Version: 1' 'Architecture: all' 'Maintainer: test' 'Description: empty' \
        >"$work/package/DEBIAN/control"
    dpkg-deb --build --root-owner-group -Znone "$work/package" "$work/repository/$name.deb" >/dev/null
done
(cd "$work/repository" && dpkg-scanpackages . >Packages 2>"$work/err")
echo "deb [trusted=yes] file:$work/repository ./" >"$work/root/etc/apt/sources.list"
cat >"$work/apt.conf" <<END
Dir "$work/root/";
Dir::State::status "$work/root/var/lib/dpkg/status";
APT::Sandbox::User "root";
DPkg::Options { "--root=$work/root"; "--force-all"; };
END
export APT_CONFIG=$work/apt.conf DPKG_ADMINDIR=$work/root/var/lib/dpkg

# ---- another program ----

# hold FILE: holds the lock of apt or dpkg on it from here on.
hold() {
    mkfifo "$work/is_held"
    python3 -c '
import fcntl, os, sys, time
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o640)
fcntl.lockf(lock, fcntl.LOCK_EX)
open(sys.argv[2], "w").close()
while True:
    time.sleep(1000)' "$1" "$work/is_held" &
    holder=$!
    read -r <"$work/is_held" || true
    rm "$work/is_held"
}

release() {
    kill "$holder"
    wait "$holder" || true
    holder=
}

# wait_for WORDS PID: until they stand in the words of the process.
wait_for() {
    until grep -qF "$1" "$work/err"; do
        kill -0 "$2" 2>"$work/ignored" || fail "it ended before it said \"$1\""
    done
}

for lock in var/lib/apt/lists/lock var/lib/dpkg/lock-frontend var/cache/apt/archives/lock; do
    : >"$work/root/var/lib/dpkg/status"
    hold "$work/root/$lock"
    : >"$work/err"
    tools/install_packages.sh build 2>"$work/err" &
    installs=$!
    wait_for "packages: waiting for another program: Could not get lock $work/root/$lock. It is held by process $holder" \
        $installs
    release
    wait $installs || fail "exit status $? after $lock was free"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "more than a line"
    found=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | grep -c ' installed$')
    [ "$found" = ${#names[@]} ] || fail "$found of ${#names[@]} packages are installed"
done

# Nothing is left to do, whoever holds what.
hold "$work/root/var/lib/apt/lists/lock"
tools/install_packages.sh build 2>"$work/err" || fail "nothing is missing, and yet exit status $?"
: >"$work/root/var/lib/dpkg/status"
status=0
RUBATO_PACKAGES_WAIT_S=0 tools/install_packages.sh build 2>"$work/err" || status=$?
[ $status != 0 ] || fail "it succeeds beside a lock"
grep -q "^packages: no lock after 0 s" "$work/err" || fail "it does not say why it gives up"
echo "ok: ${#names[@]} packages"
