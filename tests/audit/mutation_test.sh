#!/bin/bash
# mutation_test.sh - breaks the engine in one way after another and requires that the auditor names
# each by the right check. A mutant is one source file with one text replaced, compiled with the flags
# of this build and linked before the libraries that hold the unbroken object. Nothing is written into
# the source tree or the build folder.
set -u -o pipefail

build=${RUBATO_BUILD:?the build folder}
bin=${RUBATO_BIN:?the folder of the programs}
here=tests/audit
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
mutants=0

fail()
{
    echo "FAILED $1: $2"
    failures=$((failures + 1))
}

# The compiler call for source file $1, without its input and output.
compile_call()
{
    awk -v file="\"$PWD/$1\"" '
        $1 == "\"command\":" { command = $0 }
        $1 == "\"file\":" && index($0, file) { print command; exit }' \
        "$build/compile_commands.json" |
        sed -e 's/^ *"command": "//' -e 's/",$//' -e 's/\\\(["\\/]\)/\1/g' -e 's/ -o .* -c .*$//'
}

# The call that links the full scheduler, and the folder it is made in.
full=scheduler
[ ! -e "$bin/scheduler-full" ] || full=scheduler-full
if [ -f "$build/build.ninja" ]; then
    ninja=$(sed -n 's/^CMAKE_MAKE_PROGRAM:[A-Z]*=//p' "$build/CMakeCache.txt")
    link_call=$("$ninja" -C "$build" -t commands "bin/$full" | tail -n 1)
    link_folder=$build
else
    link_call=$(cat "$build/scheduler/CMakeFiles/scheduler.dir/link.txt")
    link_folder=$build/scheduler
fi
case $link_call in
*" -o "*scheduler*) ;;
*)
    echo "cannot tell how the scheduler is linked: $link_call"
    exit 1
    ;;
esac

# Puts $3 in the place of $2 in file $1, which must hold $2 exactly once.
replace()
{
    FROM=$2 TO=$3 awk '
        BEGIN { from = ENVIRON["FROM"]; to = ENVIRON["TO"] }
        {
            line = $0
            out = ""
            while ((at = index(line, from)) > 0) {
                out = out substr(line, 1, at - 1) to
                line = substr(line, at + length(from))
                found++
            }
            print out line
        }
        END { exit found == 1 ? 0 : 1 }' "$1"
}

simulate() # PROGRAM POLICY FOLDER RULES
{
    "$1" --cluster_spec=$here/cluster.csv --trace_file=$here/small.csv --schedule="$2" \
        --rules="$4" --restart_threshold=7 --scheduling_slot=10 --throughputs=$here/throughputs \
        --log_path="$3" >"$scratch/out" 2>&1
}

# Compiles $scratch/mutant.c in the place of source file $1 and links program $2.
make_mutant()
{
    local call

    call=$(compile_call "$1")
    if [ -z "$call" ]; then
        echo "compile_commands.json does not know $1"
        return 1
    fi
    (cd "$build" && eval "$call -w -o '$scratch/mutant.o' -c '$scratch/mutant.c'") &&
        (cd "$link_folder" &&
            eval "$(sed -E "s# -o (\"[^\"]*$full\"|[^ ]*$full) # -o '$2' '$scratch/mutant.o' #" <<<"$link_call")")
}

# NAME SOURCE POLICY CHECK TEXT REPLACEMENT [RULES]
mutant()
{
    local name=$1 source=$2 policy=$3 check=$4 program=$scratch/scheduler results=$scratch/results

    mutants=$((mutants + 1))
    rm -rf "$results" "$program"
    if ! replace "$source" "$5" "$6" >"$scratch/mutant.c"; then
        fail "$name" "$source does not hold this text exactly once any more: $5"
        return
    fi
    if ! make_mutant "$source" "$program" >"$scratch/out" 2>&1; then
        fail "$name" "the mutant cannot be built: $(head -n 3 "$scratch/out")"
    elif ! simulate "$program" "$policy" "$results" "${7:-reference}"; then
        fail "$name" "the mutant does not run: $(head -n 3 "$scratch/out")"
    else
        "$bin/rubato" audit --all "$results" >"$scratch/findings"
        if [ $? -ne 1 ]; then
            fail "$name" "the auditor finds nothing wrong: $(tail -n 1 "$scratch/findings")"
        elif ! grep -q "^VIOLATION ${check}[ :]" "$scratch/findings"; then
            fail "$name" "the auditor does not say $check, but $(
                awk '$1 == "VIOLATION" { print $2 }' "$scratch/findings" | sort | uniq -c | tr -s ' \n' ' '
            )"
        else
            echo "ok $name: $(grep -m 1 "^VIOLATION ${check}[ :]" "$scratch/findings")"
        fi
    fi
}

