# trace_import_test.sh - `rubato trace import`: small logs of each format, the logs that a random trace makes,
# and files that are no logs.
set -euo pipefail

rubato=${RUBATO_BIN:?is set by ctest}/rubato
project=$PWD
samples=$PWD/tests/trace_import/samples
bad=$PWD/tests/bad_input/imports
gavel=$PWD/../shared/peers/gavel
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
checks=0

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# imports FORMAT FILE...: into out.csv, what is said into out and err.
imports() {
    "$rubato" trace import --force --output out.csv --from "$@" >out 2>err || fail "$*: $(cat err)"
    "$rubato" trace validate out.csv >valid || fail "$*: the trace is not valid"
    checks=$((checks + 1))
}

# What the source says of each job: "NAME SUBMISSION GPUS DURATION".
known() {
    grep -v '^#' "$1" | awk -F, 'NR > 1 { print $1, $2, $7, $8 }'
}

# makes JOBS WORDS FORMAT FILE...: the samples give these jobs, and `WORDS` stand in the warnings.
makes() {
    local jobs=$1 words=$2

    shift 2
    (cd "$samples" && "$rubato" trace import --force --output "$work/out.csv" --from "$@" >"$work/out" 2>"$work/err") ||
        fail "$*: $(cat err)"
    "$rubato" trace validate out.csv >valid || fail "$*: the trace is not valid"
    [ "$(known out.csv)" = "$jobs" ] || fail "$* gives $(known out.csv)"
    [ "$(sed 's/.*warning: //' err | paste -sd';')" = "$words" ] || fail "$* warns: $(cat err)"
    checks=$((checks + 1))
}

makes $'application_1_0004 0 1 7200\napplication_1_0001 120 4 3600' \
    'left out 1 job that asked for no GPU;left out 1 job that never ran' philly philly.json
makes $'411 0 8 3600\n414 200 16 600' \
    'left out 1 job that asked for no GPU;left out 1 job that was cancelled before it began' helios helios.csv
makes $'job-a 0 2 3910\njob-c 1000 1 600' \
    'left out 1 job that has no time of submission;left out 1 job that was cancelled before it began' \
    pai2020 pai_job_table.csv pai_task_table.csv
makes $'openb-pod-0000 0 1 12537496\nopenb-pod-0001 427061 1 12475899\nopenb-pod-0004 430500 8 3550' \
    'left out 1 job that asked for no GPU;left out 1 job that was cancelled before it began' gpu2023 gpu2023.csv
makes $'1 0 4 3600\n0 50 1 1800' 'left out 1 job that never ran' gavel newer.trace gavel_rates.json
makes $'1 0 4 14400\n0 50 1 7200' '' gavel older.trace gavel_rates.json --gavel-gpu k80
makes $'1 0 8 3600\n4 100 16 90\n3 125 4 500' 'left out 1 job that was cancelled before it began' swf jobs.swf
makes $'1 0 2 3600\n4 100 4 90\n3 125 1 500' 'left out 1 job that was cancelled before it began' \
    swf jobs.swf --processors-per-gpu 4
makes $'101 0 4 3600\n102_3 60 2 600\n104 180 2 60\n104#2 360 2 60' \
    'left out 1 job that asked for no GPU;left out 1 job that is still pending' sacct sacct.txt
makes $'w_2 0 2 300\n1 10 4 450' 'left out 2 jobs that have no duration' batsim batsim.json
for type in delay DelayProfile; do
    sed "s/\"delay\", \"delay\"/\"$type\", \"delay\"/; s/parallel_homogeneous/ParallelTaskProfile/" "$samples/batsim.json" >types.json
    imports batsim types.json
    [ "$(known out.csv)" = $'w_2 0 2 300\n1 10 4 450' ] || fail "batsim's $type gives $(known out.csv)"
done
[ ! -e "$samples/run-by-import" ] || fail "the command of a job was run"

