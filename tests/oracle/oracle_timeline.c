/* oracle_timeline.c - timelines and plans: lists of (time, GPU count), and the slot grid
 * (sections 5.1, 5.3 and 5.4). */
#include "oracle_internal.h"

#include <math.h>
#include <string.h>

double oracle_align(const struct oracle_call *call, double origin_s, double time_s)
{
    double slot_s = call->slot_s;
    double distance_s = time_s - origin_s;
    double rest_s = fmod(distance_s, slot_s);
    double slots;

    if (rest_s < 0)
        rest_s += slot_s;
    slots = (distance_s - rest_s) / slot_s;
    if (rest_s > 0)
        slots += 1;
    return origin_s + slots * slot_s;
}

struct oracle_step *oracle_step_at(const struct oracle_steps *list, double time_s)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].time_s == time_s)
            return &list->at[i];
    return NULL;
}

struct oracle_step *oracle_step_before(const struct oracle_steps *list, double time_s)
{
    struct oracle_step *found = NULL;

    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].time_s < time_s)
            found = &list->at[i];
    return found;
}

int oracle_gpus_at(struct oracle_call *call, const struct oracle_steps *list, double time_s)
{
    const struct oracle_step *step = oracle_step_at(list, time_s);

    if (!step)
        oracle_abort(call, ORACLE_PLAN_CHECK, "no entry at %.0f", time_s);
    return step->gpus;
}

static void steps_insert(struct oracle_call *call, struct oracle_steps *list, size_t index,
                         double time_s, int gpus)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 8;
        list->at = oracle_resize(call, list->at, list->room * sizeof(list->at[0]));
    }
    memmove(&list->at[index + 1], &list->at[index], (list->count - index) * sizeof(list->at[0]));
    list->at[index] = (struct oracle_step){.time_s = time_s, .gpus = gpus};
    list->count++;
}

void oracle_timeline_set(struct oracle_call *call, struct oracle_steps *list, double time_s,
                         int gpus)
{
    struct oracle_step *step = oracle_step_at(list, time_s);
    size_t index = 0;

    if (step) {
        step->gpus = gpus;
        return;
    }
    while (index < list->count && list->at[index].time_s < time_s)
        index++;
    steps_insert(call, list, index, time_s, gpus);
}

void oracle_plan_set(struct oracle_call *call, struct oracle_steps *list, double time_s, int gpus)
{
    struct oracle_step *step = oracle_step_at(list, time_s);

    if (step)
        step->gpus = gpus;
    else
        steps_insert(call, list, list->count, time_s, gpus);
}

void oracle_steps_sort(struct oracle_steps *list)
{
    for (size_t i = 1; i < list->count; i++) {
        struct oracle_step step = list->at[i];
        size_t to = i;

        for (; to > 0 && step.time_s < list->at[to - 1].time_s; to--)
            list->at[to] = list->at[to - 1];
        list->at[to] = step;
    }
}

/* EF-Q11: a plan may be in the order of its making, and is compressed in that order. */
void oracle_steps_compress(struct oracle_steps *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || list->at[i].gpus != list->at[kept - 1].gpus)
            list->at[kept++] = list->at[i];
    list->count = kept;
}

void oracle_steps_assign(struct oracle_call *call, struct oracle_steps *to,
                         const struct oracle_steps *from)
{
    if (to->room < from->count) {
        to->room = from->count;
        to->at = oracle_resize(call, to->at, to->room * sizeof(to->at[0]));
    }
    if (from->count > 0)
        memmove(to->at, from->at, from->count * sizeof(to->at[0]));
    to->count = from->count;
}

void oracle_steps_drop(struct oracle_call *call, struct oracle_steps *list)
{
    oracle_free(call, list->at);
    *list = (struct oracle_steps){0};
}

struct oracle_steps oracle_steps_give(const struct oracle_steps *list)
{
    struct oracle_steps given = {.at = oracle_xmalloc(list->count * sizeof(list->at[0])),
                                 .count = list->count,
                                 .room = list->count};

    if (list->count > 0)
        memcpy(given.at, list->at, list->count * sizeof(list->at[0]));
    return given;
}
