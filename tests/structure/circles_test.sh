# circles_test.sh OBJECTS - no two files need each other, on whatever way: neither objects, by the symbols that they
# use, nor headers, by what they include. circles.txt lists the circles that are left.
set -euo pipefail

here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# circles: reads pairs "user used"; prints a line for each circle, its files in order.
circles() {
    sort -u | awk '
        $1 != $2 { uses[$1] = uses[$1] " " $2; all[$1]; all[$2] }
        function reach(from, place, list, count, i) {
            count = split(uses[from], list, " ")
            for (i = 1; i <= count; i++)
                if (!((place, list[i]) in reached)) {
                    reached[place, list[i]]
                    reach(list[i], place)
                }
        }
        END {
            for (file in all)
                reach(file, file)
            for (file in all)
                if ((file, file) in reached)
                    for (other in all)
                        if ((file, other) in reached && (other, file) in reached)
                            print file, other
        }' | sort | awk '
        $1 != last { if (last) print line; last = $1; line = "" }
        { line = line (line ? " " : "") $2 }
        END { if (last) print line }' | sort -u
}

same=$(printf '%s\n' 'a b' 'b c' 'c a' 'c d' 'd e' 'f g' 'g f' | circles)
if [ "$same" != "a b c"$'\n'"f g" ]; then
    echo "in the sample: $same"
    exit 1
fi

# Who defines a symbol, and who uses it. What libc has as well is libc's, although allocator.c may stand in for it.
tr '\n' '\0' <"$1" | xargs -0 nm -A -g | sed -E "s|^$RUBATO_BUILD/||; s|CMakeFiles/[^/]*\.dir/||; s|/\./|/|; s|\.o:| |" |
    awk '
        $NF ~ /^(malloc|calloc|realloc|free|main)$/ { next }
        NF == 3 && $2 == "U" { print $3, "used", $1 }
        NF == 4 && $3 ~ /^[TDBRC]$/ { print $4, "defined", $1 }' | sort | awk '
    $1 != symbol { symbol = $1; definer = "" }
    $2 == "defined" { definer = $3 }
    $2 == "used" && definer { print $3, definer }' >"$work/objects"

find common protocol scheduler master worker executor tools -name '*.h' -print0 |
    xargs -0 awk 'match($0, /^#include "[^"]*\.h"/) { split($0, part, "\""); print FILENAME, part[2] }' >"$work/headers"

lines=$(wc -l <"$work/objects")
[ "$lines" -gt 1000 ] || { echo "only $lines uses of symbols were found"; exit 1; }

# Each circle lies within a line of the list, which has patterns; and each line has a circle.
failed=
mapfile -t known < <(grep -v '^#' "$here/circles.txt")
used=()
while read -r circle; do
    for at in "${!known[@]}"; do
        outside=
        for file in $circle; do
            within=
            for pattern in ${known[$at]}; do
                # shellcheck disable=SC2053
                [[ $file != $pattern ]] || within=yes
            done
            [ "$within" ] || outside=yes
        done
        if [ -z "$outside" ]; then
            used[at]=yes
            continue 2
        fi
    done
    echo "these files need each other: $circle"
    failed=yes
done < <(cat "$work/objects" "$work/headers" | circles)
for at in "${!known[@]}"; do
    if [ -z "${used[at]:-}" ]; then
        echo "circles.txt has a circle that is none any more: ${known[$at]}"
        failed=yes
    fi
done
[ -z "$failed" ]
