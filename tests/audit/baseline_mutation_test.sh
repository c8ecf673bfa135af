#!/bin/bash
# baseline_mutation_test.sh - the auditor names what is broken in an engine for jobs of fixed size.
source "$(dirname "$0")/mutants.sh"

unbroken gandiva dlas-gpu themis fifo fifo-first-fit srtf

mutant "a job that waits for its turn is credited" scheduler/engine/retire.c \
    gandiva work-overcredited \
    'if (job->was_turned_away)' \
    'job->attained_s += job->state == JOB_RUNNING; if (job->was_turned_away)'

mutant "a preempted job is credited" scheduler/engine/retire.c \
    dlas-gpu work-overcredited \
    'if (job->level == 0) {' 'if (job->level == 0 && job->state != JOB_RUNNING) {'

mutant "a set of nodes has more jobs than GPUs" scheduler/state/slice_sets.c \
    gandiva gpu-held-twice \
    'set->capacity = class->nodes * self->gpus_per_node / class->gpus;' \
    'set->capacity = class->nodes * self->gpus_per_node / class->gpus * 2;'

mutant "an end that is noticed late is recorded late" scheduler/backend/backend_sim.c \
    gandiva end-mismatch \
    '.ended_s = now_s - beyond_s};' '.ended_s = now_s};'

mutant "a job gets more GPUs than it asked for" scheduler/engine/place.c \
    themis over-cap \
    '.gpus = job_gpus(job)}' '.gpus = job_gpus(job) == 1 ? 2 : job_gpus(job)}'

mutant "a job gets fewer GPUs than it asked for" scheduler/engine/place.c \
    dlas-gpu not-as-asked \
    '.gpus = job_gpus(job)}' '.gpus = job_gpus(job) > 4 ? 4 : job_gpus(job)}'

mutant "whoever resumes pays nothing" scheduler/engine/place.c \
    dlas-gpu work-overcredited \
    'if (restart || job->resumed_s == self->now_s)' 'if (restart)'

mutant "nobody on a set of nodes pays" scheduler/engine/place.c \
    gandiva work-overcredited \
    'if (self->live.items[i]->state == JOB_RUNNING)' \
    'if (self->live.items[i]->state == JOB_RUNNING && self->now_s < 0)'

mutant "everybody on a set of nodes pays although nobody has to" scheduler/policies/quirks.c \
    gandiva work-uncredited \
    'policy->rules.charge = CHARGE_NOBODY;' ';' GA-Q10

mutant "what is left of an overhead is not forgiven" scheduler/engine/retire.c \
    dlas-gpu work-uncredited \
    'job->overhead_s = self->rules->rest == REST_IS_CARRIED &&' \
    'job->overhead_s = self->rules->rest != REST_IS_CARRIED &&' TI-Q4

mutant "a slot is left out" scheduler/engine/forecast.c \
    themis slot-skipped \
    'return self->now_s + self->setting.slot_s;' \
    'return self->now_s + self->setting.slot_s * (self->rounds == 40 ? 2 : 1);'

mutant "there are rounds between arrivals" scheduler/engine/forecast.c \
    gandiva slot-cut-short \
    'self->rules->tick == TICK_AFTER_ARRIVALS && first' \
    'self->rules->tick == TICK_AFTER_ARRIVALS && false'

mutant "iterations are credited twice" scheduler/backend/backend_sim.c \
    themis work-overcredited \
    'progress.iterations = (double)progress.worked_s * job->scaling->rate[job->level];' \
    'progress.iterations = 2 * (double)progress.worked_s * job->scaling->rate[job->level];'

mutant "iterations end when they are done" scheduler/engine/retire.c \
    themis end-mismatch \
    'progress->iterations_done && self->rules->iterations_end == ENDS_WITH_INTERVAL' \
    'progress->iterations_done && self->rules->iterations_end != ENDS_WITH_INTERVAL'

mutant "seconds are taken for iterations" scheduler/engine/retire.c \
    themis record-mismatch \
    'return is_done_by_seconds(self, job) ?' 'return !is_done_by_seconds(self, job) ?'

mutant "GPUs are given back before the slot is over" scheduler/engine/forecast.c \
    dlas-gpu end-mismatch \
    'self->rules->holds == HOLDS_FOR_SLOT;' 'self->rules->holds != HOLDS_FOR_SLOT;'

mutant "GPUs are held on for a slot" scheduler/engine/forecast.c \
    dlas-gpu end-mismatch \
    'self->rules->holds == HOLDS_FOR_SLOT;' 'self->rules->holds != HOLDS_FOR_SLOT;' clean

mutant "an end foresees no overhead" scheduler/engine/place.c \
    dlas-gpu work-not-done \
    'self->rules->foresees == FORESEES_OVERHEAD' 'self->rules->foresees != FORESEES_OVERHEAD' clean

mutant "an end is recorded in the round that saw it" scheduler/engine/retire.c \
    dlas-gpu record-mismatch \
    'self->rules->record == RECORD_END ? job->end_s : self->now_s' 'self->now_s'

mutant "who does not fit holds up all others" scheduler/policies/themis.c \
    themis idle-gpus \
    'continue;' 'break;'

mutant "who does not fit holds up his queue" scheduler/policies/dlas_gpu.c \
    dlas-gpu idle-gpus \
    'if (job->gpus_requested > *free_gpus)' \
    'if (job->gpus_requested > *free_gpus ? (*free_gpus = 0, true) : false)'

mutant "first come, first served, but for those who do not fit" scheduler/policies/fifo.c \
    fifo out-of-turn \
    'blocked = in_order;' 'blocked = false;'

mutant "starts on a set of nodes are recorded late" scheduler/engine/adopt.c \
    gandiva start-mismatch \
    'job->start_s = self->now_s;' 'job->start_s = self->now_s + 1;'

mutant "GPU seconds of turns are counted twice" scheduler/engine/retire.c \
    gandiva gpu-seconds-mismatch \
    'job->gpu_seconds += self->elapsed_s * job_gpus(job);' \
    'job->gpu_seconds += 2 * self->elapsed_s * job_gpus(job);' clean

all_named
