#!/usr/bin/env bash
# Installs the Debian packages that building, running or testing Rubato needs and that are missing.
# As root it asks nothing; otherwise it says what to install and stops.
#
#   install_packages.sh [build|test]   (default: test, which is everything)
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

wanted=("${build[@]}")
[ "${1:-test}" = build ] || wanted+=("${test[@]}")

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
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
