/* each.c - EF-Q35 put right: the arrivals of an event are tried one after the other. An arrival is
 * admitted if the proof succeeds with it and the arrivals admitted before. */
#include "scheduler/reference/admissions.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    const size_t live_count = view->job_count - view->arrival_count;
    const struct job **jobs = xcalloc(view->job_count, sizeof(struct job *));
    struct view trial = *view;
    bool proven = true; /* the last proof succeeded, with all arrivals admitted */
    int met = 1;

    memcpy(jobs, view->jobs, live_count * sizeof(struct job *));
    trial.jobs = jobs;
    trial.arrival_count = 1;
    trial.job_count = live_count + 1;
    for (size_t k = 0; k < view->arrival_count && met >= 0; k++) {
        const struct job *arrival = view->jobs[live_count + k];

        jobs[trial.job_count - 1] = arrival;
        met = prove(&trial, plan, error);
        verdicts[k] = admission_verdict(arrival, met == 1);
        trial.job_count += verdicts[k].kind != VERDICT_DECLINED;
        proven = met == 1 && trial.job_count == live_count + k + 2;
    }
    plan->proven = proven;
    free(jobs);
    return met < 0 ? -1 : 0;
}

const struct admission admission_each = {
    .name = "each", .promises = true, .proves = true, .decide = decide};
