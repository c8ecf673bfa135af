#!/bin/bash
# import_throughputs.sh FOLDER - the throughput table in the artifact's layout below FOLDER (a file
# per model, a row per batch size, a column per GPU count) in the project's own layout, on stdout.
#
# Rates are copied as text, digit by digit: the decimal text decides the bits of every result. "nan"
# and an empty cell both say that nothing was measured, and become an empty cell; 0 stays 0.
set -euo pipefail
export LC_ALL=C

folder=${1:?usage: import_throughputs.sh FOLDER}

echo model,global_batch_size,gpus,iterations_per_s
for file in "$folder"/*.csv; do
    awk -F, -v OFS=, -v model="$(basename "$file" .csv)" '
        { sub(/\r$/, "") }
        NR == 1 { for (i = 2; i <= NF; i++) gpus[i] = $i; next }
        NF { for (i = 2; i <= NF; i++) print model, $1, gpus[i], $i == "nan" ? "" : $i }
    ' "$file"
done | sort -t, -k1,1 -k2,2n -k3,3n
