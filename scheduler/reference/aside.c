/* aside.c - see aside.h. */
#include "scheduler/reference/aside.h"

#include "scheduler/reference/artifact.h"

#include "common/sort.h"

#include <assert.h>
#include <stdlib.h>

/* A key has the deadline in the upper bits, and the place among all arrivals in the lower bits. A
 * job whose deadline or place does not fit stays live, and so do all later jobs. */
#define ARRIVAL_BITS 23
#define ARRIVALS_MAX ((int64_t)1 << ARRIVAL_BITS)
#define DEADLINE_MAX (((int64_t)1 << (61 - ARRIVAL_BITS)) - 1)
#define KEY_NONE     INT64_MAX

void aside_open(struct aside *self)
{
    *self = (struct aside){.jobs = heap_new(),
                           .keys = side_table_new(sizeof(int64_t)),
                           .next_arrival = 1,
                           .sorted_before = 1};
}

void aside_close(struct aside *self)
{
    heap_destroy(&self->jobs);
    side_table_destroy(&self->keys);
    free(self->work);
}

static struct aside *aside_of(const engine_t *engine)
{
    return &artifact_of(engine)->aside;
}

static int64_t *key_of(struct aside *self, const struct job *job)
{
    return side_table_at(self->keys, job);
}

/* ---- keys ---- */

static int64_t new_key(struct aside *self, const struct job *job)
{
    const int64_t deadline_s = job->submission->deadline_s;
    const bool is_late = deadline_s > TIME_MAX_S;
    const int64_t rank_s = is_late ? DEADLINE_MAX : deadline_s;

    if (self->next_arrival >= ARRIVALS_MAX || deadline_s < 0 ||
        (!is_late && deadline_s >= DEADLINE_MAX))
        return KEY_NONE;
    return rank_s << ARRIVAL_BITS | self->next_arrival++;
}

/* The arrivals of this round come last in engine->live. */
static void name_arrivals(engine_t *engine)
{
    struct aside *self = aside_of(engine);

    for (size_t i = engine->live.count - engine->admitted; i < engine->live.count; i++)
        *key_of(self, engine->live.items[i]) = new_key(self, engine->live.items[i]);
}

/* The key of a job in the order of service. */
static int64_t service_key(struct aside *self, const struct job *job)
{
    const int64_t key = *key_of(self, job);
    const int64_t arrival = key & (ARRIVALS_MAX - 1);

    return arrival < self->sorted_before ? key : ((int64_t)1 << 62) | arrival;
}

/* The keys of the live jobs, in the order of service. Lent until the next call. */
static const int64_t *live_keys(engine_t *engine)
{
    struct aside *self = aside_of(engine);

    self->work =
        reserve_array(self->work, engine->live.count, &self->work_room, sizeof(*self->work));
    for (size_t i = 0; i < engine->live.count; i++)
        self->work[i] = *key_of(self, engine->live.items[i]);
    return self->work;
}

/* The largest key of a job that has started. */
static int64_t last_running_key(engine_t *engine)
{
    int64_t last = 0;

    for (size_t i = 0; i < engine->running.count; i++) {
        const int64_t key = *key_of(aside_of(engine), engine->running.items[i]);

        last = key > last ? key : last;
    }
    return last;
}

/* ---- back ---- */

static void serve_in_order(engine_t *engine)
{
    const size_t count = engine->live.count;
    struct ranked *ranks = xcalloc(2 * count, sizeof(*ranks));

    for (size_t i = 0; i < count; i++)
        ranks[i] = (struct ranked){{service_key(aside_of(engine), engine->live.items[i])}, i};
    sort_ranked(ranks, count, ranks + count);
    engine->scratch.count = 0;
    for (size_t i = 0; i < count; i++)
        jobs_append(&engine->scratch, engine->live.items[ranks[i].item]);
    for (size_t i = 0; i < count; i++)
        engine->live.items[i] = engine->scratch.items[i];
    places_forget(&engine->places, 0);
    free(ranks);
}

static void bring_back(engine_t *engine)
{
    struct job *job = heap_pop(aside_of(engine)->jobs);

    engine->aside--;
    jobs_append(&engine->live, job);
    jobs_append(&engine->pending, job);
}

void aside_gather(engine_t *engine)
{
    while (engine->aside > 0)
        bring_back(engine);
    serve_in_order(engine);
    jobs_sort_by_arrival(&engine->pending);
}

/* Whether a job has no key, or can abort the artifact, so that all jobs have to be planned. */
static bool is_special(engine_t *engine, const struct job *job)
{
    return !job->scaling->complete || *key_of(aside_of(engine), job) == KEY_NONE;
}

