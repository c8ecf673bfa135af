# trace_verbs_test.sh - `rubato trace ...` as it is typed: generate, convert, validate, info.
set -euo pipefail

rubato=${RUBATO_BIN:?is set by ctest}/rubato
tables=$PWD/throughputs
samples=$PWD/tests/trace_import/samples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
checks=0

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# passes COMMAND...: it succeeds.
passes() {
    "$@" >out 2>err || fail "exit status $? of $*: $(cat err)"
    checks=$((checks + 1))
}

# refused WORDS COMMAND...: exit status 2, one sentence with WORDS on stderr.
refused() {
    local words=$1 status=0

    shift
    "$@" >out 2>err || status=$?
    [ $status = 2 ] || fail "exit status $status, expected 2, of $*"
    grep -qF -e "$words" err || fail "no \"$words\" in \"$(cat err)\" of $*"
    [ "$(wc -l <err)" = 1 ] || fail "more than one line on stderr of $*: $(cat err)"
    checks=$((checks + 1))
}

generate() {
    "$rubato" trace generate --force --throughputs "$tables" "$@"
}

# generate: the same bytes for the same options, others for another seed.
passes generate --jobs 300 --seed 5 --output a.csv
[ "$(cat out)" = "wrote a.csv: 300 jobs" ] || fail "generate says \"$(cat out)\""
[ ! -s err ] || fail "generate talks: $(cat err)"
passes generate --jobs 300 --seed 5 --output b.csv
cmp a.csv b.csv
passes generate --jobs 300 --seed 6 --output b.csv
! cmp -s a.csv b.csv || fail "two seeds give one trace"
[ "$(wc -l <a.csv)" = 301 ] || fail "a.csv does not have 300 jobs"

# generate: the defaults are the options, written out.
passes generate --jobs 300 --seed 5 --output b.csv --dialect public --gpu-type A100 --start 0 \
    --arrival-interval 300 --duration 600:36000 --tightness 0.5:1.5 --gpus-mix 1:70,2:10,4:15,8:5 \
    --best-effort 0 --models vgg16,resnet50,inception3,gpt2,deepspeech2,bert
cmp a.csv b.csv

# generate: with long jobs only durations and what follows from them change.
passes generate --jobs 300 --seed 5 --output long.csv --long-jobs 0.2 --long-duration 40000:600000
cmp <(cut -d, -f1,2,4,6,7 a.csv) <(cut -d, -f1,2,4,6,7 long.csv)
awk -F, 'NR > 1 && $8 > 36000 { long++; if ($8 < 40000 || $8 > 600000) exit 1 } END { exit long < 40 || long > 80 }' long.csv ||
    fail "not a fifth of the jobs is long"
awk -F, 'FNR == NR { short[$1] = $8; next } FNR > 1 && $8 <= 36000 && $8 != short[$1] { exit 1 }' a.csv long.csv ||
    fail "a job that is not long has another duration"

# generate: both dialects say the same, the published headers are met.
public=job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration
artifact=job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration
passes generate --jobs 300 --seed 5 --output artifact.csv --dialect artifact
[ "$(head -1 a.csv)" = $public ] || fail "the header is $(head -1 a.csv)"
[ "$(head -1 artifact.csv)" = $artifact ] || fail "the header is $(head -1 artifact.csv)"
cmp <(tail -n +2 a.csv) <(tail -n +2 artifact.csv)
passes generate --jobs 300 --seed 5 --output mixed.csv --dialect artifact --best-effort 0.3
[ "$(head -1 mixed.csv)" = $artifact,best_effort ] || fail "the header is $(head -1 mixed.csv)"
cmp artifact.csv <(cut -d, -f1-8 mixed.csv)

