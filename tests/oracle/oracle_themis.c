/* oracle_themis.c - the rounds of `themis` (section 4): the job that would fare worst compared with
 * a fair share of the cluster goes first, slot by slot. */
#include "oracle_internal.h"

#include <math.h>

#define HALVINGS_MAX 200

struct themis {
    struct run *run;
    struct oracle_call *call;
    struct jobs ending;
    double event_s; /* of the last round in which something arrived or ended */
};

/* What the problem of section 4.4 says about one job. */
struct claim {
    double gpus;
    double past_s;  /* e */
    double need_s;  /* r / T */
    double ideal;   /* D; TH-Q1: in iterations */
    double minimum; /* m(v) */
    bool critical;
    double share; /* x */
};

struct claims {
    struct claim *at;
    size_t count;
    double gpu_count;
};

static double claim_minimum(const struct claim *claim, double ratio)
{
    return fmin(1, claim->need_s / (ratio * claim->ideal - claim->past_s));
}

static double gpus_at_ratio(const struct claims *claims, double ratio)
{
    double gpus = 0;

    for (size_t i = 0; i < claims->count; i++)
        gpus += claims->at[i].gpus * claim_minimum(&claims->at[i], ratio);
    return gpus;
}

/* The share of a job that is not critical while `slack` GPUs stay unused. */
static double centre_share(const struct claim *claim, double slack)
{
    double k = claim->gpus / slack;
    double q = 1 - claim->minimum;
    double b = k * q + 3;

    return claim->minimum + 4 * q / (b + sqrt(b * b - 8 * k * q));
}

static double gpus_at_slack(const struct claims *claims, double slack)
{
    double gpus = 0;

    for (size_t i = 0; i < claims->count; i++)
        if (!claims->at[i].critical)
            gpus += claims->at[i].gpus * centre_share(&claims->at[i], slack);
    return gpus;
}

/* Section 4.6: the analytic centre of what the critical jobs leave open. */
static void share_in_bound_case(struct claims *claims, double ratio)
{
    double left_gpus = claims->gpu_count;
    double minimum_gpus = 0;
    double low = 0;
    double high;

    for (size_t i = 0; i < claims->count; i++) {
        struct claim *claim = &claims->at[i];

        claim->minimum = claim_minimum(claim, ratio);
        claim->share = claim->minimum;
        claim->critical = claim->minimum >= 1 - 1e-12;
        if (claim->critical) {
            claim->share = 1;
            left_gpus -= claim->gpus;
        } else {
            minimum_gpus += claim->gpus * claim->minimum;
        }
    }
    if (left_gpus - minimum_gpus <= 0)
        return;
    high = left_gpus;
    for (int i = 0; i < HALVINGS_MAX; i++) {
        double slack = 0.5 * (low + high);

        if (!(low < slack && slack < high))
            break;
        if (slack < left_gpus - gpus_at_slack(claims, slack))
            low = slack;
        else
            high = slack;
    }
    for (size_t i = 0; i < claims->count; i++)
        if (!claims->at[i].critical)
            claims->at[i].share = centre_share(&claims->at[i], high);
}

static void share_in_capacity_case(struct claims *claims, double ratio)
{
    double low = ratio;
    double high = 2 * ratio;

    while (gpus_at_ratio(claims, high) > claims->gpu_count) {
        low = high;
        high = 2 * high;
    }
    for (int i = 0; i < HALVINGS_MAX; i++) {
        double middle = 0.5 * (low + high);

        if (!(low < middle && middle < high))
            break;
        if (gpus_at_ratio(claims, middle) > claims->gpu_count)
            low = middle;
        else
            high = middle;
    }
    for (size_t i = 0; i < claims->count; i++)
        claims->at[i].share = claim_minimum(&claims->at[i], high);
}

/* TH-Q7: only the worst ratio counts. */
static void claims_share(struct claims *claims)
{
    double worst = 0;

    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *claim = &claims->at[i];

        worst = fmax(worst, (claim->past_s + claim->need_s) / claim->ideal);
    }
    if (gpus_at_ratio(claims, worst) <= claims->gpu_count)
        share_in_bound_case(claims, worst);
    else
        share_in_capacity_case(claims, worst);
}

/* TH-Q3: time stands still between events. Repaired, it does not. */
static double themis_now(const struct themis *self)
{
    return oracle_cleaned(self->run, ORACLE_CLEAN_TH_Q3) ? self->run->now_s : self->event_s;
}

static struct claim job_claim(struct themis *self, struct job *job, double fair_gpus)
{
    double share = fair_gpus / job->gpus;
    double fraction = share / fmax(share, 1);
    struct claim claim;

    /* TH-Q1: a fraction serves as a rate. Repaired, it is one of the job's rate. */
    if (oracle_cleaned(self->run, ORACLE_CLEAN_TH_Q1))
        fraction *= job->rate;

    if (job->was_shared)
        job->past += (job->work_before - job->work_iters) / job->fraction_before;
    claim = (struct claim){.gpus = job->gpus,
                           .past_s = themis_now(self) - job->given->submit_s,
                           .need_s = job->work_iters / job->rate,
                           .ideal = job->past + job->work_iters / fraction};
    job->was_shared = true;
    job->work_before = job->work_iters;
    job->fraction_before = fraction;
    return claim;
}