static bool any_special(engine_t *engine)
{
    for (size_t i = 0; i < engine->live.count; i++)
        if (is_special(engine, engine->live.items[i]))
            return true;
    return false;
}

static size_t count_below(const int64_t keys[], size_t count, int64_t key)
{
    size_t below = 0;

    for (size_t i = 0; i < count; i++)
        below += keys[i] < key;
    return below;
}

/* The number of jobs that a plan reaches in the order of planning. Each job takes at least a GPU.
 * The plan ends where the next job is not reached, so that job counts too. */
static size_t reach(const engine_t *engine)
{
    return (size_t)cluster_gpus_up(engine->cluster) + 1;
}

static void bring_back_reached(engine_t *engine)
{
    const heap_t *jobs = aside_of(engine)->jobs;
    const int64_t *keys = live_keys(engine);
    const size_t count = engine->live.count;
    const int64_t last = last_running_key(engine);
    size_t back = 0;

    while (engine->aside > 0 &&
           (heap_first_key(jobs) < last ||
            back + count_below(keys, count, heap_first_key(jobs)) < reach(engine))) {
        bring_back(engine);
        back++;
    }
    if (back > 0)
        serve_in_order(engine);
}

int edf_release_by_start(engine_t *engine, struct error *error)
{
    if (engine->setting.sets_aside) {
        name_arrivals(engine);
        if (engine->aside > 0 && any_special(engine))
            aside_gather(engine);
        else if (engine->aside > 0)
            bring_back_reached(engine);
    }
    return artifact_release_by_start(engine, error);
}

/* ---- aside ---- */

/* A job that was planned has an end in mind. */
static bool is_planned(const engine_t *engine, const struct job *job)
{
    return engine->plan->shares[job->place].end_s != NEVER_S;
}

static bool all_planned(const engine_t *engine)
{
    for (size_t i = 0; i < engine->live.count; i++)
        if (!is_planned(engine, engine->live.items[i]))
            return false;
    return true;
}

/* The plan came to the end of the live jobs and might go on: jobs that take no time took nothing.
 */
static void plan_with_all(engine_t *engine)
{
    struct error none;
    struct view view;
    int status;

    aside_gather(engine);
    view = round_look(engine, engine->admitted);
    status = engine->setting.policy->allocate(&view, engine->plan, &none);
    assert(status == 0); /* all scalings are complete */
    (void)status;
}

static int compare_keys(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* The last key of the jobs that stay live: half as many again as a plan can reach, so that few jobs
 * come back in a round. */
static int64_t last_key_to_stay(engine_t *engine)
{
    const size_t stay = reach(engine) * 3 / 2;
    const int64_t running = last_running_key(engine);
    int64_t last;

    (void)live_keys(engine);
    qsort(aside_of(engine)->work, engine->live.count, sizeof(int64_t), compare_keys);
    last = aside_of(engine)->work[stay];
    return last > running ? last : running;
}

static bool is_behind(engine_t *engine, const struct job *job, int64_t last)
{
    return job->state == JOB_PENDING && *key_of(aside_of(engine), job) > last &&
           !is_planned(engine, job);
}

static void keep_up_to(engine_t *engine, struct jobs *jobs, int64_t last)
{
    size_t kept = 0;

    for (size_t i = 0; i < jobs->count; i++)
        if (!is_behind(engine, jobs->items[i], last))
            jobs->items[kept++] = jobs->items[i];
    jobs->count = kept;
}

static void set_aside(engine_t *engine)
{
    struct aside *self = aside_of(engine);
    int64_t last;

    if (engine->status.disturbed || engine->live.count < 2 * reach(engine) || any_special(engine))
        return;
    last = last_key_to_stay(engine);
    for (size_t i = 0; i < engine->live.count; i++) {
        struct job *job = engine->live.items[i];

        if (!is_behind(engine, job, last))
            continue;
        heap_push(self->jobs, *key_of(self, job), job);
        engine->aside++;
    }
    keep_up_to(engine, &engine->pending, last);
    keep_up_to(engine, &engine->live, last);
    places_forget(&engine->places, 0);
}

void edf_adopt_in_order(engine_t *engine)
{
    if (engine->aside > 0 && all_planned(engine))
        plan_with_all(engine);
    planned_adopt_in_order(engine);
    if (!engine->setting.sets_aside)
        return;
    if (engine->admitted == 0)
        aside_of(engine)->sorted_before = aside_of(engine)->next_arrival;
    set_aside(engine);
}
