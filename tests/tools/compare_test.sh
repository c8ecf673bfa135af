# compare_test.sh - `rubato compare` as it is typed: table, CSV, JSON, processes, reference counts.
source "$(dirname "$0")/cli.sh"

both=("$small@$small_cluster" traces/testbed195.csv@cluster_specs/n16g8.csv)
cell=("$rubato" compare "$small@$small_cluster" --policies ef)

# The table: policies on traces in the order of the command line.
passes "$rubato" compare --slot 240 "${both[@]}"
same "the table" "$(sed -E 's/ +/ /g' "$out" | cut -d' ' -f1,3-9 | sed '1d')" \
    "testbed25.csv ef-accessctrl 18 21 3 0 21 4
testbed25.csv ef 6 none none 6 6 19
testbed25.csv edf 5 none none 5 5 20
testbed25.csv edf-accessctrl 7 7 0 0 7 18
testbed25.csv gandiva 7 none none 7 7 18
testbed25.csv dlas-gpu 8 none none 8 8 17
testbed25.csv themis 7 none none 7 7 18
testbed25.csv chronus 9 5 0 4 9 16
testbed195.csv ef-accessctrl 129 159 30 0 147 48
testbed195.csv ef 67 none none 67 67 128
testbed195.csv edf 25 none none 25 25 170
testbed195.csv edf-accessctrl 66 68 2 0 66 129
testbed195.csv gandiva 38 none none 38 38 157
testbed195.csv dlas-gpu 95 none none 95 95 100
testbed195.csv themis 84 none none 84 84 111
testbed195.csv chronus 91 55 0 36 91 104

edf nothing for starts, resizes and moves (EF-Q38);
themis nothing for starts, resizes and moves (TH-Q4);"
same "the titles" "$(head -1 "$out" | sed -E 's/ +/ /g')" \
    "TRACE CLUSTER POLICY ON TIME PROMISED BROKEN BEST EFFORT ON TIME ARTIFACT ACCEPTED ARTIFACT DECLINED MEAN JCT P99 JCT GPU USE WALL"

# A trace may name its cluster; --cluster is for those that do not.
passes "$rubato" compare --policies ef --csv --cluster cluster_specs/n1g8.csv "$small" "${both[0]}"
same "the clusters" "$(cut -d, -f2,7,8 "$out" | tr '\n' ' ')" "policy,accepted,declined ef,6,19 ef,11,14 "
gives 0 "$rubato" simulate --policy ef --cluster cluster_specs/n1g8.csv "$small" --json
grep -q '"accepted": 6,' "$out" || fail "simulate and compare differ on one cluster"

# CSV: names and number of the columns are a promise.
passes "${cell[@]}" --csv
same "the columns" "$(head -1 "$out")" \
    "trace,policy,on_time,promised,broken,best_effort_on_time,accepted,declined,jct_mean_s,jct_p99_s,gpu_utilisation,wall_s"
same "the row" "$(tail -1 "$out" | sed 's/[^,]*$/T/')" \
    "$small,ef,11,0,0,11,11,14,7023.72,26728,0.8353051589784426,T"
cp "$small" "$work/a, \"b\".csv"
passes "$rubato" compare --csv --policies ef "$work/a, \"b\".csv"
[[ $(tail -1 "$out") == "\"$work/a, \"\"b\"\".csv\",ef,"* ]] || fail "not quoted: $(tail -1 "$out")"

# JSON: so are its names and types.
row="    trace string
    policy string
    rules string
    cluster string
    slot_s integer
    gpu_type string
    jobs integer
    deadline_jobs integer
    on_time integer
    promised integer
    promised_at_arrival integer
    promised_later integer
    withdrawn integer
    broken integer
    best_effort_on_time integer
    value_on_time real
    gpu_hours_on_time real
    accepted integer
    declined integer
    finished integer
    deadline_satisfaction real
    jct_mean_s real
    jct_p99_s real
    gpu_utilisation real
    makespan_s integer
    rounds integer
    wall_s real
    memory_kib integer
    preemptions integer
    migrations integer
    resizes integer
    queueing_delay_mean_s real
    queueing_delay_p99_s real
    finish_time_fairness_jobs integer
    finish_time_fairness_mean real
    finish_time_fairness_p99 real
    finish_time_fairness_max real
    fair_share real
    attained_service_gpu_s null
    demotions null
    admitted null"
passes "${cell[@]}" --json
same "the schema" "$(schema <"$out")" "schema_version integer
rows array
$row"
grep -q '"schema_version": 1,' "$out" || fail "the schema has another version"
if command -v jq >/dev/null; then
    jq -e '.rows | length == 1' "$out" >/dev/null || fail "that is no JSON of one row"
