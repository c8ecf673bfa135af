/* rubato_idle.c - see rubato.h. Of thousands of jobs that wait without a deadline a round need look
 * at few: GPUs that are left go to them in the order of their arrival, so that of those that begin
 * with the same number of GPUs only the first can get any, as many as there are GPUs for. Others
 * hold nothing and are planned nothing, and what is remembered of them stays as it is. */
#include "scheduler/policies/rubato.h"

/* By the class of the GPUs that they begin with. */
struct idle {
    size_t counts[SCALING_CLASSES];
    uint64_t last[SCALING_CLASSES]; /* arrivals */
    bool in_order;
};

/* Whether nothing is to be remembered, or planned, of a job that is given nothing. */
static bool may_be_idle(const struct job *job, const struct stand *stand)
{
    return job->level == 0 && stand->known && stand->best_effort && !stand->promised &&
           stand->reserve.level == 0 && stand->reserve.owed_s <= 0;
}

/* The fewest GPUs on which it runs; 0 if there are not as many. */
static int gpus_least(const struct scaling *scaling)
{
    for (int level = 1; level <= scaling->reach; level++)
        if (scaling->rate[level] > 0)
            return scaling->gpus[level];
    return 0;
}

static bool is_idle(struct idle *idle, const struct job *job, int gpus)
{
    const int least = gpus_least(job->scaling);
    const int size = scaling_class(least);

    if (least == 0)
        return true;
    idle->in_order = idle->in_order && (idle->counts[size] == 0 || job->arrival > idle->last[size]);
    idle->last[size] = job->arrival;
    return idle->counts[size]++ >= (size_t)(gpus / least);
}

static size_t list_all(size_t places[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        places[i] = i;
    return count;
}

size_t idle_leave_out(const struct round *round, size_t places[])
{
    const struct view *view = round->view;
    struct idle idle = {.in_order = true};
    size_t count = 0;

    /* Spare nodes are lent in another order. */
    if (round->planner.order->spares > 0 || round->memory->asked.looks_at_all)
        return list_all(places, view->job_count);
    for (size_t i = 0; i < view->job_count; i++) {
        const struct job *job = view->jobs[i];

        if (!may_be_idle(job, side_table_at(round->memory->stands, job)) ||
            !is_idle(&idle, job, round->planner.gpus))
            places[count++] = i;
    }
    return idle.in_order ? count : list_all(places, view->job_count);
}
