# names_test.sh - traces and clusters by name, with @ and in UTF-8; what a comparison says of what its
# rows differ in, of policies that count other jobs, and of what failed.
source "$(dirname "$0")/cli.sh"
export LC_ALL=C.UTF-8

# Data that came with the programs need no path, wherever the user is.
compare() { # ARGUMENTS...: rows as CSV
    passes "$rubato" compare --policies ef --csv --columns "accepted,declined" "$@"
    tail -n +2 "$out" | tr '\n' ' '
}
rubato=$PWD/$rubato
scheduler=$PWD/$scheduler
mkdir "$work/elsewhere"
cd "$work/elsewhere"
same "by name" "$(compare testbed25@n4g8)" "11,14 "
same "the option" "$(compare testbed25 --cluster n4g8)" "11,14 "
passes "$rubato" simulate --policy ef --cluster n4g8 --json testbed25
grep -q '"accepted": 11,' "$out" || fail "simulate has another cluster: $(cat "$out")"
passes "$rubato" bound --cluster n4g8 testbed25
passes "$rubato" quote --cluster n4g8 --model bert --batch-size 64 --iterations 50000 testbed25
gives 0 "$scheduler" --cluster_spec=n4g8 --trace_file=testbed25 --schedule=ef
same "the scheduler" "$(tail -2 "$out" | tr '\n' ' ')" "accepted jobs: 11 declined jobs: 14 "
refused "n4g9: cannot be read: No such file or directory; did you mean n4g8?" "$rubato" simulate --cluster n4g9 testbed25
refused "did you mean n4g8?" "$rubato" bound --cluster N4G8.csv testbed25
refused "functionality_10job: cannot be read: No such file or directory; did you mean functionality_10jobs?" \
    "$rubato" simulate functionality_10job
refused "did you mean testbed25?" "$rubato" sweep --results "$work/no-sweep" --policies edf testbed52
refused "did you mean n4g8?" "$rubato" sweep --results "$work/no-sweep" --policies edf --clusters N4G8 testbed25
passes "$rubato" simulate --policy ef --cluster n4g8 --results "$work/named" testbed25
passes "$rubato" audit --trace testbed25 --cluster n4g8 "$work/named"
refused "did you mean testbed25?" "$rubato" audit --trace testbed26 "$work/named"
refused "did you mean n4g8?" "$rubato" audit --cluster n4g9 "$work/named"
gives 0 "$rubato" report --trace testbed25 --output - "$work/named"
refused "did you mean testbed25?" "$rubato" report --trace tetsbed25 --output - "$work/named"
passes "$rubato" trace info testbed25
passes "$rubato" trace validate testbed25
grep -q 'testbed25.csv: ok, 25 jobs$' "$out" || fail "validate has another trace: $(cat "$out")"
gives 0 "$rubato" trace convert --to chronus --output - testbed25
refused "./n4g8: cannot be read" "$rubato" simulate --cluster ./n4g8 testbed25

# A file here comes first, whatever its name has in it.
cp "$OLDPWD/$small" a@b.csv
cp "$OLDPWD/$small" a@240
cp "$OLDPWD/$small" tëst_日本.csv
cp "$OLDPWD/cluster_specs/n1g8.csv" n4g8
cp "$OLDPWD/$small_cluster" c@d.csv
same "a file of that name" "$(compare testbed25@n4g8)" "$(compare testbed25@n1g8)"
rm n4g8
same "@ in names" "$(compare a@b.csv@n4g8 a@b.csv@c@d.csv a@240@n4g8 a@240@n4g8@60)" "11,14 11,14 11,14 11,14 "
same "a trace with @ alone" "$(compare a@b.csv --cluster n4g8)" "11,14 "
same "slots" "$(compare testbed25@n4g8@240 testbed25@n4g8@240@A100)" "6,19 6,19 "
refused "e.csv: cannot be read" "$rubato" compare --policies ef a@b.csv@e.csv
refused "no.csv: cannot be read" "$rubato" compare --policies ef no.csv@n4g8

# What is no cluster, slot or GPU type.
three="is no cluster, no slot from 0 to 1000000 and no GPU type"
refused "testbed25@: expected a trace before and a cluster after the @" "$rubato" compare testbed25@@240
refused "@n4g8: expected a trace before and a cluster after the @" "$rubato" compare @n4g8
refused "\"A101\" $three; did you mean A100?" "$rubato" compare testbed25@n1g8@240@A101
refused "\"abc\" $three" "$rubato" compare testbed25@n1g8@abc
refused "\"n4g9\" $three; did you mean n4g8?" "$rubato" sweep --results "$work/no-sweep" testbed25@n4g9

