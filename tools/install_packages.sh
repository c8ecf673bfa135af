#!/usr/bin/env bash
# Installs the Debian packages that building, running or testing Rubato needs and that are missing.
# As root it asks nothing; otherwise it says what to install and stops. While another program holds a lock of apt or
# dpkg, it says which one and waits, for RUBATO_PACKAGES_WAIT_S seconds (1,800 without it) at most.
#
#   install_packages.sh [--list] [build|test]   (default: test, which is everything)
#     --list   only prints their names, missing or not
set -euo pipefail

build=(
    gcc libc6-dev cmake ninja-build pkg-config make
    libcsv-dev libconfuse-dev libjansson-dev libarchive-dev libsmartcols-dev
    coinor-libcbc-dev
    libczmq-dev libzmq3-dev libmsgpack-dev uthash-dev libsqlite3-dev
    libcairo2-dev fonts-dejavu-core
)
test=(libcmocka-dev clang clang-format clang-tidy libclang-rt-14-dev llvm valgrind
    zstd gzip xz-utils bzip2 jq man-db bash-completion git
    iproute2 nftables strace slurm-wlm python3-torch chromium nodejs)

list=
[ "${1:-}" != --list ] || { list=yes && shift; }
wanted=("${build[@]}")
[ "${1:-test}" = build ] || wanted+=("${test[@]}")

if [ "$list" ]; then
    printf '%s\n' "${wanted[@]}"
    exit 0
fi
missing=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "These packages are missing; install them and try again:" >&2
    echo "    sudo apt-get install ${missing[*]}" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
wait_s=${RUBATO_PACKAGES_WAIT_S:-1800}
complaints=$(mktemp)
trap 'rm -f "$complaints"' EXIT

# run COMMAND...: as soon as the locks that it needs are free. Of these apt can wait for dpkg's alone.
run() {
    local held status told=

    while true; do
        status=0
        "$@" >/dev/null 2>"$complaints" || status=$?
        held=$(grep -om1 'Could not get lock .*' "$complaints") || break
        if [ $SECONDS -ge "$wait_s" ]; then
            echo "packages: no lock after $wait_s s" >>"$complaints"
            break
        fi
        [ "$held" = "$told" ] || echo "packages: waiting for another program: $held" >&2
        told=$held
        sleep 1
    done
    cat "$complaints" >&2
    return $status
}

run apt-get update -qq
run apt-get install -y -qq --no-install-recommends "${missing[@]}"
