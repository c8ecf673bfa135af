# tags_test.sh - the tag of a struct, union or enum, and the name of a type, stands for one thing in all headers.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# twice FOLDER...: the names that headers define a second time, each with its places.
twice() {
    find "$@" -name '*.h' -print0 | sort -z | xargs -0 awk '
        function define(name) { places[name] = places[name] " " FILENAME ":" FNR; count[name]++ }
        match($0, /^(typedef )?(struct|union|enum) [a-z_0-9]+ \{/) {
            words = substr($0, 1, RLENGTH)
            sub(/^typedef /, "", words)
            split(words, word, " ")
            define(word[2])
        }
        /^typedef .*[a-z_0-9]+;$/ { name = $NF; sub(/;$/, "", name); gsub(/[^a-z_0-9]/, "", name); define(name) }
        /^\} [a-z_0-9]+_t;$/ { name = $2; sub(/;$/, "", name); define(name) }
        match($0, /^typedef [a-z_0-9 ]+[ *][a-z_0-9]+\(/) {
            name = substr($0, 1, RLENGTH - 1)
            gsub(/.*[ *]/, "", name)
            define(name)
        }
        END { for (name in count) if (count[name] > 1) print name ":" places[name] }'
}

# The search finds each kind.
mkdir "$work/one" "$work/two"
cat >"$work/one/a.h" <<'END'
enum state {
    ON,
};
typedef struct table {
    int count;
} table_t;
typedef int show_fn(int x);
typedef struct handle handle_t;
struct alone {
    int count;
};
END
sed -e 's/alone/single/' -e 's/ON,/OFF,/' "$work/one/a.h" >"$work/two/b.h"
found=$(twice "$work/one" "$work/two" | sed 's/:.*//' | sort | tr '\n' ' ')
if [ "$found" != "handle_t show_fn state table table_t " ]; then
    echo "found in the samples: $found"
    exit 1
fi

found=$(twice common protocol scheduler master worker executor tools)
if [ -n "$found" ]; then
    printf 'names that headers define twice:\n%s\n' "$found"
    exit 1
fi