fi

# How many processes work on it changes nothing but the time.
figures() { cut -d, -f1-11 "$out"; }
passes "$rubato" compare --csv -j 1 "${both[@]}"
alone=$(figures)
same "the number of rows" "$(wc -l <<<"$alone")" 17
passes "$rubato" compare --csv -j 8 "${both[@]}"
same "eight processes" "$(figures)" "$alone"
passes "$rubato" compare --csv --parallel=3 "${both[@]}"
same "three processes" "$(figures)" "$alone"
refused "--parallel: expected a whole number from 0 to 1024" "${cell[@]}" -j 2000

# --reference: counts that agree, counts that are unknown, counts that differ.
printf '%s\n' trace,policy,accepted,declined testbed25,ef,11,14 >"$work/right.csv"
printf '%s\n' trace,policy,accepted,declined testbed25,ef,12,13 >"$work/wrong.csv"
passes "${cell[@]}" --reference "$work/right.csv" --csv
same "the columns" "$(cut -d, -f7-9 "$out" | tr '\n' ' ')" "accepted,declined,reference 11,14,11/14 "
passes "$rubato" compare "${both[0]}" --policies ef,edf --reference "$work/right.csv" --csv
same "an unknown count" "$(tail -1 "$out" | cut -d, -f7-9)" "5,20,-"
refused "right.csv has no row for any of these traces and policies" \
    "$rubato" compare "${both[0]}" --policies edf --reference "$work/right.csv"
printf '%s\n' trace,policy,accepted,declined testbed25.csv,tiresias,9,16 >"$work/alias.csv"
passes "$rubato" compare "${both[0]}" --policies dlas-gpu --reference "$work/alias.csv"
printf '%s\n' trace,policy,accepted,declined testbed25,sjf,9,16 >"$work/strange.csv"
refused "strange.csv:2: column 2 (policy)" "${cell[@]}" --reference "$work/strange.csv"
printf '%s\n' trace,policy,accepted,declined testbed25,ef,9,16 testbed25.csv,ef,8,17 >"$work/twice.csv"
refused "twice.csv:3: column 2 (policy)" "${cell[@]}" --reference "$work/twice.csv"
passes "${cell[@]}" --reference "$work/right.csv"
grep -q 'REFERENCE' "$out" || fail "the table has no column for the reference"
passes "${cell[@]}" --reference "$work/right.csv" --json
same "the schema" "$(schema <"$out")" "schema_version integer
rows array
$row
    agrees boolean
    reference string"
gives 1 "${cell[@]}" --reference "$work/wrong.csv" --csv
same "the complaint" "$(cat "$err")" \
    "rubato compare: $small under ef: 11/14 accepted/declined, expected 12/13"
same "the rows all the same" "$(tail -1 "$out" | cut -d, -f7-9)" "11,14,12/13"
gives 1 "${cell[@]}" --reference "$work/wrong.csv" --json
grep -q '"agrees": false' "$out" || fail "the JSON agrees: $(cat "$out")"
refused "no-such.csv: cannot be read" "${cell[@]}" --reference no-such.csv
sed 's/,12,/,many,/' "$work/wrong.csv" >"$work/odd.csv"
refused "odd.csv:2: column 3 (accepted)" "${cell[@]}" --reference "$work/odd.csv"

# --columns: what is printed and in which order, in all three forms.
passes "${cell[@]}" --csv --columns rounds,trace,cluster,jct_mean_s,makespan_s
same "chosen columns of CSV" "$(cat "$out")" "rounds,trace,cluster,jct_mean_s,makespan_s
$("$rubato" simulate --policy ef --cluster $small_cluster "$small" --json |
    awk -F'[:, ]+' -v trace="$small" -v cluster=$small_cluster '{ gsub(/"/, ""); value[$2] = $3 }
        END { print value["rounds"] "," trace "," cluster "," value["jct_mean_s"] "," value["makespan_s"] }')"
passes "${cell[@]}" --columns finished,policy,cluster,makespan_s,memory_kib
same "chosen columns of the table" "$(sed -E 's/ +/ /g; s/^ //; s/[0-9]+ KiB$/N KiB/' "$out")" \
    "FINISHED POLICY CLUSTER MAKESPAN MEMORY
25 ef n4g8.csv 35162 s N KiB

slot 60 s, the default; the README shows the traces that came with Rubato with --slot 240"
passes "${cell[@]}" --json --columns wall_s,policy,accepted
same "chosen columns of JSON" "$(schema <"$out")" "schema_version integer
rows array
    wall_s real
    policy string
    accepted integer"
passes "$rubato" compare "$small" --policies ef --columns cluster,accepted
same "no cluster" "$(sed -n 2p "$out" | sed 's/ .*//')" "-"
passes "$rubato" compare "$small" --policies ef --columns cluster,accepted --csv
same "no cluster in CSV" "$(tail -1 "$out" | sed 's/,.*//')" ""
passes "$rubato" compare "$small" --policies ef --columns cluster --json
grep -q '"cluster": null' "$out" || fail "no cluster in JSON: $(cat "$out")"

# --columns all: every key of JSON, in its order, and those about the reference with --reference.
keys=$(sed 's/^ *//; s/ .*//' <<<"$row" | paste -sd,)
passes "${cell[@]}" --csv --columns all
same "all columns" "$(head -1 "$out")" "$keys"
all=$(tail -1 "$out")
place=1
for key in ${keys//,/ }; do
    passes "${cell[@]}" --csv --columns "$key"
    same "the lone column" "$(head -1 "$out")" "$key"
    case $key in
    wall_s | memory_kib) grep -qE '^[0-9.]+$' "$out" || fail "$key is $(tail -1 "$out")" ;;
    *) same "$key of all columns" "$(cut -d, -f$place <<<"$all")" "$(tail -1 "$out")" ;;
    esac
    place=$((place + 1))