# generate: every parameter is checked, and a refusal leaves nothing.
rm -f no.csv
refused "--output" generate --jobs 3
refused "--jobs" generate --output no.csv --jobs 0
refused "--tightness" generate --output no.csv --tightness 2:1
refused "--duration" generate --output no.csv --duration 0:1
refused "--best-effort" generate --output no.csv --best-effort 1.5
refused "--gpus-mix" generate --output no.csv --gpus-mix 1:1,3:1
refused "--models" generate --output no.csv --models nosuch
refused "--dialect" generate --output no.csv --dialect french
refused "H100" generate --output no.csv --gpu-type H100
refused ".gz" generate --output no.csv.gz
status=0
generate --output nowhere/no.csv >out 2>err || status=$?
[ $status = 1 ] && grep -qF nowhere err || fail "exit status $status of a trace that cannot be written: $(cat err)"
[ -z "$(find . -name 'no*')" ] || fail "left: $(find . -name 'no*')"

# overhead: files that the master reads, with so many starts as are announced; what each case is about.
overhead() {
    "$rubato" trace overhead --throughputs "$tables" --model resnet50 "$@"
}

# starts_on FILE: the GPUs of each start.
starts_on() {
    sed -n 's/^G 1 1 //p' "$1" | tr ' ' ',' | paste -sd ' '
}

# overhead_is CASE STARTS-ON OPTIONS...: the file of a case starts the job on these GPUs.
overhead_is() {
    local case=$1 wanted=$2

    shift 2
    passes overhead --case "$case" --force --output "$case.txt" "$@"
    [ "$(starts_on "$case.txt")" = "$wanted" ] || fail "$case $* starts on $(starts_on "$case.txt")"
    [ "$(cat out)" = "wrote $case.txt: $(wc -w <<<"$wanted") starts" ] || fail "overhead says $(cat out)"
    [ "$(tail -n 1 "$case.txt")" = S ] || fail "$case.txt does not end with S"
}

overhead_is profile "0 0,1 0,1,2,3 0,1,2,3,4,5,6,7" --nodes 2 --gpus-per-node 4
overhead_is intranode "0 0,1 0,1,2,3 0,1 0" --nodes 2 --gpus-per-node 4
overhead_is internode "0,1 0,1,2,3 0,1,2,3,4,5,6,7 0,1,2,3 0,1" --nodes 4 --gpus-per-node 2
overhead_is migration "0 1 4 0,1 2,3 4,5 0,1,2,3 4,5,6,7" --nodes 2 --gpus-per-node 4
overhead_is migration "0 1 4 0,1" --nodes 2 --gpus-per-node 4 --steps 4
overhead_is migration "0,1,2,3 4,5,6,7" --nodes 2 --gpus-per-node 4 --min-gpus 4
grep -qx "R 1 resnet50 256 1 2 2 1 10.0.0.1 9002 0x3 1000000 0 2 3" <(
    overhead --case internode --nodes 2 --gpus-per-node 2 --batch-size 256 --addresses 10.0.0.1,10.0.0.2 \
        --port 9001 --output line.txt >out && cat line.txt) || fail "$(cat line.txt)"
checks=$((checks + 1))
rm -f no.txt
refused "--model" "$rubato" trace overhead --output no.txt
refused "--output" overhead
refused "none for resnet50 on 1 nodes" overhead --case internode --output no.txt
refused "has no model" overhead --model none --output no.txt
refused "--model" overhead --model "a b" --output no.txt
refused "at 7" overhead --batch-size 7 --output no.txt
refused "--addresses" overhead --addresses 'a b' --output no.txt
refused "--port" overhead --port 65000 --output no.txt
refused "at most 65536 GPUs" overhead --nodes 4096 --gpus-per-node 1024 --output no.txt
refused ".gz" overhead --output no.gz
[ -z "$(find . -name 'no*')" ] || fail "left: $(find . -name 'no*')"

# convert: there and back gives the same file, whatever else stands in it.
there_and_back() {
    passes "$rubato" trace convert --force "$1" --to "$2" --output there.csv
    passes "$rubato" trace convert --force there.csv --to "$3" --output back.csv
    cmp "$1" back.csv
    ! cmp -s "$1" there.csv || fail "$1 is not converted"
}
there_and_back a.csv artifact public
cmp there.csv artifact.csv
there_and_back artifact.csv public artifact
cmp there.csv a.csv
there_and_back mixed.csv public artifact
[ "$(head -1 there.csv)" = $public,best_effort ] || fail "the header is $(head -1 there.csv)"
cat >odd.csv <<'END'
note,ddl,iteration,submit_time,best_effort,model_name,job_id,batch_size,real_duration
"a, b",900,10,5,0,"say ""bert""",x1,64,
,whatever,007,3,1,bert,x0,64,é
END
there_and_back odd.csv public artifact

