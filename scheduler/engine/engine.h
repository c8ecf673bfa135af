/* engine.h - the round: the only code that knows the order of its stages, and the only one that
 * changes jobs and cluster.
 *
 *   progress -> retire -> admit -> allocate -> adopt -> place -> (carry out) -> charge -> advance
 *
 * Events of one instant go in, a plan comes out of admission and policy, which see a const view;
 * the plan is adopted, placed and paid for; then time moves to the next event. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "common/error.h"
#include "scheduler/backend/backend.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/policy.h"
#include "scheduler/report/report.h"
#include "scheduler/state/cluster_spec.h"
#include "scheduler/state/job.h"

#include <stdint.h>

struct engine_setting {
    const struct policy *policy;
    const struct placement *placement;
    struct cluster_spec cluster;
    const char *gpu_type;
    int64_t slot_s;
    int64_t restart_threshold;     /* rounds between restarts of all trainers, 0 for none */
    struct leasing leasing;        /* for a policy that lends GPUs by the lease */
    const struct backend *backend; /* that carries plans out, lent; NULL: simulated */
};

/* How far a run is, for whoever watches it. */
struct engine_status {
    int64_t now_s;
    int64_t rounds;
    int64_t live;
    int64_t settled; /* jobs done or declined */
    int64_t jobs;
};

typedef struct engine engine_t;

/* An engine that will run `jobs` (lent, changed on the way, in order of arrival) and tell `report`
 * (lent). NULL, with `error` set, if a job cannot run under this policy. */
engine_t *engine_new(const struct engine_setting *setting, submissions_t *jobs, report_t *report,
                     struct error *error);
void engine_destroy(engine_t **self);

/* Runs one round. Returns 1 if there is more to do, 0 at the end of the run, -1 with `error` where
 * the artifact aborts or would never end. */
int engine_round(engine_t *self, struct error *error);

struct engine_status engine_status(const engine_t *self);

/* The figures of the run as far as it got. */
struct figures engine_figures(const engine_t *self);

#endif