# Times of day are read in the zone that is named: the clock of Los Angeles goes back on 2017-11-05.
sed 's/2017-10-07 01:00:00/2017-11-05 00:30:00/; s/2017-10-07 01:08:20/2017-11-05 00:30:00/
     s/2017-10-07 03:08:20/2017-11-05 03:30:00/' "$samples/philly.json" >dst.json
imports philly dst.json --time-zone America/Los_Angeles
known out.csv | grep -q '^application_1_0004 .* 14400$' || fail "the hour that is there twice counts once"
imports philly dst.json
known out.csv | grep -q '^application_1_0004 .* 10800$' || fail "UTC has no such hour"

# clocks ZONE SUBMIT START END SECONDS: a job of sacct and one of helios run so long.
clocks() {
    printf 'JobID|Submit|Start|End|AllocTRES\n1|%s|%s|%s|gres/gpu=1\n' "$2" "$3" "$4" >clocks.sacct
    printf 'job_id,gpu_num,submit_time,start_time,end_time\n1,1,%s,%s,%s\n' "$2" "$3" "$4" >clocks.helios
    printf '[{"jobid": "1", "submitted_time": "%s", "attempts": [{"start_time": "%s", "end_time": "%s", "detail": [{"gpus": ["a"]}]}]}]' \
        "$2" "$3" "$4" >clocks.philly
    for format in sacct helios philly; do
        imports $format clocks.$format --time-zone "$1"
        [ "$(known out.csv)" = "1 0 1 $5" ] || fail "$format in $1: $2 to $3 to $4 is $(known out.csv), expected $5 s"
    done
}

# An hour that comes twice or never has the one reading with which no job ends before it starts; where both
# readings will do, that by the clocks before the change. Those of Lord Howe change by half an hour.
clocks Europe/Berlin '2026-10-25 01:30:00' '2026-10-25 02:50:00' '2026-10-25 02:10:00' 1200
clocks Europe/Berlin '2026-10-25 02:50:00' '2026-10-25 02:10:00' '2026-10-25 02:20:00' 600
clocks Europe/Berlin '2026-10-25 01:30:00' '2026-10-25 02:10:00' '2026-10-25 02:50:00' 2400
clocks Europe/Berlin '2026-10-25 00:30:00' '2026-10-25 01:30:00' '2026-10-25 03:30:00' 10800
clocks Europe/Berlin '2026-03-29 01:30:00' '2026-03-29 01:50:00' '2026-03-29 02:10:00' 1200
clocks Europe/Berlin '2026-03-29 01:10:00' '2026-03-29 02:30:00' '2026-03-29 03:10:00' 2400
clocks Europe/Berlin '2026-03-29 01:30:00' '2026-03-29 01:30:00' '2026-03-29 03:30:00' 3600
clocks America/Los_Angeles '2017-11-05 01:50:00' '2017-11-05 01:50:00' '2017-11-05 01:10:00' 1200
clocks America/St_Johns '2026-11-01 00:30:00' '2026-11-01 01:45:00' '2026-11-01 01:15:00' 1800
clocks Australia/Lord_Howe '2026-04-05 01:40:00' '2026-04-05 01:55:00' '2026-04-05 01:35:00' 600
clocks Australia/Lord_Howe '2026-10-04 01:50:00' '2026-10-04 02:10:00' '2026-10-04 02:45:00' 300
clocks Australia/Lord_Howe '2026-10-04 01:30:00' '2026-10-04 02:10:00' '2026-10-04 02:35:00' 1500
clocks Asia/Kolkata '2026-10-25 01:50:00' '2026-10-25 02:10:00' '2026-10-25 02:35:00' 1500
clocks UTC '2026-10-25 01:50:00' '2026-10-25T02:10:00+01:00' '2026-10-25T02:35:00Z' 5100

