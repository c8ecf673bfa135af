#!/usr/bin/env bash
# sbatch_rate.sh FOLDER COUNT PARALLEL - jobs a second that sbatch submits to a slurmctld with one slurmd of its own, COUNT
# of them, PARALLEL at a time. Run by client.sh as root, in a network and with processes of its own.
set -euo pipefail
slurm=$1 count=$2 parallel=$3 host=$(hostname -s)

ip link set lo up
ip address add 10.7.7.1/32 dev lo # names are not looked up where every address is a loopback
mkdir -p "$slurm/state" "$slurm/spool"
export SLURM_CONF=$slurm/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=rubato
SlurmctldHost=$host(10.7.7.1)
SlurmctldPort=7001
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host NodeAddr=10.7.7.1 Port=7002 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
slurmctld -D -f "$SLURM_CONF" >"$slurm/slurmctld.out" 2>&1 &
slurmd -D -N n1 -f "$SLURM_CONF" >"$slurm/slurmd.out" 2>&1 &
tries=0
until sinfo --noheader --format=%T 2>/dev/null | grep -q idle; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { tail -n 3 "$slurm"/*.out >&2 && exit 1; }
    sleep 0.1
done
printf '#!/bin/sh\ntrue\n' >"$slurm/job.sh"
started=$(date +%s%N)
# They wait, as Rubato's do: nothing is started meanwhile.
seq "$count" | xargs -P "$parallel" -I{} sbatch --quiet --hold --output=/dev/null "$slurm/job.sh"
awk -v count="$count" -v ns="$(($(date +%s%N) - started))" 'BEGIN { printf "%.0f\n", count / (ns / 1e9) }'