done
passes "${cell[@]}" --csv --columns all --reference "$work/right.csv"
same "all columns with a reference" "$(head -1 "$out")" "$keys,agrees,reference"
same "all values with a reference" "$(tail -1 "$out" | cut -d, -f$place-)" "true,11/14"
gives 1 "${cell[@]}" --columns reference,agrees --reference "$work/wrong.csv"
same "a count that differs" "$(sed -n 2p "$out" | tr -s ' ')" " 12/13 no"
gives 1 "${cell[@]}" --csv --columns agrees --reference "$work/wrong.csv"
same "a count that differs in CSV" "$(tail -1 "$out")" "false"

# What has no value: the queues of a policy that has none, promises without leases, fairness without
# num_gpu.
metrics=(--columns policy,migrations,fair_share,attained_service_gpu_s,demotions,admitted)
cut -d, -f1-6 "$small" >"$work/no_num_gpu.csv"
passes "$rubato" compare "${both[0]}" --policies dlas-gpu,ef,chronus "${metrics[@]}" --csv
same "queues in CSV" "$(sed -E 's/[0-9]+ [0-9]+ [0-9]+/S/; s/0\.[0-9]+/F/; s/,[0-9]+/,N/g' "$out")" \
    "policy,migrations,fair_share,attained_service_gpu_s,demotions,admitted
dlas-gpu,N,F,S,N,
ef,N,F,,,
chronus,N,F,,,N"
passes "$rubato" compare "$work/no_num_gpu.csv" --policies ef "${metrics[@]}"
same "no fairness, queues or leases" "$(sed -n 2p "$out" | tr -s ' ' | cut -d' ' -f3-)" "- - - -"
passes "$rubato" compare "${both[0]}" --policies dlas-gpu "${metrics[@]}" --json
same "queues in JSON" "$(schema <"$out" | tail -3)" "    attained_service_gpu_s array
    demotions integer
    admitted null"
passes "$rubato" compare "${both[0]}" --policies chronus "${metrics[@]}" --json
same "promises in JSON" "$(schema <"$out" | tail -1)" "    admitted integer"
passes "$rubato" compare "$work/no_num_gpu.csv" --policies ef "${metrics[@]}" --json
same "nothing in JSON" "$(schema <"$out" | tail -4)" "    fair_share null
    attained_service_gpu_s null
    demotions null
    admitted null"

# A mistake in a list is found when all is read; in a config file it is told with its line all the same.
printf '# later\npolicies = "ef,nosuch"\nrules = EF-Q370\ncolumns = nosuch\n' >"$work/lists.conf"
lists=("$rubato" compare "$small" --config "$work/lists.conf")
refused "rubato compare: $work/lists.conf:2: policies: there is no policy \"nosuch\"" "${lists[@]}"
refused "rubato compare: $work/lists.conf:3: rules: expected reference, clean or quirks" "${lists[@]}" --policies ef
refused "rubato compare: $work/lists.conf:4: columns: there is no column \"nosuch\"" \
    "${lists[@]}" --policies ef --rules clean
refused "rubato compare: --policies: there is no policy \"other\"" "${lists[@]}" --policies other