# A byte order mark and the line ends of another system are no part of any log.
cd "$samples"
for files in 'philly philly.json' 'helios helios.csv' 'pai2020 pai_job_table.csv pai_task_table.csv' 'gpu2023 gpu2023.csv' \
    'gavel newer.trace gavel_rates.json' 'swf jobs.swf' 'sacct sacct.txt' 'batsim batsim.json'; do
    set -- $files
    format=$1
    shift
    "$rubato" trace import --force --from "$format" "$@" --output "$work/plain.csv" >/dev/null 2>&1
    for file in "$@"; do
        { printf '\xef\xbb\xbf' && sed 's/$/\r/' "$file"; } >"$work/$file"
    done
    (cd "$work" && "$rubato" trace import --force --from "$format" "$@" --output marked.csv >/dev/null 2>&1) || fail "$files: with a mark"
    cmp "$work/plain.csv" "$work/marked.csv" || fail "$files: a mark changes the trace"
    { printf '\xff\xfe' && sed 's/./&\x00/g' "$1"; } >"$work/$1"
    (cd "$work" && "$rubato" trace import --force --from "$format" "$@" --output none.csv >/dev/null 2>err) && fail "$files: UTF-16 is read"
    grep -qF "$1: expected text in UTF-8, found UTF-16; save it as UTF-8" "$work/err" || fail "$files: $(cat "$work/err")"
    checks=$((checks + 2))
done
cd "$work"

# Users and virtual clusters come along, and stay in a conversion.
(cd "$samples" && "$rubato" trace import --force --from helios helios.csv --output "$work/out.csv" >/dev/null 2>&1)
[ "$(grep -v '^#' out.csv | cut -d, -f1,9,10 | paste -sd' ')" = "job_id,user,virtual_cluster 411,u1,vc1 414,u3,vc2" ] ||
    fail "users of helios: $(cat out.csv)"
"$rubato" trace convert --force --to artifact out.csv --output converted.csv >/dev/null
[ "$(cut -d, -f1,9,10 converted.csv | paste -sd' ')" = "job_id,user,virtual_cluster 411,u1,vc1 414,u3,vc2" ] ||
    fail "users of a conversion: $(cat converted.csv)"
"$rubato" trace convert --force --to chronus out.csv --output chronus.csv >/dev/null
"$rubato" trace convert --force --to public chronus.csv --output back.csv >/dev/null
grep -v '^#' out.csv | cmp - back.csv || fail "users there and back"

# What a job lacks is told for what it is.
printf 'JobID|Submit|Start|End|State|ReqTRES\n%s\n%s\n%s\n%s\n%s\n' \
    '1|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T01:00:00|COMPLETED|gres/gpu=1' \
    '2|2026-01-01T00:00:00|2026-01-01T00:00:00|Unknown|RUNNING|gres/gpu=1' \
    '3|2026-01-01T00:00:00|Unknown|Unknown|PENDING|gres/gpu=1' \
    '4|2026-01-01T00:00:00|Unknown|Unknown|CANCELLED by 1|gres/gpu=1' \
    '5|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T00:00:00|FAILED|gres/gpu=1' >states.txt
imports sacct states.txt
[ "$(sed 's/.*left out //' err | sort | paste -sd';')" = "1 job that is still pending;1 job that never ran;1 job that runs still;1 job that was cancelled before it began" ] ||
    fail "states: $(cat err)"

# GPUs that the table does not have are told, with what that costs.
printf '1 0 0 100 %d -1 -1 %d -1 -1 1 1 1 -1 1 -1 -1 -1\n' 8 8 1000 1000 | sed '2s/^1/2/' >wide.swf
imports swf wide.swf
grep -Eqx "wide.swf: warning: 1 job asked for more GPUs than the throughput table has and get its [0-9]+: [0-9.]+ % of the GPU seconds of all jobs are lost" err ||
    fail "wide jobs: $(cat err)"

# The same options give the same bytes, another seed other draws of the same jobs; what is drawn stands
# at the head, with the command that makes the trace again.
imports swf "$samples/jobs.swf" --seed 3 --tightness 0.5:2 --best-effort 0.5
cp out.csv three.csv
imports swf "$samples/jobs.swf" --seed 4 --tightness 0.5:2 --best-effort 0.5
cmp -s out.csv three.csv && fail "two seeds give the same trace"
[ "$(known out.csv)" = "$(known three.csv)" ] || fail "a seed changes what the source says"
grep -q '^# Drawn from seed 3: .* a number from 0.5 to 2, uniform; best effort with probability 0.5$' three.csv ||
    fail "the rule is not at the head: $(head -4 three.csv)"
