#!/usr/bin/env bash
# figure_pictures.sh BIN TRACES FOLDER [FIGURE...] - writes the pictures of docs/reproducing-elasticflow.md into FOLDER,
# which for the page is docs/figures, and beside those with published values their data. BIN holds the programs, TRACES
# the public traces. Without FIGURE all.
#
# A picture is what `rubato figure` draws, but with one decimal place and without what an SVG has anyway.
set -euo pipefail

bin=$1 traces=$2 folder=$3
shift 3
[ $# -gt 0 ] || set -- all
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$bin/rubato" figure "$@" --traces "$traces" --output "$work" >/dev/null
mkdir -p "$folder"
for data in "$work"/figure*.csv; do
    name=$(basename "$data" .csv)
    ! head -1 "$data" | grep -q published || cp "$data" "$folder/$name.csv"
    sed -E 's/(stroke-linecap:butt|stroke-linejoin:miter|stroke-opacity:1|stroke-miterlimit:10|fill-opacity:1);//g
        s/(\.[0-9])[0-9]+/\1/g' "$work/$name.svg" >"$folder/$name.svg"
done
