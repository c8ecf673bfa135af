# debug_test.sh - files of commands with real workers: a job is started, scaled, moved and stopped, each step is
# timed, and nothing is left. And what the master refuses.
source tests/master/commands/carry_out.sh

# refused WORDS OPTIONS...: exit status 2 and one sentence.
refused() {
    local words=$1 status=0

    shift
    "$bin/master" -p 0 "$@" >out 2>refused.err </dev/null || status=$?
    [ $status = 2 ] || fail "exit status $status of master $*"
    grep -qF -e "$words" refused.err || fail "no \"$words\" in $(cat refused.err)"
    [ "$(wc -l <refused.err)" = 1 ] || fail "not one line: $(cat refused.err)"
    [ ! -s out ] || fail "master $* fails and yet prints $(cat out)"
    checks=$((checks + 1))
}

# Scaling across two nodes and back.
"$bin/rubato" trace overhead --case internode --model resnet50 --nodes 2 --gpus-per-node 2 --train 10 --pause 2 \
    --warm-up 0 --throughputs "$tables" --output internode.txt >/dev/null
carry_out 0 internode.txt 2
[ "$(rows)" = "start/2 group/2 train/2 stop/2 start/4 group/4 train/4 stop/4 start/2 group/2 train/2 stop/2" ] ||
    fail "internode: $(rows)"
for event in run begin stop gpu-given gpu-freed; do
    grep -q "event=$event job=1 incarnation=3" master.err || fail "no $event in the log"
done
[ "$(grep -c event=gpu-given master.err)" = 8 ] || fail "$(grep -c event=gpu-given master.err) GPUs given"
[ "$(grep -c 'event=gpu-freed.*by=exit' master.err)" = 8 ] || fail "not all of them are freed"
# Every start after the first goes on from a checkpoint.
[ "$(sed -n 's/.*event=begin .* node=0 .*step=//p' master.err | awk '$1 <= last { exit 1 } { last = $1 }' && echo rises)" = rises ] ||
    [ "$(sed -n 's/.*event=begin .* node=0 .*step=//p' master.err | head -1)" = 0 ] || fail "steps do not rise"

# Moves with the state, within a node and to the other.
"$bin/rubato" trace overhead --case migration --model resnet50 --nodes 2 --gpus-per-node 2 --steps 3 --train 10 \
    --pause 2 --warm-up 0 --throughputs "$tables" --output migration.txt >/dev/null
carry_out 0 migration.txt 2
[ "$(rows)" = "start/1 group/1 train/1 stop/1 start/1 group/1 move/1 train/1 stop/1 start/1 group/1 move/1 train/1 stop/1" ] ||
    fail "migration: $(rows)"

# An update, a restart of all trainers, and a file without S.
cat >update.txt <<'END'
2
R 0 resnet50 128 3 2 1 0 127.0.0.1 7001 3 1000000 1 0 1
T
W 10
U 1 resnet50 128 3 2 1 0 127.0.0.1 7002 0x3 1000000 2 3
T
W 20
RE
R 0 resnet50 128 3 1 1 0 127.0.0.1 7003 2 1000000 0 1
T
W 30
END
carry_out 0 update.txt 2
[ "$(rows)" = "start/2 train/2 stop/2 start/2 train/2 restart/- stop/2 start/1 train/1" ] || fail "update: $(rows)"
[ "$(grep -c event=trainer-started w0.err)" -ge 4 ] || fail "the trainers did not restart"

# The workers have fewer GPUs than the file wants: nothing runs.
carry_out 2 internode.txt 1
grep -q "internode.txt:5: worker 0 has 1 GPUs, there is no GPU 1" master.err || fail "no sentence"
! grep -q event=run master.err || fail "something ran"

# A model of unknown speed cannot run: the exit status says so.
sed 's/resnet50/nosuchmodel/' update.txt >unknown.txt
carry_out 1 unknown.txt 2
grep -q "^job 3 failed: " master.out || fail "no failure: $(cat master.out)"

# What the master refuses.
printf '1\nK 0 1\n' >bad.txt
refused "bad.txt:2: job 1 has nothing on worker 0 to stop" -t bad.txt -d 1
refused "no-such.txt" -t no-such.txt -d 1
refused "--debug=1" -t bad.txt
refused "--trace" -d 1
refused "--lease" --heartbeat 5 --lease 10
refused "--listen" --listen 0.0.0.0
refused "--listen" --listen localhost
refused "nowhere" --keys nowhere
refused "--workers" -n 0

[ "$checks" -ge 14 ] || fail "only $checks checks"
echo "$checks checks"