# convert: of two spellings the one that counts is kept.
cat >both.csv <<'END'
job_id,submit_time,submission_time,iteration,ddl,model_name,batch_size
a,1,2,10,900,bert,64
END
passes "$rubato" trace convert --force both.csv --to artifact --output there.csv
printf 'job_id,submit_time,iteration,ddl,model_name,batch_size\na,2,10,900,bert,64\n' | cmp - there.csv

# convert: separated by blanks where the name says so, read and written.
passes "$rubato" trace convert --force a.csv --to artifact --output there.txt
cmp <(tr , ' ' <artifact.csv) there.txt
passes "$rubato" trace convert --force there.txt --to public --output back.csv
cmp a.csv back.csv

# convert: to Chronus, which counts deadlines from the submission, and back.
chronus=job_id,user,num_gpu,batch_size,model_name,submit_time,iterations,duration,interval
chronus=$chronus,expect_time_list,expect_value_list,best_effort,job_type
passes "$rubato" trace convert --force a.csv --to chronus --output chronus.csv
[ "$(cat out)" = "wrote chronus.csv: 300 jobs" ] || fail "convert says \"$(cat out)\""
[ ! -s err ] || fail "convert talks: $(cat err)"
awk -F, -v header=$chronus 'BEGIN { print header } NR > 1 {
    print $1 ",user" NR - 2 "," $7 "," $6 "," $4 "," $2 "," $3 "," $8 ",0," $5 - $2 ",10,0,strict"
}' a.csv | cmp - chronus.csv
passes "$rubato" trace convert --force artifact.csv --to chronus --output there.csv
cmp chronus.csv there.csv
there_and_back a.csv chronus public
there_and_back artifact.csv chronus artifact
there_and_back chronus.csv public chronus
passes "$rubato" trace convert --force chronus.csv --to chronus --output there.csv
cmp chronus.csv there.csv
passes "$rubato" trace validate --throughputs "$tables" --gpu-type A100 chronus.csv
cmp <("$rubato" trace info a.csv | tail -n +2) <("$rubato" trace info chronus.csv | tail -n +2)

# convert: jobs of best effort lose their mark as they do in the artifact (CH-Q9), or keep it.
passes "$rubato" trace convert --force mixed.csv --to chronus --output there.csv
cmp chronus.csv there.csv
passes "$rubato" trace convert --force mixed.csv --to chronus --keep-best-effort --output there.csv
cmp <(tail -n +2 mixed.csv | cut -d, -f9) <(tail -n +2 there.csv | cut -d, -f12)
[ "$(grep -c ',0,strict$' there.csv),$(grep -c ',1,best$' there.csv)" = \
    "$(grep -c ',0$' mixed.csv),$(grep -c ',1$' mixed.csv)" ] || fail "the job types are wrong"
passes "$rubato" trace convert --force there.csv --to artifact --output back.csv
cmp mixed.csv back.csv
refused "--keep-best-effort goes with --to chronus" \
    "$rubato" trace convert --force mixed.csv --to public --keep-best-effort --output no.csv
cat >unsaid.csv <<'END'
job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration,best_effort
x,7,10,bert,whatever,64,1,5,1
END
refused "unsaid.csv:2: column 5 (ddl): expected a deadline that is not before the submission, for \
want of --keep-best-effort (CH-Q9), found \"whatever\"" \
    "$rubato" trace convert --force unsaid.csv --to chronus --output no.csv
passes "$rubato" trace convert --force unsaid.csv --to chronus --keep-best-effort --output there.csv
printf '%s\nx,user0,1,64,bert,7,10,5,0,0,10,1,best\n' $chronus | cmp - there.csv
sed 's/,0,10,1,best$/,,,1,best/' there.csv >empty.csv
passes "$rubato" trace convert --force empty.csv --to artifact --output back.csv
sed 's/whatever/7/' unsaid.csv | cmp - back.csv

