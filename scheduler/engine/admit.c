/* admit.c - the middle stages of a round: which arrivals are admitted, and who gets how many GPUs.
 */
#include "scheduler/engine/round.h"

#include "common/memory.h"
#include "common/sort.h"

#include <stdlib.h>

struct view round_look(engine_t *self, size_t arrival_count)
{
    for (size_t i = 0; i < self->live.count; i++)
        self->live.items[i]->place = i;
    return (struct view){.now_s = self->now_s,
                         .slot_s = self->setting.slot_s,
                         .event_s = self->event_s,
                         .end_count = self->due.count,
                         .gpu_count = cluster_gpus_up(self->cluster),
                         .disturbed = self->disturbance[0] != '\0',
                         .jobs = (const struct job *const *)self->live.items,
                         .job_count = self->live.count,
                         .arrival_count = arrival_count,
                         .leasing = &self->setting.leasing,
                         .sharing = &self->setting.policy->sharing,
                         .planning = &self->setting.policy->planning};
}

/* Of the last `count` live jobs, which are the arrivals, keeps those that are admitted. Returns how
 * many. */
static size_t settle_arrivals(engine_t *self, size_t count, const bool admitted[])
{
    const size_t first = self->live.count - count;
    size_t kept = first;

    for (size_t k = 0; k < count; k++) {
        struct job *job = self->live.items[first + k];

        job->state = admitted[k] ? JOB_PENDING : JOB_DECLINED;
        if (admitted[k]) {
            metrics_admit(self->metrics, job);
            jobs_append(&self->pending, job);
            self->live.items[kept++] = job;
        } else {
            self->declined++;
            self->settled++;
        }
    }
    self->live.count = kept;
    return kept - first;
}

/* Shows `count` arrivals to the admission module. Returns how many are in, -1 with `error`. */
static long decide(engine_t *self, struct job *const *arrivals, size_t count, struct error *error)
{
    const struct policy *policy = self->setting.policy;
    bool *admitted = xcalloc(count, sizeof(*admitted));
    struct view view;
    long result;

    for (size_t k = 0; k < count; k++)
        jobs_append(&self->live, arrivals[k]);
    view = round_look(self, count);
    self->plan->proven = false;
    result = policy->admission->decide(policy->prove, &view, self->plan, admitted, error);
    if (result == 0)
        result = (long)settle_arrivals(self, count, admitted);
    free(admitted);
    return result;
}

static int admit_one_by_one(engine_t *self, struct error *error)
{
    for (size_t k = 0; k < self->arrivals.count; k++) {
        const long in = decide(self, &self->arrivals.items[k], 1, error);

        if (in < 0)
            return -1;
        if (in > 0) {
            round_adopt_proof(self);
            self->admitted++;
        }
    }
    return 0;
}

int round_admit(engine_t *self, struct error *error)
{
    long in;

    self->admitted = 0;
    self->plan->proven = false;
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

/* EF-Q4: GPUs are taken off jobs in the order in which they are planned. */
static int release_by_deadline(engine_t *self, struct error *error)
{
    const size_t count = self->live.count;
    struct keyed *keys = xcalloc(2 * count, sizeof(*keys));
    int result = 0;

    for (size_t i = 0; i < count; i++)
        keys[i] = (struct keyed){(double)self->live.items[i]->submission->deadline_s, i};
    sort_keyed(keys, count, keys + count);
    for (size_t i = 0; i < count && result == 0; i++)
        result = round_release(self, self->live.items[keys[i].item], error);
    free(keys);
    return result;
}

static int release_rest(engine_t *self, struct error *error)
{
    if (self->rules->release == RELEASE_IN_ORDER_OF_SERVICE)
        return 0; /* all were released before the first end of this round, see round_retire */
    if (self->rules->release == RELEASE_IN_ORDER_OF_START)
        return round_release_all(self, &self->running, error);
    if (self->rules->release == RELEASE_BY_DEADLINE && self->order_matters)
        return release_by_deadline(self, error);
    return round_release_all(self, &self->live, error);
}

static struct verdict verdict_on(const engine_t *self, const struct job *job)
{
    const struct policy *policy = self->setting.policy;
    struct verdict verdict = {VERDICT_BEST_EFFORT, REASON_NO_DEADLINE, DEADLINE_NONE_S};

    if (job->state == JOB_DECLINED) {
        verdict.kind = VERDICT_DECLINED;
        verdict.reason = policy->admission->declines_for;
    } else if (!job->best_effort && !policy->promised_s) {
        verdict.reason = REASON_NO_PROMISES;
    } else if (!job->best_effort) {
        verdict.promised_s = policy->promised_s(self->plan, job);
        verdict.kind =
            verdict.promised_s == DEADLINE_NONE_S ? VERDICT_BEST_EFFORT : VERDICT_PROMISED;
        verdict.reason = verdict.kind == VERDICT_PROMISED ? REASON_FITS : REASON_NO_ROOM;
    }
    return verdict;
}

static void report_verdicts(const engine_t *self)
{
    for (size_t k = 0; k < self->arrivals.count; k++) {
        const struct verdict verdict = verdict_on(self, self->arrivals.items[k]);

        report_decided(self->report, self->arrivals.items[k], self->now_s, &verdict);
    }
}

int round_allocate(engine_t *self, struct error *error)
{
    const bool adopted = self->setting.policy->admission->one_by_one && self->admitted > 0;
    struct view view;

    if (release_rest(self, error) < 0)
        return -1;
    if (!adopted) {
        view = round_look(self, self->admitted);
        if (self->setting.policy->allocate(&view, self->plan, error) < 0)
            return -1;
        round_adopt(self);
    }
    report_verdicts(self);
    return 0;
}
