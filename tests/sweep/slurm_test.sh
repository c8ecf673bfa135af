# slurm_test.sh - `rubato sweep --slurm` on a real slurmctld with three slurmd: the tables are those of
# a sweep on this machine, byte for byte, whatever becomes of the array and of the process that waits.
#
# All of Slurm is private: its folder, its network, its processes, which end with those of the test.
set -euo pipefail

for program in slurmctld slurmd sbatch squeue scancel unshare; do
    command -v $program >/dev/null || {
        echo "SKIPPED: $program is not installed (tools/install_packages.sh test)"
        exit 77
    }
done
if [ "${1:-}" != inside ]; then
    [ "$(id -u)" -eq 0 ] || { echo "SKIPPED: a network of its own takes root"; exit 77; }
    exec unshare --net --pid --fork --kill-child --mount-proc bash "$0" inside
fi
ip link set lo up
ip address add 10.7.7.1/32 dev lo # names are not looked up where every address is a loopback
source "$(dirname "$0")/../tools/cli.sh"

slurm=$work/slurm
export SLURM_CONF=$slurm/slurm.conf
mkdir -p "$slurm"/spool/n{1,2,3} "$slurm/state"
host=$(hostname -s)
cat >"$SLURM_CONF" <<END
ClusterName=rubato
SlurmctldHost=$host(10.7.7.1)
SlurmctldPort=7001
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool/%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName=n[1-3] NodeHostname=$host NodeAddr=10.7.7.1 Port=[7002-7004] CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
slurmctld -D -f "$SLURM_CONF" >"$slurm/slurmctld.out" 2>&1 &
for node in n1 n2 n3; do
    slurmd -D -N $node -f "$SLURM_CONF" >"$slurm/$node.out" 2>&1 &
done
until [ "$(sinfo --noheader --Node --format=%T 2>"$work/ignored" | grep -c idle)" = 3 ]; do
    [ "$(jobs -r | wc -l)" = 4 ] || fail "Slurm does not start: $(tail -n 3 "$slurm"/*.out)"
done

# tables FOLDER
tables() { cat "$1/cells.csv" "$1/means.csv"; }
same_tables() {
    cmp -s <(tables "$2") <(tables "$3") || fail "$1: other tables: $(diff <(tables "$2") <(tables "$3") | head -5)"
    checks=$((checks + 1))
}

all=(--policies "ef,edf,rubato" --seeds "1,2" --loads "1,2" "$small@$small_cluster")
passes "$rubato" sweep --results "$work/here" "${all[@]}"

# A folder whose name a careless script would take apart.
array="$work/100% of it"
passes "$rubato" sweep --results "$array" --slurm --slurm-tasks 4 "${all[@]}"
same_tables "an array" "$work/here" "$array"
same "the tasks" "$(cd "$array/slurm" && echo *)" "0.log 1.log 2.log 3.log job.sh"
grep -qx "#SBATCH --array=0-3" "$array/slurm/job.sh" || fail "no array: $(cat "$array/slurm/job.sh")"
gives 0 "$rubato" sweep --results "$array" --slurm "${all[@]}"
says "12 of 12 cells are done already"

# The one that waits is stopped, or killed: the array goes on, and the same command collects it.
for signal in TERM KILL; do
    "$rubato" sweep --results "$work/$signal" --slurm --slurm-tasks 2 --slurm-options "--begin=now+2" "${all[@]}" >"$out" 2>"$err" &
    sweep=$!
    until [ -e "$work/$signal/slurm/job" ]; do
        kill -0 $sweep || fail "ended before it could be stopped: $(cat "$err")"
    done
    kill -$signal $sweep
    status=0
    wait $sweep || status=$?
    [ $signal = KILL ] || same "the exit status" $status 130
    [ $signal = KILL ] || says "goes on; the same command collects it"
    note=$(cat "$work/$signal/slurm/job")
    gives 0 "$rubato" sweep --results "$work/$signal" --slurm --slurm-tasks 2 "${all[@]}"
    same_tables "$signal" "$work/here" "$work/$signal"
    same "arrays after $note" "$(squeue --noheader)" ""
done

# Tasks that are cancelled leave their cells, which the next array runs, or this machine.
"$rubato" sweep --results "$work/cancelled" --slurm --slurm-tasks 3 --slurm-options "--hold" "${all[@]}" >"$out" 2>"$err" &
sweep=$!
until [ -e "$work/cancelled/slurm/job" ]; do :; done
read -r job _ <"$work/cancelled/slurm/job"
scancel "${job}_1"
scontrol release "$job"
status=0
wait $sweep || status=$?
same "the exit status" $status 2
says "4 of 12 cells are missing"
gives 0 "$rubato" sweep --results "$work/cancelled" "${all[@]}"
says "8 of 12 cells are done already"
same_tables "cancelled" "$work/here" "$work/cancelled"

# What sbatch refuses is told.
refused "sbatch ended with exit status 1" "$rubato" sweep --results "$work/refused" --slurm --slurm-options --partition=none "${all[@]}"
done_checking 16