# convert: to Chronus, jobs without GPUs are left out, whichever dialect they come from.
sed '5s/,[0-9]*\(,[0-9]*\)$/,0\1/; 9s/,[0-9]*\(,[0-9]*\)$/,0\1/' a.csv >zero.csv
passes "$rubato" trace convert --force zero.csv --to chronus --output there.csv
[ "$(cat out)" = "wrote there.csv: 298 jobs" ] || fail "convert says \"$(cat out)\""
[ "$(cat err)" = "zero.csv: warning: left out 2 jobs asking for 0 GPUs" ] ||
    fail "convert warns \"$(cat err)\""
sed '5d; 9d' chronus.csv | cmp - there.csv
awk -F, -v OFS=, 'NR == 5 || NR == 9 { $3 = 0 } { print }' chronus.csv >zero_chronus.csv
passes "$rubato" trace convert --force zero_chronus.csv --to chronus --output back.csv
cmp there.csv back.csv
refused "zero.csv:5: column 7 (num_gpu)" "$rubato" trace convert --force zero.csv --to artifact --output no.csv
refused "zero_chronus.csv:5: column 3 (num_gpu)" "$rubato" trace validate zero_chronus.csv
sed -n '1p;5p' zero.csv >none.csv
refused "none.csv: all jobs ask for 0 GPUs" "$rubato" trace convert --force none.csv --to chronus --output no.csv

# convert: several deadlines, or one of another value than 1, are steps in the other dialects; what
# these cannot say is refused.
cat >soft.csv <<'END'
job_id,submit_time,iterations,model_name,batch_size,expect_time_list,expect_value_list
a,0,10,bert,64,500,10
b,7,10,bert,64,100-200,10-5
END
passes "$rubato" trace convert --force soft.csv --to chronus --output there.csv
cmp soft.csv there.csv
passes "$rubato" trace convert --force soft.csv --to artifact --output there.csv
[ "$(sed -n 3p there.csv)" = 'b,7,10,bert,"107:1,207:0.5",64' ] || fail "$(cat there.csv)"
passes "$rubato" trace validate there.csv
sed 's/100-200,10-5/100,8/' soft.csv >cheap.csv
passes "$rubato" trace convert --force cheap.csv --to public --output there.csv
[ "$(sed -n 3p there.csv)" = 'b,7,10,bert,107:0.8,64' ] || fail "$(cat there.csv)"
sed 's/100-200,10-5/100-200,10-0/' soft.csv >free.csv
refused "free.csv:3: job b has deadlines that the other dialects have no steps for: step 2" \
    "$rubato" trace convert --force free.csv --to artifact --output no.csv
cat >steps.csv <<'END'
job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration,value
a,5,10,bert,"+100:10,305:6.5",64,1,90,
b,7,10,bert,107,64,1,90,1
END
passes "$rubato" trace convert --force steps.csv --to chronus --output there.csv
[ "$(sed -n 2p there.csv | cut -d, -f10-)" = 100-300,100-65,0,soft ] || fail "$(cat there.csv)"
sed 's/+100:10/+100:101/' steps.csv >dear.csv
refused "dear.csv:2: column 5 (ddl): expected steps that Chronus has" \
    "$rubato" trace convert --force dear.csv --to chronus --output no.csv
sed 's/305:6.5/105:6.5/' steps.csv >flat.csv
refused "flat.csv:2: column 5 (ddl): expected 1 to 16 steps TIME:VALUE joined by \",\"" \
    "$rubato" trace validate flat.csv
sed 's/90,$/90,3/' steps.csv >both.csv
refused "both.csv:2: column 9 (value): expected 1 or nothing" "$rubato" trace validate both.csv
sed 's/+100:10/4:10/' steps.csv >past.csv
refused "past.csv:2: column 5 (ddl): expected a deadline that is not before the submission" \
    "$rubato" trace validate past.csv
sed 's/100-200,10-5/100,10/' soft.csv >hard.csv
passes "$rubato" trace convert --force hard.csv --to public --output there.csv
printf '%s\na,0,10,bert,500,64\nb,7,10,bert,107,64\n' \
    job_id,submission_time,num_iteration,model_name,deadline,batch_size | cmp - there.csv
