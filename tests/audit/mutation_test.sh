#!/bin/bash
# mutation_test.sh - what holds for every policy is really checked: the auditor names a breach of each, made
# in the engine, in a policy or in the report. What only a policy's own rules say is guarded by golden runs.
source "$(dirname "$0")/mutants.sh"

unbroken ef-accessctrl ef edf edf-accessctrl gandiva dlas-gpu themis chronus fifo fifo-first-fit srtf

# ---- GPUs and their holders ----

mutant "a full node is given to another job" scheduler/reference/elastic_placement.c \
    ef-accessctrl gpu-held-twice \
    '.capacity = nodes * gpus_per_node,' '.capacity = 2 * nodes * gpus_per_node,'

mutant "all jobs of a set of nodes hold its first GPUs" scheduler/reference/gandiva_rounds.c \
    gandiva gpu-held-twice \
    'for (size_t i = 0; i < running; i++)' \
    'for (size_t i = 0; layout->sets[layout->set_count - 1].used = 0, i < running; i++)'

mutant "every job sits one node further on" scheduler/report/layout_line.c \
    edf outside-cluster \
    'rank + from - first' 'rank + per_node + from - first'

mutant "a job gets fewer GPUs than planned" scheduler/engine/place.c \
    ef-accessctrl size-mismatch \
    'round_request(self, jobs->items[i]);' \
    '{ round_request(self, jobs->items[i]);
       if (job_gpus(jobs->items[i]) > 4) self->requests.items[self->requests.count - 1].gpus = 4; }'

mutant "a job gets fewer GPUs than it asked for" scheduler/reference/artifact_place.c \
    dlas-gpu not-as-asked \
    'own = requests->items[i];' 'own = requests->items[i]; own.gpus = own.gpus > 4 ? 4 : own.gpus;'

mutant "a job holds a GPU less than it trains on" scheduler/report/layout_line.c \
    fifo no-rate \
    'digits_put(at, run->gpus);' 'digits_put(at, run->gpus > 2 ? run->gpus - 1 : run->gpus);'

# ---- the life of a job ----

mutant "jobs run before they are submitted" scheduler/reference/artifact.c \
    edf before-submission \
    'at_s > self->now_s ? at_s : self->now_s);' \
    'at_s - 40 > self->now_s ? at_s - 40 : self->now_s);'

mutant "a job keeps its GPUs after its retirement" scheduler/reference/artifact_retire.c \
    edf after-retirement \
    'return self->now_s;' 'return self->now_s - self->elapsed_s;'

mutant "a job is lost" scheduler/run/run.c \
    edf never-retired \
    '    report_retired(' '    if (retired->job->submission->number != 5) report_retired('

mutant "a job is retired twice" scheduler/run/run.c \
    ef retired-twice \
    '    report_retired(' \
    '    for (int i = 0; i < 1 + (retired->job->submission->number == 5); i++) report_retired('

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
    'output_whole(out, job->submission->deadline_s);' 'output_whole(out, job->submission->deadline_s - 1);'

# ---- work ----

mutant "work is credited twice" scheduler/engine/work.c \
    fifo work-overcredited \
    '.iterations = (double)worked_s * rate,' '.iterations = 2 * (double)worked_s * rate,'

mutant "the last piece of work is forgotten" scheduler/engine/work.c \
    fifo work-uncredited \
    'job->iterations_credited += progress->iterations;' \
    'job->iterations_credited += self->elapsed_s > 20 ? progress->iterations : 0;'

mutant "a job trains faster than its GPUs can" scheduler/engine/work.c \
    fifo work-overcredited \
    'const double rate = job->grant.rate;' \
    'const double rate = 1.05 * job->grant.rate;'

mutant "a preempted job is credited" scheduler/engine/occurrences.c \
    dlas-gpu work-overcredited \
    'if (!job_holds(job))' 'if (!job_holds(job) && job->state != JOB_RUNNING)'

mutant "a job that loses its turn is credited" scheduler/reference/gandiva_turns.c \
    gandiva work-overcredited \
    'if (own->turned_away && memory->charged)' \
    'job->attained_s += 1; if (own->turned_away && memory->charged)' clean

mutant "time on leased GPUs is credited twice" scheduler/reference/leased_rounds.c \
    chronus work-overcredited \
    '.worked_s = interval.now_s - lease->since_s};' \
    '.worked_s = 2 * (interval.now_s - lease->since_s)};' clean

mutant "jobs end halfway" scheduler/reference/edf_planner.c \
    edf work-not-done \
    'ceil(entry->at_s + left / rate)' 'ceil(entry->at_s + left / 2 / rate)'

