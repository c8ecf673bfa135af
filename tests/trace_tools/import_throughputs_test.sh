# import_throughputs_test.sh - throughputs/*.csv are what the importer makes of the public tables, digit by digit.
set -euo pipefail

shared=${RUBATO_SHARED:-../shared}
if [ ! -d "$shared/throughputs" ]; then
    echo "no public throughput tables in $shared"
    exit 77
fi

for type in A100 T4; do
    tools/trace_tools/import_throughputs.sh "$shared/throughputs/$type" | cmp - "throughputs/$type.csv"
done
