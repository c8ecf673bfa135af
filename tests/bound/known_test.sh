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
closed = found["bound_closed"] and found["bound_with_overheads_closed"]
print(found["alone"], found["bound"], found["bound_with_overheads"], closed)' <"$out")" "$expected"
}

bounds "184 183 183 True" 195job n16g8
bounds "175 181 180 True" elasticVpollux_e n16g4 --gpu-type T4
bounds "175 181 175 True" elasticVpollux_e n16g4 --gpu-type T4 --starts new
bounds "258 258 258 True" cluster10 n32g8
bounds "815 815 815 True" philly_103959 n32g8
bounds "1571 1571 1571 True" cluster01 n64g8
bounds "5587 5589 5587 True" cluster02 n64g8
bounds "2458 2444 2442 True" cluster03 n64g8
bounds "3584 3587 3585 True" cluster05 n64g8
bounds "2034 2040 2039 True" cluster06 n64g8
bounds "12947 12952 12951 True" cluster08 n128g8
bounds "11095 11099 11097 True" cluster09 n128g8
bounds "14766 14784 14779 True" cluster04 n128g8
done_checking 26
