/* oracle_job.c - lists of jobs, whose order breaks ties, and the orders they are sorted by. */
#include "oracle_internal.h"

#include <string.h>

void oracle_jobs_append(struct oracle_call *call, struct jobs *list, struct job *job)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 8;
        list->at = oracle_resize(call, list->at, list->room * sizeof(struct job *));
    }
    list->at[list->count++] = job;
}

void oracle_jobs_append_all(struct oracle_call *call, struct jobs *list, const struct jobs *more)
{
    for (size_t i = 0; i < more->count; i++)
        oracle_jobs_append(call, list, more->at[i]);
}

bool oracle_jobs_have(const struct jobs *list, const struct job *job)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] == job)
            return true;
    return false;
}

void oracle_jobs_remove(struct jobs *list, const struct job *job)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i] != job)
            continue;
        memmove(&list->at[i], &list->at[i + 1], (list->count - i - 1) * sizeof(struct job *));
        list->count--;
        return;
    }
}

void oracle_jobs_drop(struct oracle_call *call, struct jobs *list)
{
    oracle_free(call, list->at);
    *list = (struct jobs){0};
}

void oracle_jobs_sort(struct jobs *list, bool (*before)(const struct job *, const struct job *))
{
    for (size_t i = 1; i < list->count; i++) {
        struct job *job = list->at[i];
        size_t to = i;

        for (; to > 0 && before(job, list->at[to - 1]); to--)
            list->at[to] = list->at[to - 1];
        list->at[to] = job;
    }
}

bool oracle_job_is_more_urgent(const struct job *a, const struct job *b)
{
    return a->deadline_s < b->deadline_s;
}

bool oracle_job_arrived_earlier(const struct job *a, const struct job *b)
{
    return a->given->submit_s < b->given->submit_s;
}

bool oracle_job_is_larger(const struct job *a, const struct job *b)
{
    return a->gpus > b->gpus;
}

bool oracle_job_gains_more(const struct job *a, const struct job *b)
{
    return a->gain_s > b->gain_s;
}
