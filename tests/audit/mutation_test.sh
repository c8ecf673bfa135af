#!/bin/bash
# mutation_test.sh - what holds for every policy is really checked: the auditor names a breach of each, made
# in the engine, in a policy or in the report. What only a policy's own rules say is guarded by golden runs.
source "$(dirname "$0")/mutants.sh"

unbroken ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu themis chronus fifo fifo-first-fit srtf

# ---- GPUs and their holders ----

mutant "a full node is given to another job" scheduler/placement/elastic.c \
    ef-accessctrl gpu-held-twice \
    '.capacity = nodes * gpus_per_node,' '.capacity = 2 * nodes * gpus_per_node,'

mutant "a set of nodes has more jobs than GPUs" scheduler/state/slice_sets.c \
    gandiva gpu-held-twice \
    'set->capacity = class->nodes * self->gpus_per_node / class->gpus;' \
    'set->capacity = class->nodes * self->gpus_per_node / class->gpus * 2;'

mutant "every job sits one node further on" scheduler/report/report.c \
    edf outside-cluster \
    'node * per_node + from - first' '(node + 1) * per_node + from - first'

mutant "a job gets fewer GPUs than planned" scheduler/engine/place.c \
    ef-accessctrl size-mismatch \
    '.gpus = job_gpus(job)}' \
    '.gpus = job_gpus(job) > 4 ? 4 : job_gpus(job)}'

mutant "a job gets fewer GPUs than it asked for" scheduler/engine/place.c \
    dlas-gpu not-as-asked \
    '.gpus = job_gpus(job)}' '.gpus = job_gpus(job) > 4 ? 4 : job_gpus(job)}'

mutant "a job holds a GPU less than it trains on" scheduler/report/report.c \
    fifo no-rate \
    'output_whole(out, run->gpus);' 'output_whole(out, run->gpus > 2 ? run->gpus - 1 : run->gpus);'

# ---- the life of a job ----

mutant "jobs run before they are submitted" scheduler/engine/engine.c \
    edf before-submission \
    'event_queue_add_start(self->events, job, round_sees_arrival_s(self, job));' \
    'event_queue_add_start(self->events, job, job->submit_s - (job->submit_s > 40 ? 40 : 0));'

mutant "a job keeps its GPUs after its retirement" scheduler/engine/retire.c \
    edf after-retirement \
    'job->end_s : self->now_s);' 'job->end_s : self->now_s - self->elapsed_s);'

mutant "a job is lost" scheduler/engine/retire.c \
    edf never-retired \
    '    report_retired(' '    if (job->number != 5) report_retired('

mutant "a job is retired twice" scheduler/engine/retire.c \
    ef retired-twice \
    '    report_retired(' '    for (int i = 0; i < 1 + (job->number == 5); i++) report_retired('

mutant "starts are recorded a second late" scheduler/engine/adopt.c \
    ef start-mismatch \
    'job->start_s = self->now_s;' 'job->start_s = self->now_s + 1;'

mutant "ends are recorded a second late" scheduler/report/report.c \
    edf end-mismatch \
    'write_time(out, job_ended_s(job));' 'write_time(out, job_ended_s(job) + 1);'

mutant "ends are recorded a second early" scheduler/report/report.c \
    edf end-mismatch \
    'write_time(out, job_ended_s(job));' 'write_time(out, job_ended_s(job) - 1);'

mutant "deadlines are recorded a second early" scheduler/report/report.c \
    edf record-mismatch \
    'output_whole(out, job->deadline_s);' 'output_whole(out, job->deadline_s - 1);'

# ---- work ----

mutant "work is credited twice" scheduler/backend/backend_sim.c \
    fifo work-overcredited \
    '.iterations = (double)worked_s * rate,' '.iterations = 2 * (double)worked_s * rate,'

mutant "the last piece of work is forgotten" scheduler/engine/retire.c \
    fifo work-uncredited \
    'job->iterations_credited += progress->iterations;' \
    'job->iterations_credited += self->elapsed_s > 20 ? progress->iterations : 0;'