command=$(sed -n '1s/^# Imported by rubato [0-9.]*: rubato //p' three.csv)
(cd "$samples" && eval "\"\$rubato\" $command --output \"\$work/again.csv\"" >/dev/null 2>&1) ||
    fail "the command at the head does not run: $command"
cmp three.csv again.csv || fail "the command at the head makes another trace"
gzip -c "$samples/jobs.swf" >jobs.gz
imports swf jobs.gz --seed 3
"$rubato" simulate three.csv --cluster "$project/cluster_specs/n4g8.csv" >run || fail "the trace does not run"
checks=$((checks + 5))

# A round trip: a random trace, written as each system would log it, comes back as it was.
"$rubato" trace generate --force --jobs 400 --seed 11 --start 1000 --output made.csv >/dev/null
awk -F, 'NR == 2 { first = $2 } NR > 1 { print $1, $2 - first, $7, $8 }' made.csv >wanted
comes_back() {
    imports "$@"
    known out.csv | cmp - wanted || fail "$1: the jobs came back changed"
    [ ! -s err ] || fail "$1 warns: $(cat err)"
}
time='function at(s) { return strftime("%Y-%m-%d %H:%M:%S", 1500000000 + s, 1) }'
awk "$time"' BEGIN { print "[" } { gpus = ""; for (g = 0; g < $3; g++) gpus = gpus (g ? ", " : "") "\"gpu" g "\""
    printf "%s{\"jobid\": \"%s\", \"submitted_time\": \"%s\", \"attempts\": [{\"start_time\": \"%s\", \"end_time\": \"%s\", \"detail\": [{\"ip\": \"m\", \"gpus\": [%s]}]}]}\n",
        (NR > 1 ? ", " : ""), $1, at($2), at($2 + 7), at($2 + 7 + $4), gpus } END { print "]" }' wanted >made.json
comes_back philly made.json
awk "$time"' BEGIN { print "job_id,gpu_num,submit_time,start_time,end_time" }
    { print $1 "," $3 "," at($2) "," at($2 + 5) "," at($2 + 5 + $4) }' wanted >made.helios
comes_back helios made.helios
awk '{ print $1 ",i" $1 ",u,Terminated," $2 ".0," }' wanted >made.jobs
awk '{ print $1 ",worker," $3 ".0,Terminated," $2 + 9 ".0," $2 + 9 + $4 ".0,600.0,29.0,100.0,T4" }' wanted >made.tasks
comes_back pai2020 made.jobs made.tasks
awk 'BEGIN { print "name,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time" }
    { print $1 "," $3 ",1000," $2 "," $2 + 3 + $4 "," $2 + 3 }' wanted >made.pods
comes_back gpu2023 made.pods
awk -v OFS='\t' '{ print "A (batch size 1)", "c", "d", "-n", 1, $4 * 2, $3, 1, "-1.0", $2 }' wanted >made.trace
awk 'BEGIN { printf "{\"v100\": {"; for (g = 1; g <= 8; g *= 2)
    printf "%s\"('\''A (batch size 1)'\'', %d)\": {\"null\": 2}", (g > 1 ? ", " : ""), g; print "}}" }' >made.rates
comes_back gavel made.trace made.rates
awk '{ print $1, $2, 4, $4, $3, -1, -1, $3, -1, -1, 1, 1, 1, -1, 1, -1, -1, -1 }' wanted >made.swf
comes_back swf made.swf
awk "$time"' BEGIN { print "JobID|Submit|Start|End|AllocTRES" }
    { s = at($2); b = at($2 + 2); e = at($2 + 2 + $4); gsub(" ", "T", s); gsub(" ", "T", b); gsub(" ", "T", e)
    print $1 "|" s "|" b "|" e "|cpu=4,gres/gpu=" $3 }' wanted >made.sacct
