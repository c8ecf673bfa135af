# figure_overheads_test.sh - figures 12a and 12b: every model and change is timed with real programs, and nothing of
# them is left, also when they are stopped.
source "$(dirname "$0")/cli.sh"
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
figures=$work/figures

# column NUMBER FIGURE: of its data.
column() {
    tail -n +2 "$figures/figure$2.csv" | cut -d, -f"$1" | uniq | paste -sd '|'
}

nothing_is_left() {
    [ -z "$(ls -A "$TMPDIR")" ] || fail "left in $TMPDIR: $(ls -A "$TMPDIR")"
    ! pgrep -f "^$work/tree/build/bin/" >/dev/null || fail "still there: $(pgrep -af "^$work/tree/build/bin/")"
    checks=$((checks + 1))
}

# On how many numbers of GPUs up to 64 the table has a model, at all batch sizes.
levels() {
    awk -F, -v model="$1" 'NR > 1 && $1 == model && $3 <= 64 && $4 > 0' throughputs/A100.csv | wc -l
}

passes "$rubato" figure 12a 12b --output "$figures"
nothing_is_left
for figure in 12a 12b; do
    same "the header of $figure" "$(head -1 "$figures/figure$figure.csv")" \
        "setting,series,measured,published,starts,overhead"
    same "the SVG of $figure" "$(head -c 5 "$figures/figure$figure.svg")" "<?xml"
    ! grep -q "other jobs" "$figures/figure$figure.svg" || fail "figure $figure is said to be of other jobs"
    same "what stands in docs beside times of $figure" "$(cut -d, -f1,2,4,5 "$project/docs/figures/figure$figure.csv")" \
        "$(cut -d, -f1,2,4,5 "$figures/figure$figure.csv")"
    same "times of $figure that are none" "$(tail -n +2 "$figures/figure$figure.csv" | awk -F, '!($3 > 0 && $6 > 0)')" ""
    grep -q "^figure $figure: " "$out" || fail "nothing is said of $figure: $(cat "$out")"
done
same "the models of 12a" "$(column 1 12a)" "ResNet50|VGG16|Inception-V3|GPT-2|BERT|DeepSpeech2"
same "the starts of 12a" "$(tail -n +2 "$figures/figure12a.csv" | cut -d, -f5 | paste -sd ' ')" \
    "$(for model in resnet50 vgg16 inception3 gpt2 bert deepspeech2; do levels $model; done | paste -sd ' ')"
same "starts that the master has timed" "$(sed '1,/^operation/d' "$figures/runs/figure12a/table.txt" | grep -c ^start)" \
    "$(tail -n +2 "$figures/figure12a.csv" | awk -F, '{ starts += $5 } END { print starts }')"
same "rows of 12a that are not 25 s a start and the overhead" \
    "$(tail -n +2 "$figures/figure12a.csv" | awk -F, '{ gap = $3 - 25 * $5 - $6 } gap > 0.01 || gap < -0.01')" ""
same "the changes of 12b" "$(column 1 12b)" "1 to 2 GPUs|2 to 1|8 to 16|16 to 8|migration of 8"
same "the repetitions of 12b" "$(column 5 12b)" 3
same "published of 12b" "$(grep '^8 to 16,BERT' "$figures/figure12b.csv" | cut -d, -f4)" 4.239
same "changes of a job in 12b" "$(sed '1,/^operation/d' "$figures/runs/figure12b/table.txt" | awk '$1 == "start" { print $3 }' |
    head -8 | paste -sd ' ')" "8 16 8 8 8 1 2 1"

# Stopped once a worker runs.
mv build/bin/worker build/bin/worker.real
cat >build/bin/worker <<END
#!/usr/bin/env bash
echo worker >"$work/begun"
exec "$PWD/build/bin/worker.real" "\$@"
END
chmod +x build/bin/worker
mkfifo "$work/begun"
exec 3<>"$work/begun"
"$rubato" figure 12a --output "$work/stopped" >"$out" 2>"$err" </dev/null &
pid=$!
read -r -u 3
kill -TERM $pid
status=0
wait $pid || status=$?
same "the exit status of a stop" $status 130
says "figure 12a: stopped"
[ ! -e "$work/stopped/figure12a.csv" ] || fail "a stopped figure has data"
nothing_is_left

rm build/bin/worker
refused "worker" "$rubato" figure 12b --output "$work/x"
nothing_is_left
done_checking 18
