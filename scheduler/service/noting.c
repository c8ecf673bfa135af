/* noting.c - the events of a step. */
#include "scheduler/service/serving.h"

#include "common/plural.h"
#include "protocol/job_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t now(const struct serving *self)
{
    return self->epoch + self->decision.now_s;
}

static uint32_t row_of(const struct job *job)
{
    return job_number_row(job->submission->number);
}

static const char *decided_word(const struct decided *decided, const struct entry *entry)
{
    const bool declined = decided->verdict.kind == VERDICT_DECLINED;

    if (submission_is_quote(decided->job->submission))
        return declined ? "lapsed" : "quoted";
    return declined                               ? "declined"
           : !verdict_promises(&decided->verdict) ? "best-effort"
           : entry->withdrawn                     ? "promised-again"
                                                  : "promised";
}

static void note_decided(struct serving *self, const struct decided *decided)
{
    const struct entry *entry = ledger_of(self->ledger, decided->job);
    char sentence[512];

    telling_verdict_sentence(self, entry, sentence, sizeof(sentence));
    if (verdict_promises(&decided->verdict))
        events_note_promise(self->events, now(self), row_of(decided->job),
                            self->epoch + decided->verdict.promised_s, decided_word(decided, entry),
                            sentence);
    else
        events_note(self->events, now(self), row_of(decided->job), NULL,
                    decided_word(decided, entry), "%s", sentence);
}

static void note_retired(struct serving *self, const struct retirement *retired)
{
    const struct entry *entry = ledger_of(self->ledger, retired->job);
    const char *kept = entry->outcome == PROMISE_BROKEN ? ", later than promised"
                       : entry->outcome == PROMISE_KEPT && !entry_ended_early(entry)
                           ? ", as promised"
                           : "";
    const bool unheard =
        (double)(self->decision.now_s - entry->ended_s) > capacity_tolerance_s(self->capacity);
    char sentence[512];
    char when[32] = "";

    telling_sentence(self, entry, sentence, sizeof(sentence));
    if (unheard)
        telling_date(self, entry->ended_s, when);
    events_note(self->events, now(self), row_of(retired->job), NULL,
                entry_ended_early(entry) ? "ended-early" : "done", "%s%s%s%s%s", sentence, kept,
                unheard ? "; it ended at " : "", when, unheard ? ", which is heard now" : "");
}

/* The word for the end of a job, which differs if a promise ended with the job. */
static const char *event_word(const struct disturbance *disturbance)
{
    if (disturbance->kind == DISTURBANCE_HELD)
        return "failed";
    if (disturbance->kind == DISTURBANCE_ORPHANED)
        return disturbance_withdraws(disturbance) ? "withdrawn" : "cancelled";
    return disturbance_word(disturbance);
}

static void note_disturbance(struct serving *self, const struct disturbance *disturbance)
{
    const struct job *job = disturbance->job;

    if (job && job->state == JOB_DECLINED) /* the event of the verdict told the cause */
        return;
    if (job && disturbance->kind == DISTURBANCE_FALLS)
        events_note_promise(self->events, now(self), row_of(job),
                            self->epoch + job->promise.deadline_s, event_word(disturbance),
                            disturbance->cause);
    else
        events_note(self->events, now(self), job ? row_of(job) : 0, NULL, event_word(disturbance),
                    "%s", disturbance->cause);
}

/* Notes that the job started, paused, or has another number of GPUs. */
static void note_gpus(struct serving *self, const struct job *job)
{
    struct entry *entry = ledger_of(self->ledger, job);
    const int gpus = job_gpus(job);

    if (gpus == entry->gpus)
        return;
    if (gpus == 0)
        events_note(self->events, now(self), row_of(job), NULL, "paused",
                    "it waits for GPUs again");
    else if (entry->gpus == 0)
        events_note(self->events, now(self), row_of(job), NULL, "started", "on %d GPU%s", gpus,
                    PLURAL(gpus));
    else
        events_note(self->events, now(self), row_of(job), NULL, "resized", "from %d to %d GPUs",
                    entry->gpus, gpus);
    entry->gpus = gpus;
}

/* Notes what the client orders, and who the client is. */
void noting_order(struct serving *self, const client_t *client, uint32_t row, const char *event,
                  const char *text)
{
    events_note(self->events, self->epoch + serving_now_s(self), row, client_user(client), event,
                "%s", text);
}

void noting_lost(struct serving *self, const struct msg_job_report *report)
{
    const uint32_t row = job_number_row(report->job);
    struct error ignored;

    if (!ledger_find(self->ledger, row))
        return;
    (void)steps_open(self, &ignored); /* if this fails, the event is kept with the next step */
    events_note(self->events, self->epoch + serving_now_s(self), row, NULL, "retried",
                "%s; it goes on from step %" PRId64, report->cause,
                report->step > 0 ? report->step : 0);
}

/* Only the last decision lists the jobs that gave up GPUs. If the decision before was not noted,
 * all jobs are looked at. */
static void note_all_gpus(struct serving *self)
{
    const struct decision *decision = &self->decision;

    for (size_t i = 0; i < decision->released_count; i++)
        if (job_is_live(decision->released[i].job))
            note_gpus(self, decision->released[i].job);
    for (size_t i = 0; i < decision->holding_count; i++)
        note_gpus(self, decision->holdings[i].job);
    for (size_t i = 0; self->notes_late && i < decision->live_count; i++)
        note_gpus(self, decision->live[i]);
}

void noting_step(struct serving *self, bool ordered)
{
    const struct decision *decision = &self->decision;

    for (size_t i = 0; i < decision->decided_count; i++)
        note_decided(self, &decision->decided[i]);
    for (size_t i = 0; i < decision->retired_count; i++)
        note_retired(self, &decision->retired[i]);
    for (size_t i = 0; i < decision->disturbance_count; i++)
        note_disturbance(self, &decision->disturbances[i]);
    if (ordered)
        note_all_gpus(self);
    self->notes_late = !ordered;
}