refused "there.csv:1: no column num_gpu" "$rubato" trace convert --force there.csv --to chronus --output no.csv
cut -d, -f1-7 a.csv >there.csv
refused "there.csv:1: no column duration" "$rubato" trace convert --force there.csv --to chronus --output no.csv
[ ! -e no.csv ] || fail "a refused conversion wrote its file"

# What a job says besides goes with it, or is refused where Chronus has no column for it: no value is lost.
own=job_id,submit_time,iterations,model_name,ddl,batch_size,num_gpu,duration,value,promise_or_decline,confidence,after,group
printf '%s\n' $own a,0,1000,resnet50,3600,64,1,100,3,0,,, >own.csv
passes "$rubato" trace convert --force own.csv --to chronus --output there.csv
printf '%s\n' $chronus a,user0,1,64,resnet50,0,1000,100,0,3600,30,0,strict | cmp - there.csv
passes "$rubato" trace convert --force there.csv --to public --output back.csv
grep -q '^a,.*,3600:3,' back.csv || fail "the value is lost: $(cat back.csv)"
printf '%s\n' $own a,0,1000,resnet50,3600,64,1,100,101,0,,, >own.csv
refused "own.csv:2: column 5 (ddl): expected a job that is worth what Chronus has: 100 at most" \
    "$rubato" trace convert --force own.csv --to chronus --output no.csv
for said in "10 promise_or_decline 1,,," "11 confidence 0,95,," "12 after 0,,a," "13 group 0,,,ml"; do
    read -r place name cells <<<"$said"
    printf '%s\n' $own a,0,1000,resnet50,3600,64,1,100,1,0,,, "b,0,1000,resnet50,3600,64,1,100,1,$cells" >own.csv
    refused "own.csv:3: column $place ($name): expected nothing, as a trace of Chronus has no such column" \
        "$rubato" trace convert --force own.csv --to chronus --output no.csv
done
printf '%s\n' $chronus,after a,user0,1,64,resnet50,0,1000,100,0,3600,10,0,strict, \
    b,user0,1,64,resnet50,0,1000,100,0,3600,10,0,strict,a:any >own.csv
passes "$rubato" trace convert --force own.csv --to public --output back.csv
grep -q '^job_id.*,after$' back.csv && grep -q '^b,.*,a:any$' back.csv || fail "a chain is lost: $(cat back.csv)"

# convert: a bad trace is refused as a whole.
rm -f no.csv
sed '9s/,[0-9]*$/,soon/' a.csv >bad.csv
refused "bad.csv:9: column 8 (duration)" "$rubato" trace convert --force bad.csv --to artifact --output no.csv
refused "--to" "$rubato" trace convert --force a.csv --output no.csv
refused "--output" "$rubato" trace convert a.csv --to artifact
refused "one trace" "$rubato" trace convert --force a.csv b.csv --to artifact --output no.csv
[ ! -e no.csv ] || fail "a refused conversion wrote its file"

# A run on the converted trace is the same run, and one on a trace with soft jobs goes by their first
# deadline.
simulates() {
    passes "$rubato" simulate "$1" --policy "$2" --throughputs "$tables" --force --results "results/$3"
    "$rubato" audit "results/$3" >out || [ $? -eq 1 ] # promises may break
    grep -q ' broken, 0 violations, ' out || fail "$2 on $1: $(cat out)"
    checks=$((checks + 1))
}
for policy in ef-accessctrl edf gandiva dlas-gpu; do
    simulates a.csv $policy elastic
    simulates chronus.csv $policy chronus
    cmp results/elastic/jobs.csv results/chronus/jobs.csv
    cmp results/elastic/rounds.csv results/chronus/rounds.csv
done
awk -F, -v OFS=, 'NR > 1 && NR % 3 == 0 { $10 = $10 "-" $10 + 9; $11 = "10-5"; $13 = "soft" } { print }' \
    chronus.csv >soft.csv
simulates chronus.csv ef-accessctrl strict
simulates soft.csv ef-accessctrl soft
cmp results/strict/jobs.csv results/soft/jobs.csv