# UTF-8 is printed as it is, whatever the locale.
for locale in C.UTF-8 C; do
    LC_ALL=$locale passes "$rubato" compare --policies ef tëst_日本.csv
    same "the table in $locale" "$(sed -n 2p "$out" | cut -d' ' -f1)" "tëst_日本.csv"
    LC_ALL=$locale passes "$rubato" compare --policies ef --json tëst_日本.csv
    grep -q '"trace": "tëst_日本.csv",' "$out" || fail "JSON in $locale: $(head -4 "$out")"
    LC_ALL=$locale refused "日本.csv: cannot be read" "$rubato" simulate 日本.csv
done

# Results are refused where summary.json could not name their inputs.
bytes=$(printf '\377\376')
cp "$OLDPWD/$small" "$bytes.csv"
cp "$OLDPWD/cluster_specs/n1g8.csv" "$bytes"
passes "$rubato" simulate "$bytes.csv"
refused "??.csv: expected a path in UTF-8, as summary.json has to name it" "$rubato" simulate --results "$work/bytes" "$bytes.csv"
refused "??: expected a path in UTF-8" "$rubato" simulate --cluster "$bytes" --results "$work/bytes" testbed25
[ ! -e "$work/bytes" ] || fail "results of a trace that they cannot name: $(ls -A "$work/bytes")"
rm "$bytes" "$bytes.csv"

# What rows differ in has a column, and nothing else.
titles() { # ARGUMENTS...
    passes "$rubato" compare --policies ef "$@"
    head -1 "$out" | tr -s ' ' | sed 's/ ON TIME .*//'
}
same "one setting" "$(titles testbed25@n4g8@240)" "TRACE POLICY"
same "two clusters" "$(titles testbed25@n4g8@240 testbed25@n8g8@240)" "TRACE CLUSTER POLICY"
same "two slots" "$(titles testbed25@n4g8@240 testbed25@n4g8@60)" "TRACE SLOT POLICY"
awk -F, 'NR == 1 { print "job_id,submit_time,iteration,model_name,ddl,batch_size" }
    NR == 2 { print "one,0,1000," $1 ",90000," $2 }' "$OLDPWD/throughputs/T4.csv" >t4.csv
same "two GPU types" "$(titles testbed25@n4g8@240 t4.csv@n4g8@240@T4)" "TRACE GPU POLICY"

# A policy that counts other jobs than the others is marked, and so is a slot that was not chosen.
passes "$rubato" compare --policies edf,chronus mixed1000@n32g8@240
same "the mark" "$(sed -n 3p "$out" | tr -s ' ' | cut -d' ' -f1-3)" "mixed1000.csv chronus *"
same "the footnote" "$(grep '^\*' "$out")" \
    "* chronus takes 1000 jobs of mixed1000.csv for jobs with a deadline, the others take 902: best-effort jobs have one for it, too (CH-Q9)"
passes "$rubato" compare --policies edf,chronus --rules CH-Q9 mixed1000@n32g8@240
! grep -q '\*' "$out" || fail "a mark without CH-Q9: $(cat "$out")"
passes "$rubato" compare --policies edf --slot 60 testbed25@n4g8
! grep -q 'the default' "$out" || fail "a slot that was chosen is noted: $(cat "$out")"
passes "$rubato" compare --policies edf testbed25@n4g8
grep -q '^slot 60 s, the default' "$out" || fail "no note on the slot: $(cat "$out")"
passes "$rubato" simulate --policy edf --cluster n4g8 testbed25
grep -q '^slot 60 s, the default' "$out" || fail "no note on the slot: $(cat "$out")"

# What failed names the trace and the policies.
gives 2 "$rubato" compare --policies edf,gandiva --slot 0 a@b.csv
same "the complaints" "$(cat "$err")" "rubato compare: a@b.csv under edf: policy edf needs a slot of 1 s at least
rubato compare: a@b.csv under gandiva: policy gandiva needs a slot of 1 s at least"
gives 2 "$rubato" compare --policies ef,edf --gpu-type V100 a@b.csv a@240
same "what is alike" "$(sed 's/: [^ ]*throughputs:.*//' "$err")" "rubato compare: a@b.csv under ef, edf
rubato compare: a@240 under ef, edf"

# One name for one figure, and numbers as short as they can be.
passes "$rubato" simulate --policy ef --slot 240 --cluster n4g8 testbed25
grep -q '^artifact accepted       6, deadline satisfaction 24.0 %$' "$out" || fail "$(cat "$out")"
passes "$rubato" compare --policies ef --columns deadline_satisfaction testbed25@n4g8@240
same "the title" "$(head -1 "$out")" "DEADLINE SATISFACTION"
passes "$rubato" simulate --policy ef --slot 240 --cluster n4g8 --json --results "$work/run" testbed25
same "a short number" "$(grep -h deadline_satisfaction "$out" "$work/run/summary.json" | uniq)" '  "deadline_satisfaction": 0.24,'
done_checking 55
