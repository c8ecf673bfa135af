#!/bin/bash
# mutation_test.sh - the auditor names what is broken in an engine for elastic jobs, and in what all
# policies share.
source "$(dirname "$0")/mutants.sh"

unbroken ef-accessctrl ef edf edf-accessctrl

mutant "a full node is given to another job" scheduler/placement/elastic.c \
    ef-accessctrl gpu-held-twice \
    '.capacity = nodes * gpus_per_node,' '.capacity = 2 * nodes * gpus_per_node,'

mutant "every job sits one node further on" scheduler/report/report.c \
    edf outside-cluster \
    'node * per_node + from - first' '(node + 1) * per_node + from - first'

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
    'return ended_s > job->deadline_s;' 'return false;'

mutant "deadlines are not checked with admission control" scheduler/engine/retire.c \
    ef-accessctrl late-but-accepted \
    'return ended_s > job->deadline_s;' 'return false;'

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
    'event_queue_add_start(self->events, job, round_sees_arrival_s(self, job));' \
    'event_queue_add_start(self->events, job, job->submit_s - (job->submit_s > 40 ? 40 : 0));'

mutant "starts are recorded a second late" scheduler/engine/adopt.c \
    ef start-mismatch \
    'job->start_s = self->now_s;' 'job->start_s = self->now_s + 1;'

mutant "ends are recorded a second late" scheduler/report/report.c \
    edf end-mismatch \
    'write_time(out, job_ended_s(job));' 'write_time(out, job_ended_s(job) + 1);'

mutant "deadlines are recorded a second early" scheduler/report/report.c \
    edf record-mismatch \
    'output_whole(out, job->deadline_s);' 'output_whole(out, job->deadline_s - 1);'

mutant "GPU seconds are counted twice" scheduler/engine/retire.c \
    ef gpu-seconds-mismatch \
    'job->gpu_seconds += self->elapsed_s * job_gpus(job);' \
    'job->gpu_seconds += 2 * self->elapsed_s * job_gpus(job);'

mutant "events of a slot are not merged" scheduler/engine/event_queue.c \
    ef-accessctrl slot-cut-short \
    'first->at_s - now_s > slot_s ||' 'self->count >= 1 ||'

mutant "jobs are seen long after they are submitted" scheduler/engine/engine.c \
    edf arrival-missed \
    'event_queue_add_start(self->events, job, round_sees_arrival_s(self, job));' \
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

all_named