comes_back sacct made.sacct
awk 'BEGIN { printf "{\"nb_res\": 64, \"jobs\": [" } { printf "%s{\"id\": \"%s\", \"subtime\": %d, \"res\": %d, \"profile\": \"d%d\"}", (NR > 1 ? ",\n" : ""), $1, $2, $3, $4; delay[$4] }
    END { printf "], \"profiles\": {"; for (d in delay) printf "%s\"d%d\": {\"type\": \"delay\", \"delay\": %d}", (n++ ? ", " : ""), d, d; print "}}" }' wanted >made.batsim
comes_back batsim made.batsim

# refused WORDS FORMAT FILE...: exit status 2, one sentence with WORDS, and no trace.
refused() {
    local words=$1 status=0

    shift
    "$rubato" trace import --force --output "$work/none.csv" --from "$@" >"$work/out" 2>"$work/err" || status=$?
    [ $status = 2 ] || fail "exit status $status, expected 2, of $*"
    grep -qF -e "$words" "$work/err" || fail "no \"$words\" in \"$(cat "$work/err")\" of $*"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "more than one line on stderr of $*: $(cat "$work/err")"
    [ ! -e "$work/none.csv" ] || fail "$* left a trace"
    checks=$((checks + 1))
}

cd "$bad"
refused "philly_cut.json:1: no JSON: " philly philly_cut.json
refused "philly_no_list.json:1: expected a list, which begins with [, found \"{" philly philly_no_list.json
refused 'philly_id.json:1: expected a job with a text "jobid"' philly philly_id.json
refused "philly_time.json:2: start_time: expected a time like 2017-10-03 14:05:59, or null" philly philly_time.json
refused "philly_after.json:1: expected nothing after the list" philly philly_after.json
refused "philly_twice.json:1: no JSON: duplicate object key" philly philly_twice.json
refused "deep.json:1: " philly deep.json
refused "helios_negative.csv:2: column 2 (gpu_num): expected a number that is not negative" helios helios_negative.csv
refused "helios_no_day.csv:2: column 3 (submit_time): expected a time like" helios helios_no_day.csv
refused "helios_column.csv:1: " helios helios_column.csv
refused "gpu2023_milli.csv:2: column 3 (gpu_milli): expected thousandths of a GPU" gpu2023 gpu2023_milli.csv
refused "pai_jobs_fields.csv:1: expected 6 fields between commas, found 5" pai2020 pai_jobs_fields.csv empty
refused "gavel_steps.trace:1: field 5 (steps): expected a number" gavel gavel_steps.trace "$samples/gavel_rates.json"
refused "gavel_fields.trace:1: expected 7 or 10 fields between tabs, found 6" gavel gavel_fields.trace "$samples/gavel_rates.json"
refused "gavel_type.trace:1: field 1 (job type): expected a type that the rates have" gavel gavel_type.trace "$samples/gavel_rates.json"
refused "gavel_scale.trace:1: field 7 (scale factor): expected a whole number" gavel gavel_scale.trace "$samples/gavel_rates.json"
refused "expected a type that the rates have" gavel gavel_type.trace gavel_rates.json
refused "--gavel-gpu: expected a type of GPUs of " gavel gavel_type.trace gavel_rates.json --gavel-gpu h100
refused "swf_fields.swf:2: expected 18 fields between blanks, found 17" swf swf_fields.swf
refused "swf_number.swf:1: field 4 (run time): expected a number, found \"ten\"" swf swf_number.swf
refused "swf_huge.swf:1: expected a duration from 0 to 1e+09, found 1e+12" swf swf_huge.swf
refused "swf_nul.swf:1: expected text, found a NUL byte" swf swf_nul.swf
refused "swf_utf8.swf:1: expected UTF-8" swf swf_utf8.swf
refused "sacct_no_end.txt:1: expected a column End between bars" sacct sacct_no_end.txt
refused "sacct_no_tres.txt:1: expected a column AllocTRES or ReqTRES" sacct sacct_no_tres.txt
refused "sacct_fields.txt:2: expected 5 fields between bars, found 4" sacct sacct_fields.txt
refused "sacct_gpus.txt:2: field 5 (AllocTRES): expected resources like" sacct sacct_gpus.txt
refused "batsim_profiles.json: expected an object with a list" batsim batsim_profiles.json
refused "batsim_profile.json: jobs[0].profile: expected the name of a profile" batsim batsim_profile.json
refused "batsim_time.json: jobs[0].subtime: expected a number" batsim batsim_time.json
for format in philly helios gpu2023 swf sacct batsim; do
    refused "empty" "$format" empty
