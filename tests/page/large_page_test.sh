# large_page_test.sh - the page of `rubato report` about the largest public trace, in a headless Chromium.
source "$(dirname "$0")/../tools/cli.sh"

[ -z "${RUBATO_SANITIZED:-}" ] || exit 77 # sanitizers take minutes over it
large=${RUBATO_SHARED:-$project/../shared}/traces/cluster04.csv
if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
    echo "chromium or node is not installed, so the page of rubato report is not tested"
    exit 77
fi
if [ ! -e "$large" ]; then
    echo "the public traces are not there"
    exit 77
fi

cp "$large" "$work/trace.csv"
passes "$rubato" simulate "$work/trace.csv" --cluster cluster_specs/n128g8.csv --slot 60 --results "$work/rubato"
passes "$rubato" report "$work/rubato" --output "$work/one.html"
timeout 600 node "$project/tests/page/page_test.mjs" "$work" one || fail "the page is not as the files say"
done_checking 2