mutant "a job trains faster than its GPUs can" scheduler/backend/backend_sim.c \
    fifo work-overcredited \
    '.iterations = (double)worked_s * rate,' \
    '.iterations = (double)worked_s * job->scaling->rate[job->scaling->reach] * 1.01,'

mutant "a preempted job is credited" scheduler/engine/retire.c \
    dlas-gpu work-overcredited \
    'if (job->level == 0) {' 'if (job->level == 0 && job->state != JOB_RUNNING) {'

mutant "a job that waits for its turn is credited" scheduler/engine/retire.c \
    gandiva work-overcredited \
    'if (job->was_turned_away)' \
    'job->attained_s += job->state == JOB_RUNNING; if (job->was_turned_away)' clean

mutant "time on leased GPUs is credited twice" scheduler/backend/backend_sim.c \
    chronus work-overcredited \
    '.worked_s = now_s - lease->since_s};' '.worked_s = 2 * (now_s - lease->since_s)};' clean

mutant "jobs end halfway" scheduler/policies/edf_planner.c \
    edf work-not-done \
    'ceil(entry->at_s + left / rate)' 'ceil(entry->at_s + left / 2 / rate)'

mutant "a job is done with work left" scheduler/backend/backend_sim.c \
    ef work-not-done \
    'if (job->iterations_left - progress->iterations >' \
    'if (job->iterations_left - progress->iterations - 100 >' clean

mutant "an end foresees no overhead" scheduler/engine/place.c \
    dlas-gpu work-uncredited \
    'self->rules->foresees == FORESEES_OVERHEAD' 'self->rules->foresees != FORESEES_OVERHEAD' clean

mutant "GPU seconds are counted twice" scheduler/engine/retire.c \
    ef gpu-seconds-mismatch \
    'job->gpu_seconds += self->elapsed_s * job_gpus(job);' \
    'job->gpu_seconds += 2 * self->elapsed_s * job_gpus(job);'

# ---- verdicts and promises ----

mutant "every job is promised its deadline" scheduler/policies/lease_admission.c \
    chronus promise-broken \
    'if (look->rules->fits(batch, lease)) {' 'if (look->rules->fits(batch, lease) || true) {'

mutant "a job that is declined runs" scheduler/engine/admit.c \
    edf-accessctrl declined-but-ran \
    'if (job->state == JOB_DECLINED) {' 'if (job->state == JOB_DECLINED || job->number == 5) {'

mutant "a job is not told" scheduler/report/outcome_report.c \
    fifo never-decided \
    'write_decision(&self->decisions[i], out);' 'if (i != 5) write_decision(&self->decisions[i], out);'

mutant "a job is told twice" scheduler/engine/admit.c \
    fifo decided-twice \
    'report_decided(self->report,' \
    'for (int i = 0; i < 1 + (self->arrivals.items[k]->number == 5); i++) report_decided(self->report,'

mutant "jobs are told before they are there" scheduler/engine/admit.c \
    fifo before-submission \
    'self->now_s, &verdict);' 'self->now_s - 1, &verdict);'

mutant "a promise is another deadline" scheduler/policies/policy.c \
    edf-accessctrl verdict-mismatch \
    'return job->deadline_s;' 'return job->deadline_s + 1;'

mutant "a decline has another reason" scheduler/admission/one_by_one.c \
    edf-accessctrl verdict-mismatch \
    'REASON_NO_ROOM' 'REASON_TOO_LARGE'

mutant "a late job is on time" scheduler/report/outcome_report.c \
    edf outcome-mismatch \
    '<= (double)due_s' '<= (double)due_s + 100'

# ---- counts ----

mutant "late promises are kept" scheduler/report/outcome_report.c \
    edf-accessctrl count-mismatch \
    'outcome == OUTCOME_LATE ||' 'false ||'

