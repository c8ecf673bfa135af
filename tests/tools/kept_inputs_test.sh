#!/usr/bin/env bash
# kept_inputs_test.sh - a result folder with its inputs is read where the originals are not, and tells a copy that was
# changed.
source "$(dirname "$0")/cli.sh"

rubato=$(realpath "$rubato")
read_by=("audit" "report --force --output $work/page.html" "show --rows 3")

# answers WHERE DIR PREFIX: what the verbs say of the folder DIR in WHERE, in files PREFIX-*.
answers() {
    local i

    cd "$1"
    for i in "${!read_by[@]}"; do
        passes "$rubato" ${read_by[$i]} "$2"
        cp "$out" "$3-$i"
    done
    cp "$work/page.html" "$3-page"
    cd "$OLDPWD"
}

originals() {
    rm -rf "$work/here"
    mkdir "$work/here"
    cp "$small" "$work/here/jobs of mine.csv"
    gzip -c "$small" >"$work/here/packed.csv.gz"
    cp "$small_cluster" "$work/here/cluster.csv"
    mkdir "$work/here/tables"
    cp throughputs/A100.csv "$work/here/tables"
    printf '%s\n' time,node,event 20000,0,gone >"$work/here/faults.csv"
}
inputs=(--cluster cluster.csv --throughputs tables)

# given NAME OPTIONS...: a run whose folder is given away: to be read from elsewhere, the originals being gone.
given() {
    originals
    (cd "$work/here" && gives 0 "$rubato" simulate --with-inputs --results "$1" "${@:2}")
    answers "$work/here" "$1" "$work/before"
    mv "$work/here/$1" "$work"
    rm -r "$work/here"
    answers "$work" "$1" "$work/after"
    for i in "${!read_by[@]}" page; do
        cmp "$work/before-$i" "$work/after-$i" || fail "$1: another answer where the originals are not"
    done
    same "what the folder has" "$(cd "$work/$1/inputs" && find . -type f | sed -E 's/-[0-9a-f]{16}//' | sort | xargs -d '\n' | tr ' ' +)" "$kept"
}
kept="./.rubato-results+./cluster/cluster.csv+./throughputs/A100.csv+./trace/packed.csv.gz"
given packed "${inputs[@]}" packed.csv.gz
kept="./.rubato-results+./cluster/cluster.csv+./faults/faults.csv+./throughputs/A100.csv+./trace/jobs+of+mine.csv"
given plain "${inputs[@]}" --faults faults.csv "jobs of mine.csv"

# Without --with-inputs the folder has none, and the readers miss the originals.
originals
passes "$rubato" simulate --cluster "$work/here/cluster.csv" --throughputs "$work/here/tables" --results "$work/bare" \
    "$work/here/packed.csv.gz"
[ ! -e "$work/bare/inputs" ] || fail "copies that were not asked for"
rm -r "$work/here"
for verb in "${read_by[@]}"; do
    refused "$work/here/" "$rubato" $verb "$work/bare"
done

# A folder with a file for each model: those that the run has read.
mkdir "$work/models"
printf 'global_batch_size,1,2,4,8\n64,10,19,36,60\n' | tee "$work/models/vgg16.csv" >"$work/models/bert.csv"
echo mine >"$work/models/notes.txt"
printf 'job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\na,0,700,vgg16,4000,64,1,100\n' \
    >"$work/models.trace"
passes "$rubato" simulate --throughputs "$work/models/" --cluster "$small_cluster" --with-inputs --results "$work/of_models" \
    "$work/models.trace"
rm -r "$work/models" "$work/models.trace"
passes "$rubato" audit "$work/of_models"
same "the tables" "$(cd "$work/of_models/inputs"/throughputs-*/models && echo *)" "bert.csv vgg16.csv"
same "the gift again, from its own copies" "$(
    gives 0 "$rubato" simulate --throughputs "$work/of_models/inputs"/throughputs-*/models --cluster "$small_cluster" --with-inputs \
        --results "$work/of_models" "$work/of_models/inputs"/trace-*/models.trace && "$rubato" audit "$work/of_models" | tail -1)" \
    "rubato: 1 job, 1 retired, 2 rounds: 0 promises broken, 0 violations, 0 effects of known quirks"

# A copy that was changed is refused, whichever it is; an option names another file, which is looked at likewise.
change() { # KIND NAME
    rm -rf "$work/changed"
    cp -r "$work/plain" "$work/changed"
    echo "x,1,2,3" >>"$(echo "$work/changed/inputs/$1"-*/"$2")"
}
change trace "jobs of mine.csv"
for verb in "${read_by[@]}"; do
    refused "jobs of mine.csv: is not the trace of the run in $work/changed" "$rubato" $verb "$work/changed"
    passes "$rubato" $verb --trace "$small" "$work/changed"
    refused "testbed195.csv: is not the trace" "$rubato" $verb --trace testbed195 "$work/changed"
done
change cluster cluster.csv
refused "cluster.csv: is not the cluster of the run in $work/changed" "$rubato" audit "$work/changed"
passes "$rubato" audit --cluster "$small_cluster" "$work/changed"
change throughputs A100.csv
refused "A100.csv: are not the throughputs of the run in $work/changed" "$rubato" audit "$work/changed"
passes "$rubato" audit --throughputs throughputs "$work/changed"

# Another run there needs --force and has its own inputs; a run that fails leaves what was there, and no copy of its own.
refused "--force" "$rubato" simulate --policy edf --with-inputs --results "$work/plain" traces/testbed195.csv
cp -r "$work/plain" "$work/kept"
gives 2 "$rubato" simulate --policy ef --with-inputs --force --results "$work/plain" \
    --cluster "$project"/tests/bad_input/aborts/twelve_gpus_ef/cluster.csv "$project"/tests/bad_input/aborts/twelve_gpus_ef/trace.csv
same "what a run that fails leaves" "$(diff -r "$work/plain" "$work/kept")" ""
gives 2 "$rubato" simulate --policy ef --with-inputs --results "$work/fresh" \
    --cluster "$project"/tests/bad_input/aborts/twelve_gpus_ef/cluster.csv "$project"/tests/bad_input/aborts/twelve_gpus_ef/trace.csv
[ ! -e "$work/fresh" ] || fail "a run that fails leaves $(find "$work/fresh")"
passes "$rubato" simulate --policy edf --cluster n4g8 --with-inputs --force --results "$work/plain" traces/testbed195.csv
passes "$rubato" audit "$work/plain"

# What is no file cannot be copied; a folder of somebody else's called inputs is none of ours.
refused "--with-inputs: name the folder of the results with --results" "$rubato" simulate --with-inputs "$small"
refused "is no file that can be copied" \
    bash -c "cat $small | $rubato simulate --with-inputs --results $work/piped /dev/stdin"
[ ! -e "$work/piped" ] || fail "a refused run leaves $(find "$work/piped")"
mkdir -p "$work/theirs/inputs"
refused "$work/theirs: holds inputs, which is no result of a run" \
    "$rubato" simulate --with-inputs --results "$work/theirs" "$small"
done_checking 44
