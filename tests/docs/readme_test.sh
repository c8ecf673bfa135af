# readme_test.sh - what README.md shows of a run is what the program prints: the output of a block of
# commands is the text below it. The table of policies has the figures of a comparison. It explains its words and names
# its sources, and the links of all pages lead to files.
set -euo pipefail
source "$(dirname "$0")/blocks.sh"
export LC_ALL=C.UTF-8

project=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: README.md: $*" >&2
    exit 1
}

split_blocks README.md "$work/blocks"
mkdir -p "$work/tree/build"
cp -r "${RUBATO_BIN:?is set by ctest}" "$work/tree/build/bin"
cp -r "$RUBATO_BIN/../lib" "$work/tree/build/lib" # solvers
cp -r traces throughputs cluster_specs "$work/tree"
cd "$work/tree"

# Words that a newcomer cannot know are explained, sources are named and linked, and files that are linked exist.
for word in artifact slot JCT quirk; do
    grep -qE "^\| ([a-z]+, )?$word(, [a-z]+)? \| ..." "$project/README.md" || fail "\"$word\" is in no glossary"
done
for source in doi.org/10.1145/3575693.3575721 github.com/pkusys/ElasticFlow github.com/microsoft/elasticflow-traces; do
    grep -qE "\]\(https://$source\)" "$project/README.md" || fail "no link to $source"
done
links=0
for page in "$project"/{README,CONTRIBUTING,SECURITY}.md "$project"/docs/*.md; do
    while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || fail "${page##*/} links $link, which does not exist"
        links=$((links + 1))
    done < <(grep -oE '\]\([^) ]+' "$page" | cut -c3- | grep -v '^https:' | sed 's/#.*//')
done
[ $links -ge 20 ] || fail "only $links links"

# The last command of a block prints the text.
shown=0
for commands in "$work"/blocks/*.sh; do
    text=$work/blocks/$(printf '%03d' $((10#$(basename "$commands" .sh) + 1))).text
    [ -e "$text" ] && ! head -1 "$text" | grep -qE '^(\$ |build/bin/)' || continue
    sed '$d' "$commands" >"$work/before"
    bash -euo pipefail "$work/before" >"$work/out" 2>&1 </dev/null || fail "$(cat "$work/out")"
    bash -euo pipefail <(tail -1 "$commands") 2>"$work/err" </dev/null | sed 's/ *$//' >"$work/out" || fail "$(cat "$work/err")"
    diff "$text" "$work/out" >&2 || fail "$(tail -1 "$commands") prints something else (>) than is shown (<)"
    shown=$((shown + 1))
done
[ $shown -ge 2 ] || fail "only $shown runs are shown"

# name,on time,promised,broken,artifact accepted,mean JCT,GPU use of each row of the table
sed -nE 's/^\| `([a-z-]+)`: [^|]* \| ([0-9]+) \| ([0-9]+|none) \| ([0-9]+|-) \| ([0-9]+) \| ([0-9]*),?([0-9]+) s \| ([0-9.]+) % \|.*/\1,\2,\3,\4,\5,\6\7,\8/p' \
    "$project/README.md" | sed 's/none,-/0,0/' | sort >"$work/table"
[ "$(wc -l <"$work/table")" -ge 9 ] || fail "no table of policies: $(cat "$work/table")"
build/bin/rubato compare --csv --columns policy,on_time,promised,broken,accepted,jct_mean_s,gpu_utilisation \
    --policies "$(cut -d, -f1 "$work/table" | paste -sd,)" testbed195@n16g8@240 | tail -n +2 |
    awk -F, -v OFS=, '{ $6 = sprintf("%.0f", $6); $7 = sprintf("%.1f", 100 * $7); print }' | sort >"$work/counts"
diff "$work/table" "$work/counts" >&2 || fail "the table (<) has other figures than a comparison (>)"
# The picture is that of the programs at hand.
"$project/tools/on_time_picture.sh" build/bin | diff "$project/docs/on-time.svg" - >&2 ||
    fail "docs/on-time.svg is not what tools/on_time_picture.sh prints"
echo "ok: $shown runs, $(wc -l <"$work/table") policies"
