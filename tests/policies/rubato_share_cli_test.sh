# rubato_share_cli_test.sh - simulations with --promise-share: whose jobs count by the columns user and group, what the results
# say, and that without the option, or with a share that is never reached, nothing is otherwise.
source tests/tools/cli.sh

awk -F, 'NR == 1 { print $0 ",user,group" } NR > 1 { print $0 "," (NR % 2 ? "alice" : "bob") "," (NR % 3 ? "ml" : "ml;hpc") }' \
    traces/testbed195.csv >"$work/trace.csv"
simulate() { # NAME OPTIONS...
    passes "$rubato" simulate --cluster n16g8 --slot 240 --results "$work/$1" --record "$work/$1.record" "${@:2}" "$work/trace.csv"
}
denied() { # NAME: jobs that were denied a promise for a share
    grep -c ': promise-share, ' "$work/$1/outcomes.csv" || true
}

simulate plain
same "jobs that are denied without shares" "$(denied plain)" 0
! grep -q ' share=' "$work/plain.record" || fail "the record has shares that there are not"
simulate ample --promise-share '*=1,@ml=1' --promise-horizon 1000000000
cmp "$work/plain/outcomes.csv" "$work/ample/outcomes.csv" || fail "a share that is never reached decides something"
checks=$((checks + 2))

for shares in alice=0.02 '*=0.02' '@hpc=0.02' '@ml=0.05,bob=0.5'; do
    simulate limited --promise-share "$shares" --force
    [ "$(denied limited)" -gt 0 ] || fail "--promise-share $shares denies nothing"
    passes "$rubato" audit "$work/limited"
    passes "$rubato" replay "$work/limited.record"
    checks=$((checks + 1))
    rm "$work/limited.record"
done
simulate user --promise-share alice=0.02
why='best-effort: promise-share, alice has [0-9.]* of 61.44 GPU-hours promised ahead and needs [0-9.]* more, free by [0-9]*'
grep -q "$why" "$work/user/outcomes.csv" || fail "the results do not say by how much: $(grep promise-share "$work/user/outcomes.csv")"
! grep 'promise-share, bob' "$work/user/outcomes.csv" || fail "a user without a share is denied"

wrong="a promise share: expected WHO=SHARE with commas between, WHO a user, @GROUP or *, SHARE from 1e-6 to 1, found"
refused "$wrong \"alice=2\"" "$rubato" simulate --promise-share alice=2 "$work/trace.csv"
refused 'a promise share: "a" has two' "$rubato" simulate --promise-share a=0.2,b=1,a=0.1 "$work/trace.csv"
refused "traces/testbed195.csv:1: no column user, which a promise share is of" "$rubato" simulate --promise-share a=0.2 traces/testbed195.csv
refused "--promise-share a=0.2: policy ef has no such option, which is of rubato" "$rubato" simulate --policy ef --promise-share a=0.2 "$work/trace.csv"
refused "--promise-share a=0.2: no policy of --policies has such an option, which is of rubato" \
    "$rubato" compare --policies ef,edf --promise-share a=0.2 "$work/trace.csv"
done_checking 25
