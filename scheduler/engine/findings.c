/* findings.c - see round.h: the parts of a decision that grow while a step goes on. */
#include "scheduler/engine/round.h"

#include <stdio.h>
#include <string.h>

void round_is_over(engine_t *self, struct job *job)
{
    if (self->setting.policy->learn)
        self->setting.policy->learn(self->memory, job);
    jobs_append(&self->findings.over, job);
}

void round_free_rows(engine_t *self)
{
    struct jobs *over = &self->findings.over;

    for (size_t i = 0; i < over->count; i++)
        job_table_remove(self->jobs, over->items[i]);
    over->count = self->heard_over = 0;
}

void round_disturb(engine_t *self, enum disturbance_kind kind, const struct job *job, int node,
                   const char *cause)
{
    struct step_findings *findings = &self->findings;

    cause = arena_text(findings->texts, cause, strlen(cause));
    list_append(&findings->disturbances,
                (struct disturbance){
                    .kind = kind, .job = job, .node = node, .foreseen_s = NEVER_S, .cause = cause});
    if (kind == DISTURBANCE_AT_RISK)
        return;
    self->status.disturbed = true;
    if (kind == DISTURBANCE_SLIPS || kind == DISTURBANCE_FALLS)
        return;
    (void)snprintf(self->disturbance, sizeof(self->disturbance), "%s", cause);
    self->disturbed_for = job ? WITHDRAWN_FOR_OTHER_JOB : WITHDRAWN_FOR_NODE;
}

/* Notes that a job lost its parent. The plan is not disturbed, as it has no job that waits. */
void round_note_orphan(engine_t *self, const struct job *job, const char *cause)
{
    struct step_findings *findings = &self->findings;

    list_append(&findings->disturbances,
                (struct disturbance){.kind = DISTURBANCE_ORPHANED,
                                     .job = job,
                                     .node = -1,
                                     .foreseen_s = NEVER_S,
                                     .cause = arena_text(findings->texts, cause, strlen(cause)),
                                     .why = WITHDRAWN_FOR_PARENT});
}
