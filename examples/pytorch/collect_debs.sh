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
for package in "${packages[@]}"; do
    compgen -G "${package}_*.deb" >/dev/null || apt-get download -qq "$package"
done
echo "$(find . -name '*.deb' | wc -l) packages, $(du -sh . | cut -f 1), in $into"
