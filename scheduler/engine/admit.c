/* admit.c - the middle stages of a round: which arrivals are admitted, and how many GPUs each job
 * gets. */
#include "scheduler/engine/round.h"

#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct view round_look(engine_t *self, size_t arrival_count)
{
    places_tell(&self->places, &self->live);
    assert(!PLACES_ARE_CHECKED || places_hold(&self->live));
    return (struct view){.now_s = self->now_s,
                         .slot_s = self->setting.slot_s,
                         .slot_end_s = self->slot_end_s,
                         .event_s = self->event_s,
                         .end_count = self->due.count,
                         .gpu_count = cluster_gpus_up(self->cluster),
                         .pools = self->pools,
                         .pool_count = self->pool_count,
                         .disturbed = self->disturbance[0] != '\0',
                         .jobs = (const struct job *const *)self->live.items,
                         .job_count = self->live.count,
                         .arrival_count = arrival_count,
                         .child_count = self->setting.policy->plans_chains ? self->child_count : 0,
                         .cluster = self->cluster,
                         .all_prices = self->prices,
                         .own_price_s = self->setting.policy->price_s,
                         .memory = self->memory,
                         .rules = self->setting.policy->rules};
}

void round_note_verdict(engine_t *self, struct job *job, const struct verdict *verdict)
{
    list_append(&self->findings.decided, (struct decided){job, *verdict});
    if (verdict_promises(verdict))
        job->promise = (struct promise){
            .state = PROMISE_STANDS, .deadline_s = verdict->promised_s, .made_s = self->now_s};
}

void round_decline(engine_t *self, struct job *job)
{
    job->state = JOB_DECLINED;
    self->status.declined++;
    self->status.settled++;
    round_is_over(self, job);
}

/* Settles the arrivals, which are the last `count` live jobs. Returns how many are admitted and
 * stay live. */
static size_t settle_arrivals(engine_t *self, size_t count, const struct verdict verdicts[])
{
    const size_t first = self->live.count - count;
    size_t kept = first;

    for (size_t k = 0; k < count; k++) {
        struct job *job = self->live.items[first + k];

        round_note_verdict(self, job, &verdicts[k]);
        if (verdicts[k].kind == VERDICT_DECLINED) {
            round_decline(self, job);
            continue;
        }
        job->state = JOB_PENDING;
        jobs_append(&self->pending, job);
        self->live.items[kept++] = job;
    }
    self->live.count = kept;
    places_forget(&self->places, first);
    return kept - first;
}

/* ---- questions ---- */

bool engine_can_ask(const engine_t *self)
{
    return self->setting.policy->ask != NULL;
}

void engine_ask_at_arrival(engine_t *self, uint64_t number, engine_ask_fn *ask, void *owner)
{
    assert(engine_can_ask(self));
    self->asking = (struct asking){.number = number, .ask = ask, .owner = owner};
}

/* Puts the waiting questions if the job that they are about is among the arrivals, the last `count`
 * live jobs. */
static void put_questions(engine_t *self, size_t count)
{
    struct asking *asking = &self->asking;

    for (size_t i = self->live.count - count; asking->ask && i < self->live.count; i++)
        if (self->live.items[i]->submission->number == asking->number) {
            asking->job = self->live.items[i];
            asking->arrival_count = count;
            asking->ask(asking->owner);
            *asking = (struct asking){.ask = NULL};
        }
}

int engine_ask(engine_t *self, struct verdict *verdict, struct error *error)
{
    struct job *job = self->asking.job;
    struct view view;

    assert(job);
    job->iterations_left = (double)(job->submission->iterations - job->submission->iterations_done);
    if (self->stages.check(self, job, error) < 0)
        return -1;
    view = round_look(self, self->asking.arrival_count);
    *verdict = self->setting.policy->ask(&view, job->place);
    return 0;
}

/* ---- verdicts ---- */

/* Shows `count` arrivals to the admission module. Returns how many are admitted, -1 with
 * `error`. */
static long decide(engine_t *self, struct job *const *arrivals, size_t count, struct error *error)
{
    const struct policy *policy = self->setting.policy;
    struct verdict *verdicts = xcalloc(count, sizeof(*verdicts));
    struct view view;
    long result;

    for (size_t k = 0; k < count; k++)
        jobs_append(&self->live, arrivals[k]);
    put_questions(self, count);
    view = round_look(self, count);
    self->plan->proven = false;
    result = policy->admission->decide(policy->prove, &view, self->plan, verdicts, error);
    if (result == 0)
        result = (long)settle_arrivals(self, count, verdicts);
    free(verdicts);
    return result;
}

static int admit_one_by_one(engine_t *self, struct error *error)
{
    for (size_t k = 0; k < self->arrivals.count; k++) {
        const long in = decide(self, &self->arrivals.items[k], 1, error);

        if (in < 0)
            return -1;
        if (in > 0) {
            self->stages.adopt_proof(self);
            self->admitted++;
        }
    }
    return 0;
}

