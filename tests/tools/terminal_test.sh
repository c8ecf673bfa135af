# terminal_test.sh - runs and comparisons as pictures: Unicode or ASCII as the locale has it, colours on a
# terminal only, and not there with NO_COLOR.
source "$(dirname "$0")/cli.sh"

export LC_ALL=C.UTF-8

cat >"$work/three.csv" <<'CSV'
job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration
first,0,4000,vgg16,100000,64,1,100
second,0,4000,vgg16,10,64,1,100
third,100,4000,vgg16,100000,64,2,100
CSV
gives 0 "$rubato" simulate --policy fifo --cluster n2g2 --slot 0 --results "$work/run" "$work/three.csv"

# Without a terminal: no colour, in 80 columns, ASCII unless the locale is one of UTF-8.
LC_ALL=C.UTF-8 passes "$rubato" show "$work/run"
cp "$out" "$work/unicode"
same "the head" "$(head -1 "$out")" "three.csv under fifo: 3 jobs on 2 nodes with 4 GPUs, slot 0 s"
same "on time" "$(sed -nE 's/^on time +(█+[▏▎▍▌▋▊▉]?) +/\1 /p' "$out")" "██████████████████████████▋ 66.7 %  2 of 3"
ends() { # of the jobs
    sed -nE 's/^(first|second|third) .*  /\1 /p' "$out" | tr '\n' ' '
}
same "the ends" "$(ends)" "first on time second late third on time "
same "one GPU, and two" "$(sed -nE '/^(first|third) /s/[^▁▂]*([▁▂]+).*/\1/p' "$out" | grep -o . | sort -u | tr -d '\n')" ▁▂
same "the key" "$(tail -1 "$out")" \
    "GPUs of a job:  ▁ 1  ▂ 2  ▃ 4  ▄ 8  ▅ 16  ▆ 32  ▇ 64  █ 128 and more"
grep -qE '^GPUs used +[▁▂▃▄▅▆▇█]+ .*up to 4$' "$out" || fail "no curve of GPUs: $(cat "$out")"
[ "$(sed "s/./x/g" "$out" | wc -L)" -le 80 ] || fail "wider than 80 columns: $(cat "$out")"
! grep -q $'\033' "$out" || fail "colours in a file"
LC_ALL=C passes "$rubato" show "$work/run"
! LC_ALL=C grep -q '[^ -~]' "$out" || fail "more than ASCII: $(cat "$out")"
same "as many lines" "$(wc -l <"$out")" "$(wc -l <"$work/unicode")"
same "on time in ASCII" "$(sed -nE 's/^on time +(#+) +/\1 /p' "$out")" "########################## 66.7 %  2 of 3"
same "the ends in ASCII" "$(ends)" "first on time second late third on time "

# One of a kind is told as one.
awk 'NR <= 2' "$work/three.csv" >"$work/one.csv"
gives 0 "$rubato" simulate --policy fifo --cluster n1g1 --slot 0 --results "$work/one" "$work/one.csv"
grep -q 'of 1 GPU on 1 node$' "$out" || fail "$(cat "$out")"
! grep -E '\b1 [a-z]*(jobs|nodes|GPUs|rounds)\b' "$out" || fail "one, and many"
passes "$rubato" show "$work/one"
same "one of each" "$(head -1 "$out")" "one.csv under fifo: 1 job on 1 node with 1 GPU, slot 0 s"
passes "$rubato" audit "$work/one"
grep -qE '^fifo: 1 job, 1 retired, ' "$out" || fail "$(cat "$out")"
passes "$rubato" trace validate "$work/one.csv"
same "a trace of one" "$(cat "$out")" "$work/one.csv: ok, 1 job"

