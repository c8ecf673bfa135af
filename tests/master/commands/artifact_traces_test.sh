# artifact_traces_test.sh - the overhead traces of the ElasticFlow artifact, as they are: the master reads all 24, and
# one of each kind is carried out.
source tests/master/commands/carry_out.sh

traces=$(cd "$OLDPWD" && realpath -m "${RUBATO_SHARED:-../shared}/peers/elasticflow/overhead_traces")
if [ ! -d "$traces" ]; then
    echo "no overhead traces in $traces"
    exit 77
fi

# It is read before the master listens, so that a master which listens has taken all of it.
reads() {
    local master status=0

    : >master.err
    "$bin/master" -p 0 -t "$1" -d 1 >master.out 2>master.err </dev/null &
    master=$!
    pids=("$master")
    await "event=up" master.err "$master"
    grep -q "event=up .* workers=$(head -n 1 "$1")\$" master.err || fail "$1: $(cat master.err)"
    kill "$master"
    wait "$master" || status=$?
    [ $status = 1 ] || fail "$1: the master, told to end before anything ran, ends with $status"
    pids=()
    checks=$((checks + 1))
}

for trace in "$traces"/*_{intranode,internode,migration}_overhead.txt "$traces"/*_profile.txt; do
    reads "$trace"
done
[ "$checks" = 24 ] || fail "$checks traces instead of 24"

# runs NAME GPUS...: the trace is carried out, and the job starts on so many GPUs, in turns. On a busy machine it may be
# done before it is stopped, so that nothing is asked of the other rows.
runs() {
    local name=$1

    shift
    carry_out 0 "$traces/$name.txt" 8
    [ "$(rows | grep -oE '(start|group)/[^ ]*( without end)?' | paste -sd ' ')" = "$(printf ' start/%s group/%s' \
        $(printf '%s\n' "$@" | sed p) | cut -c 2-)" ] || fail "$name: $(rows)"
    [ "$(grep -c 'event=gpu-freed.*by=exit' master.err)" = $(($(tr ' ' + <<<"$*"))) ] ||
        fail "$name: not all GPUs are freed"
}

# A mask of fewer GPUs than there are processes on the node: 1 or 2 of 8.
runs bert_intranode_overhead 1 2 1 2
# Ranks that are counted from 0 on the other node, too.
runs bert_migration_overhead 8 8 8 8
[ "$(sed -n 's/.*event=run job=0 .* node=\([01]\) .*/\1/p' master.err | paste -sd ' ')" = "1 0 1 0" ] ||
    fail "the job does not move: $(grep event=run master.err)"
# Two parts that both say they are the only one: the group has 16 GPUs.
runs bert_internode_overhead 16 8 16 8
# Up to eight of them, and a line with another batch size than the lines before it.
runs gpt2_profile 1 2 4 8 16 32 64 1 2 4 8 16 32
[ "$(grep -o 'event=other-batch-size .*' master.err)" = \
    "event=other-batch-size job=0 incarnation=- node=7 gpu=- line=115 found=31282 taken=128" ] ||
    fail "gpt2_profile: $(grep event=other-batch-size master.err)"

echo "$checks checks"
