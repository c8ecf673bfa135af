# known_test.sh - the bounds of the public traces that are known.
source "$(dirname "$0")/../tools/cli.sh"

traces=$(cd "$OLDPWD" && realpath -m "${RUBATO_SHARED:-../shared}/traces")
if [ ! -d "$traces" ]; then
    echo "no public traces in $traces"
    exit 77
fi

# bounds EXPECTED TRACE CLUSTER OPTIONS...: alone, without and with overheads.
bounds() {
    local expected=$1 trace=$2 cluster=$3

    shift 3
    passes "$rubato" bound "$traces/$trace.csv" --cluster "cluster_specs/$cluster.csv" --json \
        --time-limit 3000 "$@"
    same "the bounds of $trace $*" "$(python3 -c '
import json, sys
found = json.load(sys.stdin)
print(found["alone"], found["bound"], found["bound_with_overheads"], found["bound_closed"])' <"$out")" "$expected"
}

bounds "184 183 183 True" 195job n16g8
bounds "175 181 180 True" elasticVpollux_e n16g4 --gpu-type T4
bounds "175 181 175 True" elasticVpollux_e n16g4 --gpu-type T4 --starts new
bounds "258 258 258 True" cluster10 n32g8
bounds "815 815 815 True" philly_103959 n32g8
done_checking 10
