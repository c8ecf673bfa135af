# policies_test.sh - docs/policies.md knows every policy by all its names and no other, names exactly
# the quirks that each has, and options and files that exist.
set -euo pipefail

document=docs/policies.md
rubato=${RUBATO_BIN:?is set by ctest}/rubato
scheduler=$RUBATO_BIN/scheduler
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0

fail() {
    echo "FAILED: $document: $*" >&2
    exit 1
}

# same WHAT FOUND EXPECTED
same() {
    [ "$2" = "$3" ] || fail "$1: $(diff <(echo "$3") <(echo "$2") | sed 's/^</missing:/; s/^>/too much:/')"
    checks=$((checks + 1))
}

# words PATTERN: what of stdin matches, each once.
words() { { grep -oE -e "$1" || true; } | sort -u; }

policies=$("$scheduler" --print-words | sed -n 's/^--schedule= //p' | tr ' ' '\n' | grep -v : | sort -u)
same "the policies with a section" "$(grep '^## ' "$document" | words '`[a-z-]+`' | tr -d '`' | sort -u)" \
    "$policies"

# section POLICY: from the heading that names it to the next one.
section() {
    awk -v name="\`$1\`" '/^## / { inside = index($0, name) > 0 } inside' "$document"
}

# A quirk that some policies of a section have and others do not is named for both.
while read -r heading; do
    read -ra names < <(words '`[a-z-]+`' <<<"$heading" | tr -d '`' | paste -sd ' ')
    for name in "${names[@]}"; do
        "$rubato" quirks --csv --policy "$name" | tail -n +2 | cut -d, -f1
    done | sort -u >"$work/quirks"
    section "${names[0]}" >"$work/section"
    sed -n '/^- Quirks: /,/^- [^Q]/p' "$work/section" | sed '$d' | sed 's/Kept or settled.*//; T; q' |
        words '[A-Z]{2}-Q[0-9]+' >"$work/named"
    same "the quirks of ${names[*]}" "$(cat "$work/named")" "$(cat "$work/quirks")"
    for part in 'Files?: ' '- Declined: ' '- Options: '; do
        grep -qE "^$part" "$work/section" || fail "${names[*]}: nothing on \"$part\""
        checks=$((checks + 1))
    done
done < <(grep '^## ' "$document")

# Files stand in scheduler/; where no folder is named, in policies/, admission/ or reference/.
for file in $(words '`[a-z_/]+\.[ch]`' <"$document" | tr -d '`'); do
    [ -e "scheduler/$file" ] || [ -e "scheduler/policies/$file" ] || [ -e "scheduler/admission/$file" ] ||
        [ -e "scheduler/reference/$file" ] ||
        fail "there is no $file"
    checks=$((checks + 1))
done
help=$("$scheduler" --help && "$rubato" simulate --help && "$rubato" trace convert --help && "$rubato" submit --help)
for option in $(words '--[a-z][a-z_-]+' <"$document"); do
    grep -qE -e "$option([=[ ]|\$)" <<<"$help" || fail "there is no option $option"
    checks=$((checks + 1))
done
[ $checks -ge 70 ] || fail "only $checks checks"
echo "$checks checks"
