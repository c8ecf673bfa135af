/* random_leases.c - see random_leases.h. */
#include "tests/engine/random_leases.h"

#include "scheduler/solver/milp_solver.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static long pick(rng_t *rng, long count)
{
    return (long)rng_below(rng, (uint64_t)count);
}

static bool chance(rng_t *rng, double probability)
{
    return rng_unit(rng) < probability;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Looks are seldom, or at some divisor of leases and admissions, odd ones among them. */
static struct leasing pick_leasing(rng_t *rng)
{
    static const int64_t leases[] = {240, 240, 120, 60, 33, 20, 8};
    static const int64_t parts[] = {1, 1, 2, 3, 4}; /* admissions in twelfths of the lease: */
    static const int64_t twelfths[] = {12, 12, 24, 6, 3, 18};
    struct leasing leasing = {.lease_s = leases[pick(rng, COUNT(leases))]};
    int64_t common_s;

    leasing.admission_s = leasing.lease_s * twelfths[pick(rng, COUNT(twelfths))] / 12;
    common_s = common_divisor(leasing.lease_s, leasing.admission_s);
    leasing.check_s = common_s / parts[pick(rng, COUNT(parts))];
    if (leasing.check_s == 0 || common_s % leasing.check_s != 0)
        leasing.check_s = common_s;
    return leasing;
}

static void pick_rules(rng_t *rng, struct random_leases *self)
{
    static const char *const tags[] = {"CH-Q1", "CH-Q2",  "CH-Q6",  "CH-Q7", "CH-Q8",
                                       "CH-Q9", "CH-Q10", "CH-Q17", "CH-Q18"};

    for (size_t i = 0; i < COUNT(tags); i++)
        if (chance(rng, 0.4))
            (void)snprintf(self->rules + strlen(self->rules),
                           sizeof(self->rules) - strlen(self->rules), "%s%s",
                           *self->rules ? "," : "", tags[i]);
    if (*self->rules)
        self->setting.rules = self->rules;
}

static int pick_gpus(rng_t *rng, const struct random_leases *self)
{
    int gpus;

    if (!self->plain_sizes && chance(rng, 0.5))
        return 1 + (int)pick(rng, self->setting.gpu_count);
    do
        gpus = 1 << pick(rng, 6);
    while (gpus > self->setting.gpu_count);
    return gpus;
}

static void pick_levels(rng_t *rng, struct lease_job *job)
{
    const double slack = rng_log_uniform(rng, 0.5, 8);
    int64_t deadline_s = job->submit_s + 1 + (int64_t)((double)job->duration_s * slack);
    const long count = chance(rng, 0.25) ? 1 + pick(rng, LEASE_JOB_LEVELS) : 1;

    for (long i = 0; i < count; i++) {
        job->levels[i] = (struct job_level){deadline_s, 10 - 3 * i};
        deadline_s += 1 + (int64_t)((double)job->duration_s * rng_unit(rng));
    }
}

static void pick_jobs(rng_t *rng, struct random_leases *self)
{
    const double lease_s = (double)self->setting.leasing.lease_s;
    const double gap_s = lease_s * rng_log_uniform(rng, 0.05, 3);
    const double best_effort = chance(rng, 0.5) ? 0.2 : 0;
    double at_s = chance(rng, 0.5) ? 0 : 10000 * rng_unit(rng);

    self->setting.job_count = 1 + (size_t)pick(rng, RANDOM_LEASES_JOBS);
    for (size_t i = 0; i < self->setting.job_count; i++) {
        struct lease_job *job = &self->jobs[i];

        (void)snprintf(self->ids[i], sizeof(self->ids[i]), "%zu", i);
        *job =
            (struct lease_job){.id = self->ids[i],
                               .submit_s = (int64_t)at_s,
                               .duration_s = 1 + (int64_t)(lease_s * rng_log_uniform(rng, 0.03, 9)),
                               .gpus = pick_gpus(rng, self)};
        if (!chance(rng, best_effort))
            pick_levels(rng, job);
        job->best_effort = job->levels[0].deadline_s > 0 && chance(rng, best_effort / 2);
        at_s += chance(rng, 0.4) ? 0 : rng_exponential(rng, gap_s);
    }
}

void random_leases_pick(struct random_leases *self, rng_t *rng)
{
    static const int gpus[] = {1, 2, 4, 4, 8, 8, 16, 32, 3, 6, 12};

    *self = (struct random_leases){.plain_sizes = chance(rng, 0.7)};
    self->setting.jobs = self->jobs;
    self->setting.gpu_count = gpus[pick(rng, COUNT(gpus))];
    self->setting.leasing = pick_leasing(rng);
    self->setting.leasing.objective = chance(rng, 0.5)
                                          ? OBJECTIVE_ADAPTIVE
                                          : (enum lease_objective)pick(rng, OBJECTIVE_RANDOM + 1);
    if (chance(rng, 0.4))
        pick_rules(rng, self);
    pick_jobs(rng, self);
}

void random_leases_print(const struct random_leases *self)
{
    const struct lease_setting *setting = &self->setting;
    const struct leasing *leasing = &setting->leasing;

    printf("%d GPUs, leases of %" PRId64 " s, admissions every %" PRId64 ", looks every %" PRId64
           ", solver %s, objective %s, rules %s\n",
           setting->gpu_count, leasing->lease_s, leasing->admission_s, leasing->check_s,
           leasing->solver ? leasing->solver->name : "none",
           lease_objective_name(leasing->objective), setting->rules ? setting->rules : "reference");
    for (size_t i = 0; i < setting->job_count; i++) {
        const struct lease_job *job = &setting->jobs[i];

        printf("{\"%s\", %" PRId64 ", %" PRId64 ", %d, {", job->id, job->submit_s, job->duration_s,
               job->gpus);
        for (size_t k = 0; k < LEASE_JOB_LEVELS && job->levels[k].deadline_s > 0; k++)
            printf("{%" PRId64 ", %" PRId64 "}, ", job->levels[k].deadline_s, job->levels[k].value);
        printf("}, %s},\n", job->best_effort ? "true" : "false");
    }
}