# --columns: names that are none, one that is there already, one with nothing to say.
bounds=bound,bound_gap,bound_with_overheads,bound_with_overheads_gap
bounds+=,value_bound,value_bound_gap,value_bound_with_overheads,value_bound_with_overheads_gap
known=${keys/jobs,on_time/jobs,on_time,$bounds}
refused "--columns: there is no column \"nosuch\", only ${known//,/, }, agrees, reference" \
    "${cell[@]}" --columns accepted,nosuch
refused "--columns: there is no column \"\", only trace" "${cell[@]}" --columns accepted,
refused "--columns: there is no column \"all\", only trace" "${cell[@]}" --columns trace,all
refused "--columns: there is no column \"accepte\", only trace" "${cell[@]}" --columns accepte
refused "--columns: \"accepted\" is listed twice" "${cell[@]}" --columns accepted,trace,accepted
refused "--columns: reference needs the counts of --reference" "${cell[@]}" --columns reference
refused "--columns: agrees needs the counts of --reference" "${cell[@]}" --columns trace,agrees --json
refused "--columns: expected a text that is not empty" "${cell[@]}" --columns=

# --rules: each policy follows those that concern it.
passes "$rubato" compare --csv --policies ef,edf --rules EF-Q10,EF-Q33 "${both[0]}"
cut -d, -f2-8 "$out" >"$work/rules"
for one in "ef EF-Q33" "edf EF-Q10"; do
    passes "$rubato" compare --csv --policies "${one% *}" --rules "${one#* }" "${both[0]}"
    grep -qxF "$(cut -d, -f2-8 "$out" | tail -1)" "$work/rules" || fail "$one differs: $(cat "$out")"
done
passes "$rubato" compare --csv --policies ef,edf --rules EF-Q10 "${both[0]}"
same "ef without a rule" "$(grep -c ",ef,11,0,0,11,11,14," "$out")" 1
refused "quirks of ef, edf (" "$rubato" compare --policies ef,edf --rules EF-Q35 "${both[0]}"

# --objective and --spare-nodes: each policy heeds what concerns it; what concerns none is refused.
full=("$rubato" compare --csv --columns policy,on_time,jct_mean_s --policies fifo,rubato "$small@n1g8")
passes "${full[@]}"
cp "$out" "$work/jobs"
gives 0 "${full[@]}" --objective gpu-hours
same "who passes it over" "$(cat "$err")" "rubato compare: --objective: passed over by fifo, without such an option"
same "fifo with an objective of others" "$(grep '^fifo,' "$out")" "$(grep '^fifo,' "$work/jobs")"
[ "$(grep '^rubato,' "$out")" != "$(grep '^rubato,' "$work/jobs")" ] || fail "the objective changes nothing: $(cat "$out")"
gives 0 "$rubato" compare --policies fifo,rubato --objective value "${both[0]}"
refused "--objective value: no policy of --policies has such an option, which is of rubato" \
    "$rubato" compare --policies fifo,edf --objective value "${both[0]}"
refused "--spare-nodes 1: no policy of --policies has such an option, which is of rubato" \
    "$rubato" compare --policies fifo,edf --spare-nodes 1 "${both[0]}"

# Mistakes. A trace that cannot be read takes none of the others with it.
refused "--policies: there is no policy \"sjf\"" "$rubato" compare "$small" --policies ef,sjf
refused "--policies: expected at least one policy" "$rubato" compare "$small" --policies=,
refused "--policies: edf is listed twice" "$rubato" compare "$small" --policies edf,ef,edf
refused "--json does not go with --csv" "$rubato" compare "$small" --json --csv
refused "--bars goes with the table, not with --json" "$rubato" compare "$small" --json --bars
refused "--bars goes with the table, not with --csv" "$rubato" compare "$small" --csv --bars
echo 'policies = edf,fifo' >"$work/unquoted.conf"
refused "unquoted.conf:1:15: expected double quotes around a value that has commas, found ',fifo'" \
    "$rubato" compare "$small" --config "$work/unquoted.conf"
refused "expected at least one trace" "$rubato" compare
gives 2 "$rubato" compare --policies ef,edf,gandiva "$small@no-such.csv"
same "what is wrong under every policy" "$(cat "$err")" \
    "rubato compare: no-such.csv: cannot be read: No such file or directory"
gives 2 "$rubato" compare --csv --policies ef no-such.csv "${both[0]}"
same "the complaint" "$(cat "$err")" \
    "rubato compare: no-such.csv: cannot be read: No such file or directory"
same "the other trace" "$(cut -d, -f1,2,7,8 "$out" | tail -n +2)" "$small,ef,11,14"
gives 2 "$rubato" compare --policies ef "$small@no-such.csv"
says "no-such.csv: cannot be read"
gives 2 "$rubato" compare --no-such-option
says "--no-such-option"
done_checking 100
