/* each.c - of the arrivals of one event, those are admitted one after the other with which, and with
 * those admitted before, the proof succeeds: EF-Q35 put right. */
#include "scheduler/admission/admission.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, bool admitted[],
                  struct error *error)
{
    const size_t live_count = view->job_count - view->arrival_count;
    const struct job **jobs = xcalloc(view->job_count, sizeof(struct job *));
    struct view trial = *view;
    bool proven = true; /* by the last proof, all arrivals being in */
    int met = 1;

    memcpy(jobs, view->jobs, live_count * sizeof(struct job *));
    trial.jobs = jobs;
    trial.arrival_count = 1;
    trial.job_count = live_count + 1;
    for (size_t k = 0; k < view->arrival_count && met >= 0; k++) {
        const struct job *arrival = view->jobs[live_count + k];

        jobs[trial.job_count - 1] = arrival;
        met = prove(&trial, plan, error);
        admitted[k] = met == 1 || arrival->submission->best_effort; /* EF-Q34 */
        trial.job_count += admitted[k];
        proven = met == 1 && trial.job_count == live_count + k + 2;
    }
    plan->proven = proven;
    free(jobs);
    return met < 0 ? -1 : 0;
}

const struct admission admission_each = {
    .name = "each", .declines_for = REASON_NO_ROOM, .decide = decide};
