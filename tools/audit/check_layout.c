/* check_layout.c - which job holds which GPU, round by round. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <stdlib.h>

/* The holder of each GPU of the cluster in the round at hand. */
struct occupancy {
    size_t *round; /* number of the round, from 1, in which the GPU was last seen held */
    size_t *job;
};

static void check_held_once(const struct audit *self, struct occupancy *occupancy, size_t round,
                            const struct audit_run *run)
{
    const int64_t end = run->rank + run->gpus;
    struct audit_row_name name;
    struct audit_row_name other;
    bool reported = false;

    for (int64_t gpu = run->rank; gpu < end && gpu < self->given->cluster.gpus; gpu++) {
        if (occupancy->round[gpu] == round + 1 && !run->shares && !reported) {
            audit_report(self, "gpu-held-twice", self->given->rounds[round].at_s,
                         audit_case_name(self->given, run->job, &name),
                         "GPU %" PRId64 " is held by job %.128s as well", gpu,
                         audit_case_name(self->given, occupancy->job[gpu], &other));
            reported = true;
        }
        if (run->shares)
            continue;
        occupancy->round[gpu] = round + 1;
        occupancy->job[gpu] = run->job;
    }
}

static void check_runs(const struct audit *self, struct occupancy *occupancy, size_t round)
{
    const struct audit_case *given = self->given;
    const int64_t at_s = given->rounds[round].at_s;

    for (size_t i = 0; i < given->rounds[round].run_count; i++) {
        const struct audit_run *run = &given->runs[given->rounds[round].first_run + i];
        struct audit_row_name name;
        const char *job = audit_case_name(given, run->job, &name);

        if (run->job >= given->job_count)
            audit_report(self, "unknown-job", at_s, job,
                         "holds GPUs, but the trace has no such row");
        if (run->rank + run->gpus > given->cluster.gpus)
            audit_report(self, "outside-cluster", at_s, job,
                         "GPUs %" PRId64 " to %" PRId64 " of a cluster that ends at %" PRId64,
                         run->rank, run->rank + run->gpus - 1, given->cluster.gpus - 1);
        check_held_once(self, occupancy, round, run);
    }
}

/* A job whose work is counted in seconds holds exactly the GPUs that it asks for. A job whose work
 * is counted in iterations needs a rate for the GPUs that it holds. */
static void check_size(const struct audit *self, int64_t at_s, const struct audit_holding *holding,
                       const struct audit_grant *grant)
{
    const struct audit_job *job = &self->given->jobs[holding->job];
    const struct audit_work *work = self->histories[holding->job].work;

    if (grant && grant->gpus != holding->gpus)
        audit_report(self, "not-as-granted", at_s, job->id,
                     "holds %" PRId64 " GPUs, and grants.csv has %" PRId64, holding->gpus,
                     grant->gpus);
    if (work && work->in_seconds && holding->gpus != job->gpus)
        audit_report(self, "not-as-asked", at_s, job->id,
                     "holds %" PRId64 " GPUs, asked for %" PRId64, holding->gpus, job->gpus);
    if (work && !work->in_seconds && !grant && !(audit_rate(job->rates, holding->gpus) > 0))
        audit_report(self, "no-rate", at_s, job->id,
                     "holds %" PRId64 " GPUs, for which %.64s at batch size %" PRId64
                     " has no throughput",
                     holding->gpus, job->model, job->batch_size);
}

static void check_life(const struct audit *self, int64_t at_s, const struct audit_holding *holding)
{
    const struct audit_job *job = &self->given->jobs[holding->job];
    const struct audit_record *record = self->histories[holding->job].record;

    if (at_s < job->submit_s)
        audit_report(self, "before-submission", at_s, job->id,
                     "holds GPUs, but is submitted at %" PRId64 " s", job->submit_s);
    if (record && at_s >= record->retired_at_s && !audit_is_empty(record))
        audit_report(self, "after-retirement", at_s, job->id,
                     "holds GPUs, but was retired at %" PRId64 " s", record->retired_at_s);
}

static void check_round(const struct audit *self, size_t index, struct audit_holding holdings[],
                        size_t place[], const struct audit_grant *const grants[])
{
    const struct audit_round *round = &self->given->rounds[index];
    const size_t count = audit_holdings(self->given, round, holdings, place);

    if (index > 0 && round->at_s <= round[-1].at_s)
        audit_report(self, "not-in-time-order", round->at_s, NULL,
                     "a round after the one at %" PRId64 " s", round[-1].at_s);
    for (size_t i = 0; i < count; i++) {
        check_size(self, round->at_s, &holdings[i], grants[holdings[i].job]);
        check_life(self, round->at_s, &holdings[i]);
    }
}

void audit_check_layout(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const size_t gpu_count = (size_t)given->cluster.gpus;
    struct occupancy occupancy = {.round = xcalloc(gpu_count, sizeof(size_t)),
                                  .job = xcalloc(gpu_count, sizeof(size_t))};
    struct audit_holding *holdings = xcalloc(audit_runs_most(given) + 1, sizeof(*holdings));
    size_t *place = xcalloc(given->job_count, sizeof(*place));
    const struct audit_grant **grants = xcalloc(given->job_count + 1, sizeof(*grants));
    size_t next = 0;

    for (size_t i = 0; i < given->job_count; i++)
        place[i] = SIZE_MAX;
    for (size_t i = 0; i < given->round_count; i++) {
        check_runs(self, &occupancy, i);
        audit_follow_grants(given, given->rounds[i].at_s, &next, grants);
        check_round(self, i, holdings, place, grants);
    }
    free(grants);
    free(place);
    free(holdings);
    free(occupancy.job);
    free(occupancy.round);
}