mutant "a job is done with work left" scheduler/engine/work.c \
    ef work-not-done \
    'if (job->iterations_left - progress->iterations >' \
    'if (job->iterations_left - progress->iterations - 100 >' clean

mutant "an end foresees no overhead" scheduler/reference/tiresias_rounds.c \
    dlas-gpu work-uncredited \
    '(foreseen ? job->overhead_s : 0)' '(foreseen ? 0 : job->overhead_s)' clean

mutant "GPU seconds are counted twice" scheduler/engine/occurrences.c \
    ef gpu-seconds-mismatch \
    'job->gpu_seconds += gpu_s;' 'job->gpu_seconds += 2 * gpu_s;'

# ---- verdicts and promises ----

mutant "every job is promised its deadline" scheduler/reference/lease_admission.c \
    chronus promise-broken \
    'if (look->rules->fits(batch, lease)) {' 'if (look->rules->fits(batch, lease) || true) {'

mutant "a job that is declined runs" scheduler/engine/admit.c \
    edf-accessctrl declined-but-ran \
    'if (verdicts[k].kind == VERDICT_DECLINED) {' \
    'if (verdicts[k].kind == VERDICT_DECLINED && self->status.declined > 0) {'

mutant "a job is not told" scheduler/report/outcome_report.c \
    fifo never-decided \
    'write_told(self, &self->told[i], out);' 'if (i != 5) write_told(self, &self->told[i], out);'

mutant "a job is told twice" scheduler/run/run.c \
    fifo decided-twice \
    'report_decided(self->report,' \
    'for (int n = 0; n < 1 + (decision->decided[i].job->submission->number == 5); n++) report_decided(self->report,'

mutant "jobs are told before they are there" scheduler/run/run.c \
    fifo before-submission \
    'decision->decided[i].job, decision->now_s,' 'decision->decided[i].job, decision->now_s - 1,'

mutant "a promise is another deadline" scheduler/report/outcome_report.c \
    edf-accessctrl verdict-mismatch \
    'output_whole(out, told->verdict.promised_s);' 'output_whole(out, told->verdict.promised_s + 1);'

mutant "a decline has another reason" scheduler/reference/one_by_one.c \
    edf-accessctrl verdict-mismatch \
    'REASON_NO_ROOM' 'REASON_TOO_LARGE'

mutant "a late job is on time" scheduler/report/outcome_report.c \
    edf outcome-mismatch \
    '<= (double)due_s' '<= (double)due_s + 100'

mutant "a slack is a second short" scheduler/report/outcome_report.c \
    edf outcome-mismatch \
    'deadline_s(told) - (int64_t)ceil(told->ended_s)' 'deadline_s(told) - (int64_t)ceil(told->ended_s) - 1'

mutant "a history promises another deadline" scheduler/report/outcome_report.c \
    edf-accessctrl history-mismatch \
    'again ? "again " : "",' 'again ? "again " : "1",'

mutant "a history begins a second late" scheduler/report/outcome_report.c \
    edf-accessctrl history-mismatch \
    'write_promise(told->at_s, false' 'write_promise(told->at_s + 1, false'

mutant "a history gives another reason" scheduler/report/outcome_report.c \
    edf-accessctrl history-mismatch \
    'verdict_words[first->kind],' 'verdict_words[(first->kind ^ 3) % 3],'

# ---- counts ----

mutant "late promises are kept" scheduler/report/outcome_report.c \
    edf-accessctrl count-mismatch \
    'outcome == OUTCOME_LATE ||' 'false ||'

mutant "best effort is not on time" scheduler/report/outcome_report.c \
    edf count-mismatch \
    '+= !verdict_promises(&told->verdict);' '+= verdict_promises(&told->verdict);'

mutant "declined jobs are not counted" scheduler/engine/admit.c \
    edf-accessctrl count-mismatch \
    'self->status.declined++;' ';'

mutant "rounds are counted twice" scheduler/report/report.c \
    edf rounds-mismatch \
    'self->round_count++;' 'self->round_count += 2;'

mutant "jobs that are done count as preempted" scheduler/run/metrics.c \
    edf count-mismatch \
    '+= change->reason != CHANGE_DONE;' '+= 1;'

mutant "resizes count as migrations" scheduler/run/metrics.c \
    ef count-mismatch \
    'self->resizes++;' 'self->migrations++;'

mutant "a job stays as long as its first node does" scheduler/run/allocation_changes.c \
    ef count-mismatch \
    'place += place_on_node(pool, set->nodes[i], from, own);' \
    'place += i == 0 ? place_on_node(pool, set->nodes[i], from, own) : 0;'