static void swap(struct jobs *a, struct jobs *b)
{
    const struct jobs other = *a;

    *a = *b;
    *b = other;
}

/* Whether there are GPUs to plan with: a policy that keeps a plan counts on those that are known to
 * come back. */
static bool has_gpus(const engine_t *self)
{
    return cluster_gpus_up(self->cluster) > 0 ||
           (self->setting.policy->keeps_plan && cluster_gpus_away(self->cluster) > 0);
}

/* Arrivals wait while there are no GPUs to plan with. Later they go before new arrivals. */
static void wait_for_nodes(engine_t *self)
{
    const bool decides = has_gpus(self);

    if (self->waiting.count == 0 && decides)
        return;
    self->to_come -= self->waiting.count;
    for (size_t i = 0; i < self->arrivals.count; i++)
        jobs_append(&self->waiting, self->arrivals.items[i]);
    self->arrivals.count = 0;
    if (decides)
        swap(&self->arrivals, &self->waiting);
    self->to_come += self->waiting.count;
}

int round_admit(engine_t *self, struct error *error)
{
    long in;

    self->plan->proven = false;
    wait_for_nodes(self);
    if (self->arrivals.count == 0)
        return 0;
    if (self->setting.policy->admission->one_by_one)
        return admit_one_by_one(self, error);
    in = decide(self, self->arrivals.items, self->arrivals.count, error);
    if (in < 0)
        return -1;
    self->admitted = (size_t)in;
    return 0;
}

static int check_sum_of(const engine_t *self, int pool, int given, struct error *error)
{
    const bool is_one = self->pool_count == 1;

    if (given <= self->pools[pool].gpus_up)
        return 0;
    return error_set(error, "policy %s gave out %d of %d GPUs%s%s in round %" PRId64,
                     self->setting.policy->name, given, self->pools[pool].gpus_up,
                     is_one ? "" : " of pool ", is_one ? "" : self->pools[pool].name,
                     self->status.rounds);
}

static int check_sums(const engine_t *self, struct error *error)
{
    int given[CLUSTER_POOLS_MAX] = {0};

    for (size_t i = 0; i < self->live.count; i++)
        given[self->live.items[i]->grant.pool] += grant_own_gpus(&self->live.items[i]->grant);
    for (int pool = 0; pool < self->pool_count; pool++)
        if (check_sum_of(self, pool, given[pool], error) < 0)
            return -1;
    return 0;
}

/* Checks that the policy gave out no more GPUs than there are, in each pool. */
static int check_sum(const engine_t *self, struct error *error)
{
    for (size_t i = 0; self->child_count > 0 && i < self->live.count; i++)
        assert(!job_holds(self->live.items[i]) || !job_waits(self->live.items[i]));
    return self->pool_count == 1 ? check_sum_of(self, 0, self->held_gpus, error)
                                 : check_sums(self, error);
}

static int complain_grant(const engine_t *self, const struct job *job, const char *what,
                          struct error *error)
{
    return error_set(error, "policy %s gave job %s %d GPUs %s in round %" PRId64,
                     self->setting.policy->name, job->submission->id, job->grant.gpus, what,
                     self->status.rounds);
}

static int check_grant(const engine_t *self, const struct job *job, struct error *error)
{
    const struct grant *grant = &job->grant;
    const struct job *host = grant->partner;

    if (!(grant->rate > 0) || isinf(grant->rate))
        return complain_grant(self, job, "at no rate", error);
    if (grant->batch < 0 || grant->nodes < 0)
        return complain_grant(self, job, "with a batch size or nodes below 0", error);
    if (host && (!job_is_live(host) || host->grant.partner || host->grant.gpus != grant->gpus ||
                 host->grant.pool != grant->pool))
        return complain_grant(self, job, "of a partner that does not hold as many of its own",
                              error);
    return 0;
}

static int check_grants(const engine_t *self, struct error *error)
{
    for (size_t i = 0; i < self->live.count; i++)
        if (job_holds(self->live.items[i]) && check_grant(self, self->live.items[i], error) < 0)
            return -1;
    return 0;
}

/* Takes all GPUs from all jobs. No node is up, and the policy is not asked. */
static void hold_nothing(engine_t *self)
{
    const struct view view = round_look(self, 0);

    plan_reset(self->plan, &view);
    self->stages.adopt(self);
    for (size_t i = 0; i < self->live.count; i++)
        round_let_go(self, self->live.items[i]);
}

int round_allocate(engine_t *self, struct error *error)
{
    const bool adopted = self->setting.policy->admission->one_by_one && self->admitted > 0;
    struct view view;

    if (self->stages.release && self->stages.release(self, error) < 0)
        return -1;
    if (!has_gpus(self)) {
        hold_nothing(self);
    } else if (!adopted) {
        view = round_look(self, self->admitted);
        if (self->setting.policy->allocate(&view, self->plan, error) < 0)
            return -1;
        self->stages.adopt(self);
    }
    if (self->setting.policy->own_grants && check_grants(self, error) < 0)
        return -1;
    return check_sum(self, error);
}