# Compressed traces are read as they are.
gzip -k a.csv
zstd -q -k a.csv
for file in a.csv.gz a.csv.zst; do
    passes "$rubato" trace convert --force $file --to artifact --output there.csv
    cmp artifact.csv there.csv
    passes "$rubato" trace validate $file
    [ "$(cat out)" = "$file: ok, 300 jobs" ] || fail "validate says \"$(cat out)\""
    cmp <("$rubato" trace info a.csv | tail -n +2) <("$rubato" trace info $file | tail -n +2)
done

# validate: goes on after a bad trace; looks models up only when asked to.
refused "bad.csv:9: column 8 (duration)" "$rubato" trace validate bad.csv a.csv mixed.csv
[ "$(cat out)" = "$(printf 'a.csv: ok, 300 jobs\nmixed.csv: ok, 300 jobs')" ] || fail "$(cat out)"
sed 's/bert/nosuch/' a.csv >unknown.csv
refused "found \"nosuch\"" "$rubato" trace validate unknown.csv
refused "nosuch" "$rubato" trace validate --throughputs "$tables" --gpu-type A100 unknown.csv
refused "missing.csv" "$rubato" trace validate missing.csv
refused "at least one" "$rubato" trace validate
refused "T5" "$rubato" trace validate --throughputs "$tables" --gpu-type T5 a.csv

# validate: says which deadlines no GPU count can meet, and that is no failure. bert, batch size 64,
# does 11.06 iterations/s at best, on 8 GPUs: 1000 take 90.4 s.
cat >late.csv <<'END'
job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort
early,0,1000,bert,91,64,0
late,0,1000,bert,90,64,0
free,0,1000,bert,1,64,1
END
passes "$rubato" trace validate --throughputs "$tables" --gpu-type A100 late.csv
[ "$(cat out)" = "late.csv: ok, 3 jobs" ] || fail "validate says \"$(cat out)\""
[ "$(cat err)" = "late.csv:3: warning: job late has 90 s until its deadline and needs 91 s even on 8 GPUs" ] ||
    fail "validate warns \"$(cat err)\""

# info: the figures, for users and for programs.
passes "$rubato" trace info a.csv mixed.csv
grep -q '^  jobs  *300, 0 of them best effort' out || fail "info does not count the jobs"
passes "$rubato" trace info --json a.csv mixed.csv
for line in '"schema_version": 1' '"trace": "a.csv"' '"trace": "mixed.csv"' '"jobs": 300'; do
    grep -qF "$line" out || fail "no $line in the JSON of info"
done
refused "bad.csv:9" "$rubato" trace info --json bad.csv a.csv
grep -qF '"trace": "a.csv"' out || fail "info stops at a bad trace"
refused "at least one" "$rubato" trace info

# What is there with other bytes is replaced with --force alone, a shipped trace included; the same bytes are fine.
make=("$rubato" trace generate --jobs 3 --throughputs "$tables")
import=("$rubato" trace import --from swf --throughputs "$tables" "$samples/jobs.swf")
convert=("$rubato" trace convert a.csv --to artifact)
time=("$rubato" trace overhead --throughputs "$tables" --model resnet50)
for verb in make import convert time; do
    declare -n command=$verb
    echo mine >user.csv
    ln -sf user.csv link.csv
    for name in user link; do
        refused "$name.csv: is there already, with other bytes; name another file, or say --force to replace it" \
            "${command[@]}" --output $name.csv
        [ "$(cat user.csv)" = mine ] || fail "$verb overwrites a file of the user's"
    done
    [ "$(echo user.csv.*)" = "user.csv.*" ] || fail "$verb leaves $(echo user.csv.*)"
    passes "${command[@]}" --force --output user.csv
    passes "${command[@]}" --output user.csv
    passes "${command[@]}" --output /dev/null
    "${command[@]}" --output - 2>err >>user.csv || fail "$verb cannot append: $(cat err)"
    "${command[@]}" --output /dev/stdout 2>err | cmp - <("${command[@]}" --output - 2>/dev/null) || fail "$verb to a pipe"
done

[ "$checks" -ge 119 ] || fail "only $checks checks were made"
echo "$checks checks"
