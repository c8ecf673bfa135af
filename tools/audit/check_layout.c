/* check_layout.c - who holds which GPU, round by round. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who holds each GPU of the cluster in the round at hand. */
struct occupancy {
    size_t *round; /* number of the round, from 1, in which the GPU was last seen held */
    size_t *job;
};

static void report(const struct audit *self, const char *check, int64_t at_s, size_t job,
                   const char *text)
{
    struct audit_row_name name;

    findings_add(
        self->findings,
        &(struct finding_place){check, NULL, at_s, audit_case_name(self->given, job, &name)}, "%s",
        text);
}

static void check_held_once(const struct audit *self, struct occupancy *occupancy, size_t round,
                            const struct audit_run *run)
{
    const int64_t end = run->rank + run->gpus;
    bool reported = false;

    for (int64_t gpu = run->rank; gpu < end && gpu < self->given->cluster.gpus; gpu++) {
        if (occupancy->round[gpu] == round + 1 && !reported) {
            struct audit_row_name name;
            char text[256];

            (void)snprintf(text, sizeof(text), "GPU %" PRId64 " is held by job %.128s as well", gpu,
                           audit_case_name(self->given, occupancy->job[gpu], &name));
            report(self, "gpu-held-twice", self->given->rounds[round].at_s, run->job, text);
            reported = true;
        }
        occupancy->round[gpu] = round + 1;
        occupancy->job[gpu] = run->job;
    }
}

static void check_runs(const struct audit *self, struct occupancy *occupancy, size_t round)
{
    const struct audit_case *given = self->given;
    char text[256];

    for (size_t i = 0; i < given->rounds[round].run_count; i++) {
        const struct audit_run *run = &given->runs[given->rounds[round].first_run + i];

        if (run->job >= given->job_count)
            report(self, "unknown-job", given->rounds[round].at_s, run->job,
                   "holds GPUs, but the trace has no such row");
        if (run->rank + run->gpus > given->cluster.gpus) {
            (void)snprintf(text, sizeof(text),
                           "GPUs %" PRId64 " to %" PRId64 " of a cluster that ends at %" PRId64,
                           run->rank, run->rank + run->gpus - 1, given->cluster.gpus - 1);
            report(self, "outside-cluster", given->rounds[round].at_s, run->job, text);
        }
        check_held_once(self, occupancy, round, run);
    }
}

static void check_size(const struct audit *self, int64_t at_s, const struct audit_holding *holding)
{
    const struct audit_job *job = &self->given->jobs[holding->job];
    const int64_t most = self->policy->gpus_max(job, self->given->summary.gpu_type);
    char text[256];

    if (holding->gpus > most) {
        (void)snprintf(text, sizeof(text), "holds %" PRId64 " GPUs, may use %" PRId64,
                       holding->gpus, most);
        report(self, "over-cap", at_s, holding->job, text);
    }
    if (self->policy->fixed_size && holding->gpus < most) {
        (void)snprintf(text, sizeof(text), "holds %" PRId64 " GPUs, asked for %" PRId64,
                       holding->gpus, most);
        report(self, "not-as-asked", at_s, holding->job, text);
    }
    if (self->policy->measure != BY_SECONDS && !(audit_rate(job->rates, holding->gpus) > 0)) {
        (void)snprintf(text, sizeof(text),
                       "holds %" PRId64 " GPUs, for which %.64s at batch size %" PRId64
                       " has no throughput",
                       holding->gpus, job->rates->model, job->batch_size);
        report(self, "no-rate", at_s, holding->job, text);
    }
}

static void check_times(const struct audit *self, int64_t at_s, size_t job)
{
    const struct audit_history *history = &self->histories[job];
    char text[256];

    if (at_s < self->given->jobs[job].submit_s) {
        (void)snprintf(text, sizeof(text), "holds GPUs, but is submitted at %" PRId64 " s",
                       self->given->jobs[job].submit_s);
        report(self, "before-submission", at_s, job, text);
    }
    if (history->record && at_s >= history->retired_s) {
        (void)snprintf(text, sizeof(text), "holds GPUs, but was retired at %" PRId64 " s",
                       history->retired_s);
        report(self, "after-retirement", at_s, job, text);
    }
}

/* What a job holds in the round at hand. */
struct sum {
    int64_t gpus;
    int64_t rests; /* nodes of a job larger than a node that it holds in part */
};

/* Whether the run is whole nodes and perhaps, where jobs take turns, what is left of the job on one more
 * node, from its first GPU on. */