done
refused "--from swf: expected 1 file (a log in the Standard Workload Format), found 2" swf empty empty
refused "--from gavel: expected 2 files" gavel empty
for zone in Mars/Base Europe America posix Etc zone.tab leapseconds tzdata.zi /usr/share/zoneinfo/UTC ../zoneinfo/UTC \
    europe/berlin right/UTC; do
    refused "--time-zone: expected a zone that this system knows, as UTC or Europe/Berlin, found \"$zone\"" \
        swf "$samples/jobs.swf" --time-zone "$zone"
done

refused "--time-zone: expected a text that is not empty" swf "$samples/jobs.swf" --time-zone ''

# A header that is nearly right says what to change.
sed 's/,/;/g' "$samples/helios.csv" >"$work/semicolons"
sed 's/,/\t/g' "$samples/helios.csv" >"$work/tabs"
sed '1s/job_id/Job ID/' "$samples/helios.csv" >"$work/capitals"
sed '1s/gpu_num/ gpu_num /' "$samples/helios.csv" >"$work/blanks"
sed 's/|/,/g' "$samples/sacct.txt" >"$work/commas"
sed '1s/JobID/jobid/' "$samples/sacct.txt" >"$work/small"
sed 's/,/;/g' "$samples/pai_job_table.csv" >"$work/pai"
sed 's/\t/ /g' "$samples/newer.trace" >"$work/gavel"
cd "$work"
refused "semicolons:1: no column job_id; its fields are separated by semicolons, expected commas" helios semicolons
refused "tabs:1: no column job_id; its fields are separated by tabs, expected commas" helios tabs
refused 'capitals:1: no column job_id; column 1 is called "Job ID", expected "job_id"' helios capitals
refused 'blanks:1: no column gpu_num (or num_gpu); column 5 is called " gpu_num ", expected "gpu_num"' helios blanks
refused "commas:1: expected a column JobID between bars, found none; its fields are separated by commas, expected bars" sacct commas
refused 'small:1: expected a column JobID between bars, found none; column 1 is called "jobid"' sacct small
refused "pai:1: expected 6 fields between commas, found 1; its fields are separated by semicolons, expected commas" pai2020 pai pai
refused "gavel:1: expected 7 or 10 fields between tabs, found 1; its fields are separated by blanks, expected tabs" \
    gavel gavel "$samples/gavel_rates.json"
cd "$bad"
refused "no model \"gpt9\"" swf "$samples/jobs.swf" --models gpt9
status=0
"$rubato" trace import --force "$samples/jobs.swf" --output "$work/none.csv" 2>"$work/err" || status=$?
[ $status = 2 ] && grep -q "name the format of the files with --from" "$work/err" || fail "no format: $(cat "$work/err")"
cd "$work"

# The traces that Gavel published, where they are at hand.
if [ -e "$gavel/msr_seed0/795a4c.trace" ]; then
    xz -dc "$gavel/simulation_throughputs.json.xz" >rates.json
    for trace in "$gavel"/msr_seed0/*.trace "$gavel"/msr_seed0/*.trace.xz; do
        imports gavel "$trace" rates.json
        jobs=$({ xz -dcf "$trace"; } | grep -c .)
        [ "$(grep -vc '^#' out.csv)" = $((jobs + 1)) ] || fail "$trace: not all of $jobs jobs came"
    done
fi

echo "$checks checks passed"
