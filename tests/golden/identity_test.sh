# identity_test.sh - schedulers that gcc and clang build, optimised and not, write result files that are
# the same to the byte: no figure depends on how a compiler rounds or orders floating point.
#
# What this build writes is compared with what a scheduler by clang writes that is not optimised; or with
# those of the builds that RUBATO_OTHER_BUILDS names; in a soak with those of both compilers, optimised or not.
source "$(dirname "$0")/cells.sh"

builds=() # FOLDER:NAME

# build COMPILER TYPE: a scheduler and its solver, nothing else.
build() {
    local folder=$work/$1-$2

    if ! command -v "$1" >/dev/null; then
        echo "skipped: $1 is not installed"
        exit 77
    fi
    cmake -S . -B "$folder" -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE="$2" >"$work/built" &&
        cmake --build "$folder" --target scheduler milp_cbc --parallel 2 >>"$work/built" ||
        fail "$1 $2 does not build: $(tail -n 20 "$work/built")"
    builds+=("$folder:$1 $2")
}

# results_of BUILD FOLDER: every setting, each in a folder of its own.
results_of() {
    local built=$1/bin/scheduler policy

    for policy in rubato ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu themis chronus; do
        simulate "$built" $policy traces/testbed195.csv "$(cluster 16 8)" 60 A100 "$2/own.$policy"
        [ ! -d "$shared/traces" ] ||
            simulate "$built" $policy "$shared/traces/elasticVpollux_e.csv" "$(cluster 16 4)" 60 T4 \
                "$2/t4.$policy"
    done
    simulate "$built" chronus traces/testbed195.csv "$(cluster 4 8)" 60 A100 "$2/contested.chronus" \
        --mip_time_limit=0
}

if [ -n "${RUBATO_SOAK:-}" ]; then
    for compiler in gcc clang; do
        build $compiler Debug
        build $compiler Release
    done
elif [ -n "${RUBATO_OTHER_BUILDS:-}" ]; then
    for folder in $RUBATO_OTHER_BUILDS; do
        [ -x "$folder/bin/scheduler" ] || fail "RUBATO_OTHER_BUILDS: there is no $folder/bin/scheduler"
        builds+=("$folder:$folder")
    done
else
    build clang Debug
fi

compared=0
results_of "${RUBATO_BUILD:?is set by ctest}" "$work/results" >/dev/null
for each in "${builds[@]}"; do
    results_of "${each%%:*}" "$work/other" >/dev/null
    for folder in "$work"/results/*; do
        same_results "$folder" "$work/other/${folder##*/}" ||
            fail "${folder##*/}: ${each#*:} differs from $RUBATO_BUILD"
        compared=$((compared + 1))
    done
    rm -r "$work/other"
    echo "ok: ${each#*:} is the same as $RUBATO_BUILD"
done
[ "$compared" -ge 10 ] || fail "only $compared folders compared"
