#!/usr/bin/env bash
# full_disk_test.sh - the disk of checkpoints is full while a job has to make room for another: the job is stopped all
# the same, its scheduler is told why what it did is lost, and it goes on from its last checkpoint. When there is space
# again checkpoints are written again, without a restart of anything.
#
#   full_disk_test.sh [files]     files: none can be made, so that a program has no log; it runs all the same
source tests/e2e/testbed.sh

mount -t tmpfs -o size=256k,nr_inodes=64 none "$shared" || exit 77
mkdir -p "$shared/locks" "$shared/logs" "$shared/jobs/0"
if [ "${1:-}" = files ]; then
    for ((i = 0; i < 64; i++)); do
        : >"$shared/fill-$i" || break
    done 2>/dev/null
    start_master 1
    start_worker a 1 --stable-after=600
    start player "$tests/plan_player" --program=env 0
    await worker:a 'trainer:a.0 event=no-log job=0 .*/logs/job-0.inc-1.rank-0.log: cannot be written: No space left on device'
    ended player
    ended worker:a
    ended master
    rm "$shared"/fill-*
    judge
    umount "$shared"
    exit
fi
sentence="/checkpoint: cannot be written: No space left on device"
start_master 1
start_worker a 4 --checkpoint-interval=30
start_scheduler cluster_specs/n1g4.csv tests/e2e/traces/long_then_short.csv srtf --fastforward=False --time_scale=60

await worker:a 'trainer:a.0 event=checkpoint job=0 incarnation=1 .* step=[1-9]' >/dev/null
while ! cat /dev/zero >>"$shared/fill" 2>/dev/null; do
    [ "$(df --output=avail "$shared" | tail -n 1)" -gt 0 ] || break
done
await worker:a "trainer:a.0 event=unsaved job=0 .*$sentence"
await master "event=part job=0 incarnation=1 .* state=failed .*$sentence"
await scheduler "event=unsaved job=0 .*$sentence" >"$work/line"
saved=$(sed 's/.* step=\([0-9]*\) .*/\1/' "$work/line")
[ "$saved" -gt 0 ] || fail "the last checkpoint is not known: $(cat "$work/line")"
await worker:a 'trainer:a.0 event=hold job=1 incarnation=1 '
rm "$shared/fill"
await worker:a "trainer:a.0 event=hold job=0 incarnation=2 .* from=$saved"
await worker:a 'trainer:a.0 event=checkpoint job=0 incarnation=2 .* step=[1-9]' --after="$(lines worker:a)"
ended scheduler
ended worker:a
ended master
[ "$(tail -n +2 "$results/jobs.csv" | wc -l)" -eq 2 ] || fail "not all jobs have ended"
judge
umount "$shared"
