/* fate.c - what becomes of the class of a job. A job that leases are handed out to
 *
 *  - is found hopeless in an admission round in which it has no GPUs and can no longer meet its deadline;
 *  - is unaccepted when a check finds that it ran for longer than it was estimated to, even one of best
 *    effort (CH-Q17). Of a job with a lease that is asked in lease rounds only. It may be hopeless again
 *    after that. */
#include "tools/audit/check.h"

struct walk {
    const struct audit *audit;
    const struct audit_leasing *leasing;
    const struct audit_tenant *tenant;
    struct audit_fate fate;
    int64_t ran_s;     /* so far, with what it waited for (CH-Q1) */
    int64_t waiting_s; /* since */
};

static void find_hopeless(struct walk *walk, int64_t at_s)
{
    const struct audit_job *job = walk->tenant->job;
    const int64_t done_s = at_s + job->duration_s - walk->ran_s;
    const int64_t promised_s = walk->tenant->promise->promised_s;

    if (walk->fate.class != CLASS_BEST_EFFORT && promised_s < done_s)
        walk->fate.class = CLASS_LOWEST;
}

static void find_overrun(struct walk *walk, int64_t ran_s)
{
    if (ran_s >= walk->tenant->promise->estimated_s &&
        (walk->fate.class != CLASS_BEST_EFFORT || walk->audit->policy->promotes_overruns))
        walk->fate.class = CLASS_UNACCEPTED;
}

/* The last admission round from `from_s` on in which the job waits for `tenure`; -1 if there is none. */
static int64_t last_pass(const struct walk *walk, const struct audit_tenure *tenure, int64_t from_s)
{
    const int64_t until_s = tenure->from_s - tenure->leased;
    const int64_t at_s = audit_round_down(until_s, walk->leasing->admission_s);

    return until_s >= 0 && at_s >= from_s ? at_s : -1;
}

/* The last check in which the job runs and goes on. */
static int64_t last_check(const struct walk *walk, const struct audit_tenure *tenure)
{
    const int64_t retired_s = walk->tenant->record->retired_at_s;

    return tenure->until_s < retired_s ? tenure->until_s : retired_s - walk->leasing->check_s;
}

static void hold_lease(struct walk *walk, const struct audit_tenure *tenure)
{
    const int64_t at_s = audit_round_down(last_check(walk, tenure), walk->leasing->lease_s);

    if (at_s > tenure->from_s)
        find_overrun(walk, walk->ran_s + at_s - tenure->from_s);
}

/* In each lease round that takes spare GPUs back, its deadline is looked at again. While it runs that
 * tells nothing new, but after a check has found an overrun. */
static void hold_spare(struct walk *walk, const struct audit_tenure *tenure)
{
    const int64_t at_s = last_check(walk, tenure);
    const int64_t round_s = audit_round_down(tenure->until_s - 1, walk->leasing->lease_s);
    const int64_t ran_s = walk->ran_s;

    if (at_s <= tenure->from_s)
        return;
    find_overrun(walk, ran_s + at_s - tenure->from_s);
    if (at_s > round_s || round_s <= tenure->from_s)
        return;
    walk->ran_s += round_s - tenure->from_s;
    find_hopeless(walk, round_s);
    walk->ran_s = ran_s;
}

static void live_through(struct walk *walk, const struct audit_tenure *tenure)
{
    const int64_t pass_s = last_pass(walk, tenure, walk->waiting_s);

    if (pass_s >= 0 && (tenure->starts || !tenure->leased))
        find_hopeless(walk, pass_s);
    walk->ran_s += audit_waited_s(walk->audit->policy, walk->leasing, tenure, walk->waiting_s);
    if (tenure->leased)
        hold_lease(walk, tenure);
    else
        hold_spare(walk, tenure);
    walk->ran_s += tenure->until_s - tenure->from_s;
    walk->waiting_s = tenure->until_s;
}

struct audit_fate audit_fate_of(const struct audit *self, const struct audit_tenant *tenant)
{
    const struct audit_leasing *leasing = &self->given->summary.leasing;
    const bool best_effort = tenant->job->deadline_count == 0;
    struct walk walk = {.audit = self,
                        .leasing = leasing,
                        .tenant = tenant,
                        .fate = {.certain = tenant->certain,
                                 .class = best_effort ? CLASS_BEST_EFFORT : CLASS_ACCEPTED},
                        .waiting_s = audit_round_up(tenant->job->submit_s, leasing->admission_s)};

    for (size_t i = 0; i < tenant->count; i++)
        live_through(&walk, &tenant->tenures[i]);
    return walk.fate;
}
