# rubato_overload_test.sh - where many times as many jobs come as can end in time, those that are promised grow first, and
# rounds that cannot promise all of their jobs promise some. The figures are those of the rule without its terms for load.
source tests/tools/cli.sh

# overloaded POLICY: adds up what becomes of 400 jobs, one each 5 s, in each of six worlds.
overloaded() {
    promised_at_arrival=0 broken=0 on_time=0
    for seed in 1 2 3; do
        for slot in 60 300; do
            passes "$rubato" simulate --policy "$1" --rules clean --cluster n8g8 --slot $slot --json "$work/$seed.csv"
            for figure in promised_at_arrival broken on_time; do
                eval "((${figure} += $(sed -n "s/^ *\"$figure\": \([0-9]*\),/\1/p" "$out"))) || true"
            done
        done
    done
}

for seed in 1 2 3; do
    passes "$rubato" trace generate --seed $seed --jobs 400 --arrival-interval 5 --duration 300:6000 --tightness 0.5:1.5 \
        --output "$work/$seed.csv"
done
overloaded rubato
[ "$broken" -eq 0 ] || fail "$broken promises break"
[ "$on_time" -gt $((1077 + 40)) ] || fail "$on_time jobs are on time, 1077 without a rule for overload"
[ "$promised_at_arrival" -gt $((547 + 120)) ] || fail "$promised_at_arrival jobs are promised at arrival, 547 without"
own=$on_time
overloaded ef-accessctrl
[ "$own" -gt "$on_time" ] || fail "$own jobs are on time, $on_time under ef-accessctrl"
done_checking 15