mutant "a job that moves is not told" scheduler/report/timeline_report.c \
    ef timeline-mismatch \
    '            at = put_change(' \
    '            if (changes[i].reason != CHANGE_MOVE) at = put_change('

mutant "a job that resumes is told to start" scheduler/run/allocation_changes.c \
    gandiva timeline-mismatch \
    'return CHANGE_RESTART;' 'return CHANGE_START;'

mutant "GPUs are used after a job is done" scheduler/run/allocation_changes.c \
    fifo timeline-mismatch \
    'use.gpus_used += stay->job->grant.partner ? 0 : stay->gpus;' \
    'use.gpus_used += stay->gpus + (self->changes.items[0].reason == CHANGE_DONE);'

mutant "queueing delays are a second too long" scheduler/run/metrics.c \
    ef count-mismatch \
    '(double)(self->now_s - change->submission->submit_s));' \
    '(double)(self->now_s - change->submission->submit_s + 1));'

# ---- what a policy alone says ----

guarded_alone scheduler/reference/artifact_work.c golden_test.sh \
    'worked_s = worked_s < job->overhead_s ? 0 : worked_s - job->overhead_s;'

guarded "overheads cost nothing" scheduler/reference/artifact_work.c golden_test.sh \
    'worked_s = worked_s < job->overhead_s ? 0 : worked_s - job->overhead_s;' \
    'worked_s = worked_s < job->overhead_s ? 0 : worked_s;'

guarded "periodic restarts are left out" scheduler/plan/prices.c golden_test.sh \
    'every > 0 && !self->is_early' 'every < 0 && !self->is_early'

guarded "every group of ranks is built anew" scheduler/plan/prices.c golden_test.sh \
    'gpus, ran_before, self' 'gpus, false, self'

guarded "the cap of ElasticFlow is ignored" scheduler/reference/ef.c golden_test.sh \
    '{"bert", 0, 16},  {"cifar10"' '{"bert", 0, 32},  {"cifar10"'

guarded "deadlines are not checked" scheduler/reference/artifact_retire.c golden_test.sh \
    'return judged_s > job->submission->deadline_s;' 'return false;'

guarded "a late job counts as declined and accepted" scheduler/engine/rounds.c golden_test.sh \
    'self->status.accepted--;' ';'

guarded "events of a slot are not merged" scheduler/reference/event_queue.c golden_test.sh \
    'first->at_s - now_s > slot_s ||' 'self->count >= 1 ||'

guarded "jobs are seen after they are submitted" scheduler/reference/artifact.c golden_test.sh \
    'at_s > self->now_s ? at_s : self->now_s);' 'at_s + 1);'

guarded "an end that is noticed late is recorded late" scheduler/reference/artifact_work.c golden_test.sh \
    '.ended_s = interval.now_s - beyond_s};' '.ended_s = interval.now_s};'

guarded "a job that resumes pays nothing" scheduler/reference/tiresias_rounds.c golden_test.sh \
    'if (restart || job->resumed_s == self->now_s)' 'if (restart)'

guarded "there are rounds between arrivals" scheduler/reference/artifact_advance.c golden_test.sh \
    'return is_over || !event_queue_is_empty(artifact_of(self)->events)' 'return is_over'

guarded "a job that does not fit holds up its queue" scheduler/reference/dlas_gpu.c golden_test.sh \
    'if (job->submission->gpus_requested > *free_gpus)' \
    'if (job->submission->gpus_requested > *free_gpus ? (*free_gpus = 0, true) : false)'

guarded_alone scheduler/reference/lease_admission.c "chronus_test.sh jobs" '#define ESTIMATE_MARGIN 1.1'

guarded "estimates have another margin" scheduler/reference/lease_admission.c "chronus_test.sh jobs" \
    '#define ESTIMATE_MARGIN 1.1' '#define ESTIMATE_MARGIN 1.5'

guarded "waiting is not credited" scheduler/reference/lease_round.c "chronus_test.sh jobs" \
    'return lease->since_s;' 'return lease->since_s < now_s ? now_s : now_s;'

guarded "starts cost the same on all GPUs" scheduler/reference/lease_book.c "chronus_test.sh jobs" \
    '(1 + log2((double)lease->job->submission->gpus_requested));' '(1 + log2(1.0));'

guarded "plans are read a slot late" scheduler/reference/lease_round.c "chronus_test.sh jobs" \
    'slot_runs_has(&lease->plan, look->slot)' 'slot_runs_has(&lease->plan, look->slot - 1)'

all_named