mutant "best effort is not on time" scheduler/report/outcome_report.c \
    edf count-mismatch \
    'on_time && !promised;' 'on_time && promised;'

mutant "declined jobs are not counted" scheduler/engine/admit.c \
    edf-accessctrl count-mismatch \
    'self->declined++;' ';'

mutant "rounds are counted twice" scheduler/report/report.c \
    edf rounds-mismatch \
    'self->round_count++;' 'self->round_count += 2;'

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

# ---- what a policy alone says ----

guarded_alone scheduler/backend/backend_sim.c golden_test.sh \
    'worked_s = worked_s < job->overhead_s ? 0 : worked_s - job->overhead_s;'

guarded "overheads cost nothing" scheduler/backend/backend_sim.c golden_test.sh \
    'worked_s = worked_s < job->overhead_s ? 0 : worked_s - job->overhead_s;' \
    'worked_s = worked_s < job->overhead_s ? 0 : worked_s;'

guarded "periodic restarts are left out" scheduler/backend/backend_sim.c golden_test.sh \
    'self->rounds > 0 && self->rounds %' 'self->rounds < 0 && self->rounds %'

guarded "every group of ranks is built anew" scheduler/backend/backend_sim.c golden_test.sh \
    'if (seen)' 'if (seen && gpus < 0)'

guarded "the cap of ElasticFlow is ignored" scheduler/policies/ef.c golden_test.sh \
    '{"bert", 0, 16},  {"cifar10"' '{"bert", 0, 32},  {"cifar10"'

guarded "deadlines are not checked" scheduler/engine/retire.c golden_test.sh \
    'return ended_s > job->deadline_s;' 'return false;'

guarded "a late job counts as declined and accepted" scheduler/engine/retire.c golden_test.sh \
    'self->accepted--;' ';'

guarded "events of a slot are not merged" scheduler/engine/event_queue.c golden_test.sh \
    'first->at_s - now_s > slot_s ||' 'self->count >= 1 ||'

guarded "jobs are seen after they are submitted" scheduler/engine/engine.c golden_test.sh \
    'event_queue_add_start(self->events, job, round_sees_arrival_s(self, job));' \
    'event_queue_add_start(self->events, job, job->submit_s + 1);'

guarded "an end that is noticed late is recorded late" scheduler/backend/backend_sim.c golden_test.sh \
    '.ended_s = now_s - beyond_s};' '.ended_s = now_s};'

guarded "a job that resumes pays nothing" scheduler/engine/place.c golden_test.sh \
    'if (restart || job->resumed_s == self->now_s)' 'if (restart)'

guarded "there are rounds between arrivals" scheduler/engine/forecast.c golden_test.sh \
    'self->rules->tick == TICK_AFTER_ARRIVALS && first' \
    'self->rules->tick == TICK_AFTER_ARRIVALS && false'

guarded "a job that does not fit holds up its queue" scheduler/policies/dlas_gpu.c golden_test.sh \
    'if (job->gpus_requested > *free_gpus)' \
    'if (job->gpus_requested > *free_gpus ? (*free_gpus = 0, true) : false)'

guarded "estimates have another margin" scheduler/policies/lease_admission.c chronus_test.sh \
    '#define ESTIMATE_MARGIN 1.1' '#define ESTIMATE_MARGIN 1.5'

guarded "waiting is not credited" scheduler/policies/lease_round.c chronus_test.sh \
    'return lease->since_s;' 'return lease->since_s < now_s ? now_s : now_s;'

guarded "starts cost the same on all GPUs" scheduler/state/lease_book.c chronus_test.sh \
    '(1 + log2((double)lease->job->gpus_requested));' '(1 + log2(1.0));'

guarded "plans are read a slot late" scheduler/policies/lease_round.c chronus_test.sh \
    'slot_runs_has(&lease->plan, look->slot)' 'slot_runs_has(&lease->plan, look->slot - 1)'

all_named
