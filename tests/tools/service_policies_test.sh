# service_policies_test.sh - every policy that `rubato policies` lists serves jobs with and without a deadline, through
# a restart of the service, or says at the start why it cannot. A quote names the earliest deadline or says why not.
source "$(dirname "$0")/cli.sh"
patient() { build/bin/rubato "$1" --timeout=600 "${@:2}"; }
export RUBATO_STATE=$work/state
unset RUBATO_SOCKET NO_COLOR

trap 'patient down >/dev/null 2>&1; rm -rf "$work"' EXIT

job=(--model resnet50 --batch-size 256 --iterations 2000)

# restarts POLICY: one of each kind. The one keeps snapshots, of the other all steps are decided again.
restarts() {
    case $1 in
    rubato | chronus)
        passes patient down
        passes patient up
        ;;
    esac
}

# quotes POLICY
quotes() {
    if patient quote "${job[@]}" --rate 1:20 --rate 2:30 --rate 4:40 >"$out" 2>"$err"; then
        grep -qE "^The earliest deadline that is promised is 20|^No deadline would be promised" "$out" ||
            fail "a quote of $1 names no deadline: $(cat "$out")"
    else
        grep -q "policy $1 promises nothing" "$err" || fail "a quote of $1 does not say why: $(cat "$err")"
    fi
}

# serves POLICY
serves() {
    local status=0

    rm -rf "$RUBATO_STATE"
    patient up --policy "$1" --gpus 4 --time-scale 3000 >"$out" 2>"$err" || status=$?
    if [ $status -ne 0 ]; then
        grep -q "policy $1 " "$err" || fail "no sentence says why $1 does not start: $(cat "$err")"
        return
    fi
    quotes "$1"
    passes patient submit "${job[@]}" --deadline +100h
    passes patient submit "${job[@]}" --duration 50
    restarts "$1"
    passes patient submit "${job[@]}" --min-gpus 2 --max-gpus 2
    passes patient wait 1 2 3
    passes patient down
}

gives 0 "$rubato" policies
policies=$(cut -d' ' -f1 "$out")
grep -qx rubato <<<"$policies" || fail "rubato policies does not list rubato: $policies"
for policy in $policies; do
    serves "$policy"
done

# The names are the same in JSON, and a word too many is told.
gives 0 "$rubato" policies --json
same "the names in JSON" "$(sed -n 's/^ *"name": "\(.*\)",$/\1/p' "$out")" "$policies"
refused "word" "$rubato" policies word

# The service finds a cluster that came with Rubato by its name, as other commands do, and suggests one.
refused "did you mean" "$scheduler" --serve --state "$work/other" --cluster_spec n4g9
gives 2 "$scheduler" --serve --state "$work/other" --cluster_spec n4g8 --master nowhere
grep -q "cluster" "$err" && fail "n4g8 is not found: $(cat "$err")"

done_checking 70
