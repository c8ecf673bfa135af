#!/usr/bin/env bash
# collect_debs.sh - collects the Debian packages that building Rubato needs, with all that they depend on, for a machine
# without a network: gpu_check.sh unpacks them there. Run it on a machine of the same Debian and processor.
#
#   examples/pytorch/collect_debs.sh [DIR]   (default: examples/pytorch/debs)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
into=${1:-$here/debs}
mapfile -t wanted < <("$here/../../tools/install_packages.sh" --list build)

# What every machine with a compiler has is left out.
essential=$(dpkg-query -W -f='${Package} ${Essential} ${Priority}\n' |
    awk '$2 == "yes" || $3 == "required" || $3 == "important" { print $1 }')
mapfile -t packages < <(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances "${wanted[@]}" | grep -E '^[a-z0-9]' | sed 's/:.*//' | sort -u |
    grep -vxF -e libc6 -e libgcc-s1 -e "$essential")
mkdir -p "$into"
cd "$into"
missing=()
for package in $(apt-cache policy "${packages[@]}" |
    awk '/^[^ ]/ { sub(":$", "", $1); package = $1 } $1 == "Candidate:" && $2 != "(none)" { print package }'); do
    compgen -G "${package}_*.deb" >/dev/null || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] || apt-get download -qq "${missing[@]}" 2>&1 | grep -v '^W: Download is performed unsandboxed' || true
for package in "${missing[@]}"; do
    compgen -G "${package}_*.deb" >/dev/null || { echo "collect_debs.sh: $package could not be downloaded" >&2 && exit 1; }
done
echo "$(find . -name '*.deb' | wc -l) packages, $(du -sh . | cut -f 1), in $into"
