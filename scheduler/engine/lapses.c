/* lapses.c - held quotes end with their time. */
#include "scheduler/engine/stages.h"

#include <string.h>

#define CAUSE "it was not taken in time"

static void note_lapse(engine_t *self, const struct job *job)
{
    struct step_findings *findings = &self->findings;

    list_append(&findings->disturbances,
                (struct disturbance){.kind = DISTURBANCE_LAPSED,
                                     .job = job,
                                     .node = -1,
                                     .foreseen_s = NEVER_S,
                                     .cause = arena_text(findings->texts, CAUSE, strlen(CAUSE))});
}

void lapses_end_due(engine_t *self)
{
    bool any = false;

    for (size_t i = 0; i < self->quotes.count; i++) {
        struct job *job = self->quotes.items[i];

        if (!kept_quotes_has(job) || job->submission->quoted_until_s > self->now_s)
            continue;
        round_end_early(self, &(struct occurrence){.kind = OCCURRENCE_CANCELLED,
                                                   .row = job->row,
                                                   .job = job->number});
        note_lapse(self, job);
        any = true;
    }
    if (any)
        round_drop_ended(self);
}
