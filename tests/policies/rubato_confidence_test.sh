# rubato_confidence_test.sh - where trainers are not as fast as their profiles say, a promise holds with the chance that
# --confidence names; where they are, it costs hardly a promise.
source tests/tools/cli.sh

# promises ERROR CONFIDENCE: adds up the jobs that are promised, broken and on time over six worlds.
promises() {
    promised=0 broken=0 on_time=0
    for seed in 1 2 3 4 5 6; do
        passes "$rubato" simulate --cluster n16g8 --slot 240 --seed $seed --speed-error "$1" --confidence "$2" --json testbed195
        for figure in promised broken on_time; do
            eval "((${figure} += $(sed -n "s/^ *\"$figure\": \([0-9]*\),/\1/p" "$out"))) || true"
        done
    done
}

for error in 10 20; do
    promises "$error" 0
    bare=($promised $broken $on_time)
    [ "$broken" -gt 5 ] || fail "at speeds wrong by $error % only $broken of $promised promises break without a margin"
    for confidence in 95 99; do
        promises "$error" "$confidence"
        said="at speeds wrong by $error % and $confidence % confidence"
        [ $((1000 * broken)) -le $((5 * promised)) ] || fail "$said $broken of $promised promises break"
        [ $((100 * promised)) -ge $((97 * (bare[0] - bare[1]))) ] || fail "$said $promised jobs are promised, ${bare[0]} without"
        [ $((100 * on_time)) -ge $((98 * bare[2])) ] || fail "$said $on_time jobs are on time, ${bare[2]} without"
        checks=$((checks + 3))
    done
done
promises 0 0
bare=($promised $broken $on_time)
promises 0 95
[ "$broken" -eq 0 ] || fail "$broken promises break where the tables are true"
[ $((100 * promised)) -ge $((98 * bare[0])) ] || fail "$promised jobs are promised where the tables are true, ${bare[0]} without"

refused '--confidence: expected a number from 0 to 99.9, found "100"' "$rubato" simulate --confidence 100 testbed195
refused "policy fifo promises nothing by confidence" "$rubato" simulate --policy fifo --confidence 95 testbed195
refused "--confidence 95: no policy of --policies promises by confidence; add rubato" \
    "$rubato" compare --policies fifo,edf --confidence 95 testbed195

# A record tells the confidence, and is decided again with it.
passes "$rubato" simulate --cluster n16g8 --slot 240 --speed-error 20 --confidence 95 --record "$work/record" testbed195
passes "$rubato" replay "$work/record"
done_checking 65
