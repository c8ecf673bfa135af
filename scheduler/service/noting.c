/* noting.c - what a step did, as events. */
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

static void note_decided(struct serving *self, const struct decided *decided)
{
    const struct entry *entry = ledger_of(self->ledger, decided->job);
    char sentence[512];

    telling_verdict_sentence(self, entry, sentence, sizeof(sentence));
    events_note(self->events, now(self), row_of(decided->job),
                decided->verdict.kind == VERDICT_DECLINED ? "declined"
                : verdict_promises(&decided->verdict)     ? "promised"
                                                          : "best-effort",
                "%s", sentence);
}

static void note_retired(struct serving *self, const struct retirement *retired)
{
    const struct promise *promise = &retired->job->promise;
    const char *kept = promise->state == PROMISE_KEPT     ? ", as promised"
                       : promise->state == PROMISE_BROKEN ? ", later than promised"
                                                          : "";

    events_note(self->events, now(self), row_of(retired->job), "done", "all iterations are done%s",
                kept);
}

static void note_disturbance(struct serving *self, const struct disturbance *disturbance)
{
    static const char *const words[] = {
        [DISTURBANCE_NODE_UP] = "node-up",     [DISTURBANCE_NODE_DRAINING] = "node-draining",
        [DISTURBANCE_NODE_DOWN] = "node-down", [DISTURBANCE_HELD] = "failed",
        [DISTURBANCE_AT_RISK] = "at-risk",     [DISTURBANCE_BEHIND] = "behind"};

    events_note(self->events, now(self), disturbance->job ? row_of(disturbance->job) : 0,
                words[disturbance->kind], "%s", disturbance->cause);
}

/* GPUs that a job has now and did not have, or had. */
static void note_gpus(struct serving *self, const struct job *job)
{
    struct entry *entry = ledger_of(self->ledger, job);
    const int gpus = job_gpus(job);

    if (gpus == entry->gpus)
        return;
    if (gpus == 0)
        events_note(self->events, now(self), row_of(job), "paused", "it waits for GPUs again");
    else if (entry->gpus == 0)
        events_note(self->events, now(self), row_of(job), "started", "on %d GPU%s", gpus,
                    PLURAL(gpus));
    else
        events_note(self->events, now(self), row_of(job), "resized", "from %d to %d GPUs",
                    entry->gpus, gpus);
    entry->gpus = gpus;
}

void noting_told(struct serving *self)
{
    for (size_t i = 0; i < self->told.count; i++) {
        const struct occurrence *item = &self->told.items[i];
        const uint32_t row = job_number_row(item->job);

        if (item->kind == OCCURRENCE_SUBMITTED)
            events_note(self->events, self->epoch + self->at_s, row, "submitted",
                        "%" PRId64 " iterations of %s", item->submission->iterations,
                        item->submission->model);
        else if (item->kind == OCCURRENCE_CANCELLED || item->kind == OCCURRENCE_SUSPENDED)
            events_note(self->events, self->epoch + self->at_s, row,
                        item->kind == OCCURRENCE_CANCELLED          ? "cancelled"
                        : strcmp(item->cause, CAUSE_OF_CHANGE) == 0 ? "changed"
                                                                    : "held",
                        "%s", item->cause);
    }
}

/* Only the last decision says who gave up GPUs; where the one before was not noted all are looked
 * at. */
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
