# identity_test.sh - gcc and clang, debug and release build schedulers whose result files are the
# same to the byte: no figure depends on how a compiler rounds or orders floating point.
source "$(dirname "$0")/cells.sh"

compilers=()
for compiler in gcc clang; do
    ! command -v $compiler >/dev/null || compilers+=($compiler)
done
if [ ${#compilers[@]} -lt 2 ]; then
    echo "gcc and clang are both needed, found: ${compilers[*]:-neither}"
    exit 77
fi

build() { # COMPILER TYPE
    cmake -S . -B "$work/$1-$2" -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE="$2" >/dev/null &&
        cmake --build "$work/$1-$2" --target scheduler milp_cbc --parallel 2 >/dev/null
}

first=
compared=0

# compare COMPILER TYPE: runs every setting and holds the files against those of the first build.
compare() {
    local results=$work/results-$1-$2 policy
    local built=$work/$1-$2/bin/scheduler

    for policy in ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu themis chronus; do
        simulate "$built" $policy traces/testbed195.csv "$(cluster 16 8)" 60 A100 "$results/own.$policy"
        [ ! -d "$shared/traces" ] ||
            simulate "$built" $policy "$shared/traces/elasticVpollux_e.csv" "$(cluster 16 4)" 60 T4 \
                "$results/t4.$policy"
    done >/dev/null
    simulate "$built" chronus traces/testbed195.csv "$(cluster 4 8)" 60 A100 "$results/contested.chronus" \
        --mip_time_limit=0 >/dev/null
    if [ -z "$first" ]; then
        first=$results
        return
    fi
    for folder in "$first"/*; do
        same_results "$folder" "$results/${folder##*/}" ||
            fail "${folder##*/}: $1 $2 differs from ${first##*/results-}"
        compared=$((compared + 1))
    done
    echo "ok: $1 $2 is the same as ${first##*/results-}"
}

for compiler in "${compilers[@]}"; do
    for type in Debug Release; do
        build $compiler $type || fail "$compiler $type does not build"
        compare $compiler $type
    done
done
[ "$compared" -ge 27 ] || fail "only $compared folders compared"