static bool has_more_share(const struct job *a, const struct job *b)
{
    return a->share > b->share;
}

/* Gives every job its share and puts the largest first. */
static void themis_share(struct themis *self)
{
    struct jobs *live = &self->run->live;
    struct claims claims = {.count = live->count, .gpu_count = self->call->gpu_count};
    double fair_gpus = ceil(claims.gpu_count / (double)live->count); /* TH-Q2 */

    claims.at = oracle_resize(self->call, NULL, live->count * sizeof(claims.at[0]));
    for (size_t i = 0; i < live->count; i++)
        claims.at[i] = job_claim(self, live->at[i], fair_gpus);
    claims_share(&claims);
    for (size_t i = 0; i < live->count; i++) {
        struct job *job = live->at[i];

        job->share = claims.at[i].share;
        /* TH-Q5: what a job has had does not count. Repaired, its share falls with every slot. */
        if (oracle_cleaned(self->run, ORACLE_CLEAN_TH_Q5))
            job->share /= job->slots_run + 1;
    }
    oracle_free(self->call, claims.at);
    oracle_jobs_sort(live, has_more_share);
}

/* TH-Q5: a small share makes a job wait; it does not make it run for a part of the time. */
static struct jobs themis_choose(struct themis *self)
{
    const struct jobs *live = &self->run->live;
    struct jobs chosen = {0};
    int free_gpus = self->call->gpu_count;

    for (size_t i = 0; i < live->count; i++) {
        if (live->at[i]->gpus > free_gpus)
            continue;
        oracle_jobs_append(self->call, &chosen, live->at[i]);
        free_gpus -= live->at[i]->gpus;
    }
    return chosen;
}

static void themis_end(struct themis *self)
{
    struct run *run = self->run;

    for (size_t i = 0; i < self->ending.count; i++) {
        struct job *job = self->ending.at[i];

        if (job->end_s > job->deadline_s)
            run->declined++;
        else if (!job->given->best_effort)
            run->accepted++;
        oracle_jobs_remove(&run->live, job);
        oracle_run_record_end(run, job, job->end_s);
    }
    oracle_jobs_drop(self->call, &self->ending);
}

static void themis_arrive(struct themis *self)
{
    struct jobs arriving = oracle_arrivals_take(self->run);

    for (size_t i = 0; i < arriving.count; i++) {
        struct job *job = arriving.at[i];

        job->rate = oracle_rate(self->call, job, job->gpus);
        if (!(job->rate > 0))
            oracle_abort(self->call, ORACLE_BAD_CELL, "job %s: no throughput at %d GPUs",
                         job->given->id, job->gpus);
        job->rest_s = job->given->duration_s;
        oracle_jobs_append(self->call, &self->run->live, job);
    }
    oracle_jobs_drop(self->call, &arriving);
}

/* TH-Q4: no job pays an overhead. */
static void job_run(struct themis *self, struct job *job)
{
    double slot_s = self->call->slot_s;
    double now_s = self->run->now_s;
    double end_s = now_s + job->rest_s;
    double exact_end_s = fmin(end_s, now_s + ceil(job->work_iters / job->rate));

    if (job->start_s == ORACLE_FOREVER_S)
        job->start_s = now_s;
    job->slots_run++;
    job->rest_s = fmax(0, job->rest_s - slot_s);
    job->work_iters -= slot_s * job->rate;
    /* TH-Q6: iterations that run out do so at the end of the slot. Repaired, when they do. */
    if (job->work_iters <= 0) {
        job->rest_s = 0;
        end_s = oracle_cleaned(self->run, ORACLE_CLEAN_TH_Q6) ? exact_end_s : now_s + slot_s;
    }
    if (end_s <= now_s + slot_s) {
        job->end_s = end_s;
        oracle_jobs_append(self->call, &self->ending, job);
    }
}

/* Section 4.2. */
static void themis_round(struct themis *self)
{
    struct run *run = self->run;
    struct jobs chosen = {0};

    oracle_baseline_release(run); /* those that end too */
    if (self->ending.count > 0 ||
        (run->events.count > 0 && run->events.at[0].time_s == run->now_s)) {
        self->event_s = run->now_s;
        themis_end(self);
        themis_arrive(self);
    }
    if (run->live.count > 0) {
        themis_share(self);
        chosen = themis_choose(self);
    }
    oracle_baseline_place(run, &chosen);
    oracle_arrivals_merge_all(run);
    for (size_t i = 0; i < chosen.count; i++)
        job_run(self, chosen.at[i]);
    oracle_jobs_drop(self->call, &chosen);
    run->now_s += self->call->slot_s;
    run->rounds++;
}

void oracle_run_themis(struct run *run)
{
    struct themis self = {.run = run, .call = &run->call};

    oracle_baseline_open(run);
    while (run->events.count > 0 || run->live.count > 0 || self.ending.count > 0) {
        oracle_run_pass(run);
        themis_round(&self);
    }
}