static bool is_of_nodes(const struct audit *self, const struct audit_run *run, struct sum *sum)
{
    const int64_t per_node = self->given->cluster.gpus_per_node;
    const int64_t rest = run->gpus % per_node;

    if (run->rank % per_node != 0)
        return false;
    return rest == 0 ||
           (self->policy->takes_turns && rest == sum->gpus % per_node && sum->rests++ == 0);
}

/* EF-Q23: on nodes whose GPUs are no power of two elastic placement splits what it can split. */
static bool keeps_shapes(const struct audit_case *given)
{
    const int64_t per_node = given->cluster.gpus_per_node;

    if (!strcmp(given->summary.placement, "elastic"))
        return (per_node & (per_node - 1)) == 0;
    return !strcmp(given->summary.placement, "gandiva");
}

/* Both placements put a job smaller than a node on one node, and give a larger one nodes of its own,
 * next to each other or not. */
static void check_shape(const struct audit *self, int64_t at_s, const struct audit_run *run,
                        struct sum *sum)
{
    const int64_t per_node = self->given->cluster.gpus_per_node;
    const bool inside = run->rank / per_node == (run->rank + run->gpus - 1) / per_node;
    char text[256];

    if (sum->gpus >= per_node ? is_of_nodes(self, run, sum) : inside && run->gpus == sum->gpus)
        return;
    (void)snprintf(text, sizeof(text),
                   "GPUs %" PRId64 " to %" PRId64 " are part of its %" PRId64
                   ", on nodes of %" PRId64,
                   run->rank, run->rank + run->gpus - 1, sum->gpus, per_node);
    report(self, "scattered", at_s, run->job, text);
}

/* The sums by job, and then each job's runs again, against its sum. */
static void check_holdings(const struct audit *self, const struct audit_round *round,
                           const struct audit_holding holdings[], size_t count, struct sum sums[])
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < count; i++) {
        sums[holdings[i].job] = (struct sum){.gpus = holdings[i].gpus};
        check_size(self, round->at_s, &holdings[i]);
        check_times(self, round->at_s, holdings[i].job);
    }
    if (!keeps_shapes(given))
        return;
    for (size_t i = 0; i < round->run_count; i++) {
        const struct audit_run *run = &given->runs[round->first_run + i];

        if (run->job < given->job_count)
            check_shape(self, round->at_s, run, &sums[run->job]);
    }
}

static void report_mixture(const struct audit *self, int64_t at_s, size_t job, size_t other)
{
    const struct audit_job *jobs = self->given->jobs;
    char text[256];

    (void)snprintf(text, sizeof(text),
                   "asks for %" PRId64 " GPUs, on a node with job %.128s that asks for %" PRId64,
                   jobs[job].gpus, jobs[other].id, jobs[other].gpus);
    report(self, "sizes-mixed", at_s, job, text);
}

/* Sets of nodes on which jobs take turns are for jobs of one size. */
static void check_sets(const struct audit *self, const struct audit_round *round, size_t of_node[])
{
    const struct audit_case *given = self->given;
    const int64_t per_node = given->cluster.gpus_per_node;

    for (int64_t node = 0; node < given->cluster.nodes; node++)
        of_node[node] = SIZE_MAX;
    for (size_t i = 0; i < round->run_count; i++) {
        const struct audit_run *run = &given->runs[round->first_run + i];
        const int64_t last = (run->rank + run->gpus - 1) / per_node;

        if (run->job >= given->job_count || last >= given->cluster.nodes)
            continue;
        for (int64_t node = run->rank / per_node; node <= last; node++)
            if (of_node[node] == SIZE_MAX)
                of_node[node] = run->job;
            else if (given->jobs[run->job].gpus != given->jobs[of_node[node]].gpus)
                report_mixture(self, round->at_s, run->job, of_node[node]);
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
    struct sum *sums = xcalloc(given->job_count, sizeof(*sums));
    size_t *of_node = xcalloc((size_t)given->cluster.nodes, sizeof(*of_node));

    for (size_t i = 0; i < given->job_count; i++)
        place[i] = SIZE_MAX;
    for (size_t i = 0; i < given->round_count; i++) {
        const size_t count = audit_holdings(given, &given->rounds[i], holdings, place);

        check_runs(self, &occupancy, i);
        check_holdings(self, &given->rounds[i], holdings, count, sums);
        if (self->policy->takes_turns)
            check_sets(self, &given->rounds[i], of_node);
    }
    free(of_node);
    free(sums);
    free(place);
    free(holdings);
    free(occupancy.job);
    free(occupancy.round);
}