for policy in ef-accessctrl ef edf edf-accessctrl; do
    for rules in reference clean; do
        if ! simulate "$bin/scheduler" $policy "$scratch/$policy" $rules ||
            ! "$bin/rubato" audit "$scratch/$policy" >"$scratch/findings"; then
            fail "$policy" "the unbroken engine, $rules rules: $(
                grep -h VIOLATION "$scratch/out" "$scratch/findings"
            )"
        fi
    done
done

mutant "a full node is given to another job" scheduler/placement/elastic.c \
    ef-accessctrl gpu-held-twice \
    'if (set->used + request->gpus > set->capacity)' \
    'if (set->used + request->gpus >
         set->capacity + (request->gpus == 1 && label == own_label && set->nodes[0] < 7))'

mutant "every job sits one node further on" scheduler/report/report.c \
    edf outside-cluster \
    'int rank = node * per_node;' 'int rank = (node + 1) * per_node;'

mutant "a job gets fewer GPUs than planned" scheduler/engine/place.c \
    ef-accessctrl size-mismatch \
    '.gpus = job_gpus(job)}' \
    '.gpus = job_gpus(job) > 4 ? 4 : job_gpus(job)}'

mutant "work is credited twice" scheduler/backend/backend_sim.c \
    edf work-overcredited \
    '.iterations = (double)worked_s * rate,' '.iterations = 2 * (double)worked_s * rate,'

mutant "the last piece of work is forgotten" scheduler/engine/retire.c \
    edf-accessctrl work-uncredited \
    'job->iterations_credited += progress->iterations;' \
    'job->iterations_credited += self->elapsed_s > 20 ? progress->iterations : 0;'

mutant "overheads cost nothing" scheduler/backend/backend_sim.c \
    edf-accessctrl work-overcredited \
    'worked_s = worked_s < job->overhead_s ? 0 : worked_s - job->overhead_s;' \
    'worked_s = worked_s < job->overhead_s ? 0 : worked_s;'

mutant "periodic restarts are left out" scheduler/backend/backend_sim.c \
    ef end-mismatch \
    'self->rounds > 0 && self->rounds %' 'self->rounds < 0 && self->rounds %'

mutant "a job trains faster than its GPUs can" scheduler/backend/backend_sim.c \
    ef-accessctrl work-overcredited \
    '.iterations = (double)worked_s * rate,' \
    '.iterations = (double)worked_s * job->scaling->rate[job->scaling->reach],'

mutant "a job is lost" scheduler/engine/retire.c \
    edf never-retired \
    '    report_retired(' '    if (job->number != 5) report_retired('

mutant "a job is retired twice" scheduler/engine/retire.c \
    ef retired-twice \
    '    report_retired(' '    for (int i = 0; i < 1 + (job->number == 5); i++) report_retired('

mutant "a job keeps its GPUs after its retirement" scheduler/engine/retire.c \
    edf after-retirement \
    'job->end_s : self->now_s);' 'job->end_s : self->now_s - self->elapsed_s);'

mutant "the cap of ElasticFlow is ignored" scheduler/policies/ef.c \
    ef-accessctrl over-cap \
    '{"gpt2", 128, 16}' '{"gpt2", 128, 32}'

mutant "deadlines are not checked" scheduler/engine/retire.c \
    edf late-but-accepted \
    'if (ended_s > job->deadline_s) {' 'if (ended_s > job->deadline_s && ended_s < 0) {'

mutant "deadlines are not checked with admission control" scheduler/engine/retire.c \
    ef-accessctrl late-but-accepted \
    'if (ended_s > job->deadline_s) {' 'if (ended_s > job->deadline_s && ended_s < 0) {'

mutant "a late job counts as declined and accepted" scheduler/engine/retire.c \
    ef count-mismatch \
    'self->accepted--;' ';'

mutant "best-effort jobs count as accepted" scheduler/engine/adopt.c \
    ef-accessctrl count-mismatch \
    'self->accepted += !job->best_effort;' 'self->accepted++;'

mutant "declined jobs are not counted" scheduler/engine/admit.c \
    edf-accessctrl count-mismatch \
    'self->declined++;' ';'

