# sweep_test.sh - `rubato report` of a sweep: its page has the numbers of means.csv and differences.csv.
source "$(dirname "$0")/../tools/cli.sh"

page=$work/page.html
passes "$rubato" sweep --results "$work/sweep" --policies rubato,edf --seeds 1,2,3 --loads 0.5,2 "$small@n4g8"
passes "$rubato" report "$work/sweep" --output "$page"

# The rows of the page, made anew of the columns of the files.
means=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { printf "<tr><td>%s<td>%s<td>%s", $at["load"], $at["policy"], $at["seeds"]
      split("on_time promised broken jct_mean_s gpu_utilisation", names, " ")
      for (i = 1; i <= 5; i++) printf "<td>%.4g ± %.4g", $at[names[i] "_mean"], $at[names[i] "_half"]
      print "" }' "$work/sweep/means.csv")
differences=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["figure"] ~ /^(on_time|jct_mean_s)$/ {
      printf "<tr><td>%s<td>%s<td>%s<td>%s<td>%s<td>%.4g ± %.4g<td>%.4g<td>%.4g\n", $at["load"], $at["policy"], $at["against"],
          $at["seeds"], $at["figure"] == "on_time" ? "on time" : "mean JCT (s)", $at["mean"], $at["half"], $at["t_p"],
          $at["wilcoxon_p"] }' "$work/sweep/differences.csv")
same "rows of means" "$(wc -l <<<"$means")" 4
same "rows of differences" "$(wc -l <<<"$differences")" 4
same "the means" "$(grep -E '^<tr><td>[^<]*<td>[^<]*<td>[0-9]+<td>' "$page")" "$means"
same "the differences" "$(grep -E '<td>(on time|mean JCT \(s\))<td>' "$page")" "$differences"
same "a report" "$(sed -n 2p "$page")" "<!-- rubato report -->"

# The charts are those of `rubato figure sweep`, each in the page as it is in a file, but for its prolog and its name.
passes "$rubato" figure sweep --results "$work/sweep" --output "$work/figures" --width 420 \
    --measures on_time,promised,broken,jct_mean_s,gpu_utilisation
for measure in on_time promised broken jct_mean_s gpu_utilisation; do
    sed '1d; s/<g id="surface">/<g>/' "$work/figures/sweep-$measure.svg"
done >"$work/drawn"
sed -n '/^<svg /,/^<\/svg>$/p' "$page" >"$work/inline"
same "the charts" "$(diff "$work/drawn" "$work/inline" | head -5)" ""
same "how many charts" "$(grep -c '^<svg ' "$work/inline")" 5
same "names that two parts of the page have" "$(grep -o ' id="[^"]*"' "$page" | sort | uniq -d)" ""
grep -qF "Without a promise: edf." "$page" || fail "the caption does not say who promises nothing"

# The parameter that has several values is the axis; where no chart can be drawn the page says so and has its tables.
passes "$rubato" sweep --results "$work/shares" --policies rubato,edf --best-effort 0,0.5 "$small@n4g8"
passes "$rubato" report "$work/shares" --output -
grep -q ">Jobs on time over best effort<" "$out" || fail "no chart over the share"
same "one table of means and one of differences" "$(grep -c '^<tr><th>best_effort<th>policy' "$out")" 2
passes "$rubato" sweep --results "$work/ranges" --policies edf --tightness 1,0.5:1.5 "$small@n4g8"
passes "$rubato" report "$work/ranges" --output -
grep -q "No chart: .*1:1 and 0.5:1.5 have the same middle" "$out" || fail "no word of the chart: $(cat "$out")"
same "rows without a chart" "$(grep -cE '^<tr><td>(1:1|0.5:1.5)<td>edf' "$out")" 2

# The same bytes again; one seed has no interval, one policy no difference.
cp "$page" "$work/first.html"
passes "$rubato" report "$work/sweep" --output "$page"
same "the bytes" "$(cmp "$page" "$work/first.html" 2>&1)" ""
passes "$rubato" sweep --results "$work/one" --policies edf "$small@n4g8"
passes "$rubato" report "$work/one" --output -
! grep -q "[0-9] ± " "$out" || fail "one seed has an interval"
grep -q "There is one policy" "$out" || fail "$(cat "$out")"

# What is there with other bytes stays; a sweep is reported alone.
echo "my notes" >"$page"
refused "page.html: is there already, with other bytes" "$rubato" report "$work/sweep" --output "$page"
same "what was there" "$(cat "$page")" "my notes"
refused "--trace: " "$rubato" report "$work/sweep" --trace "$small" --output "$work/x"
sed -i '2,$s/[0-9.]*$/odd/' "$work/sweep/differences.csv"
refused "differences.csv: row " "$rubato" report "$work/sweep" --output "$work/x"
[ ! -e "$work/x" ] || fail "a page of results that cannot be read"
done_checking 20
