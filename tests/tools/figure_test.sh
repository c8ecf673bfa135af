# figure_test.sh - `rubato figure`: data beside published values, three pictures, the same bytes again.
source "$(dirname "$0")/cli.sh"

# cell FIGURE SETTING POLICY: accepted/jobs of it.
cell() {
    awk -F, -v setting="$2" -v policy="$3" '$1 == setting && $2 == policy { print $5 "/" $6 }' "$work/figures/figure$1.csv"
}

# Without the public traces: shipped and drawn ones.
passes "$rubato" figure 6a 8a 7b 10 --output "$work/figures"
for figure in 6a 8a 7b 10; do
    stem=$work/figures/figure$figure
    same "the SVG of $figure" "$(head -c 5 "$stem.svg")" "<?xml"
    same "the PDF of $figure" "$(head -c 5 "$stem.pdf")" "%PDF-"
    same "the PNG of $figure" "$(head -c 8 "$stem.png" | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a
done
same "the header" "$(head -1 "$work/figures/figure8a.csv")" "setting,policy,measured,published,accepted,jobs"
same "a policy that is published only" "$(grep Pollux "$work/figures/figure8a.csv")" "195 jobs,Pollux,,0.523,,"
passes "$rubato" compare --policies edf --slot 240 --csv --columns accepted,jobs testbed25@n4g8
same "edf in 6a" "$(cell 6a "25 jobs" EDF)" "$(tail -n 1 "$out" | tr , /)"
same "curves of figure 10" "$(cut -d, -f1 "$work/figures/figure10.csv" | sort -u | xargs)" \
    "Chronus EDF ElasticFlow Gandiva Rubato Themis Tiresias series"
same "the jobs of figure 7b" "$(awk -F, '$1 == "submitted" { jobs += $3 } END { print jobs }' "$work/figures/figure7b.csv")" 195

# The same bytes again.
passes "$rubato" figure 8a 10 --output "$work/again" -j 1
for figure in 8a 10; do
    for format in csv svg png pdf; do
        cmp "$work/figures/figure$figure.$format" "$work/again/figure$figure.$format" || fail "figure $figure, $format differs"
    done
done

# A picture that finds no room on the disk: the data and the pictures before it do not appear, or stay as they were.
if [ -w /dev/full ]; then
    mkdir "$work/full"
    for format in png pdf; do
        ln -s /dev/full "$work/full/figure6a.$format"
        echo older >"$work/full/figure6a.csv"
        unwritten "$work/full/figure6a.$format: cannot be written: No space left on device" \
            "$rubato" figure 6a --output "$work/full"
        same "the data beside a full .$format" "$(cat "$work/full/figure6a.csv")" older
        rm "$work/full/figure6a.$format" "$work/full/figure6a.csv"
        same "what a full .$format leaves" "$(find "$work/full" -name 'figure6a*')" ""
    done
fi

# Figure 8a on the public trace: the counts of the reference.
shared=${RUBATO_SHARED:-../shared}
if [ -d "$shared/traces" ]; then
    passes "$rubato" figure 8a 11b --traces "$shared/traces" --output "$work/figures"
    same "the bars of 8a" "$(cut -d, -f2,5,6 "$work/figures/figure8a.csv" | head -8 | tail -7 | xargs)" \
        "EDF,23,195 Gandiva,18,195 Tiresias,56,195 Themis,61,195 Chronus,83,195 Pollux,, ElasticFlow,142,195"
    same "gandiva by itself" "$(awk -F, '$2 == "Gandiva" && $3 != 1' "$work/figures/figure11b.csv")" ""
fi

refused 'there is no figure "13"' "$rubato" figure 13 --output "$work/x"
refused "expected a figure, or all" "$rubato" figure
refused "$work/none/elasticVpollux_e.csv: cannot be read" "$rubato" figure 8a --traces "$work/none" --output "$work/x"
done_checking 20
