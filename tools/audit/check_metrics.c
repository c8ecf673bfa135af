/* check_metrics.c - how often jobs were disturbed and how long they waited, counted again from the
 * layouts, GPU by GPU. A job that vanishes from the layout was preempted, unless it has retired by
 * then. */
#include "tools/audit/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest relative error of a sum that was added up in another order. */
#define RELATIVE_ERROR 1e-9

/* The state of a job while the check walks through the rounds. */
struct trail {
    size_t round; /* the last round in which the job held GPUs, from 1; 0 before the first */
    int64_t gpus; /* GPUs that the job held in `round` */
    int64_t kept; /* GPUs that the job holds now and held in the round before */
};

/* The holdings of a round, kept for the next round. */
struct memory {
    struct audit_holding *holdings;
    size_t count;
};

struct walk {
    const struct audit *audit;
    struct trail *trails; /* by job */
    size_t *holders;      /* holder of each GPU in the round before, AUDIT_NO_JOB for a free GPU */
    size_t *place;        /* work area of audit_holdings */
    struct memory before;
    struct memory now;
    struct audit_metrics found;
    double *delays_s;
    size_t delay_count;
};

static void count_kept(struct walk *walk, const struct audit_round *round,
                       const struct audit_run *run)
{
    const struct audit_case *given = walk->audit->given;

    if (run->job < given->job_count && audit_shares(given, round)) {
        walk->trails[run->job].kept += audit_kept(given, round, run);
        return;
    }
    for (int64_t gpu = run->rank; gpu < run->rank + run->gpus && gpu < given->cluster.gpus; gpu++)
        if (run->job < given->job_count && walk->holders[gpu] == run->job)
            walk->trails[run->job].kept++;
}

static void remember_holder(struct walk *walk, const struct audit_run *run)
{
    const struct audit_case *given = walk->audit->given;

    for (int64_t gpu = run->rank; gpu < run->rank + run->gpus && gpu < given->cluster.gpus; gpu++)
        walk->holders[gpu] = run->job;
}

/* `index` is the number of the round, from 1. */
static void follow(struct walk *walk, const struct audit_holding *holding, size_t index)
{
    const struct audit_case *given = walk->audit->given;
    struct trail *trail = &walk->trails[holding->job];

    if (trail->round == 0)
        walk->delays_s[walk->delay_count++] =
            (double)(given->rounds[index - 1].at_s - given->jobs[holding->job].submit_s);
    else if (trail->round == index - 1 && trail->gpus != holding->gpus)
        walk->found.resizes++;
    else if (trail->round == index - 1 && trail->kept != holding->gpus)
        walk->found.migrations++;
    *trail = (struct trail){.round = index, .gpus = holding->gpus};
}

static bool is_retired(const struct audit *audit, size_t job, int64_t at_s)
{
    const struct audit_record *record = audit->histories[job].record;

    return record && record->retired_at_s <= at_s;
}

static void walk_round(struct walk *walk, size_t index)
{
    const struct audit_case *given = walk->audit->given;
    const struct audit_round *round = &given->rounds[index - 1];
    const struct memory before = walk->now;

    walk->now = walk->before;
    walk->before = before;
    walk->now.count = audit_holdings(given, round, walk->now.holdings, walk->place);
    for (size_t i = 0; i < round->run_count; i++)
        count_kept(walk, round, &given->runs[round->first_run + i]);
    for (size_t i = 0; i < walk->now.count; i++)
        follow(walk, &walk->now.holdings[i], index);
    for (size_t i = 0; i < before.count; i++) {
        const size_t job = before.holdings[i].job;

        walk->found.preemptions +=
            walk->trails[job].round != index && !is_retired(walk->audit, job, round->at_s);
    }
    memset(walk->holders, 0xff, (size_t)given->cluster.gpus * sizeof(*walk->holders));
    for (size_t i = 0; i < round->run_count; i++)
        remember_holder(walk, &given->runs[round->first_run + i]);
}

static int compare_delays(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void sum_up_delays(struct walk *walk)
{
    const size_t count = walk->delay_count;
    double sum = 0;

    if (count == 0)
        return;
    qsort(walk->delays_s, count, sizeof(*walk->delays_s), compare_delays);
    for (size_t i = 0; i < count; i++)
        sum += walk->delays_s[i];
    walk->found.queueing_delay_mean_s = sum / (double)count;
    walk->found.queueing_delay_p99_s = walk->delays_s[(count * 99 + 99) / 100 - 1];
}

static struct audit_metrics count_metrics(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const size_t runs = audit_runs_most(given) + 1;
    const size_t gpus = (size_t)given->cluster.gpus;
    struct walk walk = {.audit = self,
                        .trails = xcalloc(given->job_count, sizeof(*walk.trails)),
                        .holders = xmalloc(gpus * sizeof(*walk.holders)),
                        .place = xmalloc(given->job_count * sizeof(*walk.place)),
                        .before = {.holdings = xcalloc(runs, sizeof(struct audit_holding))},
                        .now = {.holdings = xcalloc(runs, sizeof(struct audit_holding))},
                        .delays_s = xcalloc(given->job_count, sizeof(*walk.delays_s))};

    /* All bits set is AUDIT_NO_JOB in `holders` and SIZE_MAX in `place`. */
    memset(walk.holders, 0xff, gpus * sizeof(*walk.holders));
    memset(walk.place, 0xff, given->job_count * sizeof(*walk.place));
    for (size_t i = 1; i <= given->round_count; i++)
        walk_round(&walk, i);
    sum_up_delays(&walk);
    free(walk.delays_s);
    free(walk.now.holdings);
    free(walk.before.holdings);
    free(walk.place);
    free(walk.holders);
    free(walk.trails);
    return walk.found;
}

static void report(const struct audit *self, const char *what, double said, double expected)
{
    audit_report(self, "count-mismatch", AUDIT_NO_TIME, NULL,
                 "summary.json says %s %.12g, expected %.12g", what, said, expected);
}

/* The service in all queues must be all GPU seconds, because a job always holds its GPUs in some
 * queue. */
static void check_service(const struct audit *self)
{
    const struct audit_metrics *said = &self->given->summary.metrics;
    int64_t gpu_s = 0;

    for (size_t i = 0; i < self->given->work_count; i++)
        gpu_s += self->given->works[i].gpu_seconds;
    if (said->queues > 0 && said->service_gpu_s != gpu_s)
        report(self, "attained_service_gpu_s in all", (double)said->service_gpu_s, (double)gpu_s);
}

void audit_check_metrics(const struct audit *self)
{
    const struct audit_metrics *said = &self->given->summary.metrics;
    const struct audit_metrics found = count_metrics(self);
    const struct {
        const char *what;
        double said;
        double expected;
    } figures[] = {
        {"preemptions", (double)said->preemptions, (double)found.preemptions},
        {"migrations", (double)said->migrations, (double)found.migrations},
        {"resizes", (double)said->resizes, (double)found.resizes},
        {"queueing_delay_mean_s", said->queueing_delay_mean_s, found.queueing_delay_mean_s},
        {"queueing_delay_p99_s", said->queueing_delay_p99_s, found.queueing_delay_p99_s},
    };

    if (!said->present)
        return;
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        if (!(fabs(figures[i].said - figures[i].expected) <=
              RELATIVE_ERROR * fabs(figures[i].expected)))
            report(self, figures[i].what, figures[i].said, figures[i].expected);
    check_service(self);
}
