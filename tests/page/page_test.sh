# page_test.sh - the page of `rubato report` in a headless Chromium: what it shows is what the result files say.
source "$(dirname "$0")/../tools/cli.sh"

if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
    echo "chromium or node is not installed, so the page of rubato report is not tested"
    exit 77
fi

awk -F, -v OFS=, 'NR == 4 { $1 = "hostile" } NR == 5 { $1 = "foreign" } { print }' "$small" >"$work/trace.csv"
setting=("$work/trace.csv" --cluster "$small_cluster" --slot 60)
passes "$rubato" simulate --bound "${setting[@]}" --results "$work/rubato"
passes "$rubato" simulate --policy ef-accessctrl "${setting[@]}" --results "$work/ef"

# The third job gets a name that would be a program in a careless page, the fourth one that is not ASCII.
sed -i 's|hostile|</script><img src=x onerror=alert(1)>\&lt;|; s/foreign/été-訓練-🎹/' "$work"/{trace,rubato/*,ef/*}.csv
untold "$work/rubato" "$work/ef"
passes "$rubato" report "$work/rubato" --output "$work/one.html"
passes "$rubato" report "$work/rubato" "$work/ef" --output "$work/two.html"

# One of a kind is told as one.
awk 'NR <= 2' "$small" >"$work/alone.csv"
passes "$rubato" simulate --cluster n1g1 --slot 60 "$work/alone.csv" --results "$work/alone"
passes "$rubato" report "$work/alone" --output "$work/alone.html"
timeout 600 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
    --dump-dom "file://$work/alone.html" >"$out" 2>"$err" </dev/null || fail "$(cat "$err")"
grep -q 'what became of 1 job<' "$out" || fail "not one job: $(grep -o 'what became of [^<]*' "$out")"
grep -q '1 GPU on 1 node ' "$out" || fail "not one GPU: $(grep -o '[0-9]* GPU[^<]*' "$out")"

timeout 600 node "$project/tests/page/page_test.mjs" "$work" || fail "the page is not as the files say"
done_checking 6
