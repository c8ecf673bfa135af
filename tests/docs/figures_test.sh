# figures_test.sh - docs/reproducing-elasticflow.md: its pictures and their data are what tools/figure_pictures.sh makes
# now, its counts are those of the data, and the causes that it names give what was published.
set -euo pipefail

bin=${RUBATO_BIN:?is set by ctest}
traces=${RUBATO_SHARED:-../shared}/traces
page=docs/reproducing-elasticflow.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# same WHAT FOUND EXPECTED
same() {
    [ "$2" = "$3" ] || fail "$1 is $2, not $3"
    checks=$((checks + 1))
}

# Every picture is shown, and every figure of the command has one.
same "what is shown" "$(sed -n 's/^!\[.*\](\(figures\/.*\))$/\1/p' $page | sort)" \
    "$(cd docs && ls figures/*.svg | sort)"
figures=$("$bin/rubato" figure --help | tr -s ' \n' ' ' | grep -oP '(?<=FIGURE is ).*(?= or all:)' | tr -d ,)
[ "$(wc -w <<<"$figures")" -ge 12 ] || fail "only these figures: $figures"
for figure in $figures; do
    [ -e "docs/figures/figure$figure.svg" ] || fail "no picture of figure $figure"
    grep -qE "^    rubato figure ([0-9ab]+ )*$figure( |$)" $page || fail "no command for figure $figure"
done

# The table says how many published values are met.
for data in docs/figures/*.csv; do
    figure=${data##*/figure}
    figure=${figure%.csv}
    met=$(awk -F, 'NR > 1 && $3 != "" && $4 != "" {
        all++
        gap = $3 - $4
        met += gap < 0.02 && gap > -0.02
    }
    END { printf "%d of %d", met, all }' "$data")
    same "figure $figure in the table" "$(sed -nE "s/^\| $figure \|.*\| ([^|]*) \|$/\1/p" $page)" "$met"
done

if [ ! -d "$traces" ]; then
    echo "no traces in $traces"
    exit 77
fi

# lines SVG: what its data are drawn with, and its texts.
lines() {
    grep -oE ' d="[^"]*"|<text.*' "$1"
}

tools/figure_pictures.sh "$bin" "$traces" "$work" 6a 6b 7a 7b 8a 9 10 11a 11b
for picture in "$work"/*.svg; do
    name=$(basename "$picture" .svg)
    diff <(lines "docs/figures/$name.svg") <(lines "$picture") >"$work/diff" ||
        fail "the picture of $name (<) is another one (>) by now: $(head -c 400 "$work/diff")"
    [ ! -e "$work/$name.csv" ] || diff "docs/figures/$name.csv" "$work/$name.csv" >&2 || fail "other data of $name"
    checks=$((checks + 1))
done

# counts OPTIONS...: accepted of each policy.
counts() {
    "$bin/rubato" compare -j 2 --csv --columns accepted "$@" | tail -n +2 | paste -sd ' '
}

# What of 8b takes no time, and what the page says of other slots, clusters and leases.
for setting in 10@n32g8 1@n64g8 6@n64g8; do
    trace=$(printf 'cluster%02d' "${setting%@*}")
    same "8b on trace ${setting%@*}" \
        "$(grep -E "^${setting%@*},(Gandiva|Tiresias|Themis)," docs/figures/figure8b.csv | cut -d, -f5 | paste -sd ' ')" \
        "$(counts --slot 60 --policies gandiva,dlas-gpu,themis "$traces/$trace.csv@${setting#*@}")"
done
same "Philly on 4 nodes" "$(counts --slot 60 --policies edf,gandiva,dlas-gpu,themis "$traces/philly_103959.csv@n4g8")" \
    "9 131 284 292"
same "trace 1 with slots of 240 s" "$(counts --slot 240 --policies gandiva,themis "$traces/cluster01.csv@n64g8")" "386 740"
same "trace 10 with slots of 240 s" \
    "$(counts --slot 240 --policies edf,gandiva,dlas-gpu,themis "$traces/cluster10.csv@n32g8")" "201 89 123 112"
same "ElasticFlow on trace 1" "$(counts --slot 60 --policies ef-accessctrl "$traces/cluster01.csv@n64g8")" 1352
same "ElasticFlow on trace 1 with fewer restarts" \
    "$(counts --slot 60 --rules EF-Q3 --policies ef-accessctrl "$traces/cluster01.csv@n64g8")" 1452
same "trace 10 with leases of 300 s" "$(counts --policies chronus --solver none --lease-term-interval 300 \
    --admission-interval 300 "$traces/cluster10.csv@n32g8")" 118
same "8a with leases of 3600 s" "$(counts --policies chronus --solver none --lease-term-interval 3600 \
    --admission-interval 3600 --gpu-type T4 "$traces/elasticVpollux_e.csv@n16g4")" 51
[ $checks -ge 26 ] || fail "only $checks checks"
echo "$checks checks"
