#!/usr/bin/env bash
# other_inputs_test.sh - results are read with the inputs of their run and with no others, which
# their checksums tell.
source "$(dirname "$0")/cli.sh"

cp "$small" "$work/trace.csv"
cp "$small_cluster" "$work/cluster.csv"
mkdir "$work/tables"
cp throughputs/A100.csv "$work/tables"
run=$work/run
passes "$rubato" simulate --cluster "$work/cluster.csv" --throughputs "$work/tables" \
    --results "$run" "$work/trace.csv"
same "the kinds of inputs in summary.json" "$(grep -c '"kind": "' "$run/summary.json")" 3

# is_refused WORDS COMMAND...: with one sentence that has both checksums and the way out.
is_refused() {
    refused "$@"
    grep -qE 'checksum [0-9a-f]{16}, the run had [0-9a-f]{16}; name the .* of the run with --' "$err" ||
        fail "no checksums and no way out in: $(cat "$err")"
}

read_by=("audit" "report --output $work/page.html" "show --rows 0")
for verb in "${read_by[@]}"; do
    passes "$rubato" $verb "$run"
done

# A changed cell, another file, one that is no trace at all.
sed -i '3s/,\([0-9]*\)$/,1\1/' "$work/trace.csv"
! cmp -s "$small" "$work/trace.csv" || fail "the trace was not changed"
echo nothing >"$work/nothing.csv"
for verb in "${read_by[@]}"; do
    is_refused "$work/trace.csv: is not the trace of the run in $run" "$rubato" $verb "$run"
    is_refused "is not the trace" "$rubato" $verb --trace "$work/nothing.csv" "$run"
    is_refused "is not the trace" "$rubato" $verb --trace testbed195 "$run"
done
is_refused "is not the cluster" "$rubato" audit --trace "$small" --cluster n8g8 "$run"
is_refused "are not the throughputs" "$rubato" audit --trace "$small" --throughputs throughputs/T4.csv "$run"
echo "vgg16,64,1,7" >>"$work/tables/A100.csv"
is_refused "$work/tables/A100.csv: are not the throughputs" "$rubato" audit --trace "$small" "$run"

# The same under another name, compressed, through a pipe.
gzip -c "$small" >"$work/packed.csv.gz"
for verb in "${read_by[@]:1}"; do
    passes "$rubato" $verb --trace "$small" "$run"
done
for trace in "$small" "$work/packed.csv.gz"; do
    passes "$rubato" audit --throughputs throughputs --trace "$trace" "$run"
done
passes bash -c "cat $small | $rubato audit --throughputs throughputs --trace /dev/stdin $run"

# A folder with a file for each model is one input: its files, with their names.
mkdir "$work/models"
printf 'global_batch_size,1,2,4,8\n64,10,19,36,60\n' | tee "$work/models/vgg16.csv" >"$work/models/bert.csv"
printf 'job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\na,0,700,vgg16,4000,64,1,100\n' \
    >"$work/models.trace"
passes "$rubato" simulate --throughputs "$work/models" --cluster "$small_cluster" \
    --results "$work/of_models" "$work/models.trace"
passes "$rubato" audit "$work/of_models"
cp -r "$work/models" "$work/moved"
passes "$rubato" audit --throughputs "$work/moved" "$work/of_models"
mv "$work/moved/bert.csv" "$work/moved/gpt2.csv"
is_refused "$work/moved: are not the throughputs" "$rubato" audit --throughputs "$work/moved" "$work/of_models"

# Results of a version that knew no checksums are read, with a remark.
sed -i '/^  "inputs": \[/,/^  \],/d' "$run/summary.json"
cp throughputs/A100.csv "$work/tables"
for verb in "${read_by[@]}"; do
    gives 0 "$rubato" $verb --trace "$small" "$run"
    says "$run: an earlier version wrote these results without checksums"
    same "the remarks of $verb" "$(wc -l <"$err")" 1
done

# A summary whose checksums make no sense is no summary.
for inputs in '[{"kind": "trace"}]' '[{"kind": "trace", "checksum": "xyz"}]' '[1]' '[{"kind": 1, "checksum": "0123456789abcdef"}]'; do
    sed "s/^  \"policy\":/  \"inputs\": $inputs,\n&/" "$run/summary.json" >"$work/summary.json"
    cp -r "$run" "$work/odd"
    mv "$work/summary.json" "$work/odd/summary.json"
    refused "inputs: expected kind and checksum of each" "$rubato" audit --trace "$small" "$work/odd"
    rm -r "$work/odd"
done

echo "$checks checks passed"