# Names in a folder of any origin are as wide as they look, are cut between two characters, and command no
# terminal.
cp "$work/three.csv" "$work/names.csv"
gives 0 "$rubato" simulate --policy fifo --cluster n2g2 --slot 0 --results "$work/named" "$work/names.csv"
for name in first=ジョブ_日本語 second=tëst third='es\x1b[31mc'; do
    sed -i -E "s/(^|,)${name%%=*},/\1${name#*=},/" "$work/names.csv" "$work"/named/*.csv
done
sed -i 's/"policy": "fifo"/"policy": "\\u001b[31m"/' "$work/named/summary.json"
untold "$work/named"
for locale in C.UTF-8 C; do
    LC_ALL=$locale passes "$rubato" show "$work/named"
    grep -A3 '^JOB' "$out" | tail -3 >"$work/rows"
    same "the names in $locale" "$(LC_ALL=C.UTF-8 sed -E 's/^([^ ]+ +).*/\1|/' "$work/rows" | sed 's/ *|$//' | xargs)" \
        "ジョブ_日本 tëst es?[31mc"
    same "their width in $locale" "$(sed -E 's/(on time|late)$//' "$work/rows" | while IFS= read -r row; do wc -L <<<"$row"; done | sort -u)" 68
    ! grep -q $'\033' "$out" || fail "an escape sequence of a file in $locale"
done

# Fewer jobs, and the summary.
passes "$rubato" show --rows 1 "$work/run"
grep -qx "and 2 more jobs; --rows=3 shows all" "$out" || fail "$(cat "$out")"
passes "$rubato" show --rows 2 "$work/run"
grep -qx "and 1 more job; --rows=3 shows all" "$out" || fail "$(cat "$out")"
passes "$rubato" show --rows 0 "$work/run"
! grep -q '^JOB' "$out" || fail "jobs all the same: $(cat "$out")"
passes "$rubato" show --json "$work/run"
cmp "$out" "$work/run/summary.json"
(cd "$work/run" && "$OLDPWD/$rubato" show . >"$work/there") || fail "not from the folder itself"
refused "expected one folder or jobs, found 2 words" "$rubato" show "$work/run" "$work/run"
refused "summary.json" "$rubato" show "$work"
refused 'expected the number of a job, or a folder of results, found "nothing"' "$rubato" show nothing

# A number is a job, even where a folder is called so.
cp -r "$work/run" 17
gives 1 "$rubato" show --socket "$work/none" 17
says "no service answers at $work/none"
passes "$rubato" show ./17
rm -r 17

# A comparison has its bars where they are asked for, and on a terminal.
LC_ALL=C passes "$rubato" compare --policies fifo --slot 0 "$work/three.csv@n2g2"
! grep -q '^on time' "$out" || fail "bars in a file: $(cat "$out")"
LC_ALL=C passes "$rubato" compare --bars --policies fifo --slot 0 "$work/three.csv@n2g2"
same "the bar" "$(grep -A1 '^on time' "$out" | tail -1 | tr -s ' ')" " fifo ###################### 2 of 3"
same "the curve" "$(tail -2 "$out" | tr -s '=@ ' | sed -E 's/ [0-9.]+ % over/ use over/')" \
    "GPUs used, three.csv
 fifo =#@*= use over $("$rubato" show --json "$work/run" | sed -n 's/.*"makespan_s": \(.*\),/\1/p') s"
passes "$rubato" compare --bars --policies fifo --slot 0 "$work/three.csv@n2g2"
same "the curve in Unicode" "$(tail -1 "$out" | grep -oE '[▁▂▃▄▅▆▇█]' | wc -l)" 34

# on_terminal COMMAND: what it prints on one of 100 columns.
on_terminal() {
    LC_ALL=C.UTF-8 TERM=xterm script -qec "stty cols 100; $*" /dev/null </dev/null
}
if command -v script >/dev/null; then
    on_terminal "$rubato show $work/run" >"$out"
    same "green on time" "$(grep -c $'\033\\[32mon time' "$out")" 2
    same "red and late" "$(grep -c $'\033\\[31mlate' "$out")" 1
    on_terminal "NO_COLOR=1 $rubato show $work/run" >"$out"
    ! grep -q $'\033' "$out" || fail "NO_COLOR is not heeded"
    on_terminal "$rubato compare --policies fifo --slot 0 $work/three.csv@n2g2" >"$out"
    grep -q '█.* 2 of 3' "$out" || fail "no bars on a terminal: $(cat "$out")"
    grep -qE '^  fifo +[▁▂▃▄▅▆▇█]+ +[0-9.]+ % over' "$out" || fail "no curve on a terminal: $(cat "$out")"
fi
done_checking 20
