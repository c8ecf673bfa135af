/* answer.c - see answer.h. */
#include "scheduler/external/answer.h"

#include "common/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* An element of the answer's list, as complaints call it. */
struct element {
    const json_t *object;
    const char *list;
    size_t index;
};

static int complain(const struct element *element, const char *member, const char *expected,
                    struct error *error)
{
    return error_set(error, "%s[%zu].%s: expected %s", element->list, element->index, member,
                     expected);
}

static int find_list(const json_t *answer, const char *name, const json_t **list,
                     struct error *error)
{
    *list = json_object_get(answer, name);
    return json_is_array(*list) ? 0 : error_set(error, "%s: expected a list", name);
}

/* Finds the place in the view of the job that the element names. The search begins at `first`, as
 * the order of an answer is free. */
static int find_place(const struct element *element, const struct view *view, size_t first,
                      size_t *place, struct error *error)
{
    const json_t *number = json_object_get(element->object, "number");

    if (json_is_integer(number))
        for (*place = first; *place < view->job_count; ++*place)
            if ((json_int_t)view->jobs[*place]->submission->number == json_integer_value(number))
                return 0;
    return complain(element, "number",
                    first > 0 ? "the number of a new job" : "the number of a job", error);
}

static int read_verdict(const struct element *element, const struct job *job,
                        struct verdict *verdict, struct error *error)
{
    const char *word = json_string_value(json_object_get(element->object, "verdict"));
    const char *reason = json_string_value(json_object_get(element->object, "reason"));
    const enum verdict_reason told =
        reason && !strcmp(reason, "too-large") ? REASON_TOO_LARGE : REASON_NO_ROOM;

    if (word && !strcmp(word, "promise"))
        *verdict = verdict_promise(job);
    else if (word && !strcmp(word, "decline"))
        *verdict = verdict_decline(told);
    else if (word && !strcmp(word, "try"))
        *verdict = verdict_try(job, REASON_NO_PROMISES);
    else
        return complain(element, "verdict", "promise, try or decline", error);
    return 0;
}

int answer_verdicts(const json_t *answer, const struct view *view, struct verdict verdicts[],
                    struct error *error)
{
    const size_t first = view->job_count - view->arrival_count;
    struct element element = {.list = "verdicts"};
    const json_t *list;
    size_t place;

    if (find_list(answer, "verdicts", &list, error) < 0)
        return -1;
    for (place = first; place < view->job_count; place++)
        verdicts[place - first] = verdict_try(view->jobs[place], REASON_NO_PROMISES);
    for (; element.index < json_array_size(list); element.index++) {
        element.object = json_array_get(list, element.index);
        if (find_place(&element, view, first, &place, error) < 0 ||
            read_verdict(&element, view->jobs[place], &verdicts[place - first], error) < 0)
            return -1;
    }
    return 0;
}

/* ---- plans ---- */

/* A plan that is being read. */
struct reading {
    const struct view *view;
    plan_t *plan;
    int *free_gpus; /* by pool */
    bool *told;     /* by place: whether the answer names the job */
    size_t count;   /* how many jobs the answer names */
};

static int whole(const struct element *element, const char *member, json_int_t otherwise,
                 json_int_t max, json_int_t *value, struct error *error)
{
    const json_t *found = json_object_get(element->object, member);
    char expected[64];

    *value = found ? json_integer_value(found) : otherwise;
    if ((!found || json_is_integer(found)) && *value >= 0 && *value <= max)
        return 0;
    (void)snprintf(expected, sizeof(expected), "a whole number from 0 to %" JSON_INTEGER_FORMAT,
                   max);
    return complain(element, member, expected, error);
}

/* The level of `scaling` with that many GPUs and a rate; -1 if there is none. */
static int level_of(const struct scaling *scaling, json_int_t gpus)
{
    for (int level = 0; level <= scaling->top; level++)
        if (scaling->gpus[level] == gpus && (level == 0 || scaling->rate[level] > 0))
            return level;
    return -1;
}

static int give(struct reading *self, const struct element *element, size_t place,
                struct error *error)
{
    const struct view *view = self->view;
    const struct job *job = view->jobs[place];
    json_int_t gpus;
    json_int_t pool;
    json_int_t start_s;
    int level;

    if (whole(element, "gpus", 0, INT32_MAX, &gpus, error) < 0 ||
        whole(element, "pool", job->grant.pool, view_pools(view) - 1, &pool, error) < 0 ||
        whole(element, "start", 0, TIME_MAX_S, &start_s, error) < 0)
        return -1;
    level = level_of(job_scaling(job, (int)pool), gpus);
    if (level < 0)
        return complain(element, "gpus", "0 or one of the GPU counts of the job's scaling", error);
    if (gpus > self->free_gpus[pool])
        return complain(element, "gpus", "no more GPUs than are left in the pool", error);
    self->free_gpus[pool] -= (int)gpus;
    if (level > 0)
        plan_allocate_in(self->plan, view, place, (int)pool, level);
    else if (start_s > view->now_s)
        self->plan->shares[place].start_s = start_s;
    return 0;
}

/* Reads the share of a job. Jobs are adopted and served in the order of the answer. */
static int read_share(struct reading *self, const struct element *element, struct error *error)
{
    size_t place = 0;

    if (find_place(element, self->view, 0, &place, error) < 0)
        return -1;
    if (self->told[place])
        return complain(element, "number", "a job that was not spoken of before", error);
    self->told[place] = true;
    self->plan->order[self->count] = self->plan->service[self->count] = place;
    self->count++;
    return give(self, element, place, error);
}

static void order_others(struct reading *self)
{
    for (size_t place = 0; place < self->view->job_count; place++)
        if (!self->told[place]) {
            self->plan->order[self->count] = self->plan->service[self->count] = place;
            self->count++;
        }
}

int answer_plan(const json_t *answer, const struct view *view, plan_t *plan, struct error *error)
{
    struct element element = {.list = "jobs"};
    struct reading reading = {.view = view, .plan = plan};
    int free_gpus[CLUSTER_POOLS_MAX];
    const json_t *list;

    if (find_list(answer, "jobs", &list, error) < 0)
        return -1;
    plan_reset(plan, view);
    for (int pool = 0; pool < view_pools(view); pool++)
        free_gpus[pool] = view_gpus(view, pool);
    reading.free_gpus = free_gpus;
    reading.told = arena_alloc(plan->scratch, view->job_count * sizeof(*reading.told) + 1);
    memset(reading.told, 0, view->job_count * sizeof(*reading.told));
    for (; element.index < json_array_size(list); element.index++) {
        element.object = json_array_get(list, element.index);
        if (read_share(&reading, &element, error) < 0)
            return -1;
    }
    order_others(&reading);
    return 0;
}
