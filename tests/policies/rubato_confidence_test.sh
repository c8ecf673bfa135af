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

# Starts that take three times as long: what they took before is kept for those to come.
starts() {
    passes "$rubato" simulate --cluster n8g8 --slot 60 --overhead-factor 3 "$@" --json testbed195
    for figure in promised broken on_time; do
        eval "$figure=$(sed -n "s/^ *\"$figure\": \([0-9]*\),/\1/p" "$out")"
    done
}
starts
bare=($promised $broken $on_time)
[ "$broken" -gt 0 ] || fail "no promise breaks where starts take three times as long"
starts --confidence 95
[ "$broken" -eq 0 ] || fail "$broken promises break where starts take three times as long, with a confidence of 95 %"
[ "$on_time" -ge "${bare[2]}" ] || fail "$on_time jobs are on time with a margin for starts, ${bare[2]} without"
[ $((100 * promised)) -ge $((97 * bare[0])) ] || fail "$promised jobs are promised with a margin for starts, ${bare[0]} without"
checks=$((checks + 4))

# Of the promises that break at a confidence of 50 % nearly all are at risk a minute and a twentieth of their window before;
# without a confidence no promise ever is.
at_risk() {
    local seed

    late=0 early=0
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        passes "$rubato" simulate --cluster n16g8 --slot 60 --seed $seed --speed-error 20 "$@" --results "$work/run" --force \
            testbed195
        read -r some some_early < <(awk -F, '
            NR == FNR { deadline[$2] = $7; window = ($7 - $4) / 20; before[$2] = $7 - (window > 60 ? window : 60); next }
            FNR > 1 && $3 ~ /^promised/ && $6 == "late" {
                late++
                count = split($0, told, / [|] /)
                for (i = 1; i <= count; i++) {
                    sub(/.*"/, "", told[i])
                    if (told[i] ~ /^[0-9]+ (at risk|withdrawn): / && told[i] + 0 <= before[$2]) { early++; break }
                }
            }
            END { print late + 0, early + 0 }' "$work/run/jobs.csv" "$work/run/outcomes.csv")
        ((late += some, early += some_early)) || true
    done
}
at_risk --confidence 50
[ "$late" -ge 20 ] || fail "only $late promises are late at a confidence of 50 %"
[ $((100 * early)) -ge $((95 * late)) ] || fail "$early of $late late promises were at risk early"
passes "$rubato" promises "$work/run" --json
[ "$(sed -n 's/^ *"at_risk": \([0-9]*\),.*/\1/p' "$out" | head -n 1)" -gt 0 ] || fail "no promise at risk is counted: $(cat "$out")"
at_risk
! grep -qF "at risk" "$work/run/outcomes.csv" || fail "a promise is at risk without a confidence"
checks=$((checks + 4))

refused '--confidence: expected a number from 0 to 99.9, found "100"' "$rubato" simulate --confidence 100 testbed195
refused "--confidence 95: policy fifo has no such option, which is of rubato" "$rubato" simulate --policy fifo --confidence 95 testbed195
refused "--confidence 95: no policy of --policies has such an option, which is of rubato" \
    "$rubato" compare --policies fifo,edf --confidence 95 testbed195

# A job with a confidence of its own is promised by that, whatever the run has.
awk -F, 'BEGIN { OFS = "," } { print $0, NR == 1 ? "confidence" : 0 }' traces/testbed195.csv >"$work/none.csv"
awk -F, 'BEGIN { OFS = "," } { print $0, NR == 1 ? "confidence" : 95 }' traces/testbed195.csv >"$work/own.csv"
awk -F, 'BEGIN { OFS = "," } { print $0, NR == 1 ? "confidence" : "" }' traces/testbed195.csv >"$work/empty.csv"
run() { # TRACE OPTIONS...
    passes "$rubato" simulate --cluster n16g8 --slot 240 --speed-error 20 --results "$work/run" --force "${@:2}" "$1"
    cat "$work/run/outcomes.csv"
}
run testbed195 >"$work/bare"
run testbed195 --confidence 95 >"$work/sure"
! cmp -s "$work/bare" "$work/sure" || fail "a confidence of 95 % changes nothing"
run "$work/none.csv" --confidence 95 | cmp - "$work/bare" || fail "a job that takes its profile as it is has a margin"
run "$work/own.csv" | cmp - "$work/sure" || fail "the confidence of a job is not heeded"
run "$work/empty.csv" --confidence 95 | cmp - "$work/sure" || fail "an empty cell is a confidence"
passes "$rubato" simulate --cluster n16g8 --slot 240 --speed-error 20 --record "$work/own" "$work/own.csv"
grep -q " confidence=95 " "$work/own" || fail "the record does not tell the confidence of a job"
passes "$rubato" replay "$work/own"
checks=$((checks + 5))

# A record tells the confidence, and is decided again with it.
passes "$rubato" simulate --cluster n16g8 --slot 240 --speed-error 20 --confidence 95 --record "$work/record" testbed195
passes "$rubato" replay "$work/record"
done_checking 84