mutant "jobs run before they are submitted" scheduler/engine/engine.c \
    edf before-submission \
    'event_queue_add_start(self->events, job, job->submit_s);' \
    'event_queue_add_start(self->events, job, job->submit_s - (job->submit_s > 40 ? 40 : 0));'

mutant "starts are recorded a second late" scheduler/engine/adopt.c \
    ef start-mismatch \
    'job->start_s = self->now_s;' 'job->start_s = self->now_s + 1;'

mutant "ends are recorded a second late" scheduler/report/report.c \
    edf end-mismatch \
    'job->start_s, job->end_s, job->deadline_s};' 'job->start_s, job->end_s + 1, job->deadline_s};'

mutant "deadlines are recorded a second early" scheduler/report/report.c \
    edf record-mismatch \
    'job->start_s, job->end_s, job->deadline_s};' 'job->start_s, job->end_s, job->deadline_s - 1};'

mutant "GPU seconds are counted twice" scheduler/engine/retire.c \
    ef gpu-seconds-mismatch \
    'job->gpu_seconds += self->elapsed_s * job_gpus(job);' \
    'job->gpu_seconds += 2 * self->elapsed_s * job_gpus(job);'

mutant "events of a slot are not merged" scheduler/engine/event_queue.c \
    ef-accessctrl slot-cut-short \
    'first->at_s - now_s > slot_s ||' 'self->count >= 1 ||'

mutant "jobs are seen long after they are submitted" scheduler/engine/engine.c \
    edf arrival-missed \
    'event_queue_add_start(self->events, job, job->submit_s);' \
    'event_queue_add_start(self->events, job, job->submit_s + (job->submit_s > 40 ? 40 : 0));'

mutant "rounds are counted twice" scheduler/report/report.c \
    edf rounds-mismatch \
    'self->round_count++;' 'self->round_count += 2;'

mutant "every group of ranks is built anew" scheduler/backend/backend_sim.c \
    edf-accessctrl work-uncredited \
    'if (seen)' 'if (seen && gpus < 0)'

mutant "jobs end halfway" scheduler/policies/edf_planner.c \
    edf work-not-done \
    'ceil(entry->at_s + left / rate)' 'ceil(entry->at_s + left / 2 / rate)'

mutant "the slot is taken for the restart threshold" scheduler/engine/engine.c \
    edf-accessctrl work-uncredited \
    'setting->policy->rules.restart == RESTART_BY_SLOT' \
    'setting->policy->rules.restart != RESTART_BY_SLOT + 1' clean

mutant "nothing changed, but everybody pays" scheduler/engine/place.c \
    ef-accessctrl end-mismatch \
    'job->ranks != job->ranks_before' 'job->level > 0' clean

mutant "a job that moves pays nothing" scheduler/engine/place.c \
    ef work-not-done \
    'job->ranks != job->ranks_before' 'job->start_s == self->now_s' clean

mutant "a job is done with work left" scheduler/backend/backend_sim.c \
    ef work-not-done \
    'if (job->iterations_left - progress->iterations >' \
    'if (job->iterations_left - progress->iterations - 100 >' clean

mutant "a job that is done works on" scheduler/backend/backend_sim.c \
    ef-accessctrl work-overcredited \
    'progress->iterations = job->iterations_left;' 'progress->ended_s += 0;' clean

mutant "the end of the work is not when it was done" scheduler/engine/retire.c \
    ef end-mismatch \
    'return job->done_s;' 'return self->now_s;' clean

mutant "the fastest size is missed" scheduler/policies/policy.c \
    edf over-cap \
    'if (row->iters_per_s[i] > best) { /* never true of a NaN */' 'if (true) {' clean

mutant "jobs that are done count as preempted" scheduler/engine/metrics.c \
    edf count-mismatch \
    'self->holding - self->ended;' 'self->holding;'

mutant "resizes count as migrations" scheduler/engine/metrics.c \
    ef count-mismatch \
    'self->resizes++;' 'self->migrations++;'

mutant "a job stays as long as its first node does" scheduler/engine/metrics.c \
    ef count-mismatch \
    'for (int i = 0; i < set->node_count; i++)' 'for (int i = 0; i < 1; i++)'

mutant "queueing delays are a second too long" scheduler/engine/metrics.c \
    ef count-mismatch \
    '(double)(self->now_s - job->submit_s);' '(double)(self->now_s - job->submit_s + 1);'

echo "$((mutants - failures)) of $mutants mutants named"
[ $failures -eq 0 ]
