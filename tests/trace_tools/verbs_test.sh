# verbs_test.sh - `rubato trace ...` as it is typed: generate, convert, validate, info.
set -euo pipefail

rubato=${RUBATO_BIN:?is set by ctest}/rubato
tables=$PWD/throughputs
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
    "$rubato" trace generate --throughputs "$tables" "$@"
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

# generate: every parameter is checked, and a refusal leaves nothing behind.
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
refused "nowhere" generate --output nowhere/no.csv
[ -z "$(find . -name 'no*')" ] || fail "left behind: $(find . -name 'no*')"

# convert: there and back gives the same file, whatever else stands in it.
there_and_back() {
    passes "$rubato" trace convert "$1" --to "$2" --output there.csv
    passes "$rubato" trace convert there.csv --to "$3" --output back.csv
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
passes "$rubato" trace convert both.csv --to artifact --output there.csv
printf 'job_id,submit_time,iteration,ddl,model_name,batch_size\na,2,10,900,bert,64\n' | cmp - there.csv

# convert: separated by blanks where the name says so, read and written.
passes "$rubato" trace convert a.csv --to artifact --output there.txt
cmp <(tr , ' ' <artifact.csv) there.txt
passes "$rubato" trace convert there.txt --to public --output back.csv
cmp a.csv back.csv

# convert: a bad trace is refused as a whole.
rm -f no.csv
sed '9s/,[0-9]*$/,soon/' a.csv >bad.csv
refused "bad.csv:9: column 8 (duration)" "$rubato" trace convert bad.csv --to artifact --output no.csv
refused "--to" "$rubato" trace convert a.csv --output no.csv
refused "--output" "$rubato" trace convert a.csv --to artifact
refused "one trace" "$rubato" trace convert a.csv b.csv --to artifact --output no.csv
[ ! -e no.csv ] || fail "a refused conversion wrote its file"

# Compressed traces are read as they are.
gzip -k a.csv
zstd -q -k a.csv
for file in a.csv.gz a.csv.zst; do
    passes "$rubato" trace convert $file --to artifact --output there.csv
    cmp artifact.csv there.csv
    passes "$rubato" trace validate $file
    [ "$(cat out)" = "$file: ok, 300 jobs" ] || fail "validate says \"$(cat out)\""
    cmp <("$rubato" trace info a.csv | tail -n +2) <("$rubato" trace info $file | tail -n +2)
done

# validate: goes on behind a bad trace; looks models up only when asked to.
refused "bad.csv:9: column 8 (duration)" "$rubato" trace validate bad.csv a.csv mixed.csv
[ "$(cat out)" = "$(printf 'a.csv: ok, 300 jobs\nmixed.csv: ok, 300 jobs')" ] || fail "$(cat out)"
sed 's/bert/nosuch/' a.csv >unknown.csv
passes "$rubato" trace validate unknown.csv
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

# info: the figures, for people and for programs.
passes "$rubato" trace info a.csv mixed.csv
grep -q '^  jobs  *300, 0 of them best effort' out || fail "info does not count the jobs"
passes "$rubato" trace info --json a.csv mixed.csv
for line in '"schema_version": 1' '"trace": "a.csv"' '"trace": "mixed.csv"' '"jobs": 300'; do
    grep -qF "$line" out || fail "no $line in the JSON of info"
done
refused "bad.csv:9" "$rubato" trace info --json bad.csv a.csv
grep -qF '"trace": "a.csv"' out || fail "info stops at a bad trace"
refused "at least one" "$rubato" trace info

[ "$checks" -ge 45 ] || fail "only $checks checks were made"
echo "$checks checks"
