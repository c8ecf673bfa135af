# reliability_test.sh - each test and benchmark that docs/reliability.md names is there: a link to a test has the names
# that ctest knows, which run that file, and other links lead to files; a function in brackets stands in the file before it.
set -euo pipefail

document=docs/reliability.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0

fail() {
    echo "FAILED: $document: $*" >&2
    exit 1
}

ctest --test-dir "${RUBATO_BUILD:?is set by ctest}" --show-only | sed -n 's/^ *Test *#[0-9]*: //p' >"$work/tests"
grep -oE '\[[^]]*\]\([^)]*\)( \(`[a-z0-9_]+`\))?' "$document" >"$work/links"
while IFS= read -r link; do
    text=${link%%]*}
    target=${link#*](}
    target=${target%%)*}
    target=${target%%#*}
    [ -e "docs/$target" ] || fail "there is no docs/$target"
    while IFS= read -r name; do
        grep -qx "$name" "$work/tests" || fail "there is no test $name"
        checks=$((checks + 1))
    done < <(grep -oE '\b(e2e_[a-z0-9_.]+|[a-z0-9_]+_test)\b' <<<"$text")
    case $link in
    *'`)')
        function=${link##*(\`}
        grep -q "${function%\`)}" "docs/$target" || fail "$target has no ${function%\`)}"
        ;;
    esac
    checks=$((checks + 1))
done <"$work/links"

# Tests of real processes by their file: e2e_NAME runs NAME_test.sh.
while IFS=$'\t' read -r name file; do
    [[ $name == "e2e_$file"* ]] || fail "$name does not run ${file}_test.sh"
done < <(sed -nE 's/^\[([^]]*)\]\(.*\/e2e\/([a-z_]+)_test\.sh\).*/\1\t\2/p' "$work/links" |
    awk -F '\t' '{ count = split($1, names, ", "); for (i = 1; i <= count; i++) print names[i] "\t" $2 }')
[ $checks -ge 100 ] || fail "only $checks checks"
echo "$checks checks"
