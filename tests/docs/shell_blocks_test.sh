# shell_blocks_test.sh - the commands of README.md and docs/*.md run as they stand there.
#
# That is the fenced sh blocks that start with build/bin/. They run in a copy of what they need, so
# that the results they write do not land in the project. Lines with ../shared are left out where
# there is no such folder.
set -euo pipefail
source "$(dirname "$0")/blocks.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shared=${RUBATO_SHARED:-../shared}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

[ -e README.md ] || fail "there is no README.md"
for document in README.md CONTRIBUTING.md docs/*.md; do
    [ ! -e "$document" ] || split_blocks "$document" "$work/blocks/${document//\//.}"
done

mkdir -p "$work/tree/build"
cp -r "${RUBATO_BIN:?is set by ctest}" "$work/tree/build/bin"
cp -r "$RUBATO_BIN/../lib" "$work/tree/build/lib" # solvers
cp -r traces throughputs cluster_specs tests/golden "$work/tree"
mkdir "$work/tree/tests"
mv "$work/tree/golden" "$work/tree/tests"
[ ! -d "$shared" ] || ln -s "$(realpath "$shared")" "$work/shared"
cd "$work/tree"

blocks=0
commands=0
for block in "$work"/blocks/*/*.sh; do
    head -1 "$block" | grep -q '^build/bin/' || continue
    script=$(sed -e ':join' -e '/\\$/ { N; s/\\\n/ /; b join' -e '}' "$block")
    [ -d "$work/shared" ] || script=$(grep -vF ../shared <<<"$script" || true)
    where=${block#"$work"/blocks/}
    bash -euo pipefail -c "$script" >"$work/out" 2>"$work/err" </dev/null ||
        fail "${where%/*}, block ${where##*/}: exit status $? of"$'\n'"$script"$'\n'"$(cat "$work/err")"
    blocks=$((blocks + 1))
    commands=$((commands + $(grep -c '^build/bin/' <<<"$script" || true)))
done
grep -lq '^build/bin/' "$work"/blocks/README.md/*.sh || fail "README.md shows no command"
[ $commands -ge 3 ] || fail "only $commands commands in $blocks blocks"
echo "ok: $commands commands in $blocks blocks"
