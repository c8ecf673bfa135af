# testbed_flags_test.sh - what master, worker and scheduler say of their flags before they start anything.
source "$(dirname "$0")/cli.sh"

worker() {
    build/bin/worker --emulate --run-dir "$work/run" "$@"
}

real() {
    $scheduler --simulation=False --trace_file=$small --cluster_spec=$small_cluster "$@"
}

# ---- names are the same with keys and without ----

rule="a name is at most 63 letters, digits, '.', '_' and '-', no '.' first"
long=$(printf 'n%.0s' {1..64})
passes $rubato keys --folder "$work/keys" node-a
for name in "two words" "../up" ".hidden" "a=b" "$long"; do
    for keys in "" "--keys=$work/keys"; do
        refused "--name: \"$name\": $rule" worker --name "$name" $keys
        refused "--name: \"$name\": $rule" real --name "$name" $keys
    done
done
refused "--name: \"a?event=up\": $rule" worker --name $'a\nevent=up'
done_checking 20
